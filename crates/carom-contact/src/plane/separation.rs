//! The separating-axis test (*Lecture*, "Separating axis theorem"): of all edges of two convex polygons, which has the other
//! polygon furthest in front of it?
//!
//! The edge that was found is the defining edge, kept as a witness and tried first the next time ("Defining face/edge"). It gives
//! the search a mark to beat at once: most other edges are out after one corner. The answer does not depend on it, to the bit.

use glam::DVec2;

use super::{Polygon, Pose};
use crate::{Pose as _, Witness};

/// Two polygons, each as it lies in the other's axes.
pub(super) struct Facing<'a> {
    sides: [Side<'a>; 2],
}

struct Side<'a> {
    polygon: &'a Polygon,
    /// Cosine and sine of its turn in the axes of the other.
    turn: DVec2,
    /// Its origin in the axes of the other.
    origin: DVec2,
}

/// The edge with the largest separation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Axis {
    /// The polygon that has the edge: 0 or 1.
    pub side: usize,
    /// The edge.
    pub edge: usize,
    /// The corner of the other polygon that is nearest to the edge's line.
    pub support: usize,
    /// How far that corner is in front of the line; negative behind it.
    pub separation: f64,
}

/// What a search found, and what it took.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Search {
    /// The best axis; none if an edge separates by more than the limit.
    pub axis: Option<Axis>,
    /// Edges that were compared with every corner of the other polygon.
    pub complete: usize,
}

impl<'a> Facing<'a> {
    pub fn new(first: (&'a Polygon, &Pose), second: (&'a Polygon, &Pose)) -> Facing<'a> {
        let side = |(polygon, pose): (&'a Polygon, &Pose), other: &Pose| Side {
            polygon,
            turn: other.turn_back(pose.turn(DVec2::X)),
            origin: other.local(pose.position),
        };
        Facing { sides: [side(first, second.1), side(second, first.1)] }
    }

    /// The edge with the largest separation: of equal ones the first. Gives up at an edge that separates by more than `limit`.
    pub fn search(&self, limit: f64, witness: &mut Witness) -> Search {
        let mut complete = 0;
        let mut best: Option<Axis> = None;
        let hints = &mut [0; 2];
        let remembered = self.remembered(*witness);
        let all = (0..2).flat_map(|side| (0..self.sides[side].polygon.edges.len()).map(move |edge| (side, edge)));
        for (side, edge) in remembered.into_iter().chain(all.filter(|&place| Some(place) != remembered)) {
            let floor = best.map_or(f64::NEG_INFINITY, |best| best.separation);
            let Some(axis) = self.separation(side, edge, &mut hints[side], floor) else { continue };
            complete += 1;
            if axis.separation > limit {
                *witness = remember(side, edge);
                return Search { axis: None, complete };
            }
            let better = best.is_none_or(|best| {
                axis.separation > best.separation
                    || (axis.separation == best.separation && (side, edge) < (best.side, best.edge))
            });
            if better {
                best = Some(axis);
            }
        }
        if let Some(axis) = best {
            *witness = remember(axis.side, axis.edge);
        }
        Search { axis: best, complete }
    }

    /// Calls for every edge that separates by at least `floor`.
    pub fn for_each_above(&self, floor: f64, hint: &Axis, mut found: impl FnMut(usize, usize)) {
        let mut hints = [0; 2];
        hints[hint.side] = hint.support;
        hints[1 - hint.side] = hint.edge;
        for side in 0..2 {
            for edge in 0..self.sides[side].polygon.edges.len() {
                if self.separation(side, edge, &mut hints[side], floor).is_some() {
                    found(side, edge);
                }
            }
        }
    }

    /// How far the other polygon is in front of an edge; none as soon as that is known to be less than `floor`. The search begins
    /// at the corner `hint` and leaves there the one that decided.
    #[inline]
    fn separation(&self, side: usize, edge: usize, hint: &mut usize, floor: f64) -> Option<Axis> {
        let own = &self.sides[side];
        let corners = &self.sides[1 - side].polygon.edges;
        let line = &own.polygon.edges[edge];
        let normal = own.turn.rotate(line.normal);
        let height = line.height + normal.dot(own.origin);
        let (mut lowest, mut support) = (f64::INFINITY, 0);
        for corner in (*hint..corners.len()).chain(0..*hint) {
            let above = normal.dot(corners[corner].start) - height;
            if above < floor {
                *hint = corner;
                return None;
            }
            if above < lowest || (above == lowest && corner < support) {
                (lowest, support) = (above, corner);
            }
        }
        *hint = support;
        Some(Axis { side, edge, support, separation: lowest })
    }

    fn remembered(&self, witness: Witness) -> Option<(usize, usize)> {
        let code = usize::try_from(witness.0.checked_sub(1)?).ok()?;
        let (side, edge) = (code % 2, code / 2);
        (edge < self.sides[side].polygon.edges.len()).then_some((side, edge))
    }
}

fn remember(side: usize, edge: usize) -> Witness {
    Witness(1 + 2 * edge as u64 + side as u64)
}
