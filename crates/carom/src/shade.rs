//! Light: a sky, a key lamp over the viewer's left shoulder, creases darkened, a soft shadow on the ground.

use glam::{DVec2, DVec3};

use crate::camera::Camera;
use crate::raster::{Hits, NOTHING, rasterize};

/// Light that a place of the surface sends to the eye, for a colour in linear light.
pub(crate) fn lit(colour: DVec3, normal: DVec3, to_eye: DVec3, openness: f64, camera: &Camera) -> DVec3 {
    // Who looks from below has the light there too, as if the body were turned over: colours stay readable.
    let above = if camera.backward.y < 0.0 { -1.0 } else { 1.0 };
    let lamp = (0.55 * camera.backward - 0.5 * camera.right + above * 0.8 * camera.up).normalize();
    let sky = 0.42 + above * 0.17 * normal.y;
    // Wrapped around the terminator, so that shaded sides keep their form.
    let facing = ((normal.dot(lamp) + 0.25) / 1.25).max(0.0);
    let highlight = normal.dot((lamp + to_eye).normalize()).max(0.0).powi(48);
    let rim = (1.0 - normal.dot(to_eye).max(0.0)).powi(4);
    openness * ((sky + 0.74 * facing) * colour + DVec3::splat(0.10 * highlight + 0.05 * rim))
}

/// Finds how open a place is to the sky: the share of nearby points above the surface that the picture does not hide.
pub(crate) struct Openness {
    /// Points of the half ball over (0, 0, 1), evenly spread and in a mixed order.
    points: Vec<DVec3>,
    radius: f64,
}

impl Openness {
    /// Points that one sample looks at. Neighbouring samples look at others and are averaged in the pixel.
    const PER_SAMPLE: usize = 5;
    const POINTS: usize = 256;

    pub(crate) fn new(radius: f64) -> Openness {
        // Additive recurrences fill the ball evenly, and the same way in every run.
        let point = |i: usize| {
            let [turn, height, reach] =
                [0.819_172_513_4, 0.671_043_606_7, 0.549_700_477_9].map(|x| (x * i as f64).fract());
            let flat = (1.0 - height * height).sqrt();
            let angle = std::f64::consts::TAU * turn;
            radius * (0.15 + 0.85 * reach) * DVec3::new(flat * angle.cos(), flat * angle.sin(), height)
        };
        Openness { points: (0..Openness::POINTS).map(point).collect(), radius }
    }

