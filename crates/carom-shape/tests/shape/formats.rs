use std::{fs, path::PathBuf};

use carom_shape::{
    ImportOptions, ShapeError, TriMesh, import, read_gltf, read_obj, read_ply, read_stl, write_obj, write_ply,
    write_stl_binary,
};
use glam::DVec3;

use crate::shapes::{cuboid, sphere, tetrahedron};

/// A folder of this test's own that goes away with it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("carom-shape-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub fn stl_text(mesh: &TriMesh) -> Vec<u8> {
    let mut text = String::from("solid made by hand\n");
    for t in 0..mesh.triangles.len() {
        text += "  facet normal 0 0 0\n    outer loop\n";
        for p in mesh.corners(t) {
            text += &format!("      vertex {:e} {:e} {:e}\n", p.x, p.y, p.z);
        }
        text += "    endloop\n  endfacet\n";
    }
    (text + "endsolid made by hand\n").into_bytes()
}

pub fn ply(mesh: &TriMesh, format: &str) -> Vec<u8> {
    let mut bytes = format!(
        "ply\r\nformat {format} 1.0\r\ncomment with a normal and a colour\r\nelement vertex {}\r\nproperty uchar red\r\n\
         property float x\r\nproperty double y\r\nproperty float32 z\r\nproperty list uint8 int16 tags\r\n\
         element face {}\r\nproperty list ushort uint vertex_index\r\nproperty short group\r\nend_header\n",
        mesh.positions.len(),
        mesh.triangles.len()
    )
    .into_bytes();
    let big = format.contains("big");
    let mut put = |little: &[u8], text: String| match (format, big) {
        ("ascii", _) => bytes.extend(text.into_bytes()),
        (_, true) => bytes.extend(little.iter().rev()),
        (_, false) => bytes.extend(little),
    };
    for p in &mesh.positions {
        put(&[200], "200 ".into());
        put(&(p.x as f32).to_le_bytes(), format!("{} ", p.x));
        put(&p.y.to_le_bytes(), format!("{} ", p.y));
        put(&(p.z as f32).to_le_bytes(), format!("{} ", p.z));
        put(&[1], "1 ".into());
        put(&(-7i16).to_le_bytes(), "-7\n".into());
    }
    for t in &mesh.triangles {
        put(&3u16.to_le_bytes(), "3 ".into());
        for i in t {
            put(&i.to_le_bytes(), format!("{i} "));
        }
        put(&(-1i16).to_le_bytes(), "-1\n".into());
    }
    bytes
}

/// Positions in single precision and 16-bit indices, and the JSON that describes them.
fn gltf_parts(mesh: &TriMesh, uri: &str, node: &str) -> (String, Vec<u8>) {
    let mut data: Vec<u8> =
        mesh.positions.iter().flat_map(|p| p.to_array()).flat_map(|x| (x as f32).to_le_bytes()).collect();
    let split = data.len();
    data.extend(mesh.triangles.iter().flatten().flat_map(|&i| (i as u16).to_le_bytes()));
    let json = format!(
        r#"{{"asset": {{"version": "2.0"}}, "scenes": [{{"nodes": [0]}}], "nodes": [{{"mesh": 0{node}}}],
            "meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0}}, "indices": 1}}]}}],
            "accessors": [{{"bufferView": 0, "componentType": 5126, "count": {}, "type": "VEC3"}},
                          {{"bufferView": 1, "componentType": 5123, "count": {}, "type": "SCALAR"}}],
            "bufferViews": [{{"buffer": 0, "byteLength": {split}}},
                            {{"buffer": 0, "byteOffset": {split}, "byteLength": {}}}],
            "buffers": [{{"byteLength": {}{uri}}}]}}"#,
        mesh.positions.len(),
        3 * mesh.triangles.len(),
        data.len() - split,
        data.len()
    );
    (json, data)
}

