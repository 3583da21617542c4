//! PLY: text, binary little endian and binary big endian; any elements and properties; faces and triangle strips.

use glam::DVec3;

use super::{malformed, number, polygon::triangulate, shown};
use crate::{ShapeError, TriMesh};

/// Reads a PLY file: `x`, `y`, `z` of its vertices, and its faces or triangle strips.
///
/// ```
/// let text = b"ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
///     element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
/// assert_eq!(carom_shape::read_ply(text)?.triangles, [[0, 1, 2]]);
/// # Ok::<(), carom_shape::ShapeError>(())
/// ```
pub fn read_ply(bytes: &[u8]) -> Result<TriMesh, ShapeError> {
    let (header, mut input) = read_header(bytes)?;
    let (mut positions, mut faces, mut strips) = (Vec::new(), Lists::default(), Lists::default());
    for element in &header {
        match element.name.as_str() {
            "vertex" => read_vertices(element, &mut input, &mut positions)?,
            "face" => read_lists(element, &mut input, &mut faces)?,
            "tristrips" => read_lists(element, &mut input, &mut strips)?,
            _ => skip(element, &mut input)?,
        }
    }
    let mut triangles = Vec::new();
    let mut polygon = Vec::new();
    let existing = |index: i64, place: &str| match u32::try_from(index) {
        Ok(i) if (i as usize) < positions.len() => Ok(i),
        _ => Err(malformed("PLY", place, format!("vertex {index} does not exist, there are {}", positions.len()))),
    };
    for (index, list) in faces.iter().enumerate() {
        polygon.clear();
        for &corner in list {
            polygon.push(existing(corner, &format!("face {index}"))?);
        }
        if polygon.len() < 3 {
            let problem = format!("a face needs three corners, found {}", polygon.len());
            return Err(malformed("PLY", format!("face {index}"), problem));
        }
        triangulate(&positions, &polygon, &mut triangles);
    }
    for (index, list) in strips.iter().enumerate() {
        for strip in list.split(|&corner| corner == -1) {
            polygon.clear();
            for &corner in strip {
                polygon.push(existing(corner, &format!("strip {index}"))?);
            }
            for (i, t) in polygon.windows(3).enumerate() {
                triangles.push(if i % 2 == 0 { [t[0], t[1], t[2]] } else { [t[1], t[0], t[2]] });
            }
        }
    }
    TriMesh::new(positions, triangles)
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Kind {
    fn named(word: &[u8]) -> Option<Kind> {
        Some(match word {
            b"char" | b"int8" => Kind::I8,
            b"uchar" | b"uint8" => Kind::U8,
            b"short" | b"int16" => Kind::I16,
            b"ushort" | b"uint16" => Kind::U16,
            b"int" | b"int32" => Kind::I32,
            b"uint" | b"uint32" => Kind::U32,
            b"float" | b"float32" => Kind::F32,
            b"double" | b"float64" => Kind::F64,
            _ => return None,
        })
    }

    fn size(self) -> usize {
        match self {
            Kind::I8 | Kind::U8 => 1,
            Kind::I16 | Kind::U16 => 2,
            Kind::I32 | Kind::U32 | Kind::F32 => 4,
            Kind::F64 => 8,
        }
    }

    fn is_float(self) -> bool {
        matches!(self, Kind::F32 | Kind::F64)
    }
}

struct Property {
    name: String,
    kind: Kind,
    /// Kind of the count in front of a list.
    count: Option<Kind>,
}

struct Element {
    name: String,
    count: u64,
    properties: Vec<Property>,
}

fn read_header(bytes: &[u8]) -> Result<(Vec<Element>, Input<'_>), ShapeError> {
    let mut elements: Vec<Element> = Vec::new();
    let mut encoding = None;
    let (mut start, mut line) = (0, 0);
    while let Some(length) = bytes[start..].iter().position(|&b| b == b'\n') {
        let text = bytes[start..start + length].trim_ascii();
        start += length + 1;
        line += 1;
        let problem = |what: &str| Err(malformed("PLY", format!("line {line}"), format!("{what}: '{}'", shown(text))));
        let words: Vec<&[u8]> = text.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty()).collect();
        match words.as_slice() {
            [b"ply"] if line == 1 => {}
            _ if line == 1 => return problem("expected 'ply'"),
            [b"comment" | b"obj_info", ..] | [] => {}
            [b"format", b"ascii", _] => encoding = Some(Encoding::Text),
            [b"format", b"binary_little_endian", _] => encoding = Some(Encoding::Little),
            [b"format", b"binary_big_endian", _] => encoding = Some(Encoding::Big),
            [b"element", name, count] => {
                let Some(count) = std::str::from_utf8(count).ok().and_then(|c| c.parse().ok()) else {
                    return problem("expected a count");
                };
                elements.push(Element { name: shown(name), count, properties: Vec::new() });
            }
            [b"property", b"list", count, kind, name] => {
                match (Kind::named(count), Kind::named(kind), elements.last_mut()) {
                    (Some(count), Some(kind), Some(element)) if !count.is_float() => {
                        element.properties.push(Property { name: shown(name), kind, count: Some(count) });
                    }
                    _ => return problem("expected an element's list with its two types"),
                }
            }
            [b"property", kind, name] => match (Kind::named(kind), elements.last_mut()) {
                (Some(kind), Some(element)) => {
                    element.properties.push(Property { name: shown(name), kind, count: None });
                }
                _ => return problem("expected an element's property with its type"),
            },
            [b"end_header"] => {
                let Some(encoding) = encoding else { return problem("no format was given before") };
                return Ok((elements, Input { bytes, at: start, line: line + 1, encoding }));
            }
            _ => return problem("no line of a PLY header"),
        }
    }
    Err(malformed("PLY", format!("line {}", line + 1), "the header has no 'end_header'"))
}

