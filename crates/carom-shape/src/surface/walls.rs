//! How thick the walls of a field are, to choose a grid that does not fall through them.

use glam::DVec3;

use crate::TriMesh;
use crate::field::Field;

/// Places at which walls are measured.
const PLACES: usize = 2000;

/// How thick the body is behind the thinnest twentieth of its triangles, measured up to `limit`.
///
/// The mesh only says where to look. Its triangles may be wider than the wall and lie across it, so each place is moved onto
/// the zero set first and the field says which way is in.
pub(crate) fn thin_walls(field: &Field, mesh: &TriMesh, limit: f64) -> f64 {
    let step = 1e-6 * limit;
    let outward = |p: DVec3| {
        let slope = |e: DVec3| field.distance(p + step * e) - field.distance(p - step * e);
        DVec3::new(slope(DVec3::X), slope(DVec3::Y), slope(DVec3::Z)).normalize_or_zero()
    };
    let behind = |triangle: usize| {
        let [a, b, c] = mesh.corners(triangle);
        let mut surface = (a + b + c) / 3.0;
        for _ in 0..3 {
            surface -= field.distance(surface) * outward(surface);
        }
        let inward = -outward(surface);
        let (mut depth, mut entered) = (0.0, false);
        while depth < limit {
            let distance = field.distance(surface + depth * inward);
            if entered && distance >= 0.0 {
                return depth;
            }
            entered |= distance < -1e-3 * limit;
            depth += distance.abs().max(2e-3 * limit);
        }
        limit
    };
    let stride = mesh.triangles.len() / PLACES + 1;
    let mut walls: Vec<f64> = (0..mesh.triangles.len()).step_by(stride).map(behind).collect();
    let twentieth = walls.len() / 20;
    *walls.select_nth_unstable_by(twentieth, f64::total_cmp).1
}
