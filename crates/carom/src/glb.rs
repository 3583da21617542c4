//! A binary glTF file while it grows: meshes, materials, numbers.

use glam::DVec3;
use serde_json::{Value, json};

use crate::ExportError;
use crate::colormap::to_linear;

/// What a buffer view is for.
pub(crate) const VERTICES: u32 = 34962;
const INDICES: u32 = 34963;

/// A glTF document and the numbers that it refers to.
pub(crate) struct Document {
    pub(crate) json: Value,
    data: Vec<u8>,
}

impl Document {
    /// A scene with nothing in it.
    pub(crate) fn new() -> Document {
        let json = json!({
            "asset": { "version": "2.0", "generator": concat!("Carom ", env!("CARGO_PKG_VERSION")) },
            "scene": 0,
            "scenes": [{ "nodes": [] }],
            "nodes": [],
            "meshes": [],
            "materials": [],
            "accessors": [],
            "bufferViews": [],
        });
        Document { json, data: Vec::new() }
    }

    /// Adds a node to the scene.
    pub(crate) fn add_node(&mut self, node: Value) -> Value {
        let node = push(&mut self.json["nodes"], node);
        push(&mut self.json["scenes"][0]["nodes"], node.clone());
        node
    }

    /// Adds a mesh of one primitive.
    pub(crate) fn add_mesh(&mut self, name: &str, primitive: Value) -> Value {
        push(&mut self.json["meshes"], json!({ "name": name, "primitives": [primitive] }))
    }

    /// Adds a dull material, seen from both sides or from outside only; its colour, if any, is in sRGB.
    pub(crate) fn add_material(&mut self, name: &str, colour: Option<[f64; 3]>, both_sides: bool) -> Value {
        let mut look = json!({ "metallicFactor": 0.0, "roughnessFactor": 0.55 });
        if let Some([r, g, b]) = colour.map(|colour| colour.map(to_linear)) {
            look["baseColorFactor"] = json!([r, g, b, 1.0]);
        }
        let material = json!({ "name": name, "doubleSided": both_sides, "pbrMetallicRoughness": look });
        push(&mut self.json["materials"], material)
    }

    /// Triangles over vertices with normals, as a primitive that still lacks a material.
    pub(crate) fn triangles(&mut self, positions: &[DVec3], normals: Vec<DVec3>, triangles: &[[u32; 3]]) -> Value {
        let attributes = json!({
            "POSITION": self.vectors(positions, true),
            "NORMAL": self.vectors(&unit(normals), false),
        });
        let bytes: Vec<u8> = triangles.iter().flatten().flat_map(|i| i.to_le_bytes()).collect();
        let view = self.view(&bytes, Some(INDICES));
        let indices = self.accessor(json!({
            "bufferView": view, "componentType": 5125, "type": "SCALAR", "count": 3 * triangles.len(),
        }));
        json!({ "attributes": attributes, "indices": indices })
    }

    /// A colour in sRGB per vertex.
    pub(crate) fn colours(&mut self, colours: Vec<[f64; 3]>) -> Value {
        let count = colours.len();
        // glTF colours are linear light; 16 bits keep the dark ones apart.
        let numbers = colours.into_iter().flat_map(|[r, g, b]| {
            let linear = |c: f64| (65535.0 * to_linear(c)).round() as u16;
            [linear(r), linear(g), linear(b), u16::MAX]
        });
        let bytes: Vec<u8> = numbers.flat_map(u16::to_le_bytes).collect();
        let view = self.view(&bytes, Some(VERTICES));
        self.accessor(json!({
            "bufferView": view, "componentType": 5123, "normalized": true, "type": "VEC4", "count": count,
        }))
    }

    /// Vectors of vertices.
    pub(crate) fn vectors(&mut self, vectors: &[DVec3], with_bounds: bool) -> Value {
        let numbers: Vec<[f32; 3]> = vectors.iter().map(|v| v.as_vec3().to_array()).collect();
        self.tuples(&numbers, "VEC3", Some(VERTICES), with_bounds)
    }

    /// Numbers one by one.
    pub(crate) fn scalars(&mut self, numbers: &[f32], target: Option<u32>, with_bounds: bool) -> Value {
        self.tuples(numbers.as_chunks::<1>().0, "SCALAR", target, with_bounds)
    }

    /// Tuples of numbers.
    pub(crate) fn tuples<const N: usize>(
        &mut self,
        tuples: &[[f32; N]],
        kind: &str,
        target: Option<u32>,
        with_bounds: bool,
    ) -> Value {
        let bytes: Vec<u8> = tuples.as_flattened().iter().flat_map(|x| x.to_le_bytes()).collect();
        let view = self.view(&bytes, target);
        let mut accessor = json!({ "bufferView": view, "componentType": 5126, "type": kind, "count": tuples.len() });
        if with_bounds {
            let bound = |start: f32, pick: fn(f32, f32) -> f32| -> Vec<f32> {
                (0..N).map(|axis| tuples.iter().map(|tuple| tuple[axis]).fold(start, pick)).collect()
            };
            accessor["min"] = json!(bound(f32::INFINITY, f32::min));
            accessor["max"] = json!(bound(f32::NEG_INFINITY, f32::max));
        }
        self.accessor(accessor)
    }

    /// Appends bytes; all our numbers have a size that divides them into whole words of four.
    fn view(&mut self, bytes: &[u8], target: Option<u32>) -> Value {
        let mut view = json!({ "buffer": 0, "byteOffset": self.data.len(), "byteLength": bytes.len() });
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        self.data.extend_from_slice(bytes);
        push(&mut self.json["bufferViews"], view)
    }

    fn accessor(&mut self, accessor: Value) -> Value {
        push(&mut self.json["accessors"], accessor)
    }

    /// The bytes of the file.
    pub(crate) fn finish(mut self) -> Result<Vec<u8>, ExportError> {
        self.json["buffers"] = json!([{ "byteLength": self.data.len() }]);
        let mut text = self.json.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let bytes = 12 + 8 + text.len() + 8 + self.data.len();
        let length = u32::try_from(bytes).map_err(|_| ExportError::TooLarge { bytes })?;
        let mut file = Vec::with_capacity(bytes);
        file.extend_from_slice(b"glTF");
        file.extend_from_slice(&2u32.to_le_bytes());
        file.extend_from_slice(&length.to_le_bytes());
        for (kind, chunk) in [(b"JSON", &text), (b"BIN\0", &self.data)] {
            file.extend_from_slice(&(chunk.len() as u32).to_le_bytes());
            file.extend_from_slice(kind);
            file.extend_from_slice(chunk);
        }
        Ok(file)
    }
}

/// Appends to a JSON array and returns the index.
fn push(array: &mut Value, item: Value) -> Value {
    let Value::Array(items) = array else { unreachable!("the document is made with these arrays") };
    items.push(item);
    json!(items.len() - 1)
}

/// Normals of length one; a vertex whose triangles have no area points up.
fn unit(normals: Vec<DVec3>) -> Vec<DVec3> {
    normals.into_iter().map(|normal| if normal == DVec3::ZERO { DVec3::Y } else { normal }).collect()
}
