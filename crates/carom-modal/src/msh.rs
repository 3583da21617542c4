//! Reads the tetrahedra of Gmsh's `.msh` files: version 4.1 in text and binary, version 2.2 in text.
//!
//! Points, lines and triangles are passed over, as are all sections but nodes and elements; other solids are refused,
//! for a body without them would not be the user's. Memory stays in proportion to the file, whatever counts it claims.

use std::collections::BTreeSet;

use glam::DVec3;

use crate::tetra::{TetElements, TetMesh, TetMeshError};

/// Gmsh's numbers for the two kinds of tetrahedra.
const LINEAR: usize = 4;
const QUADRATIC: usize = 11;

/// Gmsh puts the middle of edge 23 before that of 13; here it is the other way round.
const FROM_GMSH: [usize; 10] = [0, 1, 2, 3, 4, 5, 6, 7, 9, 8];

/// Reads a `.msh` file.
///
/// ```
/// let text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n\
///             $Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n\
///             $Elements\n1\n1 4 2 1 1 1 2 3 4\n$EndElements\n";
/// let mesh = carom_modal::read_msh(text.as_bytes())?;
/// assert_eq!(mesh.elements().nodes(0), [0, 1, 2, 3]);
/// # Ok::<(), carom_modal::TetMeshError>(())
/// ```
pub fn read_msh(bytes: &[u8]) -> Result<TetMesh, TetMeshError> {
    let mut reader = Reader { bytes, at: 0, encoding: Encoding::Text };
    reader.expect("$MeshFormat")?;
    let version = reader.word()?.to_owned();
    let binary = reader.count()? == 1;
    let size = reader.count()?;
    match (version.as_str(), binary, size) {
        ("4.1", _, 8) | ("2.2", false, _) => {}
        _ => {
            let kind = if binary { "binary" } else { "text" };
            let found = format!("version {version} ({kind}, numbers of {size} bytes)");
            return Err(reader.error(format!("expected version 4.1, or 2.2 in text, found {found}")));
        }
    }
    if binary {
        reader.skip_line();
        let one = reader.take::<4>()?;
        reader.encoding = match (u32::from_le_bytes(one), u32::from_be_bytes(one)) {
            (1, _) => Encoding::LittleEndian,
            (_, 1) => Encoding::BigEndian,
            _ => return Err(reader.error("expected the number 1 that tells the byte order")),
        };
    }
    reader.expect("$EndMeshFormat")?;

    let mut content = Content::default();
    while let Some(section) = reader.next_section()? {
        match (section.as_str(), version.as_str()) {
            ("Nodes", "4.1") => content.nodes_by_blocks(&mut reader)?,
            ("Nodes", _) => content.nodes_by_lines(&mut reader)?,
            ("Elements", "4.1") => content.elements_by_blocks(&mut reader)?,
            ("Elements", _) => content.elements_by_lines(&mut reader)?,
            _ => {
                reader.skip_past(&format!("$End{section}"))?;
                continue;
            }
        }
        reader.expect(&format!("$End{section}"))?;
    }
    content.into_mesh()
}

/// What the file says, nodes still known by their tags.
#[derive(Default)]
struct Content {
    nodes: Vec<(u64, DVec3)>,
    linear: Vec<[u64; 4]>,
    quadratic: Vec<[u64; 10]>,
}

impl Content {
    /// Version 4.1: per block first the tags, then the positions (with parameters on the entity, if it has them).
    fn nodes_by_blocks(&mut self, reader: &mut Reader) -> Result<(), TetMeshError> {
        let blocks = reader.count()?;
        reader.counts(3)?;
        for _ in 0..blocks {
            let dimension = reader.integer()?;
            reader.integer()?;
            let parametric = reader.integer()? != 0;
            let count = reader.count()?;
            if !(0..=3).contains(&dimension) {
                return Err(reader.error(format!("expected a dimension from 0 to 3, found {dimension}")));
            }
            let first = self.nodes.len();
            for _ in 0..count {
                self.nodes.push((reader.count()? as u64, DVec3::ZERO));
            }
            for node in first..self.nodes.len() {
                self.nodes[node].1 = reader.position()?;
                for _ in 0..if parametric { dimension } else { 0 } {
                    reader.real()?;
                }
            }
        }
        Ok(())
    }

    /// Version 2.2: tag and position.
    fn nodes_by_lines(&mut self, reader: &mut Reader) -> Result<(), TetMeshError> {
        for _ in 0..reader.count()? {
            let tag = reader.count()? as u64;
            self.nodes.push((tag, reader.position()?));
        }
        Ok(())
    }

