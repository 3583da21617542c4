//! `.carom` files: exact, deterministic, readable by others, and safe on bytes that mean harm.

use crate::common::tetrahedron;
use carom_object::{BounceMap, FaceSamples, Interpolation, Object, ObjectError, Radiation, SharedCell, Values};
use glam::DVec3;
use proptest::prelude::*;
use safetensors::SafeTensors;

/// A fresh folder for one test.
fn folder(name: &str) -> std::path::PathBuf {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// A container with the given header and data.
fn container(header: &str, data: &[u8]) -> Vec<u8> {
    [&(header.len() as u64).to_le_bytes(), header.as_bytes(), data].concat()
}

/// The file of the tetrahedron with its header changed; data stays.
fn with_header(edit: impl FnOnce(String) -> String) -> Vec<u8> {
    let bytes = tetrahedron().to_bytes().unwrap();
    let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let header = String::from_utf8(bytes[8..8 + length].to_vec()).unwrap();
    let edited = edit(header.clone());
    assert_ne!(edited, header, "the edit found nothing to change");
    container(&edited, &bytes[8 + length..])
}

fn refusal(bytes: &[u8]) -> String {
    Object::from_bytes(bytes).expect_err("these bytes are no object").to_string()
}

#[test]
fn a_round_trip_changes_no_bit() {
    let object = tetrahedron();
    let bytes = object.to_bytes().unwrap();
    let back = Object::from_bytes(&bytes).unwrap();
    assert_eq!(back, object);
    assert_eq!(back.to_bytes().unwrap(), bytes);

    let mut bare = object;
    bare.modal.field = None;
    bare.bounce = None;
    bare.radiation = None;
    bare.modal.held = true;
    bare.modal.spin = None;
    bare.modal.frequencies.clear();
    bare.modal.shapes.clear();
    assert_eq!(Object::from_bytes(&bare.to_bytes().unwrap()).unwrap(), bare);
}

#[test]
fn a_saved_file_appears_whole_and_alone() {
    let folder = folder("saved");
    let path = folder.join("tetrahedron.carom");
    std::fs::write(&path, "an older file").unwrap();
    tetrahedron().save(&path).unwrap();
    assert_eq!(Object::load(&path).unwrap(), tetrahedron());
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1, "a temporary file was left");
}

#[test]
fn a_failed_save_names_the_path_and_leaves_nothing() {
    let folder = folder("failed");
    let missing = folder.join("missing").join("a.carom");
    let error = tetrahedron().save(&missing).unwrap_err();
    assert!(matches!(error, ObjectError::Write { .. }) && error.to_string().contains("a.carom"), "{error}");
    // A folder stands where the file should go, so that only the last step, the rename, fails.
    std::fs::create_dir(folder.join("b.carom")).unwrap();
    tetrahedron().save(folder.join("b.carom")).unwrap_err();
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1, "a temporary file was left");

    std::fs::write(folder.join("c.carom"), "text").unwrap();
    let error = Object::load(folder.join("c.carom")).unwrap_err().to_string();
    assert!(error.contains("c.carom") && error.contains("not a .carom file"), "{error}");
}

#[test]
fn other_readers_find_the_same_tensors() {
    let object = tetrahedron();
    let bytes = object.to_bytes().unwrap();
    let file = SafeTensors::deserialize(&bytes).unwrap();
    let frequencies = file.tensor("modes.frequencies").unwrap();
    assert_eq!((frequencies.dtype(), frequencies.shape()), (safetensors::Dtype::F64, &[3][..]));
    assert_eq!(frequencies.data()[..8], object.modal.frequencies[0].to_le_bytes());
    let shapes = file.tensor("modes.shapes").unwrap();
    assert_eq!((shapes.dtype(), shapes.shape()), (safetensors::Dtype::F32, &[3, 4, 3][..]));
    let (_, header) = SafeTensors::read_metadata(&bytes).unwrap();
    assert_eq!(header.metadata().as_ref().unwrap()["name"], "tetrahedron");
    for (name, tensor) in file.tensors() {
        let offset = tensor.data().as_ptr() as usize - bytes.as_ptr() as usize;
        assert_eq!(offset * 8 % tensor.dtype().bitsize(), 0, "{name} is not aligned");
    }
}

