//! A run on one page: some of its frames side by side, all seen by one camera.

use carom_shape::TriMesh;
use glam::DVec3;

use crate::animation::AnimationError;
use crate::picture::render_framed;
use crate::recording::{RecordedFrame, Recording};
use crate::stage::{Stage, pose};
use crate::{Image, Paint, PictureError, PictureParams, sheet};

/// Why there are no pictures of a run.
#[derive(Debug, thiserror::Error)]
pub enum FilmstripError {
    /// There is nothing to show.
    #[error(transparent)]
    Recording(#[from] AnimationError),
    /// A frame cannot be drawn.
    #[error(transparent)]
    Picture(#[from] PictureError),
}

/// `count` frames of a recording, evenly spread from the first to the last, in rows of `columns`. `params` gives the size of
/// each picture.
pub fn filmstrip(
    recording: &Recording,
    count: usize,
    columns: usize,
    params: &PictureParams,
) -> Result<Image, FilmstripError> {
    let stage = Stage::new(recording).map_err(AnimationError::from)?;
    if stage.frames.is_empty() {
        return Err(AnimationError::NoFrames.into());
    }
    let last = stage.frames.len() - 1;
    let count = count.clamp(1, stage.frames.len());
    let chosen = (0..count).map(|i| &stage.frames[if count == 1 { last } else { i * last / (count - 1) }]);
    let params = PictureParams { view: params.view.or(Some(stage.view)), ..params.clone() };
    let colours: Vec<[u8; 3]> = recording.run().bodies.iter().map(|body| body.colour).collect();
    let mut cells = Vec::with_capacity(count);
    for frame in chosen {
        cells.push((format!("{:.3} s", frame.time), picture(&stage, frame, &colours, &params)?));
    }
    Ok(sheet(&recording.run().name, &cells, columns, None))
}

fn picture(
    stage: &Stage,
    frame: &RecordedFrame,
    colours: &[[u8; 3]],
    params: &PictureParams,
) -> Result<Image, PictureError> {
    let view = params.view.unwrap_or(stage.view);
    let (mut positions, mut triangles, mut paint) = (Vec::<DVec3>::new(), Vec::new(), Vec::new());
    for actor in &stage.actors {
        let (position, turn) = pose(frame, actor.body);
        let surface = &stage.surfaces[actor.surface];
        if actor.endless {
            let normal = (turn * surface.area_vector(0)).normalize();
            // A level floor is the ground on which shadows fall; drawn itself it would hide them, as walls seen from
            // behind would hide the bodies.
            if normal.y > 0.999 || normal.dot(view.backward()) <= 0.0 {
                continue;
            }
        }
        let first = positions.len() as u32;
        positions.extend(surface.positions.iter().map(|&p| position + turn * p));
        triangles.extend(surface.triangles.iter().map(|corners| corners.map(|i| i + first)));
        paint.resize(positions.len(), colours[actor.body]);
    }
    let merged = TriMesh { positions, triangles };
    render_framed(&merged, Paint::Colours(&paint), &stage.seen, stage.ground, params)
}
