use super::*;
use proptest::prelude::*;

/// A unit tetrahedron with ten nodes as Gmsh orders them, wrapped around a point and a triangle that do not matter.
/// Node tags are 11, 12 … and stand in the file from the last to the first.
fn gmsh_nodes() -> Vec<(u64, DVec3)> {
    let c = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let middles = [(0, 1), (1, 2), (0, 2), (0, 3), (2, 3), (1, 3)].map(|(a, b)| 0.5 * (c[a] + c[b]));
    (11..).zip(c.into_iter().chain(middles)).collect()
}

fn version_2() -> Vec<u8> {
    let mut text =
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"body\"\n$EndPhysicalNames\n".to_owned();
    text += "$Nodes\n10\n";
    for (tag, p) in gmsh_nodes().into_iter().rev() {
        text += &format!("{tag} {} {} {}\n", p.x, p.y, p.z);
    }
    text += "$EndNodes\n$Elements\n4\n1 15 2 0 1 11\n2 2 2 0 1 11 12 13\n";
    // Twice: once for each of two physical groups.
    text += "3 11 2 1 1 11 12 13 14 15 16 17 18 19 20\n4 11 2 2 1 11 12 13 14 15 16 17 18 19 20\n$EndElements\n";
    text.into_bytes()
}

fn version_4_text() -> Vec<u8> {
    let mut text = "$MeshFormat\r\n4.1 0 8\r\n$EndMeshFormat\r\n$Entities\n0 0 0 0\n$EndEntities\n".to_owned();
    text += "$Nodes\n2 10 11 20\n2 1 1 1\n20\n0.5 0 0.5 0.25 0.75\n3 1 0 9\n";
    let nodes = gmsh_nodes();
    nodes[..9].iter().for_each(|(tag, _)| text += &format!("{tag}\n"));
    nodes[..9].iter().for_each(|(_, p)| text += &format!("{} {} {}\n", p.x, p.y, p.z));
    text += "$EndNodes\n$Elements\n2 2 1 2\n2 1 9 1\n1 11 12 13 15 16 17\n";
    text += "3 1 11 1\n2 11 12 13 14 15 16 17 18 19 20\n$EndElements\n";
    text.into_bytes()
}

fn version_4_binary(big_endian: bool) -> Vec<u8> {
    let swap = |mut bytes: Vec<u8>| {
        if big_endian {
            bytes.reverse();
        }
        bytes
    };
    let int = |n: i32| swap(n.to_le_bytes().to_vec());
    let size = |n: u64| swap(n.to_le_bytes().to_vec());
    let real = |x: f64| swap(x.to_le_bytes().to_vec());
    let mut bytes = b"$MeshFormat\n4.1 1 8\n".to_vec();
    bytes.extend(int(1));
    bytes.extend(b"\n$EndMeshFormat\n$Nodes\n");
    bytes.extend([1, 10, 11, 20].into_iter().flat_map(size));
    bytes.extend([3, 1, 0].into_iter().flat_map(int));
    bytes.extend(size(10));
    bytes.extend(gmsh_nodes().iter().flat_map(|&(tag, _)| size(tag)));
    bytes.extend(gmsh_nodes().iter().flat_map(|(_, p)| p.to_array()).flat_map(real));
    bytes.extend(b"\n$EndNodes\n$Elements\n");
    bytes.extend([2, 2, 1, 2].into_iter().flat_map(size));
    bytes.extend([2, 1, 2].into_iter().flat_map(int));
    bytes.extend([1, 1, 11, 12, 13].into_iter().flat_map(size));
    bytes.extend([3, 1, 11].into_iter().flat_map(int));
    bytes.extend([1, 2].into_iter().chain(11..=20).flat_map(size));
    bytes.extend(b"\n$EndElements\n");
    bytes
}

#[test]
fn the_middle_nodes_of_gmsh_land_on_the_middles_of_their_edges() {
    for bytes in [version_2(), version_4_text(), version_4_binary(false), version_4_binary(true)] {
        let mesh = read_msh(&bytes).unwrap();
        assert_eq!((mesh.nodes().len(), mesh.elements().len()), (10, 1));
        let nodes: Vec<DVec3> = mesh.elements().nodes(0).iter().map(|&n| mesh.nodes()[n as usize]).collect();
        assert_eq!(nodes[..4], [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z]);
        for ([a, b], middle) in crate::tetra::EDGES.into_iter().zip(&nodes[4..]) {
            assert_eq!(*middle, 0.5 * (nodes[a] + nodes[b]));
        }
        assert!((mesh.mass_properties(6.0).mass - 1.0).abs() < 1e-14);
    }
}

#[test]
fn damage_is_reported_with_its_place() {
    let text = String::from_utf8(version_2()).unwrap();
    let message = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        read_msh(text.replacen(from, to, 1).as_bytes()).unwrap_err().to_string()
    };
    assert_eq!(
        message("20 0.5 0 0.5", "20 0.5 zero 0.5"),
        "MSH file is damaged at line 10: expected a number, found 'zero'"
    );
    assert!(message("2.2 0 8", "2.2 1 8").contains("found version 2.2 (binary, numbers of 8 bytes)"));
    assert!(message("2.2 0 8", "4.0 0 8").contains("found version 4.0"));
    assert!(message("$EndNodes", "$EndNods").contains("expected $EndNodes, found '$EndNods'"));
    assert!(message("\n12 1 0 0", "\n11 1 0 0").contains("node 11 stands there twice"));
    assert!(message("$EndPhysicalNames", "").contains("$EndPhysicalNames is missing"));
    assert!(message("3 11 2 1 1", "3 5 2 1 1").contains("found an element of type 5"));
    assert!(message("17 18 19 20\n4", "17 18 19 99\n4").contains("tetrahedron 0 refers to node 99"));
    assert!(
        message("4 11 2 2 1 11 12 13 14 15 16 17 18 19 20", "4 4 2 2 1 11 12 13 14").contains("4 and with 10 nodes")
    );
    assert!(message("11 12 13 14 15", "12 11 13 14 15").contains("tetrahedron 0 is inverted"));
    assert_eq!(read_msh(b"").unwrap_err().to_string(), "MSH file is damaged at line 1: the file ends too early");
    let empty = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n";
    assert_eq!(read_msh(empty.as_bytes()), Err(TetMeshError::Empty));
    let claims = format!("{empty}$Nodes\n1 1 1 1\n3 1 0 18446744073709551615\n1\n");
    assert!(read_msh(claims.as_bytes()).unwrap_err().to_string().contains("line 8: the file ends too early"));
}

#[test]
fn every_truncation_is_refused_or_harmless() {
    for bytes in [version_2(), version_4_text(), version_4_binary(false)] {
        for length in 0..bytes.trim_ascii_end().len() {
            assert!(read_msh(&bytes[..length]).is_err(), "{length} of {} bytes", bytes.len());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn hostile_bytes_do_not_panic(
        which in 0..4usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let mut bytes = match which {
            0 => version_2(),
            1 => version_4_text(),
            other => version_4_binary(other == 3),
        };
        for (index, value) in changes {
            let at = index.index(bytes.len());
            bytes[at] = value;
        }
        let _ = read_msh(&bytes);
    }

    #[test]
    fn random_bytes_do_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = read_msh(&bytes);
    }
}
