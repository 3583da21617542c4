//! glTF files that another reader accepts and that swing as they should.

use crate::common::{bar, cuboid};
use carom::{ExportError, GltfParams, field_to_glb, mesh_to_glb, modes_to_glb};
use glam::{DVec3, Vec3};
use gltf::animation::util::ReadOutputs;

/// Opens a file with all checks of the reader, and its data.
fn open(bytes: &[u8]) -> (gltf::Gltf, Vec<u8>) {
    let mut file = gltf::Gltf::from_slice(bytes).expect("a valid glTF");
    let data = file.blob.take().expect("a binary chunk");
    assert_eq!(file.buffers().next().unwrap().length(), data.len());
    for view in file.views() {
        assert!(view.offset() % 4 == 0 && view.offset() + view.length() <= data.len());
    }
    (file, data)
}

fn bounds(vectors: &[Vec3]) -> (Vec3, Vec3) {
    vectors.iter().fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), &v| (low.min(v), high.max(v)))
}

/// The `min` and `max` that an accessor states.
fn stated(accessor: &gltf::Accessor<'_>) -> (Vec3, Vec3) {
    let vector = |value: Option<gltf::json::Value>| {
        let numbers: Vec<f32> = serde_json::from_value(value.expect("bounds are stated")).unwrap();
        Vec3::from_slice(&numbers)
    };
    (vector(accessor.min()), vector(accessor.max()))
}

#[test]
fn a_box_keeps_its_corners_faces_and_colours() {
    let size = DVec3::new(0.1, 0.2, 0.3);
    let colours: Vec<[u8; 3]> = (0..8).map(|i| [255, 30 * i, 0]).collect();
    let (file, data) = open(&mesh_to_glb("box", &cuboid(size), Some(&colours), 0.5).unwrap());
    let mesh = file.meshes().next().unwrap();
    assert_eq!(mesh.name(), Some("box"));
    let primitive = mesh.primitives().next().unwrap();
    let reader = primitive.reader(|_| Some(&data));
    let positions: Vec<Vec3> = reader.read_positions().unwrap().map(Vec3::from).collect();
    let normals: Vec<Vec3> = reader.read_normals().unwrap().map(Vec3::from).collect();
    let indices: Vec<u32> = reader.read_indices().unwrap().into_u32().collect();
    assert_eq!((positions.len(), normals.len(), indices.len()), (24, 24, 36));
    assert_eq!(bounds(&positions), (-0.5 * size.as_vec3(), 0.5 * size.as_vec3()));
    assert_eq!(stated(&primitive.get(&gltf::Semantic::Positions).unwrap()), bounds(&positions));
    for triangle in indices.chunks_exact(3) {
        let [a, b, c] = [0, 1, 2].map(|i| positions[triangle[i] as usize]);
        let face = (b - a).cross(c - a).normalize();
        assert!(triangle.iter().all(|&i| normals[i as usize].distance(face) < 1e-6), "flat faces, sharp edges");
    }
    let read: Vec<[f32; 4]> = reader.read_colors(0).unwrap().into_rgba_f32().collect();
    assert!(read.iter().all(|c| c[0] == 1.0 && c[2] == 0.0 && c[3] == 1.0));
    // 210/255 in sRGB is 0.6445 of the light.
    let brightest = read.iter().map(|c| c[1]).fold(0.0, f32::max);
    assert!((brightest - 0.6445).abs() < 1e-4, "{brightest}");
}

#[test]
fn each_mode_is_a_target_with_a_swing_of_its_own() {
    let model = bar();
    let params = GltfParams { share: 0.1, period: 2.0, ..GltfParams::default() };
    let (file, data) = open(&modes_to_glb(&model, &[0, 1], &params).unwrap());
    let mesh = file.meshes().next().unwrap();
    assert_eq!(mesh.weights(), Some(&[0.0, 0.0][..]));
    let primitive = mesh.primitives().next().unwrap();
    assert_eq!(primitive.morph_targets().count(), 2);
    let diagonal = model.surface.bounds().size().length() as f32;
    let reader = primitive.reader(|_| Some(&data));
    let vertices = reader.read_positions().unwrap().count();
    for ((moved, turned, _), target) in reader.read_morph_targets().zip(primitive.morph_targets()) {
        let moved: Vec<Vec3> = moved.unwrap().map(Vec3::from).collect();
        assert_eq!((moved.len(), turned.unwrap().count()), (vertices, vertices));
        assert_eq!(stated(&target.positions().unwrap()), bounds(&moved));
        let largest = moved.iter().map(|v| v.length()).fold(0.0, f32::max);
        assert!((largest / (0.1 * diagonal) - 1.0).abs() < 1e-5, "{largest}");
    }
    let names: Vec<&str> = file.animations().map(|animation| animation.name().unwrap()).collect();
    assert_eq!(names, ["mode 1 (1286 Hz)", "mode 2 (12.62 kHz)"]);
    for (mode, animation) in file.animations().enumerate() {
        let channel = animation.channels().next().unwrap();
        let reader = channel.reader(|_| Some(&data));
        let times: Vec<f32> = reader.read_inputs().unwrap().collect();
        let Some(ReadOutputs::MorphTargetWeights(weights)) = reader.read_outputs() else { panic!("weights move") };
        let weights: Vec<f32> = weights.into_f32().collect();
        assert_eq!(weights.len(), 2 * times.len());
        assert_eq!((times[0], *times.last().unwrap()), (0.0, 2.0));
        for (time, pair) in times.iter().zip(weights.chunks_exact(2)) {
            assert!((pair[mode] - (std::f32::consts::PI * time).sin()).abs() < 1e-6);
            assert_eq!(pair[1 - mode], 0.0);
        }
    }
}