#[test]
fn unknown_sections_and_minor_versions_are_passed_over() {
    let newer = with_header(|h| {
        h.replace(r#""version":"1.0""#, r#""version":"1.7","mood":"calm""#)
            .replace(r#"\"poisson\""#, r#"\"viscosity\":3,\"poisson\""#)
            .replace(
                r#""mass.centre""#,
                r#""bounce.mood":{"dtype":"F8_E4M3","shape":[0],"data_offsets":[0,0]},"mass.centre""#,
            )
    });
    assert_eq!(Object::from_bytes(&newer).unwrap(), tetrahedron());
}

#[test]
fn a_higher_major_version_is_refused_with_advice() {
    let message = refusal(&with_header(|h| h.replace(r#""version":"1.0""#, r#""version":"2.0""#)));
    assert!(message.contains("version 2.0") && message.contains("newer Carom"), "{message}");
    let message = refusal(&with_header(|h| h.replace(r#""version":"1.0""#, r#""version":"one""#)));
    assert!(message.contains("'one'"), "{message}");
}

#[test]
fn a_foreign_or_doubled_section_is_refused_by_name() {
    let message = refusal(&with_header(|h| h.replace(r#""format":"carom""#, r#""format":"pt""#)));
    assert!(message.contains("its format is 'pt'"), "{message}");
    let message = refusal(&with_header(|h| h.replace(r#""format""#, r#""name":"twin","format""#)));
    assert!(message.contains("'name' stands twice"), "{message}");
    let twin = r#""mass.mass":{"dtype":"F64","shape":[1],"data_offsets":[0,8]},"mass.centre""#;
    let message = refusal(&with_header(|h| h.replace(r#""mass.centre""#, twin)));
    assert!(message.contains("'mass.mass' stands twice"), "{message}");
    let message = refusal(&with_header(|h| h.replace("mass.mass", "mass.size")));
    assert!(message.contains("'mass.mass' is missing"), "{message}");
    let message = refusal(&with_header(|h| h.replace(r#""shape":[3,4,3]"#, r#""shape":[4,3,3]"#)));
    assert!(message.contains("'modes.shapes' is F32 [4, 3, 3], expected F32 [3, 4, 3]"), "{message}");
}

/// What is wrong, and what the message must say about it.
type Fault = (fn(&mut Object), &'static str);

#[test]
fn an_object_that_does_not_fit_together_is_refused_with_the_element() {
    let faults: &[Fault] = &[
        (|o| o.modal.surface.positions[2].y = f64::NAN, "surface.positions: number 7"),
        (|o| o.modal.surface.triangles[1][2] = 4, "triangle 1 refers to vertex 4, but there are 4"),
        (|o| o.modal.frequencies[1] = -1.0, "mode 1 has -1 Hz"),
        (|o| o.modal.frequencies[2] = 200.0, "do not ascend"),
        (|o| o.modal.frequencies[2] = f64::INFINITY, "mode 2 has inf Hz"),
        (|o| o.modal.shapes[5][1] = f32::NAN, "modes.shapes: number 16"),
        (|o| o.modal.shapes.truncate(11), "modes.shapes: has 11 entries, expected 12"),
        (|o| o.modal.spin.as_mut().unwrap().inertia[1][2] = f64::NAN, "spin.inertia: number 8"),
        (|o| o.modal.spin.as_mut().unwrap().coriolis.truncate(2), "spin.coriolis: has 2 entries, expected 3"),
        (|o| o.modal.mass.mass = 0.0, "mass.mass: is 0"),
        (|o| o.modal.mass.centre.z = f64::NEG_INFINITY, "mass.centre: number 2"),
        (|o| o.modal.mass.inertia.y_axis.x = 1.0, "mass.inertia: is not symmetric"),
        (|o| o.modal.material.poisson = 0.5, "poisson's ratio is 0.5"),
        (|o| field(o).grid.axes.x_axis *= 1.1, "field.axes: are not a rotation"),
        (|o| field(o).grid.axes.x_axis *= -1.0, "field.axes: are not a rotation"),
        (|o| field(o).grid.planes[1] = vec![0.0, 0.0], "field.planes: do not ascend"),
        (|o| field(o).grid.planes[0] = vec![0.0], "field.planes: bound"),
        (|o| field(o).grid.planes[2] = vec![f64::NAN, 1.0], "field.planes: number 0 is not finite"),
        (|o| field(o).part_cell[2] = 2, "part 2 is in cell 2 of 2"),
        (|o| field(o).part_cell[1] = 0, "field.shared_labels: cell 1 has a label 2, but 1 parts"),
        (|o| field(o).part_cell.reverse(), "do not ascend at part 1"),
        (|o| field(o).part_nodes.truncate(2), "field.part_nodes: has 2 entries"),
        (|o| field(o).part_nodes[1][26] = 60, "part 1 has a node beyond the 60"),
        (|o| field(o).nodes = usize::MAX, "field.shapes"),
        (|o| field(o).resolution = 0, "field.resolution: is 0"),
        (|o| field(o).resolution = 3, "has 8 entries, expected 27"),
        (|o| field(o).shared[0].labels[3] = 3, "cell 1 has a label 3, but 2 parts"),
        (|o| field(o).shared.push(SharedCell { cell: 0, labels: vec![0; 8] }), "field.shared_cells: do not ascend"),
        (|o| field(o).shared.clear(), "field.shared_cells: lack cell 1"),
        (|o| bounce(o).layout.spacing = 0.0, "bounce.spacing: is 0"),
        (|o| bounce(o).layout.angle = f64::NAN, "bounce.angle: is NaN"),
        (|o| points(o)[1].triangle = 4, "bounce.face_triangles: place 1 is on triangle 4 of 4"),
        (|o| points(o)[0].weights = [0.6, 0.6], "bounce.face_weights: place 0 has weights 0.6 and 0.6"),
        (|o| points(o)[0].weights[1] = f32::NAN, "bounce.face_weights: place 0"),
        (|o| bounce(o).layout.faces = FaceSamples::EveryTriangle, "bounce.restitution: has 7 entries, expected 9"),
        (|o| bounce(o).layout.features[0].side = 12, "bounce.feature_sides: feature 0 is on triangle 4 of 4"),
        (|o| bounce(o).layout.features[0].along = 1.0, "bounce.feature_along: feature 0 is at 1"),
        (|o| bounce(o).layout.features[1].along = f32::NAN, "bounce.feature_along: feature 1 is at NaN"),
        (|o| bounce(o).layout.features[1].directions = 0, "bounce.feature_directions: feature 1"),
        (|o| bounce(o).layout.features[0].directions = u32::MAX, "bounce.normals: has 5 entries"),
        (|o| bounce(o).layout.normals[3] = [0.0; 3], "bounce.normals: direction 3 has length 0"),
        (|o| bounce(o).layout.normals[1][0] = f32::NAN, "bounce.normals: direction 1 has length NaN"),
        (|o| bounce(o).restitution = Values::Full(vec![0.5; 6]), "bounce.restitution: has 6 entries, expected 7"),
        (|o| set_restitution(o, 4, 1.5), "bounce.restitution: sample 4 is 1.5"),
        (|o| set_restitution(o, 2, f32::NAN), "bounce.restitution: sample 2 is NaN"),
        (|o| bounce(o).contact_time = Some(Values::Full(vec![-1.0; 7])), "bounce.contact_time: sample 0 is -1"),
        (|o| bounce(o).contact_time = quantized([0.2, 0.1]), "bounce.contact_time: ranges from 0.2 to 0.1"),
        (|o| bounce(o).contact_time = quantized([0.0, f32::INFINITY]), "bounce.contact_time: ranges from 0 to inf"),
    ];
    for (spoil, expected) in faults {
        let mut object = tetrahedron();
        spoil(&mut object);
        let message = object.to_bytes().expect_err(expected).to_string();
        assert!(message.contains(expected), "expected '{expected}', got '{message}'");
    }
}

fn field(object: &mut Object) -> &mut carom_object::CellField {
    object.modal.field.as_mut().unwrap()
}

fn bounce(object: &mut Object) -> &mut BounceMap {
    object.bounce.as_mut().unwrap()
}

fn points(object: &mut Object) -> &mut [carom_object::FacePoint] {
    let FaceSamples::Points(points) = &mut bounce(object).layout.faces else { panic!("the map lists its places") };
    points
}

fn set_restitution(object: &mut Object, sample: usize, value: f32) {
    let Values::Full(values) = &mut bounce(object).restitution else { panic!("the map is not quantized") };
    values[sample] = value;
}

fn quantized(range: [f32; 2]) -> Option<Values> {
    Some(Values::Quantized { range, bytes: vec![0; 7] })
}

#[test]
fn a_map_without_samples_is_refused() {
    let mut object = tetrahedron();
    let map = bounce(&mut object);
    map.layout.faces = FaceSamples::Points(Vec::new());
    map.layout.features.clear();
    map.layout.normals.clear();
    map.restitution = Values::Full(Vec::new());
    assert!(object.to_bytes().unwrap_err().to_string().contains("bounce.restitution: has no samples"));
}

#[test]
fn a_quantized_map_of_all_centroids_costs_one_byte_per_triangle() {
    let mut object = tetrahedron();
    let map = bounce(&mut object);
    map.layout.faces = FaceSamples::EveryTriangle;
    map.layout.features.clear();
    map.layout.normals.clear();
    map.contact_time = None;
    map.restitution = Values::Full(vec![0.1, 0.2, 0.3, 0.4]).quantized();
    let bytes = object.to_bytes().unwrap();
    assert_eq!(Object::from_bytes(&bytes).unwrap(), object);
    let file = SafeTensors::deserialize(&bytes).unwrap();
    let mut sizes: Vec<(String, usize)> = (file.tensors().into_iter())
        .filter(|(name, _)| name.starts_with("bounce."))
        .map(|(name, tensor)| (name, tensor.data().len()))
        .collect();
    sizes.sort();
    let expected = [("angle", 8), ("restitution", 4), ("restitution_range", 8), ("spacing", 8)];
    assert_eq!(sizes, expected.map(|(name, size)| (format!("bounce.{name}"), size)));
}

#[test]
fn a_bounce_section_with_a_part_missing_or_of_another_shape_is_refused_by_name() {
    let missing = |name: &str| refusal(&with_header(|h| h.replace(name, "bounce.other")));
    for name in ["bounce.face_weights", "bounce.feature_along", "bounce.normals", "bounce.spacing", "bounce.angle"] {
        let message = missing(name);
        assert!(message.contains(&format!("'{name}' is missing")), "{message}");
    }
    let message = refusal(&with_header(|h| h.replace("bounce.contact_time_range", "bounce.other")));
    assert!(message.contains("'bounce.contact_time' is U8 [7], expected F32 [any]"), "{message}");
    let message = refusal(&with_header(|h| h.replace("bounce.feature_sides", "bounce.other")));
    assert!(message.contains("bounce.restitution: has 7 entries, expected 2"), "{message}");
}

#[test]
fn a_radiation_section_with_a_part_missing_or_of_another_shape_is_refused_by_name() {
    type Change = fn(&mut Radiation);
    for name in ["centre", "radius", "air", "wave_numbers", "starts", "errors"] {
        let name = format!("radiation.{name}");
        let message = refusal(&with_header(|h| h.replace(&name, "radiation.other")));
        assert!(message.contains(&format!("'{name}' is missing")), "{message}");
    }
    let spoilt = |change: Change| {
        let mut object = tetrahedron();
        change(object.radiation.as_mut().unwrap());
        object.to_bytes().expect_err("no sound field").to_string()
    };
    let changes: [(Change, &str); 8] = [
        (|r| r.starts[1] = 3, "mode 0 has terms 0 to 3, expected a square number"),
        (|r| r.starts[1] = 9, "mode 1 has terms 9 to 5"),
        (|r| r.starts.push(5), "radiation.starts: has 4 entries, expected 3"),
        (|r| r.coefficients.push([0.0; 2]), "radiation.starts: has 3 entries, expected 3 from 0 to 6"),
        (|r| r.coefficients[2][1] = f32::NAN, "radiation.coefficients: number 5 is not finite"),
        (|r| r.wave_numbers[1] = 0.0, "radiation.wave_numbers: mode 1 has 0"),
        (|r| r.radius = -1.0, "radiation.radius: is -1"),
        (|r| r.errors.clear(), "radiation.errors: has 0 entries, expected 2"),
    ];
    for (change, expected) in changes {
        let message = spoilt(change);
        assert!(message.contains(expected), "{message}");
    }
    let mut object = tetrahedron();
    object.modal = object.modal.with_modes(1);
    let message = object.to_bytes().unwrap_err().to_string();
    assert!(message.contains("has 2 modes, the body 1"), "{message}");
}

#[test]
fn radiation_alone_comes_back_for_its_own_body_only() {
    let object = tetrahedron();
    let radiation = object.radiation.unwrap();
    assert_eq!(Radiation::from_bytes(&radiation.to_bytes(), &object.modal).unwrap(), radiation);
    assert!(Radiation::from_bytes(&radiation.to_bytes(), &object.modal.with_modes(1)).is_err());
    assert!(Radiation::from_bytes(b"noise", &object.modal).is_err());
}

#[test]
fn numbers_spoilt_inside_a_file_are_refused_too() {
    let object = tetrahedron();
    let bytes = object.to_bytes().unwrap();
    let spoilt = |from: &[u8], to: &[u8]| {
        let at = bytes.windows(from.len()).position(|window| window == from).expect("the number is in the file");
        let mut copy = bytes.clone();
        copy[at..at + to.len()].copy_from_slice(to);
        copy
    };
    let message = refusal(&spoilt(&object.modal.mass.mass.to_le_bytes(), &f64::NAN.to_le_bytes()));
    assert!(message.contains("mass.mass: is NaN"), "{message}");
    let message = refusal(&spoilt(&object.modal.frequencies[0].to_le_bytes(), &1e9f64.to_le_bytes()));
    assert!(message.contains("do not ascend"), "{message}");
}

#[test]
fn a_file_cut_anywhere_is_refused() {
    let bytes = tetrahedron().to_bytes().unwrap();
    for length in 0..bytes.len() {
        refusal(&bytes[..length]);
    }
    refusal(&[&bytes[..], b"\0"].concat());
}

#[test]
fn headers_that_promise_more_than_memory_are_refused() {
    let huge = u64::MAX;
    for header in [
        format!(r#"{{"a":{{"dtype":"F64","shape":[{huge},{huge}],"data_offsets":[0,{huge}]}}}}"#),
        format!(
            r#"{{"a":{{"dtype":"U8","shape":[8],"data_offsets":[0,8]}},"b":{{"dtype":"U8","shape":[{huge}],"data_offsets":[8,{huge}]}}}}"#
        ),
        r#"{"a":{"dtype":"U8","shape":[-1],"data_offsets":[-8,0]}}"#.into(),
        "[".repeat(100_000),
        r#"{"__metadata__":7}"#.into(),
    ] {
        refusal(&container(&header, &[0; 8]));
    }
    for length in [u64::MAX, u64::MAX - 7, 1 << 40] {
        refusal(&[&length.to_le_bytes()[..], b"{}"].concat());
    }
    // A number of nodes that no byte of the file backs: harmless, because nothing is sized by it.
    let boundless = with_header(|h| h.replace(r#""shape":[3,60,3]"#, r#""shape":[3,6148914691236517265,3]"#));
    assert!(refusal(&boundless).contains("field.shapes"));
}

#[test]
fn the_corpus_of_nasty_files_is_refused() {
    let corpus = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut files = 0;
    for entry in std::fs::read_dir(corpus).unwrap() {
        let path = entry.unwrap().path();
        let error = Object::load(&path).expect_err("a nasty file").to_string();
        assert!(error.contains(path.file_name().unwrap().to_str().unwrap()), "{error}");
        files += 1;
    }
    assert!(files >= 8, "the corpus has {files} files");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        refusal(&bytes);
        refusal(&container(&String::from_utf8_lossy(&bytes), &bytes));
    }

    #[test]
    fn flipped_bits_are_refused_or_give_an_object_that_can_be_used(
        flips in prop::collection::vec((any::<prop::sample::Index>(), 0u8..8), 1..4)
    ) {
        let mut bytes = tetrahedron().to_bytes().unwrap();
        for (place, bit) in flips {
            let at = place.index(bytes.len());
            bytes[at] ^= 1 << bit;
        }
        if let Ok(object) = Object::from_bytes(&bytes) {
            let mut shapes = Vec::new();
            object.modal.shapes_on_triangle(3, DVec3::splat(1.0 / 3.0), &mut shapes);
            prop_assert_eq!(shapes.len(), 3);
            if let Some(map) = &object.bounce {
                let lookup = map.lookup(&object.modal.surface).unwrap();
                for interpolation in
                    [Interpolation::Constant, Interpolation::Nearest, Interpolation::MovingLeastSquares]
                {
                    let value = lookup.at(3, DVec3::splat(0.03), DVec3::Y, interpolation).unwrap();
                    prop_assert!((0.0..=1.0).contains(&value), "{value} by {interpolation:?}");
                }
            }
            if let Some(radiation) = &object.radiation {
                // Radii that no body has overflow; what matters is that nothing panics.
                let mut pressures = [Default::default(); 4];
                radiation.transfers(DVec3::ONE, &mut pressures, &mut Vec::new());
                let together: Vec<String> = pressures.iter().map(|p| p.to_string()).collect();
                let alone: Vec<String> = (0..4).map(|mode| radiation.transfer(mode, DVec3::ONE).to_string()).collect();
                prop_assert_eq!(together, alone);
                (0..radiation.mode_count()).for_each(|mode| drop(radiation.power(mode).to_string()));
            }
            prop_assert_eq!(Object::from_bytes(&object.to_bytes().unwrap()).unwrap(), object);
        }
    }
}
