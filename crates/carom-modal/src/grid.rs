//! Lays a grid of cells around a body.
//!
//! The grid follows the body, not the axes it was drawn in: it is turned to the body's flat faces, or else to the
//! principal axes of its surface; planes of the grid lie in flat faces, above all in those that end at an inner edge
//! (the bottom of a slit, the floor of a cup); and cells are stretched so that a whole number of them fits in between.
//! Cells of a box, a bar or a fork then coincide with its faces, and modes do not depend on how the body lay.

use carom_object::CellGrid;
use carom_shape::{Aabb, Solid, TriMesh, symmetric_eigen};
use glam::{DMat3, DVec3};

use crate::ModalError;

/// Most cells of a grid, empty ones included.
const MOST_CELLS: f64 = 5e7;

/// A grid of cells of about `cell_size` around the body.
pub fn fit_grid(surface: &TriMesh, solid: &dyn Solid, cell_size: f64) -> Result<CellGrid, ModalError> {
    if !(cell_size > 0.0 && cell_size.is_finite()) {
        return Err(ModalError::BadParameter {
            parameter: "cell size",
            value: cell_size,
            expected: "a positive length in metres",
        });
    }
    let axes = body_axes(surface);
    let bounds = turned_bounds(surface, solid, axes);
    // Planes are counted once they are laid, and too many along one direction would not fit in memory before that.
    let along = (bounds.max - bounds.min) / cell_size;
    if along.max_element() > MOST_CELLS {
        return Err(ModalError::TooManyCells { size: cell_size, cells: along.max(DVec3::ONE).element_product() });
    }
    let faces = FlatFaces::of(surface, axes);
    let planes = [0, 1, 2].map(|axis| faces.planes(axis, bounds.min[axis], bounds.max[axis], cell_size));
    let cells: f64 = planes.iter().map(|planes| planes.len() as f64 - 1.0).product();
    if cells > MOST_CELLS {
        return Err(ModalError::TooManyCells { size: cell_size, cells });
    }
    Ok(CellGrid { origin: axes * bounds.min, axes, planes })
}

/// Flat faces of a body across the directions of a grid.
struct FlatFaces {
    /// For each direction the places of faces across it, ascending, with their area and the length of their inner edges.
    places: [Vec<(f64, f64, f64)>; 3],
}

/// Faces whose normals are this near to a direction lie across it.
const ACROSS: f64 = 1.0 - 1e-8;
/// Smaller faces (and shorter inner edges) as a share of a cell's are no reason for a plane.
const LEAST_FACE: f64 = 0.5;
/// Planes keep this distance from each other, in cells.
const LEAST_DISTANCE: f64 = 0.3;

impl FlatFaces {
    fn of(surface: &TriMesh, axes: DMat3) -> FlatFaces {
        let to_grid = axes.transpose();
        let mut places = [const { Vec::new() }; 3];
        let mut across = vec![None; surface.triangles.len()];
        for triangle in 0..surface.triangles.len() {
            let area = to_grid * surface.area_vector(triangle);
            let Some(axis) = (0..3).find(|&a| area[a].abs() > ACROSS * area.length()) else { continue };
            across[triangle] = Some(axis);
            places[axis].push(((to_grid * surface.corners(triangle)[0])[axis], area.length(), 0.0));
        }
        for edge in inner_edges(surface) {
            for triangle in edge.triangles {
                let Some(axis) = across[triangle] else { continue };
                places[axis].push(((to_grid * surface.corners(triangle)[0])[axis], 0.0, edge.length));
            }
        }
        for list in &mut places {
            list.sort_by(|a, b| a.0.total_cmp(&b.0));
        }
        FlatFaces { places }
    }

