//! glTF and GLB: the triangles of every mesh of every scene, where the nodes put them.
//!
//! The `gltf` crate types the JSON; its buffer readers and its GLB header trust their input, so both are read here,
//! with every offset checked. Sparse and compressed positions are refused by name.

use std::{
    borrow::Cow,
    fs,
    path::{Component, Path},
};

use glam::{DAffine3, DMat3, DQuat, DVec3};
use gltf::json::{
    self, Accessor, Index, Root,
    accessor::{ComponentType, Type},
    mesh::{Mode, Primitive, Semantic},
    validation::Checked,
};

use super::malformed;
use crate::{ShapeError, TriMesh};

/// A small file can place one mesh very many times; beyond this many vertices or triangles it is refused.
const MOST_ELEMENTS: usize = 20_000_000;

/// Required extensions that do not change how positions are read.
const UNDERSTOOD: [&str; 4] =
    ["KHR_mesh_quantization", "KHR_texture_transform", "KHR_materials_unlit", "KHR_lights_punctual"];

/// Reads a glTF file, as JSON or GLB, whose buffers are inside it.
///
/// ```
/// let empty = br#"{"asset": {"version": "2.0"}}"#;
/// assert!(carom_shape::read_gltf(empty)?.triangles.is_empty());
/// # Ok::<(), carom_shape::ShapeError>(())
/// ```
pub fn read_gltf(bytes: &[u8]) -> Result<TriMesh, ShapeError> {
    read(bytes, None)
}

/// The files that a glTF file takes its buffers from, relative to its own folder. A damaged file has none; reading it says
/// what is wrong.
///
/// ```
/// let file = br#"{"asset": {"version": "2.0"}, "buffers": [{"uri": "a%20b.bin", "byteLength": 1}]}"#;
/// assert_eq!(carom_shape::gltf_buffer_files(file), ["a b.bin"]);
/// ```
pub fn gltf_buffer_files(bytes: &[u8]) -> Vec<String> {
    let text = if bytes.starts_with(b"glTF") { split_glb(bytes).map(|(text, _)| text) } else { Ok(bytes) };
    let root: Option<Root> = text.ok().and_then(|text| json::deserialize::from_slice(text).ok());
    let buffers = root.map(|root| root.buffers).unwrap_or_default();
    let uris = buffers.iter().filter_map(|buffer| buffer.uri.as_deref()).filter(|uri| !uri.starts_with("data:"));
    uris.filter_map(decode_percent).filter(|relative| is_plain(relative)).collect()
}

/// As [`read_gltf`], with buffers that may also be files in `folder`.
pub(super) fn read(bytes: &[u8], folder: Option<&Path>) -> Result<TriMesh, ShapeError> {
    let (text, blob) = if bytes.starts_with(b"glTF") { split_glb(bytes)? } else { (bytes, None) };
    let root: Root = json::deserialize::from_slice(text)
        .map_err(|e| malformed("glTF", format!("line {}, column {}", e.line(), e.column()), e.to_string()))?;
    if let Some(name) = root.extensions_required.iter().find(|e| !UNDERSTOOD.contains(&e.as_str())) {
        return Err(malformed("glTF", "extensionsRequired", format!("'{name}' is not supported")));
    }
    let mut buffers = Vec::with_capacity(root.buffers.len());
    for (index, buffer) in root.buffers.iter().enumerate() {
        let data = match &buffer.uri {
            Some(uri) => load(uri, index, folder)?,
            None => Cow::Borrowed(blob.filter(|_| index == 0).ok_or_else(|| at("buffer", index, "it has no data"))?),
        };
        if (data.len() as u64) < buffer.byte_length.0 {
            let problem = format!("it announces {} bytes and has {}", buffer.byte_length.0, data.len());
            return Err(at("buffer", index, problem));
        }
        buffers.push(data);
    }
    let file = File { root: &root, buffers };
    let mut mesh = TriMesh::default();
    file.visit_nodes(|node, transform| {
        let Some(index) = root.nodes[node].mesh else { return Ok(()) };
        for primitive in &file.get(&root.meshes, index, "mesh")?.primitives {
            file.append(primitive, transform, &mut mesh)?;
        }
        Ok(())
    })?;
    TriMesh::new(mesh.positions, mesh.triangles)
}

