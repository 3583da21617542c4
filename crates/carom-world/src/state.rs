//! All that a world remembers from step to step, as named arrays of numbers: what a checkpoint holds.

use crate::WorldError;
use crate::limits::MAX_MAGNITUDE;

/// Arrays of coordinates, velocities and spins.
const MAGNITUDES: [&str; 3] = ["poses", "velocities", "points"];

/// No other number of a state is beyond this: energies, impulses and modal coordinates stay far below.
const MAX_NUMBER: f64 = 1e60;

/// Arrays of the physical state, in the order in which [`State::hash`] takes them. A world has those that it needs.
const PHYSICAL: [&str; 6] = ["steps", "poses", "velocities", "modes", "ringing", "ledger"];
/// No run has more steps: their number times the step is a time to full precision.
const MAX_STEPS: u64 = 1 << 53;

/// The complete state of a world. A world that takes it back goes on bit for bit.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct State {
    /// Named arrays, always in the same order.
    pub arrays: Vec<(String, StateArray)>,
}

/// Numbers of a state.
#[derive(Debug, Clone, PartialEq)]
pub enum StateArray {
    /// Real numbers.
    F64(Vec<f64>),
    /// Counters, places and keys.
    U64(Vec<u64>),
}

impl State {
    /// The version of the arrays. It must rise whenever they change their names, their lengths or their meaning, so that no world goes on
    /// from a state that it would misunderstand. Version 2 has the memory of the energy guard.
    pub const VERSION: u32 = 2;

    pub(crate) fn put_f64(&mut self, name: &str, numbers: Vec<f64>) {
        self.arrays.push((name.into(), StateArray::F64(numbers)));
    }

    pub(crate) fn put_u64(&mut self, name: &str, numbers: Vec<u64>) {
        self.arrays.push((name.into(), StateArray::U64(numbers)));
    }

    /// An array of reals by its name; `length` where only one length fits.
    pub(crate) fn f64(&self, name: &str, length: Option<usize>) -> Result<&[f64], WorldError> {
        match self.array(name)? {
            StateArray::F64(numbers) => {
                check_length(name, numbers.len(), length)?;
                let most = if MAGNITUDES.contains(&name) { MAX_MAGNITUDE } else { MAX_NUMBER };
                match numbers.iter().find(|x| x.is_nan() || x.abs() > most) {
                    Some(x) => Err(WorldError::State(format!("'{name}' has the number {x}, beyond {most:e}"))),
                    None => Ok(numbers),
                }
            }
            StateArray::U64(_) => Err(WorldError::State(format!("'{name}' should be real numbers"))),
        }
    }

    /// The poses of so many bodies, each of `numbers` numbers; seven are a position and a unit quaternion.
    pub(crate) fn poses(&self, bodies: usize, numbers: usize) -> Result<&[f64], WorldError> {
        let poses = self.f64("poses", Some(bodies * numbers))?;
        let is_unit = |pose: &[f64]| numbers != 7 || (pose[3..].iter().map(|q| q * q).sum::<f64>() - 1.0).abs() < 1e-6;
        match poses.chunks_exact(numbers).all(is_unit) {
            true => Ok(poses),
            false => Err(WorldError::State("'poses' has a rotation that is no unit quaternion".into())),
        }
    }

    pub(crate) fn u64(&self, name: &str, length: Option<usize>) -> Result<&[u64], WorldError> {
        match self.array(name)? {
            StateArray::U64(numbers) => {
                check_length(name, numbers.len(), length)?;
                Ok(numbers)
            }
            StateArray::F64(_) => Err(WorldError::State(format!("'{name}' should be whole numbers"))),
        }
    }

    /// Steps since the start.
    pub(crate) fn steps(&self) -> Result<u64, WorldError> {
        match self.u64("steps", Some(1))?[0] {
            steps if steps <= MAX_STEPS => Ok(steps),
            steps => Err(WorldError::State(format!("'steps' has the number {steps}, beyond {MAX_STEPS}"))),
        }
    }

    fn array(&self, name: &str) -> Result<&StateArray, WorldError> {
        let found = self.arrays.iter().find(|(other, _)| other == name);
        found.map(|(_, array)| array).ok_or_else(|| WorldError::State(format!("it has no '{name}'")))
    }

    /// A hash of the physical state: the time as steps, then poses, velocities and modal coordinates of the bodies in the order of names,
    /// then the columns of the ledger, by their bits.
    ///
    /// Names of arrays have no part in it, nor has what solvers and detection remember: it changes only if the motion does.
    pub fn hash(&self) -> u64 {
        let mut fingerprint = Fingerprint::default();
        let arrays = PHYSICAL.iter().filter_map(|name| self.array(name).ok());
        arrays.for_each(|array| fingerprint.add(array));
        fingerprint.finish()
    }

    /// A hash of everything that a world remembers, with the names of the arrays.
    pub fn fingerprint(&self) -> u64 {
        let mut fingerprint = Fingerprint::default();
        for (name, array) in &self.arrays {
            fingerprint.add_bytes(name.as_bytes());
            fingerprint.add(array);
        }
        fingerprint.finish()
    }
}

/// Bits that were added so far, as a hash (FNV-1a).
struct Fingerprint(u64);

impl Default for Fingerprint {
    fn default() -> Self {
        Fingerprint(0xcbf2_9ce4_8422_2325)
    }
}

impl Fingerprint {
    fn add_bytes(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    fn add(&mut self, array: &StateArray) {
        match array {
            StateArray::F64(numbers) => numbers.iter().for_each(|x| self.add_bytes(&x.to_bits().to_le_bytes())),
            StateArray::U64(numbers) => numbers.iter().for_each(|x| self.add_bytes(&x.to_le_bytes())),
        }
    }

    fn finish(self) -> u64 {
        self.0
    }
}

fn check_length(name: &str, found: usize, expected: Option<usize>) -> Result<(), WorldError> {
    match expected {
        Some(expected) if expected != found => {
            Err(WorldError::State(format!("'{name}' has {found} numbers, this scene needs {expected}")))
        }
        _ => Ok(()),
    }
}