pub fn gltf_embedded(mesh: &TriMesh, node: &str) -> Vec<u8> {
    let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (_, data) = gltf_parts(mesh, "", "");
    let mut text = String::new();
    for chunk in data.chunks(3) {
        let bits = chunk.iter().fold(0u32, |all, &b| all << 8 | u32::from(b)) << (8 * (3 - chunk.len()));
        for i in 0..=chunk.len() {
            text.push(digits[(bits >> (18 - 6 * i) & 63) as usize] as char);
        }
        text += &"=".repeat(3 - chunk.len());
    }
    gltf_parts(mesh, &format!(r#", "uri": "data:application/octet-stream;base64,{text}""#), node).0.into_bytes()
}

pub fn glb(mesh: &TriMesh) -> Vec<u8> {
    let (mut json, data) = gltf_parts(mesh, "", "");
    json += &" ".repeat((4 - json.len() % 4) % 4);
    let length = 12 + 8 + json.len() + 8 + data.len();
    let mut bytes = b"glTF".to_vec();
    bytes.extend([2, length as u32, json.len() as u32].iter().flat_map(|x| x.to_le_bytes()));
    bytes.extend(b"JSON");
    bytes.extend(json.bytes());
    bytes.extend((data.len() as u32).to_le_bytes());
    bytes.extend(b"BIN\0");
    bytes.extend(data);
    bytes
}

fn written(write: impl Fn(&TriMesh, &mut Vec<u8>) -> std::io::Result<()>, mesh: &TriMesh) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(mesh, &mut bytes).unwrap();
    bytes
}

/// The corners of all triangles: what formats without shared vertices can keep.
fn corners(mesh: &TriMesh) -> Vec<[DVec3; 3]> {
    (0..mesh.triangles.len()).map(|t| mesh.corners(t)).collect()
}

#[test]
fn one_body_is_the_same_in_every_format() {
    for mesh in [tetrahedron(), cuboid(DVec3::new(1.0, 0.25, -0.5))] {
        assert_eq!(read_obj(&written(|m, w| write_obj(m, w), &mesh)).unwrap(), mesh);
        assert_eq!(read_ply(&written(|m, w| write_ply(m, w), &mesh)).unwrap(), mesh);
        for format in ["ascii", "binary_little_endian", "binary_big_endian"] {
            assert_eq!(read_ply(&ply(&mesh, format)).unwrap(), mesh, "{format}");
        }
        assert_eq!(read_gltf(&gltf_embedded(&mesh, "")).unwrap(), mesh);
        assert_eq!(read_gltf(&glb(&mesh)).unwrap(), mesh);
        for bytes in [stl_text(&mesh), written(|m, w| write_stl_binary(m, w), &mesh)] {
            let found = read_stl(&bytes).unwrap();
            assert_eq!(corners(&found), corners(&mesh));
            assert_eq!(found.positions.len(), mesh.positions.len());
        }
    }
}

#[test]
fn every_digit_survives_obj_and_ply() {
    let mesh = sphere(0.123_456_789_012_345_67, 2);
    assert_eq!(read_obj(&written(|m, w| write_obj(m, w), &mesh)).unwrap(), mesh);
    assert_eq!(read_ply(&written(|m, w| write_ply(m, w), &mesh)).unwrap(), mesh);
}

#[test]
fn obj_reads_what_programs_write() {
    let text = b"# a comment\r\nmtllib none.mtl\r\no part\r\nv 0 0 0 1 0.5 0.5\r\nv 1 0 0 1.0 # first edge\r\nvt 0 0\r\nvn 0 0 1\r\n\
        v 1 1 0\r\nv 0 \\\r\n 1 0\r\ng one\r\nusemtl none\r\ns off\r\nf 1/1/1 2//1 \\\r\n 3/1 -1\r\nl 1 2\r\nf 5 6 7\r\n\
        v 2 0 0\r\nv 3 0 0\r\nv 2 1 0";
    let mesh = read_obj(text).unwrap();
    assert_eq!(mesh.positions[3], DVec3::Y);
    assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3], [4, 5, 6]]);
}