fn at(what: &str, index: usize, problem: impl Into<String>) -> ShapeError {
    malformed("glTF", format!("{what} {index}"), problem)
}

/// The JSON and the binary chunk of a GLB file; chunks of other kinds are passed over.
fn split_glb(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), ShapeError> {
    let word = |offset: usize| {
        let four = bytes.get(offset..offset + 4).and_then(|b| <[u8; 4]>::try_from(b).ok());
        four.map(u32::from_le_bytes).ok_or_else(|| malformed("glTF", format!("byte {offset}"), "the file ends early"))
    };
    let (version, length) = (word(4)?, word(8)? as usize);
    if version != 2 {
        return Err(malformed("glTF", "byte 4", format!("expected version 2, found {version}")));
    }
    if length < 12 || length > bytes.len() {
        return Err(malformed("glTF", "byte 8", format!("expected a length up to {}, found {length}", bytes.len())));
    }
    let (mut text, mut blob) = (None, None);
    let mut offset = 12;
    while offset < length {
        let (size, kind) = (word(offset)? as usize, word(offset + 4)?);
        let start = offset + 8;
        let end = start.checked_add(size).filter(|&end| end <= length);
        let end = end.ok_or_else(|| malformed("glTF", format!("byte {offset}"), format!("a chunk of {size} bytes")))?;
        match &kind.to_le_bytes() {
            b"JSON" if text.is_none() => text = Some(&bytes[start..end]),
            b"BIN\0" if blob.is_none() => blob = Some(&bytes[start..end]),
            _ => {}
        }
        offset = end;
    }
    Ok((text.ok_or_else(|| malformed("glTF", "byte 12", "the file has no JSON chunk"))?, blob))
}

/// The bytes behind a buffer's address: base64 within it, or a file in the same folder or below.
fn load(uri: &str, index: usize, folder: Option<&Path>) -> Result<Cow<'static, [u8]>, ShapeError> {
    if let Some(data) = uri.strip_prefix("data:") {
        let encoded = data.split_once(";base64,").map(|(_, encoded)| encoded);
        let bytes = encoded.and_then(decode_base64).ok_or_else(|| at("buffer", index, "its data is not base64"))?;
        return Ok(Cow::Owned(bytes));
    }
    let folder = folder.ok_or_else(|| at("buffer", index, "it is a file of its own, and no folder is known"))?;
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let relative = decode_percent(uri).ok_or_else(|| at("buffer", index, "its address is not text"))?;
    let outside = || at("buffer", index, format!("'{relative}' is not within the folder of the file"));
    if !is_plain(&relative) {
        return Err(outside());
    }
    let path = folder.join(&relative);
    let unreadable = |source| ShapeError::Read { path: path.clone(), source };
    // Links are followed before the check, so that none leads out.
    let real = path.canonicalize().map_err(unreadable)?;
    if !real.starts_with(folder.canonicalize().map_err(unreadable)?) || !real.is_file() {
        return Err(outside());
    }
    fs::read(&real).map(Cow::Owned).map_err(unreadable)
}

/// Whether a path stays in its folder by its spelling.
fn is_plain(relative: &str) -> bool {
    let mut parts = Path::new(relative).components();
    parts.all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) && !relative.contains([':', '\\', '\0'])
}

fn decode_percent(uri: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        rest = tail;
        if first == b'%' {
            let code = std::str::from_utf8(tail.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(code, 16).ok()?);
            rest = &tail[2..];
        } else {
            bytes.push(first);
        }
    }
    String::from_utf8(bytes).ok()
}

fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=').as_bytes();
    if digits.len() % 4 == 1 {
        return None;
    }
    let mut bytes = Vec::with_capacity(digits.len() / 4 * 3 + 2);
    let (mut bits, mut count) = (0u32, 0);
    for &digit in digits {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    Some(bytes)
}

struct File<'a> {
    root: &'a Root,
    buffers: Vec<Cow<'a, [u8]>>,
}