    /// Version 4.1: blocks of elements of one kind.
    fn elements_by_blocks(&mut self, reader: &mut Reader) -> Result<(), TetMeshError> {
        let blocks = reader.count()?;
        reader.counts(3)?;
        for _ in 0..blocks {
            reader.integer()?;
            reader.integer()?;
            let kind = reader.integer()? as usize;
            for _ in 0..reader.count()? {
                reader.count()?;
                self.element(kind, reader)?;
            }
        }
        Ok(())
    }

    /// Version 2.2: tag, kind, number of further tags, these, nodes.
    fn elements_by_lines(&mut self, reader: &mut Reader) -> Result<(), TetMeshError> {
        for _ in 0..reader.count()? {
            reader.count()?;
            let kind = reader.count()?;
            for _ in 0..reader.count()? {
                reader.integer()?;
            }
            self.element(kind, reader)?;
        }
        Ok(())
    }

    /// The nodes of one element.
    fn element(&mut self, kind: usize, reader: &mut Reader) -> Result<(), TetMeshError> {
        match kind {
            LINEAR => self.linear.push(reader.tags()?),
            QUADRATIC => {
                let tags = reader.tags::<10>()?;
                self.quadratic.push(FROM_GMSH.map(|node| tags[node]));
            }
            _ => match nodes_of_flat_element(kind) {
                Some(count) => reader.counts(count)?,
                None => {
                    let problem = "expected tetrahedra with 4 or 10 nodes (types 4 and 11) as the only solids";
                    return Err(reader.error(format!("{problem}, found an element of type {kind}")));
                }
            },
        }
        Ok(())
    }

    fn into_mesh(mut self) -> Result<TetMesh, TetMeshError> {
        self.nodes.sort_by_key(|&(tag, _)| tag);
        if let Some(pair) = self.nodes.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(damaged("$Nodes", format!("node {} stands there twice", pair[0].0)));
        }
        if self.nodes.len() > u32::MAX as usize {
            return Err(TetMeshError::TooLarge { nodes: self.nodes.len() as u128 });
        }
        let elements = match (self.linear.is_empty(), self.quadratic.is_empty()) {
            (false, false) => return Err(TetMeshError::MixedOrders),
            (_, true) => TetElements::Linear(self.numbered(&self.linear)?),
            (true, _) => TetElements::Quadratic(self.numbered(&self.quadratic)?),
        };
        TetMesh::new(self.nodes.into_iter().map(|(_, position)| position).collect(), elements)
    }

    /// Tags replaced by positions in the sorted list. An element that belongs to several physical groups stands
    /// once for each of them in version 2.2, and is taken once.
    fn numbered<const N: usize>(&self, elements: &[[u64; N]]) -> Result<Vec<[u32; N]>, TetMeshError> {
        let mut seen = BTreeSet::new();
        let mut numbered = Vec::with_capacity(elements.len());
        for element in elements.iter().filter(|&&element| seen.insert(element)) {
            let mut numbers = [0; N];
            for (number, &tag) in numbers.iter_mut().zip(element) {
                let Ok(at) = self.nodes.binary_search_by_key(&tag, |&(tag, _)| tag) else {
                    let problem = format!("tetrahedron {} refers to node {tag}, which is not there", numbered.len());
                    return Err(damaged("$Elements", problem));
                };
                *number = at as u32;
            }
            numbered.push(numbers);
        }
        Ok(numbered)
    }
}

/// Number of nodes of points, lines, triangles and quadrangles of any order that Gmsh writes; `None` for solids.
fn nodes_of_flat_element(kind: usize) -> Option<usize> {
    Some(match kind {
        15 => 1,
        1 => 2,
        2 | 8 => 3,
        3 | 26 => 4,
        27 => 5,
        9 | 28 => 6,
        16 => 8,
        10 | 20 => 9,
        21 => 10,
        22 | 39 => 12,
        23 | 24 => 15,
        36 => 16,
        25 => 21,
        37 => 25,
        38 => 36,
        _ => return None,
    })
}

fn damaged(place: impl Into<String>, problem: impl Into<String>) -> TetMeshError {
    TetMeshError::Malformed { place: place.into(), problem: problem.into() }
}

#[derive(Clone, Copy, PartialEq)]
enum Encoding {
    Text,
    LittleEndian,
    BigEndian,
}

/// A place in the file. Numbers are words in text files and bytes in binary ones, section names always words.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    encoding: Encoding,
}

impl<'a> Reader<'a> {
    fn error(&self, problem: impl Into<String>) -> TetMeshError {
        let place = match self.encoding {
            Encoding::Text => {
                let before = &self.bytes[..self.at.min(self.bytes.len())];
                format!("line {}", before.iter().filter(|&&byte| byte == b'\n').count() + 1)
            }
            _ => format!("byte {}", self.at),
        };
        damaged(place, problem)
    }