    /// From 0 to 1, at a place with this normal, seen in this sample.
    pub(crate) fn at(&self, place: DVec3, normal: DVec3, sample: usize, camera: &Camera, hits: &Hits) -> f64 {
        let first = ((sample as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize;
        let across = normal.any_orthonormal_vector();
        let along = normal.cross(across);
        let mut hidden = 0.0;
        for i in 0..Openness::PER_SAMPLE {
            let point = self.points[(first + i) % Openness::POINTS];
            let [column, row, nearness] = camera.project(place + point.x * across + point.y * along + point.z * normal);
            if !(column >= 0.0 && row >= 0.0 && column < hits.width as f64 && row < hits.height as f64) {
                continue;
            }
            let at = row as usize * hits.width + column as usize;
            if hits.triangle[at] == NOTHING {
                continue;
            }
            let before = 1.0 / nearness - 1.0 / f64::from(hits.nearness[at]);
            // What lies far before the surface is another part of the body and casts no crease shadow.
            if before > 0.02 * self.radius {
                hidden += (1.0 - before / (2.0 * self.radius)).clamp(0.0, 1.0);
            }
        }
        1.0 - 0.75 * hidden / Openness::PER_SAMPLE as f64
    }
}

/// The shadow of the body on a ground under it, as of a bright sky: deep where the body touches, soft above.
pub(crate) struct GroundShadow {
    /// Height of the ground.
    height: f64,
    corner: DVec2,
    cell: f64,
    darkness: Vec<f64>,
}

impl GroundShadow {
    /// Cells of the map along each side.
    const CELLS: usize = 192;

    /// On a ground at this height, else a little below the body.
    pub(crate) fn new(positions: &[DVec3], triangles: &[[u32; 3]], size: f64, ground: Option<f64>) -> GroundShadow {
        let points = || positions.iter().map(|p| DVec2::new(p.x, p.z));
        let (low, high) = points().fold((DVec2::INFINITY, DVec2::NEG_INFINITY), |(l, h), p| (l.min(p), h.max(p)));
        let lowest = positions.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
        let height = ground.unwrap_or(lowest - 0.01 * size);
        let side = (high - low).max_element() + 0.6 * size;
        let corner = 0.5 * (low + high) - 0.5 * side;
        let n = GroundShadow::CELLS;
        let cell = side / n as f64;
        let from_below: Vec<[f64; 3]> =
            positions.iter().map(|p| [(p.x - corner.x) / cell, (p.z - corner.y) / cell, height - p.y]).collect();
        let hits = rasterize(&from_below, triangles, n, n);
        let mut darkness: Vec<f64> =
            hits.nearness.iter().map(|&depth| (f64::from(depth) / (0.35 * size)).exp()).collect();
        let radius = ((0.035 * size / cell).round() as usize).max(1);
        for _ in 0..3 {
            darkness = blurred_rows_turned(&darkness, n, radius);
            darkness = blurred_rows_turned(&darkness, n, radius);
        }
        GroundShadow { height, corner, cell, darkness }
    }

    /// Darkness in [0, 1] where a ray from the eye meets the ground.
    pub(crate) fn seen_along(&self, eye: DVec3, ray: DVec3) -> f64 {
        let distance = (self.height - eye.y) / ray.y;
        if !(distance > 0.0 && distance.is_finite()) {
            return 0.0;
        }
        let point = eye + distance * ray;
        let at = (DVec2::new(point.x, point.z) - self.corner) / self.cell - 0.5;
        let n = GroundShadow::CELLS;
        if !(at.min_element() >= 0.0 && at.max_element() < (n - 1) as f64) {
            return 0.0;
        }
        let (i, j) = (at.x as usize, at.y as usize);
        let (u, v) = (at.x.fract(), at.y.fract());
        let row = |j: usize| self.darkness[j * n + i] * (1.0 - u) + self.darkness[j * n + i + 1] * u;
        row(j) * (1.0 - v) + row(j + 1) * v
    }
}

/// Averages each row of a square map over 2·radius + 1 cells and turns rows into columns; twice blurs both ways.
fn blurred_rows_turned(map: &[f64], n: usize, radius: usize) -> Vec<f64> {
    let mut out = vec![0.0; n * n];
    for row in 0..n {
        let cells = &map[row * n..][..n];
        let mut sum: f64 = cells[..radius.min(n)].iter().sum();
        for column in 0..n {
            sum += cells.get(column + radius).unwrap_or(&0.0);
            out[column * n + row] = sum / (2 * radius + 1) as f64;
            if column >= radius {
                sum -= cells[column - radius];
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blurring_keeps_the_sum_and_the_middle() {
        let n = 21;
        let mut map = vec![0.0; n * n];
        map[8 * n + 11] = 1.0;
        let blurred = blurred_rows_turned(&blurred_rows_turned(&map, n, 2), n, 2);
        assert!((blurred.iter().sum::<f64>() - 1.0).abs() < 1e-14);
        for row in 0..n {
            for column in 0..n {
                let inside = row.abs_diff(8) <= 2 && column.abs_diff(11) <= 2;
                let expected = if inside { 1.0 / 25.0 } else { 0.0 };
                assert!((blurred[row * n + column] - expected).abs() < 1e-15);
            }
        }
    }

    #[test]
    fn the_shadow_lies_under_the_body_and_nowhere_else() {
        let cuboid = crate::crease::tests::cuboid(DVec3::ONE);
        let shadow = GroundShadow::new(&cuboid.positions, &cuboid.triangles, 1.0, None);
        let down = |x: f64, z: f64| shadow.seen_along(DVec3::new(x, 3.0, z), -DVec3::Y);
        assert!(down(0.0, 0.0) > 0.9);
        assert!((down(0.5, 0.0) - 0.5).abs() < 0.1, "half dark at the border: {}", down(0.5, 0.0));
        assert!(down(0.9, 0.0) < 1e-6 && down(40.0, 0.0) == 0.0);
        assert_eq!(shadow.seen_along(DVec3::Y, DVec3::X), 0.0);
    }
}