    /// Planes across a direction from `low` to `high`, about `cell_size` apart, measured from `low`.
    fn planes(&self, axis: usize, low: f64, high: f64, cell_size: f64) -> Vec<f64> {
        let tolerance = 1e-6 * (high - low);
        let faces = self.places[axis].chunk_by(|a, b| b.0 - a.0 < tolerance).map(|group| {
            // An inner edge counts like a face that is a cell wide.
            let weight: f64 = group.iter().map(|face| face.1 + face.2 * cell_size).sum();
            (group[group.len() / 2].0 - low, weight)
        });
        let mut faces: Vec<(f64, f64)> = faces.filter(|face| face.1 > LEAST_FACE * cell_size * cell_size).collect();
        faces.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.total_cmp(&b.0)));
        let apart = |a: f64, b: f64| (a - b).abs() > LEAST_DISTANCE * cell_size;
        let mut fixed = vec![0.0, high - low];
        for equals in faces.chunk_by(|a, b| b.1 > 0.999 * a.1) {
            // Of two equal faces too near to each other neither is taken, or the grid would be lopsided.
            let fits = |face: &&(f64, f64)| {
                let others = equals.iter().filter(|other| other.0 != face.0);
                fixed.iter().copied().chain(others.map(|other| other.0)).all(|other| apart(face.0, other))
            };
            let taken: Vec<f64> = equals.iter().filter(fits).map(|face| face.0).collect();
            fixed.extend(taken);
        }
        fixed.sort_by(f64::total_cmp);
        let between = |pair: &[f64]| {
            // A dimension slightly beyond a whole number of cells does not need one more.
            let count = ((pair[1] - pair[0]) / cell_size - 0.2).ceil().max(1.0);
            let (from, step) = (pair[0], (pair[1] - pair[0]) / count);
            (0..count as usize).map(move |i| from + i as f64 * step)
        };
        fixed.windows(2).flat_map(between).chain([high - low]).collect()
    }
}

/// An edge at which the surface bends inwards.
struct InnerEdge {
    triangles: [usize; 2],
    length: f64,
}

/// Edges where two triangles meet at an angle of more than 200° within the body.
fn inner_edges(surface: &TriMesh) -> Vec<InnerEdge> {
    let mut sides = Vec::with_capacity(3 * surface.triangles.len());
    for (triangle, corners) in surface.triangles.iter().enumerate() {
        for i in 0..3 {
            let (a, b) = (corners[i], corners[(i + 1) % 3]);
            sides.push(([a.min(b), a.max(b)], triangle, corners[(i + 2) % 3]));
        }
    }
    sides.sort_unstable();
    let pairs = sides.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() == 2);
    let bends = pairs.filter_map(|pair| {
        let (([a, b], first, _), (_, second, opposite)) = (pair[0], pair[1]);
        let position = |vertex: u32| surface.positions[vertex as usize];
        let normal = surface.area_vector(first).normalize_or_zero();
        let other = surface.area_vector(second).normalize_or_zero();
        // The second triangle rises above the plane of the first.
        let inwards = normal.dot(position(opposite) - position(a)) > 0.0;
        let sharp = normal.dot(other) < 20f64.to_radians().cos();
        let length = position(a).distance(position(b));
        (inwards && sharp).then_some(InnerEdge { triangles: [first, second], length })
    });
    bends.collect()
}

/// The body's box along turned axes. A surface of flat triangles can lie inside the solid it stands for, so the box
/// is widened to where the solid ends.
fn turned_bounds(surface: &TriMesh, solid: &dyn Solid, axes: DMat3) -> Aabb {
    const SAMPLES: usize = 24;
    let to_grid = axes.transpose();
    let mut bounds = Aabb::around(surface.triangles.iter().flatten().map(|&v| to_grid * surface.positions[v as usize]));
    let tight = bounds;
    let negligible = 1e-7 * bounds.size().max_element();
    for side in 0..6 {
        let (axis, up) = (side / 2, side % 2 == 1);
        for _ in 0..4 {
            let depth = |sample: usize| {
                let share = |s: usize| (s as f64 + 0.5) / SAMPLES as f64;
                let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                let mut place = tight.min;
                place[u] += share(sample % SAMPLES) * tight.size()[u];
                place[v] += share(sample / SAMPLES) * tight.size()[v];
                place[axis] = if up { bounds.max[axis] } else { bounds.min[axis] };
                -solid.signed_distance(axes * place)
            };
            let beyond = (0..SAMPLES * SAMPLES).map(depth).fold(0.0, f64::max);
            if beyond <= negligible {
                break;
            }
            match up {
                true => bounds.max[axis] += 1.5 * beyond,
                false => bounds.min[axis] -= 1.5 * beyond,
            }
        }
    }
    bounds
}