    /// The next word, spaces and line ends before it passed over.
    fn word(&mut self) -> Result<&'a str, TetMeshError> {
        let rest = &self.bytes[self.at..];
        let start = self.at + rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let length = self.bytes[start..].iter().take_while(|byte| !byte.is_ascii_whitespace()).count();
        self.at = start;
        if length == 0 {
            return Err(self.error("the file ends too early"));
        }
        let word = &self.bytes[start..start + length];
        let word = std::str::from_utf8(word).map_err(|_| self.error("expected a word, found other bytes"))?;
        self.at += length;
        Ok(word)
    }

    fn parsed<T: std::str::FromStr>(&mut self, expected: &str) -> Result<T, TetMeshError> {
        let word = self.word()?;
        word.parse().map_err(|_| self.error(format!("expected {expected}, found '{}'", shortened(word))))
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], TetMeshError> {
        let taken = self.bytes[self.at..].first_chunk::<N>().copied();
        let taken = taken.ok_or_else(|| self.error("the file ends too early"))?;
        self.at += N;
        Ok(taken)
    }

    /// A number that is not negative.
    fn count(&mut self) -> Result<usize, TetMeshError> {
        let value: u64 = match self.encoding {
            Encoding::Text => self.parsed("a whole number")?,
            Encoding::LittleEndian => u64::from_le_bytes(self.take()?),
            Encoding::BigEndian => u64::from_be_bytes(self.take()?),
        };
        usize::try_from(value).map_err(|_| self.error(format!("{value} is too large")))
    }

    /// Several numbers that do not matter.
    fn counts(&mut self, number: usize) -> Result<(), TetMeshError> {
        (0..number).try_for_each(|_| self.count().map(|_| ()))
    }

    fn tags<const N: usize>(&mut self) -> Result<[u64; N], TetMeshError> {
        let mut tags = [0; N];
        for tag in &mut tags {
            *tag = self.count()? as u64;
        }
        Ok(tags)
    }

    fn integer(&mut self) -> Result<i32, TetMeshError> {
        match self.encoding {
            Encoding::Text => self.parsed("a whole number"),
            Encoding::LittleEndian => Ok(i32::from_le_bytes(self.take()?)),
            Encoding::BigEndian => Ok(i32::from_be_bytes(self.take()?)),
        }
    }

    fn real(&mut self) -> Result<f64, TetMeshError> {
        match self.encoding {
            Encoding::Text => self.parsed("a number"),
            Encoding::LittleEndian => Ok(f64::from_le_bytes(self.take()?)),
            Encoding::BigEndian => Ok(f64::from_be_bytes(self.take()?)),
        }
    }

    fn position(&mut self) -> Result<DVec3, TetMeshError> {
        Ok(DVec3::new(self.real()?, self.real()?, self.real()?))
    }

    fn expect(&mut self, expected: &str) -> Result<(), TetMeshError> {
        match self.word()? {
            word if word == expected => Ok(()),
            word => Err(self.error(format!("expected {expected}, found '{}'", shortened(word)))),
        }
    }

    /// The name of the next section without its `$`; `None` at the end of the file. Bytes begin on the next line.
    fn next_section(&mut self) -> Result<Option<String>, TetMeshError> {
        if self.bytes[self.at..].iter().all(u8::is_ascii_whitespace) {
            return Ok(None);
        }
        let word = self.word()?;
        if self.encoding != Encoding::Text {
            self.skip_line();
        }
        match word.strip_prefix('$') {
            Some(name) => Ok(Some(name.to_owned())),
            None => Err(self.error(format!("expected a section such as $Nodes, found '{}'", shortened(word)))),
        }
    }

    fn skip_line(&mut self) {
        let rest = &self.bytes[self.at..];
        self.at += rest.iter().position(|&byte| byte == b'\n').map_or(rest.len(), |end| end + 1);
    }

    /// Moves behind the next occurrence of a word.
    fn skip_past(&mut self, word: &str) -> Result<(), TetMeshError> {
        let rest = &self.bytes[self.at..];
        match rest.windows(word.len()).position(|window| window == word.as_bytes()) {
            Some(start) => {
                self.at += start + word.len();
                Ok(())
            }
            None => Err(self.error(format!("{word} is missing"))),
        }
    }
}

/// A word fit for a message.
fn shortened(word: &str) -> String {
    word.chars().take(40).flat_map(char::escape_default).collect()
}

#[cfg(test)]
mod tests;
