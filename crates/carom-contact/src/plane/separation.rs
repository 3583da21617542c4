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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plane::Shape;

    /// Edges compared with every corner, per call, while an octagon rolls over another; with a witness and without.
    fn effort(limit: f64, height: f64) -> [f64; 2] {
        let octagon: Vec<DVec2> =
            (0..8).map(|k| DVec2::from_angle(f64::from(k) * 0.25 * std::f64::consts::PI)).collect();
        let Ok(Shape::Polygon(octagon)) = Shape::polygon(&octagon) else { panic!("an octagon is a polygon") };
        let steps = 400;
        let mut witness = Witness::default();
        let mut complete = [0, 0];
        for step in 0..steps {
            let angle = 2e-3 * f64::from(step);
            let pose = Pose::new(DVec2::new(1e-3 * f64::from(step) - 0.2, height), angle);
            let facing = Facing::new((&octagon, &pose), (&octagon, &Pose::default()));
            let kept = facing.search(limit, &mut witness);
            let fresh = facing.search(limit, &mut Witness::default());
            assert_eq!(kept.axis, fresh.axis);
            complete[0] += kept.complete;
            complete[1] += fresh.complete;
        }
        complete.map(|sum| sum as f64 / f64::from(steps))
    }

    #[test]
    fn a_witness_saves_most_of_the_search() {
        // Apart: as a rule, one edge, the last one, tells.
        let [kept, fresh] = effort(0.1, 2.5);
        println!("edges compared in full, apart: {kept} with a witness, {fresh} without");
        assert!(kept < 1.05 && fresh > 1.5 * kept, "{kept} {fresh}");
        // In contact: the last edge sets a mark that few others reach.
        let [kept, fresh] = effort(0.1, 1.8);
        println!("edges compared in full, in contact: {kept} with a witness, {fresh} without");
        assert!(kept < 2.1 && fresh > 1.5 * kept, "{kept} {fresh}");
    }
}