#[derive(Clone, Copy, PartialEq)]
enum Encoding {
    Text,
    Little,
    Big,
}

/// The data behind the header.
struct Input<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
    encoding: Encoding,
}

impl Input<'_> {
    fn damaged(&self, problem: impl Into<String>) -> ShapeError {
        let place =
            if self.encoding == Encoding::Text { format!("line {}", self.line) } else { format!("byte {}", self.at) };
        malformed("PLY", place, problem)
    }

    /// The next value; every integer of the format fits a double.
    fn value(&mut self, kind: Kind) -> Result<f64, ShapeError> {
        if self.encoding == Encoding::Text {
            return self.word();
        }
        let size = kind.size();
        let Some(bytes) = self.bytes.get(self.at..self.at + size) else {
            return Err(self.damaged("the file ends early"));
        };
        // As little endian, least byte in front.
        let mut raw = [0; 8];
        raw[..size].copy_from_slice(bytes);
        if self.encoding == Encoding::Big {
            raw[..size].reverse();
        }
        self.at += size;
        let whole = u64::from_le_bytes(raw);
        Ok(match kind {
            Kind::I8 => f64::from(whole as i8),
            Kind::U8 => f64::from(whole as u8),
            Kind::I16 => f64::from(whole as i16),
            Kind::U16 => f64::from(whole as u16),
            Kind::I32 => f64::from(whole as i32),
            Kind::U32 => f64::from(whole as u32),
            Kind::F32 => f64::from(f32::from_bits(whole as u32)),
            Kind::F64 => f64::from_bits(whole),
        })
    }

    fn word(&mut self) -> Result<f64, ShapeError> {
        while let Some(b) = self.bytes.get(self.at).filter(|b| b.is_ascii_whitespace()) {
            self.line += usize::from(*b == b'\n');
            self.at += 1;
        }
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        if length == 0 {
            return Err(self.damaged("the file ends early"));
        }
        let word = &rest[..length];
        self.at += length;
        number(word).ok_or_else(|| self.damaged(format!("expected a finite number, found '{}'", shown(word))))
    }

    /// The count in front of a list. A list cannot be longer than what is left of the file.
    fn list_count(&mut self, kind: Kind) -> Result<usize, ShapeError> {
        let count = self.value(kind)?;
        let left = self.bytes.len() - self.at;
        if !(0.0..=left as f64).contains(&count) || count.fract() != 0.0 {
            return Err(self.damaged(format!("a list of {count} values does not fit the {left} bytes left")));
        }
        Ok(count as usize)
    }

    fn whole(&mut self, kind: Kind) -> Result<i64, ShapeError> {
        let value = self.value(kind)?;
        if value.fract() != 0.0 || value.abs() > 1e15 {
            return Err(self.damaged(format!("expected a vertex index, found {value}")));
        }
        Ok(value as i64)
    }
}

fn skip_property(property: &Property, input: &mut Input) -> Result<(), ShapeError> {
    let count = property.count.map_or(Ok(1), |kind| input.list_count(kind))?;
    for _ in 0..count {
        input.value(property.kind)?;
    }
    Ok(())
}

fn skip(element: &Element, input: &mut Input) -> Result<(), ShapeError> {
    if element.properties.is_empty() {
        return Ok(()); // takes no bytes, however many are announced
    }
    for _ in 0..element.count {
        for property in &element.properties {
            skip_property(property, input)?;
        }
    }
    Ok(())
}

fn read_vertices(element: &Element, input: &mut Input, positions: &mut Vec<DVec3>) -> Result<(), ShapeError> {
    let axis_of =
        |p: &Property| if p.count.is_none() { ["x", "y", "z"].iter().position(|n| *n == p.name) } else { None };
    let axes: Vec<Option<usize>> = element.properties.iter().map(axis_of).collect();
    for (axis, name) in ["x", "y", "z"].iter().enumerate() {
        if axes.iter().filter(|&&a| a == Some(axis)).count() != 1 {
            return Err(malformed("PLY", "its header", format!("expected one vertex property '{name}'")));
        }
    }
    for index in 0..element.count {
        let mut p = DVec3::ZERO;
        for (property, axis) in element.properties.iter().zip(&axes) {
            match axis {
                Some(axis) => p[*axis] = input.value(property.kind)?,
                None => skip_property(property, input)?,
            }
        }
        if !p.is_finite() {
            return Err(input.damaged(format!("vertex {index} has a coordinate that is not a finite number")));
        }
        positions.push(p);
    }
    Ok(())
}

/// Lists of indices, one behind the other.
#[derive(Default)]
struct Lists {
    values: Vec<i64>,
    ends: Vec<usize>,
}

impl Lists {
    fn iter(&self) -> impl Iterator<Item = &[i64]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.values[start..end])
    }
}

fn read_lists(element: &Element, input: &mut Input, lists: &mut Lists) -> Result<(), ShapeError> {
    let is_indices = |p: &Property| p.count.is_some() && matches!(p.name.as_str(), "vertex_indices" | "vertex_index");
    if element.properties.iter().filter(|p| is_indices(p)).count() != 1 {
        let problem = format!("expected one list 'vertex_indices' for element '{}'", element.name);
        return Err(malformed("PLY", "its header", problem));
    }
    for _ in 0..element.count {
        for property in &element.properties {
            let Some(count_kind) = property.count.filter(|_| is_indices(property)) else {
                skip_property(property, input)?;
                continue;
            };
            for _ in 0..input.list_count(count_kind)? {
                lists.values.push(input.whole(property.kind)?);
            }
            lists.ends.push(lists.values.len());
        }
    }
    Ok(())
}
