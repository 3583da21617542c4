//! No bytes make a reader panic, hang or reserve memory that it does not need.

use std::{fs, path::Path};

use carom_shape::{
    ImportOptions, ShapeError, TriMesh, body_from_mesh, import, read_gltf, read_obj, read_ply, read_stl, write_obj,
    write_stl_binary,
};
use carom_testing::peak_bytes;
use proptest::prelude::*;

use crate::formats::{glb, gltf_embedded, ply, stl_text};
use crate::shapes::tetrahedron;

type Reader = fn(&[u8]) -> Result<TriMesh, ShapeError>;

/// One small valid file of each kind.
fn files() -> Vec<(&'static str, Reader, Vec<u8>)> {
    let mesh = tetrahedron();
    let (mut obj, mut stl) = (Vec::new(), Vec::new());
    write_obj(&mesh, &mut obj).unwrap();
    write_stl_binary(&mesh, &mut stl).unwrap();
    vec![
        ("OBJ", read_obj, obj),
        ("PLY text", read_ply, ply(&mesh, "ascii")),
        ("PLY little", read_ply, ply(&mesh, "binary_little_endian")),
        ("PLY big", read_ply, ply(&mesh, "binary_big_endian")),
        ("STL binary", read_stl, stl),
        ("STL text", read_stl, stl_text(&mesh)),
        ("glTF", read_gltf, gltf_embedded(&mesh, "")),
        ("GLB", read_gltf, glb(&mesh)),
    ]
}

/// What was read is sound, and can be made a body or is refused.
fn digest(result: Result<TriMesh, ShapeError>) {
    if let Ok(mesh) = result {
        assert!(mesh.positions.iter().all(|p| p.is_finite()));
        assert!(mesh.triangles.iter().flatten().all(|&i| (i as usize) < mesh.positions.len()));
        let _ = body_from_mesh("hostile", mesh, &ImportOptions::default());
    }
}

#[test]
fn a_file_cut_off_anywhere_is_read_or_refused() {
    for (name, read, bytes) in files() {
        assert!(read(&bytes).is_ok(), "{name}");
        for length in 0..bytes.len() {
            let result = read(&bytes[..length]);
            // Formats that announce what they hold cannot lose more than trailing white space unnoticed; OBJ can.
            assert!(name == "OBJ" || result.is_err() || length + 25 > bytes.len(), "{name} of {length} bytes");
            digest(result);
        }
    }
}

#[test]
fn nasty_files_are_refused_before_memory_is_reserved() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(paths.len() >= 35);
    for path in paths {
        let (read, bytes) = peak_bytes(|| import(&path, &ImportOptions::default()));
        let error = read.unwrap_err();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        assert!(matches!(error, ShapeError::Malformed { .. }), "{name}: {error}");
        // The largest file has 1,000 bytes; some announce 10⁹ vertices and more.
        assert!(bytes > 0 && bytes < 1 << 20, "{name} takes {bytes} bytes");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn random_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        for read in [read_obj as Reader, read_ply, read_stl, read_gltf] {
            digest(read(&bytes));
        }
    }

    #[test]
    fn damaged_files_are_read_or_refused(
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        digits in any::<bool>(),
    ) {
        for (_, read, mut bytes) in files() {
            for (place, value) in &damage {
                // Digits for digits change counts and indices, where any byte would mostly break the syntax.
                let at = place.index(bytes.len());
                bytes[at] = if digits && bytes[at].is_ascii_digit() { b'0' + value % 10 } else { *value };
            }
            digest(read(&bytes));
        }
    }

    #[test]
    fn lines_of_obj_in_any_order_are_read_or_refused(
        lines in prop::collection::vec(prop::sample::select(vec![
            "v 0 0 0", "v 1 0 0", "v 0 1 0", "v 0 0 1", "v 1 1 1e300", "v -1 2 3", "f 1 2 3", "f 1 3 4 2", "f -1 -2 -3",
            "f 1 1 1", "f 1/2/3 2//1 3/4 4", "f 4 3 2 1 2 3", "\\", "# v", "f 1 2 3 \\", "vn 1 0 0",
        ]), 0..30),
    ) {
        digest(read_obj(lines.join("\n").as_bytes()));
    }
}