#[test]
fn a_single_mode_is_coloured_by_how_far_it_moves() {
    let (file, data) = open(&modes_to_glb(&bar(), &[1], &GltfParams::default()).unwrap());
    let primitive = file.meshes().next().unwrap().primitives().next().unwrap();
    let reader = primitive.reader(|_| Some(&data));
    let colours = reader.read_colors(0).unwrap().into_rgba_f32();
    for (position, colour) in reader.read_positions().unwrap().zip(colours) {
        // Mode 2 stretches the bar: yellow ends (red above blue), a violet middle.
        if position[0].abs() > 0.49 {
            assert!(colour[0] > 0.9 && colour[2] < 0.1);
        } else if position[0].abs() < 0.01 {
            assert!(colour[2] > colour[1]);
        }
    }
}

#[test]
fn what_cannot_be_shown_is_refused_by_name() {
    let model = bar();
    let message = modes_to_glb(&model, &[7], &GltfParams::default()).unwrap_err().to_string();
    assert!(message.contains("no mode 7"), "{message}");
    let params = GltfParams { period: 0.0, ..GltfParams::default() };
    let error = modes_to_glb(&model, &[0], &params).unwrap_err();
    assert_eq!(error, ExportError::BadParameter { quantity: "period", value: 0.0 });
    assert_eq!(mesh_to_glb("", &carom::shape::TriMesh::default(), None, 0.5).unwrap_err(), ExportError::Empty);
    let error = mesh_to_glb("", &model.surface, Some(&[[0; 3]; 3]), 0.5).unwrap_err();
    assert!(matches!(error, ExportError::ColourCount { found: 3, .. }));
    let mut far = model.surface.clone();
    far.positions[3].x = 1e300;
    assert!(matches!(mesh_to_glb("", &far, None, 0.5).unwrap_err(), ExportError::BadVertex { vertex: 3, .. }));
}

#[test]
fn a_number_per_triangle_is_an_attribute_and_a_colour_of_its_corners() {
    let surface = cuboid(DVec3::new(0.1, 0.2, 0.3));
    let values: Vec<f64> = (0..12).map(|t| f64::from(t) / 11.0).collect();
    let colours = |value: f64| [value, 0.0, 1.0];
    let bytes = field_to_glb("box", &surface, &values, "_RESTITUTION", &colours, 0.5).unwrap();
    let again = carom::shape::read_gltf(&bytes).expect("an attribute of our own does not stop the import");
    assert!((again.volume() / surface.volume() - 1.0).abs() < 1e-6);
    let (file, data) = open(&bytes);
    let primitive = file.meshes().next().unwrap().primitives().next().unwrap();
    let reader = primitive.reader(|_| Some(&data));
    let indices: Vec<u32> = reader.read_indices().unwrap().into_u32().collect();
    let positions: Vec<Vec3> = reader.read_positions().unwrap().map(Vec3::from).collect();
    let normals: Vec<Vec3> = reader.read_normals().unwrap().map(Vec3::from).collect();
    let colours: Vec<[u16; 4]> = reader.read_colors(0).unwrap().into_rgba_u16().collect();
    let accessor = primitive.get(&gltf::Semantic::Extras("RESTITUTION".into())).expect("the attribute is there");
    let numbers: Vec<f32> = gltf::accessor::Iter::new(accessor.clone(), |_| Some(&data)).unwrap().collect();
    assert_eq!((accessor.dimensions(), numbers.len()), (gltf::accessor::Dimensions::Scalar, 36));
    for (t, corners) in indices.chunks_exact(3).enumerate() {
        let [a, b, c] = [0, 1, 2].map(|i| positions[corners[i] as usize]);
        assert_eq!([a, b, c], surface.corners(t).map(|p| p.as_vec3()));
        let face = (b - a).cross(c - a).normalize();
        for &corner in corners {
            assert_eq!(numbers[corner as usize], values[t] as f32);
            assert!(normals[corner as usize].distance(face) < 1e-6);
            let red = f32::from(colours[corner as usize][0]) / 65535.0;
            // sRGB to light.
            let light = ((values[t] as f32 + 0.055) / 1.055).powf(2.4);
            assert!((red - light).abs() < 2e-3, "{red} {light}");
        }
    }
    let error = field_to_glb("", &surface, &[0.5; 3], "_RESTITUTION", &|_| [0.0; 3], 0.5).unwrap_err();
    assert_eq!(error, ExportError::ValueCount { found: 3, triangles: 12 });
}
