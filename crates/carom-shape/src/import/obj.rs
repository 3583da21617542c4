//! Wavefront OBJ: vertices and faces; everything else (normals, textures, groups, materials, lines) is passed over.

use std::borrow::Cow;

use glam::DVec3;

use super::{malformed, number, polygon::triangulate, shown, vertex_index};
use crate::{ShapeError, TriMesh};

/// Reads an OBJ file: polygons of any number of corners, indices counted from either end.
///
/// ```
/// let mesh = carom_shape::read_obj(b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf -4 -3 -2 -1\n")?;
/// assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
/// # Ok::<(), carom_shape::ShapeError>(())
/// ```
pub fn read_obj(bytes: &[u8]) -> Result<TriMesh, ShapeError> {
    let mut positions = Vec::new();
    // Faces may stand before their vertices when they count from the front: resolve at the end.
    let mut corners: Vec<u32> = Vec::new();
    let mut faces: Vec<(usize, usize)> = Vec::new();
    for (line, text) in logical_lines(bytes) {
        let content = text.split(|&b| b == b'#').next().unwrap_or_default();
        let mut words = content.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty());
        let place = || format!("line {line}");
        match words.next() {
            Some(b"v") => {
                let mut p = DVec3::ZERO;
                for i in 0..3 {
                    let word = words.next().unwrap_or_default();
                    p[i] = number(word).ok_or_else(|| {
                        malformed("OBJ", place(), format!("expected three finite coordinates, found '{}'", shown(word)))
                    })?;
                }
                positions.push(p);
            }
            Some(b"f") => {
                faces.push((corners.len(), line));
                for word in words {
                    corners.push(face_index(word, positions.len()).ok_or_else(|| {
                        let problem = format!("'{}' is no vertex (there are {} so far)", shown(word), positions.len());
                        malformed("OBJ", place(), problem)
                    })?);
                }
                let count = corners.len() - faces[faces.len() - 1].0;
                if count < 3 {
                    return Err(malformed("OBJ", place(), format!("a face needs three corners, found {count}")));
                }
            }
            _ => {}
        }
    }
    vertex_index("OBJ", "its end", positions.len())?;
    let mut triangles = Vec::with_capacity(faces.len());
    for (i, &(start, line)) in faces.iter().enumerate() {
        let end = faces.get(i + 1).map_or(corners.len(), |next| next.0);
        let polygon = &corners[start..end];
        if let Some(&missing) = polygon.iter().find(|&&v| v as usize >= positions.len()) {
            let problem = format!("vertex {} does not exist, there are {}", u64::from(missing) + 1, positions.len());
            return Err(malformed("OBJ", format!("line {line}"), problem));
        }
        triangulate(&positions, polygon, &mut triangles);
    }
    TriMesh::new(positions, triangles)
}

/// The zero-based vertex of a corner written as `v`, `v/vt`, `v//vn` or `v/vt/vn`.
fn face_index(word: &[u8], vertices: usize) -> Option<u32> {
    let vertex = word.split(|&b| b == b'/').next()?;
    let index: i64 = std::str::from_utf8(vertex).ok()?.parse().ok()?;
    let zero_based = if index < 0 { (vertices as i64).checked_add(index)? } else { index - 1 };
    u32::try_from(zero_based).ok()
}

/// Lines with their number; a backslash at the end of one joins it with the next.
fn logical_lines(bytes: &[u8]) -> impl Iterator<Item = (usize, Cow<'_, [u8]>)> {
    let mut physical = bytes.split(|&b| b == b'\n').enumerate();
    std::iter::from_fn(move || {
        let (index, first) = physical.next()?;
        let continued = |text: &[u8]| text.trim_ascii_end().ends_with(b"\\");
        let mut line = Cow::Borrowed(first);
        while continued(&line) {
            let joined = line.to_mut();
            joined.truncate(joined.trim_ascii_end().len() - 1);
            joined.push(b' ');
            match physical.next() {
                Some((_, next)) => joined.extend_from_slice(next),
                None => break,
            }
        }
        Some((index + 1, line))
    })
}
