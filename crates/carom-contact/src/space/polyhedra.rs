//! Contacts of boxes and hulls.
//!
//! The separating-axis test finds the defining face or edges. Over a face everything of the other body within the margin
//! touches it; elsewhere the patches that lie farthest along the normal meet. The test knows no normals between two corners,
//! or a corner and an edge: bodies that are apart and nearest there get theirs from their closest points.

use std::cell::RefCell;

use glam::DVec3;

use super::axes::{Defining, Placed, Room, Separation, separation};
use super::distance::{Convex, closest};
use super::manifold::Workspace;
use crate::{Pose as _, Touch, Witness};

thread_local! {
    static WORKSPACE: RefCell<(Workspace, Room)> = RefCell::default();
}

/// Relative size of what counts as touching an edge from inside.
const TOLERANCE: f64 = 1e-9;

/// Adds the contacts within the margin; returns the gap between the bodies, or infinity when it is above the margin.
pub(super) fn meet(
    first: &Placed,
    second: &Placed,
    margin: f64,
    witness: &mut Witness,
    touches: &mut Vec<Touch<DVec3>>,
) -> f64 {
    WORKSPACE.with_borrow_mut(|(workspace, room)| meet_in(first, second, margin, witness, touches, (workspace, room)))
}

fn meet_in(
    first: &Placed,
    second: &Placed,
    margin: f64,
    witness: &mut Witness,
    touches: &mut Vec<Touch<DVec3>>,
    (workspace, room): (&mut Workspace, &mut Room),
) -> f64 {
    let Some(axis) = separation(first, second, margin, witness, room) else { return f64::INFINITY };
    let tolerance = TOLERANCE * (first.hull.radius + second.hull.radius);
    let begin = touches.len();
    workspace.first.clear();
    workspace.second.clear();
    match axis.defining {
        Defining::First(face) => {
            workspace.first.face(first.hull, first.frame, face);
            workspace.second.facing(second.hull, second.frame, axis.normal);
        }
        Defining::Second(face) => {
            workspace.first.facing(first.hull, first.frame, -axis.normal);
            workspace.second.face(second.hull, second.frame, face);
        }
        Defining::Edges(..) | Defining::Tie => {
            workspace.first.supporting(first.hull, first.frame, -axis.normal);
            workspace.second.supporting(second.hull, second.frame, axis.normal);
        }
    }
    let least = workspace.meet(axis.normal, tolerance, margin, touches);
    if axis.gap <= tolerance {
        if touches.len() == begin {
            // They overlap so far that what defines the axis is beside what it meets.
            match axis.defining {
                Defining::First(_) | Defining::Second(_) => touches.push(deepest_corner(first, second, &axis)),
                Defining::Edges(..) | Defining::Tie => {
                    workspace.first.clear();
                    workspace.second.clear();
                    workspace.first.supporting_edge(first.hull, first.frame, -axis.normal);
                    workspace.second.supporting_edge(second.hull, second.frame, axis.normal);
                    workspace.meet(axis.normal, tolerance, margin, touches);
                }
            }
        }
        return axis.gap;
    }
    if least <= axis.gap + tolerance {
        return axis.gap;
    }
    let Some(nearest) =
        closest((Convex::Hull(first.hull), first.frame), (Convex::Hull(second.hull), second.frame), false)
    else {
        return axis.gap;
    };
    touches.truncate(begin);
    let between = nearest.on_first - nearest.on_second;
    let distance = between.length();
    if distance > margin {
        return f64::INFINITY;
    }
    let normal = between / distance;
    workspace.first.clear();
    workspace.second.clear();
    workspace.first.supporting(first.hull, first.frame, -normal);
    workspace.second.supporting(second.hull, second.frame, normal);
    let least = workspace.meet(normal, tolerance, margin, touches);
    // Patches that only just miss each other leave the closest points themselves.
    if touches.len() == begin || least > distance + 1e3 * tolerance {
        touches.truncate(begin);
        touches.push(Touch { point: 0.5 * (nearest.on_first + nearest.on_second), normal, gap: distance, feature: 0 });
    }
    distance
}

/// The corner that is deepest below the face that defines the axis.
fn deepest_corner(first: &Placed, second: &Placed, axis: &Separation) -> Touch<DVec3> {
    let of_first = matches!(axis.defining, Defining::Second(_));
    let (body, out) = if of_first { (first, -axis.normal) } else { (second, axis.normal) };
    let vertex = body.hull.farthest(body.frame.turn_back(out));
    let point = body.frame.point(body.hull.vertices[vertex as usize]) + out * (0.5 * axis.gap);
    Touch { point, normal: axis.normal, gap: axis.gap, feature: u64::from(vertex) << if of_first { 32 } else { 0 } }
}