#[test]
fn a_concave_polygon_keeps_its_area_and_its_side() {
    // An arrow head, whose fan from the first corner would leave the polygon, and an L.
    let arrow =
        read_obj(b"v 2 0 0\nv 0 1 0\nv 0.5 0 0\nv 0 -1 0\nf 2 3 4 1\nf 3 4 1 2\nf 4 1 2 3\nf 1 2 3 4\n").unwrap();
    let ell =
        read_obj(b"v 0 0 5\nv 2 0 5\nv 2 1 5\nv 1 1 5\nv 1 2 5\nv 0 2 5\nf 5 6 1 2 3 4\nf 3 4 5 6 1 2\n").unwrap();
    for (mesh, area, per_polygon) in [(arrow, 1.5, 2), (ell, 3.0, 4)] {
        for polygon in 0..mesh.triangles.len() / per_polygon {
            let parts: Vec<DVec3> = (0..per_polygon).map(|i| mesh.area_vector(polygon * per_polygon + i)).collect();
            assert!((parts.iter().sum::<DVec3>() - area * DVec3::Z).length() < 1e-14);
            assert!(parts.iter().all(|part| part.z > 0.0), "{parts:?}");
        }
    }
}

#[test]
fn ply_strips_alternate_and_restart() {
    let text = b"ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
        element tristrips 1\nproperty list int int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n8 0 1 2 3 -1 0 1 2\n";
    assert_eq!(read_ply(text).unwrap().triangles, [[0, 1, 2], [2, 1, 3], [0, 1, 2]]);
}

#[test]
fn a_binary_stl_that_begins_like_text_is_binary() {
    let mut bytes = written(|m, w| write_stl_binary(m, w), &tetrahedron());
    bytes[..20].copy_from_slice(b"solid facet normal 0");
    assert_eq!(corners(&read_stl(&bytes).unwrap()), corners(&tetrahedron()));
}

