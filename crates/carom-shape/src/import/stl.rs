//! STL, as text and binary.
//!
//! The format repeats each corner in every triangle; corners that are equal bit for bit become one vertex here, which
//! is reading the file, not repairing it.

use std::collections::HashMap;

use glam::DVec3;

use super::{malformed, number, shown, vertex_index};
use crate::{ShapeError, TriMesh};

const HEADER: usize = 84;
const RECORD: usize = 50;

/// Reads an STL file of either kind. Normals in the file are ignored: the order of the corners tells the outside.
///
/// ```
/// let text = b"solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid";
/// assert_eq!(carom_shape::read_stl(text)?.triangles, [[0, 1, 2]]);
/// # Ok::<(), carom_shape::ShapeError>(())
/// ```
pub fn read_stl(bytes: &[u8]) -> Result<TriMesh, ShapeError> {
    // Many programs begin binary files with "solid" too, so the length decides before the first word does.
    let announced = bytes.get(80..HEADER).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize);
    let expected = announced.and_then(|n| n.checked_mul(RECORD)?.checked_add(HEADER));
    let is_text = bytes.trim_ascii_start().get(..5).is_some_and(|w| w.eq_ignore_ascii_case(b"solid"))
        && !bytes[..bytes.len().min(512)].contains(&0);
    if expected != Some(bytes.len()) && is_text {
        return read_text(bytes);
    }
    let expected = expected.ok_or_else(|| {
        let problem = format!("neither text that begins with 'solid' nor {HEADER} bytes of binary header");
        malformed("STL", format!("byte {}", bytes.len()), problem)
    })?;
    // Some writers append notes behind the last triangle.
    if bytes.len() < expected {
        let problem = format!("the header announces {} triangles, the file ends early", announced.unwrap_or(0));
        return Err(malformed("STL", format!("byte {}", bytes.len()), problem));
    }
    let mut corners = Corners::default();
    for (i, record) in bytes[HEADER..expected].chunks_exact(RECORD).enumerate() {
        let byte = HEADER + i * RECORD + 12;
        let mut values =
            record[12..48].chunks_exact(4).map(|b| f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]])));
        for _ in 0..3 {
            let p = DVec3::from_array(std::array::from_fn(|_| values.next().unwrap_or(f64::NAN)));
            if !p.is_finite() {
                let problem = format!("triangle {i} has a coordinate that is not a finite number");
                return Err(malformed("STL", format!("byte {byte}"), problem));
            }
            corners.push(p)?;
        }
    }
    corners.mesh()
}

fn read_text(bytes: &[u8]) -> Result<TriMesh, ShapeError> {
    let mut corners = Corners::default();
    let mut ended = false;
    let mut last = 0;
    for (index, line) in bytes.split(|&b| b == b'\n').enumerate() {
        let place = || format!("line {}", index + 1);
        let mut words = line.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty());
        let Some(word) = words.next() else { continue };
        last = index + 1;
        match word.to_ascii_lowercase().as_slice() {
            b"vertex" => {
                let mut p = DVec3::ZERO;
                for i in 0..3 {
                    let word = words.next().unwrap_or_default();
                    p[i] = number(word).ok_or_else(|| {
                        malformed("STL", place(), format!("expected three finite coordinates, found '{}'", shown(word)))
                    })?;
                }
                corners.push(p)?;
            }
            b"endloop" if !corners.indices.len().is_multiple_of(3) => {
                return Err(malformed("STL", place(), "a facet needs exactly three vertices"));
            }
            b"endsolid" => ended = true,
            b"solid" | b"facet" | b"outer" | b"endloop" | b"endfacet" => ended = false,
            // A file may continue with anything behind a solid.
            _ if ended => {}
            _ => return Err(malformed("STL", place(), format!("'{}' is no word of STL", shown(word)))),
        }
    }
    if !ended || !corners.indices.len().is_multiple_of(3) {
        return Err(malformed("STL", format!("line {last}"), "the file ends before 'endsolid'"));
    }
    corners.mesh()
}

/// Corners in order, equal ones shared.
#[derive(Default)]
struct Corners {
    positions: Vec<DVec3>,
    indices: Vec<u32>,
    known: HashMap<[u64; 3], u32>,
}

impl Corners {
    fn push(&mut self, p: DVec3) -> Result<(), ShapeError> {
        // Adding zero makes −0 and +0 one place.
        let key = (p + DVec3::ZERO).to_array().map(f64::to_bits);
        let next = vertex_index("STL", "its end", self.positions.len())?;
        let index = *self.known.entry(key).or_insert(next);
        if index == next {
            self.positions.push(p);
        }
        self.indices.push(index);
        Ok(())
    }

    fn mesh(self) -> Result<TriMesh, ShapeError> {
        let triangles = self.indices.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect();
        TriMesh::new(self.positions, triangles)
    }
}