/// Directions that suit the body: its largest flat face and a second one at a right angle to it, or else the
/// principal axes of its surface. Columns of a rotation, each as near to the same coordinate axis as possible.
fn body_axes(surface: &TriMesh) -> DMat3 {
    let faces: Vec<DVec3> = (0..surface.triangles.len()).map(|t| surface.area_vector(t)).collect();
    let area: f64 = faces.iter().map(|f| f.length()).sum();
    let (spread, directions) = surface_spread(surface);
    let axes = match flat_direction(&faces, 0.1 * area) {
        Some(first) => {
            // Faces along the first direction, seen along it.
            let upright: Vec<DVec3> =
                faces.iter().filter(|f| f.dot(first).abs() < 0.02 * f.length()).map(|f| f.reject_from(first)).collect();
            let second =
                flat_direction(&upright, 0.04 * area).unwrap_or_else(|| longest_across(directions, spread, first));
            let second = second.reject_from_normalized(first).normalize();
            DMat3::from_cols(first, second, first.cross(second))
        }
        None if well_separated(spread) => directions,
        None => DMat3::IDENTITY,
    };
    nearest_order(axes)
}

/// The unit normal that most of the area shares, if that is at least `enough`.
fn flat_direction(faces: &[DVec3], enough: f64) -> Option<DVec3> {
    // Normals within about a degree fall into one bucket or into neighbours; the mean over the vicinity decides.
    const FINENESS: f64 = 64.0;
    let mut buckets = std::collections::BTreeMap::<[i32; 3], f64>::new();
    let folded = |f: &DVec3| {
        let n = f.normalize_or_zero();
        let leading = n.to_array().into_iter().find(|c| c.abs() > 0.01).unwrap_or(1.0);
        if leading < 0.0 { -n } else { n }
    };
    for face in faces {
        let key = (folded(face) * FINENESS).round().to_array().map(|c| c as i32);
        *buckets.entry(key).or_default() += face.length();
    }
    let (key, _) = buckets.into_iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let guess = DVec3::from(key.map(f64::from)).normalize_or_zero();
    let vicinity = |centre: DVec3, cosine: f64| -> DVec3 {
        let near = faces.iter().filter(|f| f.dot(centre).abs() >= cosine * f.length());
        near.map(|f| *f * f.dot(centre).signum()).sum()
    };
    let direction = vicinity(guess, 0.9994).normalize_or_zero();
    let sum = vicinity(direction, 0.999_98);
    (sum.length() >= enough && enough > 0.0).then(|| sum.normalize())
}

/// Second moments of the surface's area about its centre, ascending, and their directions.
fn surface_spread(surface: &TriMesh) -> (DVec3, DMat3) {
    let weighted = || (0..surface.triangles.len()).map(|t| (surface.area_vector(t).length(), surface.corners(t)));
    let area: f64 = weighted().map(|(w, _)| w).sum();
    let centre = weighted().map(|(w, [a, b, c])| w * (a + b + c) / 3.0).sum::<DVec3>() / area;
    let mut moments = DMat3::ZERO;
    for (weight, corners) in weighted() {
        let [a, b, c] = corners.map(|p| p - centre);
        for p in [0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a)] {
            moments += DMat3::from_cols(p * p.x, p * p.y, p * p.z) * (weight / (3.0 * area));
        }
    }
    symmetric_eigen(moments)
}

fn well_separated(spread: DVec3) -> bool {
    spread.y > 1.02 * spread.x && spread.z > 1.02 * spread.y
}

