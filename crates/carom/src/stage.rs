//! What of a recording can be shown: its bodies as surfaces around their centres of mass, and where to look from.

use carom_shape::{Aabb, TriMesh};
use glam::{DQuat, DVec3};

use crate::View;
use crate::recording::{Look, RecordedFrame, Recording, RecordingError};

/// A body that can be shown.
pub(crate) struct Actor {
    /// Its number in the recording.
    pub(crate) body: usize,
    /// Its place among the surfaces.
    pub(crate) surface: usize,
    /// Whether it is an endless floor or wall, of which a patch is shown.
    pub(crate) endless: bool,
}

/// All that stays the same while bodies move.
pub(crate) struct Stage {
    /// Surfaces around the centre of mass.
    pub(crate) surfaces: Vec<TriMesh>,
    pub(crate) actors: Vec<Actor>,
    /// Where things happen.
    pub(crate) bounds: Aabb,
    /// Corners of boxes around bodies in some of the frames: what a camera has to see.
    pub(crate) seen: Vec<DVec3>,
    pub(crate) view: View,
    /// The height of the highest level floor.
    pub(crate) ground: Option<f64>,
    pub(crate) frames: Vec<RecordedFrame>,
}

/// Bodies that fly farther than so many sizes of the scene are not followed.
const FOLLOWED: f64 = 2.0;

impl Stage {
    pub(crate) fn new(recording: &Recording) -> Result<Stage, RecordingError> {
        let run = recording.run();
        let frames: Vec<RecordedFrame> = recording.frames().collect::<Result<_, _>>()?;
        let (mut surfaces, mut places) = (Vec::new(), Vec::<(usize, [f64; 3])>::new());
        let mut actors = Vec::new();
        for (body, recorded) in run.bodies.iter().enumerate() {
            let Look::Surface { surface, offset } = recorded.look else { continue };
            // Copies of a body share its surface.
            let place = places.iter().position(|&place| place == (surface, offset)).unwrap_or_else(|| {
                let TriMesh { positions, triangles } = &run.surfaces[surface];
                let moved = positions.iter().map(|&p| p + DVec3::from(offset)).collect();
                surfaces.push(TriMesh { positions: moved, triangles: triangles.clone() });
                places.push((surface, offset));
                places.len() - 1
            });
            actors.push(Actor { body, surface: place, endless: false });
        }
        let bounds = bounds(&surfaces, &actors, &frames);
        let seen = seen(&surfaces, &actors, &frames, bounds);
        let view = view(run.dimension, bounds);
        let mut stage = Stage { surfaces, actors, bounds, seen, view, ground: None, frames };
        for (body, recorded) in run.bodies.iter().enumerate() {
            if let (Look::HalfSpace { normal }, Some(first)) = (recorded.look, stage.frames.first()) {
                let (position, turn) = pose(first, body);
                let normal = DVec3::from(normal).try_normalize().unwrap_or(DVec3::Y);
                if (turn * normal).y > 0.999 {
                    stage.ground = Some(stage.ground.map_or(position.y, |ground: f64| ground.max(position.y)));
                }
                stage.surfaces.push(patch(normal, position, turn, bounds));
                stage.actors.push(Actor { body, surface: stage.surfaces.len() - 1, endless: true });
            }
        }
        Ok(stage)
    }
}

/// Where a body is in a frame.
pub(crate) fn pose(frame: &RecordedFrame, body: usize) -> (DVec3, DQuat) {
    (frame.frame.positions[body].into(), DQuat::from_array(frame.frame.rotations[body]))
}

/// A box around all bodies in all frames, as far as they are followed.
fn bounds(surfaces: &[TriMesh], actors: &[Actor], frames: &[RecordedFrame]) -> Aabb {
    let reach: Vec<f64> = surfaces.iter().map(|s| s.positions.iter().map(|p| p.length()).fold(0.0, f64::max)).collect();
    let around = |frame: &RecordedFrame| {
        let balls = actors.iter().map(|actor| (pose(frame, actor.body).0, reach[actor.surface]));
        balls.flat_map(|(centre, reach)| [centre - reach, centre + reach]).collect::<Vec<DVec3>>()
    };
    let one = Aabb { min: DVec3::splat(-0.5), max: DVec3::splat(0.5) };
    let Some(first) = frames.first().map(around).filter(|points| !points.is_empty()) else { return one };
    let start = Aabb::around(first);
    let margin = FOLLOWED * start.size().length();
    let all = Aabb::around(frames.iter().flat_map(around));
    Aabb { min: all.min.max(start.min - margin), max: all.max.min(start.max + margin) }
}

/// Corners of boxes around bodies in frames spread over the run, within the bounds.
fn seen(surfaces: &[TriMesh], actors: &[Actor], frames: &[RecordedFrame], bounds: Aabb) -> Vec<DVec3> {
    const FRAMES: usize = 32;
    let boxes: Vec<[DVec3; 8]> = surfaces.iter().map(|surface| surface.bounds().corners()).collect();
    let some = frames.iter().step_by(frames.len().div_ceil(FRAMES).max(1)).chain(frames.last());
    let corners = some.flat_map(|frame| {
        actors.iter().flat_map(|actor| {
            let (position, turn) = pose(frame, actor.body);
            boxes[actor.surface].map(|corner| (position + turn * corner).clamp(bounds.min, bounds.max))
        })
    });
    let corners: Vec<DVec3> = corners.collect();
    if corners.is_empty() { bounds.corners().into() } else { corners }
}

/// Scenes of the plane are seen from the front, a little from above; others from a corner.
fn view(dimension: u8, bounds: Aabb) -> View {
    match dimension {
        2 => View { azimuth: 0.0, elevation: 4f64.to_radians(), field_of_view: 14f64.to_radians() },
        _ => View { elevation: 18f64.to_radians(), ..View::three_quarter(bounds) },
    }
}

/// A square of the border of a half-space, under or beside all that happens, in the axes of its body.
fn patch(normal: DVec3, position: DVec3, turn: DQuat, bounds: Aabb) -> TriMesh {
    let middle = turn.inverse() * (bounds.centre() - position);
    let middle = middle - middle.dot(normal) * normal;
    let half = 0.75 * bounds.size().length();
    let across = normal.any_orthonormal_vector();
    let along = normal.cross(across);
    let corner = |x: f64, y: f64| middle + half * (x * across + y * along);
    let positions = vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
    TriMesh { positions, triangles: vec![[0, 1, 2], [0, 2, 3]] }
}