impl<'a> File<'a> {
    fn get<T>(&self, list: &'a [T], index: Index<T>, what: &str) -> Result<&'a T, ShapeError> {
        list.get(index.value()).ok_or_else(|| at(what, index.value(), format!("there are only {}", list.len())))
    }

    /// Calls `see` with each node that a scene shows, or with all nodes when there are no scenes, and its place.
    fn visit_nodes(&self, mut see: impl FnMut(usize, &DAffine3) -> Result<(), ShapeError>) -> Result<(), ShapeError> {
        let nodes = &self.root.nodes;
        let children = |node: usize| nodes[node].children.iter().flatten();
        let mut is_root = vec![false; nodes.len()];
        if self.root.scenes.is_empty() {
            is_root.fill(true);
            for child in (0..nodes.len()).flat_map(children) {
                self.get(nodes, *child, "node")?;
                is_root[child.value()] = false;
            }
        }
        for root in self.root.scenes.iter().flat_map(|scene| &scene.nodes) {
            self.get(nodes, *root, "node")?;
            is_root[root.value()] = true;
        }
        let mut seen = vec![false; nodes.len()];
        let roots = (0..nodes.len()).rev().filter(|&node| is_root[node]);
        let mut pending: Vec<(usize, DAffine3)> = roots.map(|node| (node, DAffine3::IDENTITY)).collect();
        while let Some((node, parent)) = pending.pop() {
            if std::mem::replace(&mut seen[node], true) {
                return Err(at("node", node, "it is reached twice; nodes must form trees"));
            }
            let transform = parent * self.local_transform(node)?;
            see(node, &transform)?;
            for child in children(node) {
                self.get(nodes, *child, "node")?;
                pending.push((child.value(), transform));
            }
        }
        Ok(())
    }

    fn local_transform(&self, index: usize) -> Result<DAffine3, ShapeError> {
        let node = &self.root.nodes[index];
        let transform = if let Some(m) = node.matrix {
            let column = |i: usize| DVec3::new(m[i].into(), m[i + 1].into(), m[i + 2].into());
            DAffine3::from_mat3_translation(DMat3::from_cols(column(0), column(4), column(8)), column(12))
        } else {
            let vector = |v: [f32; 3]| DVec3::from_array(v.map(f64::from));
            let [x, y, z, w] = node.rotation.map_or([0.0, 0.0, 0.0, 1.0], |q| q.0.map(f64::from));
            let rotation = DQuat::from_xyzw(x, y, z, w);
            if !(rotation.length() > 1e-6 && rotation.is_finite()) {
                return Err(at("node", index, "its rotation is not a unit quaternion"));
            }
            DAffine3::from_scale_rotation_translation(
                node.scale.map_or(DVec3::ONE, vector),
                rotation.normalize(),
                node.translation.map_or(DVec3::ZERO, vector),
            )
        };
        if transform.is_finite() { Ok(transform) } else { Err(at("node", index, "its place is not finite")) }
    }

    fn append(&self, primitive: &Primitive, transform: &DAffine3, mesh: &mut TriMesh) -> Result<(), ShapeError> {
        let Checked::Valid(mode) = primitive.mode else {
            return Err(malformed("glTF", "a primitive", "its mode is unknown"));
        };
        if !matches!(mode, Mode::Triangles | Mode::TriangleStrip | Mode::TriangleFan) {
            return Ok(()); // points and lines have no surface
        }
        let Some(&positions) = primitive.attributes.get(&Checked::Valid(Semantic::Positions)) else { return Ok(()) };
        let before = mesh.positions.len();
        for p in self.elements(positions, 3)? {
            mesh.positions.push(transform.transform_point3(DVec3::new(p[0], p[1], p[2])));
        }
        let count = mesh.positions.len() - before;
        let corners: Vec<usize> = match primitive.indices {
            Some(indices) => self.elements(indices, 1)?.map(|value| value[0] as usize).collect(),
            None => (0..count).collect(),
        };
        if let Some(missing) = corners.iter().find(|&&corner| corner >= count) {
            let index = primitive.indices.map_or(0, |i| i.value());
            return Err(at("accessor", index, format!("vertex {missing} does not exist, there are {count}")));
        }
        if mesh.positions.len().max(mesh.triangles.len() + corners.len()) > MOST_ELEMENTS {
            return Err(malformed("glTF", "its nodes", format!("more than {MOST_ELEMENTS} vertices or corners")));
        }
        // A mirrored node turns the surface inside out unless the corners change order.
        let mirrored = transform.matrix3.determinant() < 0.0;
        let mut push = |a: usize, b: usize, c: usize| {
            let (b, c) = if mirrored { (c, b) } else { (b, c) };
            mesh.triangles.push([a, b, c].map(|i| (before + i) as u32));
        };
        match mode {
            Mode::Triangles => corners.chunks_exact(3).for_each(|t| push(t[0], t[1], t[2])),
            Mode::TriangleFan => corners.windows(2).skip(1).for_each(|pair| push(corners[0], pair[0], pair[1])),
            _ => corners
                .windows(3)
                .enumerate()
                .for_each(|(i, t)| if i % 2 == 0 { push(t[0], t[1], t[2]) } else { push(t[1], t[0], t[2]) }),
        }
        Ok(())
    }

    /// The elements of an accessor, each as its first `width` components.
    fn elements(
        &self,
        index: Index<Accessor>,
        width: usize,
    ) -> Result<impl Iterator<Item = [f64; 3]> + use<'_>, ShapeError> {
        let accessor = self.get(&self.root.accessors, index, "accessor")?;
        let problem = |text: &str| at("accessor", index.value(), text);
        let (Checked::Valid(component), Checked::Valid(shape)) = (accessor.component_type, accessor.type_) else {
            return Err(problem("its type is unknown"));
        };
        if shape != (if width == 3 { Type::Vec3 } else { Type::Scalar }) {
            return Err(problem("expected VEC3 for positions and SCALAR for indices"));
        }
        if width == 1 && component.0 == ComponentType::F32 {
            return Err(problem("indices must be whole numbers"));
        }
        if accessor.sparse.is_some() {
            return Err(problem("sparse accessors are not supported"));
        }
        let view_index = accessor.buffer_view.ok_or_else(|| problem("it has no buffer view"))?;
        let view = self.get(&self.root.buffer_views, view_index, "buffer view")?;
        let buffer = self.buffers.get(view.buffer.value());
        let buffer = buffer.ok_or_else(|| at("buffer", view.buffer.value(), "it does not exist"))?;
        let slice = |from: u64, length: u64| {
            let end = from.checked_add(length)?;
            buffer.get(usize::try_from(from).ok()?..usize::try_from(end).ok()?)
        };
        let data = slice(view.byte_offset.map_or(0, |o| o.0), view.byte_length.0)
            .ok_or_else(|| at("buffer view", view_index.value(), "it reaches beyond its buffer"))?;
        let data = usize::try_from(accessor.byte_offset.map_or(0, |o| o.0)).ok().and_then(|offset| data.get(offset..));
        let size = component.0.size() * width;
        let stride = view.byte_stride.map_or(size, |s| s.0);
        let count = usize::try_from(accessor.count.0).ok();
        let needed = count
            .and_then(|n| n.checked_sub(1)?.checked_mul(stride)?.checked_add(size))
            .or((count == Some(0)).then_some(0));
        let (Some(data), Some(needed), Some(count)) = (data, needed, count) else {
            return Err(problem("it reaches beyond its buffer view"));
        };
        if stride < size || needed > data.len() {
            return Err(problem("it reaches beyond its buffer view"));
        }
        let normalized = accessor.normalized;
        Ok((0..count).map(move |i| {
            let element = &data[i * stride..i * stride + size];
            let mut values = [0.0; 3];
            for (value, bytes) in values.iter_mut().zip(element.chunks_exact(component.0.size())) {
                *value = component_value(component.0, bytes, normalized);
            }
            values
        }))
    }
}

/// One little-endian number; integers that stand for a range become −1 to 1 or 0 to 1 (KHR_mesh_quantization).
fn component_value(kind: ComponentType, bytes: &[u8], normalized: bool) -> f64 {
    let mut raw = [0; 4];
    raw[..bytes.len()].copy_from_slice(bytes);
    let whole = u32::from_le_bytes(raw);
    let (value, most) = match kind {
        ComponentType::I8 => (f64::from(whole as i8), 127.0),
        ComponentType::U8 => (f64::from(whole as u8), 255.0),
        ComponentType::I16 => (f64::from(whole as i16), 32767.0),
        ComponentType::U16 => (f64::from(whole as u16), 65535.0),
        ComponentType::U32 => return f64::from(whole),
        ComponentType::F32 => return f64::from(f32::from_bits(whole)),
    };
    if normalized { (value / most).max(-1.0) } else { value }
}