#[test]
fn gltf_nodes_place_their_meshes_and_a_mirror_keeps_the_outside() {
    let cube = cuboid(DVec3::ONE);
    let moved = read_gltf(&gltf_embedded(&cube, r#", "translation": [1, 2, 3], "scale": [2, 2, 2]"#)).unwrap();
    assert_eq!((moved.bounds().min, moved.bounds().max), (DVec3::new(1.0, 2.0, 3.0), DVec3::new(3.0, 4.0, 5.0)));
    let quarter = format!(r#", "rotation": [0, 0, {0}, {0}]"#, 0.5f64.sqrt());
    let turned = read_gltf(&gltf_embedded(&cube, &quarter)).unwrap();
    assert!(turned.bounds().min.distance(DVec3::NEG_X) < 1e-7 && turned.volume() > 0.99);
    let mirrored = read_gltf(&gltf_embedded(&cube, r#", "scale": [-1, 1, 1]"#)).unwrap();
    assert_eq!((mirrored.volume(), mirrored.bounds().min.x), (1.0, -1.0));
    let matrix = r#", "matrix": [0, 2, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1]"#;
    assert_eq!(read_gltf(&gltf_embedded(&cube, matrix)).unwrap().bounds().max, DVec3::new(5.0, 8.0, 8.0));
}

#[test]
fn gltf_reads_strips_fans_and_a_tree_of_nodes_without_indices() {
    let square = TriMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::X + DVec3::Y], vec![[0, 1, 2]]).unwrap();
    let text = String::from_utf8(gltf_embedded(&square, "")).unwrap();
    let with_mode = |mode: u32| text.replace(r#""indices": 1"#, &format!(r#""mode": {mode}"#)).into_bytes();
    assert_eq!(read_gltf(&with_mode(4)).unwrap().triangles, [[0, 1, 2]]);
    assert_eq!(read_gltf(&with_mode(5)).unwrap().triangles, [[0, 1, 2], [2, 1, 3]]);
    assert_eq!(read_gltf(&with_mode(6)).unwrap().triangles, [[0, 1, 2], [0, 2, 3]]);
    assert!(read_gltf(&with_mode(1)).unwrap().triangles.is_empty());
    let nested = r#""nodes": [{"children": [1, 2], "translation": [0, 0, 1]}, {"mesh": 0, "translation": [0, 0, 1]}, {"mesh": 0}]"#;
    let tree = text.replace(r#""nodes": [{"mesh": 0}]"#, nested);
    let mut heights: Vec<f64> = read_gltf(tree.as_bytes()).unwrap().positions.iter().map(|p| p.z).collect();
    heights.dedup();
    heights.sort_by(f64::total_cmp);
    assert_eq!(heights, [1.0, 2.0]);
}

#[test]
fn gltf_finds_its_buffer_beside_it() {
    let folder = Folder::new("beside");
    let (json, data) = gltf_parts(&cuboid(DVec3::ONE), r#", "uri": "a%20cube.bin""#, "");
    fs::write(folder.0.join("cube.gltf"), json).unwrap();
    fs::write(folder.0.join("a cube.bin"), data).unwrap();
    let body = import(&folder.0.join("cube.gltf"), &ImportOptions::default()).unwrap();
    assert_eq!((body.name.as_str(), body.surface.volume(), body.warnings.len()), ("cube", 1.0, 0));
    fs::remove_file(folder.0.join("a cube.bin")).unwrap();
    assert!(matches!(import(&folder.0.join("cube.gltf"), &ImportOptions::default()), Err(ShapeError::Read { .. })));
}

#[test]
fn the_ending_tells_the_format_whatever_its_case() {
    let folder = Folder::new("endings");
    let mesh = tetrahedron();
    let files = [
        ("a.OBJ", written(|m, w| write_obj(m, w), &mesh)),
        ("b.ply", written(|m, w| write_ply(m, w), &mesh)),
        ("c.Stl", written(|m, w| write_stl_binary(m, w), &mesh)),
        ("d.gltf", gltf_embedded(&mesh, "")),
        ("e.glb", glb(&mesh)),
    ];
    for (name, bytes) in files {
        fs::write(folder.0.join(name), bytes).unwrap();
        let body = import(&folder.0.join(name), &ImportOptions::default()).unwrap();
        assert!((body.surface.volume() - 1.0 / 6.0).abs() < 1e-15 && body.warnings.is_empty(), "{name}");
        assert_eq!(body.name, name[..1]);
    }
    fs::write(folder.0.join("f.xyz"), b"").unwrap();
    let unknown = import(&folder.0.join("f.xyz"), &ImportOptions::default());
    assert!(matches!(unknown, Err(ShapeError::UnknownFormat { .. })));
    assert!(matches!(import(&folder.0.join("none.obj"), &ImportOptions::default()), Err(ShapeError::Read { .. })));
}

#[test]
fn errors_name_the_line_or_the_byte() {
    let message = |result: Result<TriMesh, ShapeError>| result.unwrap_err().to_string();
    let obj = message(read_obj(b"v 0 0 0\nv 1 0 0\nv 0 1 zero\n"));
    assert_eq!(obj, "OBJ file is damaged at line 3: expected three finite coordinates, found 'zero'");
    let obj = message(read_obj(b"v 0 0 0\nv 1 0 0\nv 0 1 0\n\nf 1 2 4\n"));
    assert_eq!(obj, "OBJ file is damaged at line 5: vertex 4 does not exist, there are 3");
    let cut = ply(&tetrahedron(), "binary_little_endian");
    let ply = message(read_ply(&cut[..cut.len() - 1]));
    assert_eq!(ply, format!("PLY file is damaged at byte {}: the file ends early", cut.len() - 2));
    let stl = written(|m, w| write_stl_binary(m, w), &tetrahedron());
    let stl = message(read_stl(&stl[..200]));
    assert_eq!(stl, "STL file is damaged at byte 200: the header announces 4 triangles, the file ends early");
    let gltf = message(read_gltf(b"{\"asset\":\n 1}"));
    assert!(gltf.starts_with("glTF file is damaged at line 2, column "), "{gltf}");
}
