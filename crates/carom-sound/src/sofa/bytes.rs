//! Numbers from bytes that may be anything: every step is checked against what is there.

use super::Problem;

/// A place in bytes, little-endian.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bytes<'a> {
    rest: &'a [u8],
}

impl<'a> Bytes<'a> {
    pub fn new(bytes: &'a [u8]) -> Bytes<'a> {
        Bytes { rest: bytes }
    }

    pub fn len(&self) -> usize {
        self.rest.len()
    }

    pub fn take(&mut self, count: usize) -> Result<&'a [u8], Problem> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or_else(|| Problem::new("it ends too early"))?;
        self.rest = rest;
        Ok(taken)
    }

    pub fn skip(&mut self, count: usize) -> Result<(), Problem> {
        self.take(count).map(|_| ())
    }

    /// A whole number of up to eight bytes.
    pub fn number(&mut self, width: usize) -> Result<u64, Problem> {
        if width > 8 {
            return Err(Problem::new(format!("it has a number of {width} bytes")));
        }
        Ok(self.take(width)?.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
    }

    /// The same as a size or a place; what is too large for this machine is not there either.
    pub fn size(&mut self, width: usize) -> Result<usize, Problem> {
        Ok(usize::try_from(self.number(width)?).unwrap_or(usize::MAX))
    }

    pub fn expect(&mut self, sign: &[u8]) -> Result<(), Problem> {
        let found = self.take(sign.len())?;
        if found == sign {
            return Ok(());
        }
        let (sign, found) = (String::from_utf8_lossy(sign), found.escape_ascii());
        Err(Problem::new(format!("a block begins with '{found}', expected '{sign}'")))
    }
}
