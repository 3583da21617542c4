//! Lays a grid of cells around a body.
//!
//! The grid follows the body, not the axes it was drawn in: it is turned to the body's flat faces, or else to the
//! principal axes of its surface, and its cells are stretched a little so that a whole number of them spans the
//! body. Cells of a box, a bar or a plate then coincide with its faces, and modes do not depend on how the body lay.

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
    // A dimension slightly beyond a whole number of cells does not need one more.
    let counts = (bounds.size() / cell_size - 0.2).ceil().max(DVec3::ONE);
    let cells = counts.x * counts.y * counts.z;
    if cells > MOST_CELLS {
        return Err(ModalError::TooManyCells { size: cell_size, cells });
    }
    Ok(CellGrid {
        origin: axes * bounds.min,
        axes,
        cell: bounds.size() / counts,
        counts: [counts.x as usize, counts.y as usize, counts.z as usize],
    })
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