/// The longest principal direction of the surface that is not along `first`; a coordinate axis where none is longer.
fn longest_across(directions: DMat3, spread: DVec3, first: DVec3) -> DVec3 {
    let across = |d: DVec3| d.reject_from_normalized(first).length() > 0.9;
    let mut candidates: Vec<(DVec3, f64)> =
        (0..3).map(|i| (directions.col(i), spread[i])).filter(|(d, _)| across(*d)).collect();
    candidates.sort_by(|a, b| b.1.total_cmp(&a.1));
    match candidates[..] {
        [(longest, most), (_, less), ..] if most > 1.02 * less => longest,
        _ => [DVec3::X, DVec3::Y, DVec3::Z].into_iter().find(|a| a.dot(first).abs() < 0.8).unwrap_or(DVec3::X),
    }
}

/// The same three directions, ordered and signed so that each is near the coordinate axis of its place.
fn nearest_order(axes: DMat3) -> DMat3 {
    let columns = [axes.x_axis, axes.y_axis, axes.z_axis];
    const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];
    let fit = |order: &[usize; 3]| (0..3).map(|a| columns[order[a]][a].abs()).sum::<f64>();
    let best = ORDERS.iter().fold(&ORDERS[0], |best, order| if fit(order) > fit(best) + 1e-9 { order } else { best });
    let x = columns[best[0]] * columns[best[0]].x.signum();
    let y = columns[best[1]] * columns[best[1]].y.signum();
    let axes = DMat3::from_cols(x, y, x.cross(y));
    // Round-off away from the coordinate axes would only make exact coordinates inexact.
    let snapped = DMat3::from_cols_array(&axes.to_cols_array().map(f64::round));
    if (axes - snapped).to_cols_array().iter().all(|d| d.abs() < 1e-6) { snapped } else { axes }
}

#[cfg(test)]
mod tests {
    use super::*;
    use carom_shape::{Profile, Shape};

    /// Planes across y for an outline in the plane z = 0, extruded.
    fn planes(outline: Vec<[f64; 2]>, cell_size: f64) -> [Vec<f64>; 3] {
        let shape = Shape::Extrude { profile: Profile { outline, holes: Vec::new() }, depth: 0.01 };
        let body = shape.body("block", None).unwrap();
        fit_grid(&body.surface, &*body.solid, cell_size).unwrap().planes
    }

    fn assert_near(found: &[f64], expected: &[f64]) {
        let near = found.len() == expected.len() && found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9);
        assert!(near, "{found:?}, expected {expected:?}");
    }

    /// A block of 40 × 100 mm with a slit from above, as wide as given and 70 mm deep.
    fn slit(width: f64) -> Vec<[f64; 2]> {
        let half = width / 2.0;
        let (right, top, floor) = (0.02, 0.1, 0.03);
        vec![
            [-right, 0.0],
            [right, 0.0],
            [right, top],
            [half, top],
            [half, floor],
            [-half, floor],
            [-half, top],
            [-right, top],
        ]
    }

    #[test]
    fn the_floor_and_the_walls_of_a_slit_lie_in_planes() {
        let [x, y, _] = planes(slit(0.01), 0.02);
        assert_near(&x, &[0.0, 0.015, 0.025, 0.04]);
        // 70 mm of wall take four cells, 30 mm below the floor two.
        assert_near(&y, &[0.0, 0.015, 0.03, 0.0475, 0.065, 0.0825, 0.1]);
    }

    #[test]
    fn walls_too_near_to_each_other_leave_the_grid_symmetric() {
        let [x, y, _] = planes(slit(0.002), 0.02);
        assert_near(&x, &[0.0, 0.02, 0.04]);
        assert!(y.iter().any(|plane| (plane - 0.03).abs() < 1e-9));
    }

    #[test]
    fn a_step_that_bends_outwards_only_needs_no_plane_unless_it_is_large() {
        // Chamfers have no face across; a box has those of its bounds alone.
        let [x, y, z] = planes(vec![[0.0, 0.0], [0.04, 0.0], [0.04, 0.05], [0.03, 0.06], [0.0, 0.06]], 0.02);
        assert_near(&x, &[0.0, 0.02, 0.04]);
        assert_near(&y, &[0.0, 0.02, 0.04, 0.06]);
        assert_near(&z, &[0.0, 0.01]);
    }
}
