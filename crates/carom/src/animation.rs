//! A recording as binary glTF: one node per body, moved as it was recorded, and a camera that sees it all.
//!
//! A node's translation and rotation are those of the centre of mass, number for number as they were recorded (in single
//! precision); between frames they are interpolated. Bodies of one shape share its vertices, and what never moves has
//! no animation.

use glam::{DMat3, DQuat, DVec3, Vec4};
use serde_json::{Value, json};

use crate::camera::Camera;
use crate::glb::Document;
use crate::gltf_export::check;
use crate::recording::{Recording, RecordingError};
use crate::stage::{Stage, pose};
use crate::{ExportError, SmoothMesh};

/// Why there is no animation.
#[derive(Debug, thiserror::Error)]
pub enum AnimationError {
    /// The recording cannot be read.
    #[error(transparent)]
    Recording(#[from] RecordingError),
    /// What it holds cannot be written.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// There is nothing to show.
    #[error("the recording has no frames yet")]
    NoFrames,
}

/// A recording as the bytes of a `.glb` file.
pub fn recording_to_glb(recording: &Recording, crease_angle: f64) -> Result<Vec<u8>, AnimationError> {
    let stage = Stage::new(recording)?;
    let first = stage.frames.first().ok_or(AnimationError::NoFrames)?;
    let mut document = Document::new();
    let mut primitives = Vec::with_capacity(stage.surfaces.len());
    for surface in &stage.surfaces {
        check(surface)?;
        let mesh = SmoothMesh::new(surface, crease_angle);
        let positions = mesh.gather(&surface.positions);
        primitives.push(document.triangles(&positions, mesh.normals(&positions), &mesh.triangles));
    }
    let times: Vec<f32> = stage.frames.iter().map(|frame| frame.time as f32).collect();
    let times = document.scalars(&times, None, true);
    let (mut materials, mut meshes) = (Vec::new(), Vec::new());
    let (mut samplers, mut channels) = (Vec::new(), Vec::new());
    for actor in &stage.actors {
        let body = &recording.run().bodies[actor.body];
        let material = find_or_add(&mut materials, (body.colour, actor.endless), || {
            let [r, g, b] = body.colour;
            let name = format!("#{r:02x}{g:02x}{b:02x}");
            // Walls are seen from where bodies are; from behind one looks through them.
            document.add_material(&name, Some(body.colour.map(|c| f64::from(c) / 255.0)), !actor.endless)
        });
        let mesh = find_or_add(&mut meshes, (actor.surface, body.colour), || {
            let mut primitive = primitives[actor.surface].clone();
            primitive["material"] = material;
            document.add_mesh(&format!("surface {}", actor.surface), primitive)
        });
        let (position, turn) = pose(first, actor.body);
        let node = document.add_node(json!({
            "name": body.name,
            "mesh": mesh,
            "translation": position.as_vec3().to_array(),
            "rotation": turn.as_quat().to_array(),
        }));
        let (translations, rotations) = tracks(&stage, actor.body);
        let mut animate = |path: &str, output: Value| {
            channels.push(json!({ "sampler": samplers.len(), "target": { "node": node, "path": path } }));
            samplers.push(json!({ "input": times, "output": output, "interpolation": "LINEAR" }));
        };
        if moves(&translations) {
            animate("translation", document.tuples(&translations, "VEC3", None, false));
        }
        if moves(&rotations) {
            animate("rotation", document.tuples(&rotations, "VEC4", None, false));
        }
    }
    if !channels.is_empty() {
        let animation = json!({ "name": recording.run().name, "samplers": samplers, "channels": channels });
        document.json["animations"] = json!([animation]);
    }
    add_camera(&mut document, &stage);
    Ok(document.finish()?)
}

/// Positions and rotations of a body in all frames.
fn tracks(stage: &Stage, body: usize) -> (Vec<[f32; 3]>, Vec<[f32; 4]>) {
    let mut last = Vec4::ZERO;
    let poses = stage.frames.iter().map(|frame| {
        let (position, turn) = pose(frame, body);
        // Of the two quaternions of a rotation the one nearer to the last: interpolation then takes the short way.
        let turn = Vec4::from_array(turn.as_quat().to_array());
        last = if turn.dot(last) < 0.0 { -turn } else { turn };
        (position.as_vec3().to_array(), last.to_array())
    });
    poses.unzip()
}

fn moves<T: PartialEq>(track: &[T]) -> bool {
    track.iter().any(|item| *item != track[0])
}

fn find_or_add<K: PartialEq>(known: &mut Vec<(K, Value)>, key: K, make: impl FnOnce() -> Value) -> Value {
    match known.iter().find(|(other, _)| *other == key) {
        Some((_, value)) => value.clone(),
        None => {
            let value = make();
            known.push((key, value.clone()));
            value
        }
    }
}

fn add_camera(document: &mut Document, stage: &Stage) {
    /// Wide pictures, as screens are.
    const FRAME: [usize; 2] = [1600, 900];
    let camera = Camera::fit(stage.view, &stage.seen, FRAME, 0.05);
    let turn = DQuat::from_mat3(&DMat3::from_cols(camera.right, camera.up, camera.backward));
    let distance = camera.eye.distance(stage.bounds.centre());
    let size = stage.bounds.size().length();
    document.json["cameras"] = json!([{
        "type": "perspective",
        "perspective": {
            "yfov": stage.view.field_of_view,
            "aspectRatio": FRAME[0] as f64 / FRAME[1] as f64,
            "znear": 0.01 * distance,
            "zfar": distance + 20.0 * size,
        },
    }]);
    let eye: DVec3 = camera.eye;
    document.add_node(json!({
        "name": "camera",
        "camera": 0,
        "translation": eye.as_vec3().to_array(),
        "rotation": turn.as_quat().to_array(),
    }));
}
