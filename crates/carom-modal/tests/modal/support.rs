//! Bodies filled with conforming curved tetrahedra, as an independent check of other discretizations.

use std::f64::consts::PI;

use carom_modal::{TetMesh, TetMeshError};
use glam::DVec3;

/// A tuning fork in the plane z = 0: two straight tines upwards (+y), joined by a half ring, with a square stem
/// below. The half ring is centred at the origin.
#[derive(Clone, Copy, Debug)]
pub struct Fork {
    /// Straight part of a tine, along y.
    pub tine_length: f64,
    /// Thickness of tines and ring in the plane.
    pub thickness: f64,
    /// Distance between the inner faces of the tines; twice the inner radius of the ring.
    pub gap: f64,
    /// Extent along z.
    pub depth: f64,
    /// Length of the stem, from the lowest point of the ring to its end.
    pub stem_length: f64,
    /// Width of the stem along x; its extent along z is `depth`.
    pub stem_width: f64,
}

impl Default for Fork {
    fn default() -> Fork {
        Fork { tine_length: 0.08, thickness: 0.005, gap: 0.008, depth: 0.005, stem_length: 0.03, stem_width: 0.005 }
    }
}

impl Fork {
    /// Volume in closed form.
    pub fn volume(&self) -> f64 {
        let (inner, outer) = (self.gap / 2.0, self.gap / 2.0 + self.thickness);
        let half = self.stem_width / 2.0;
        let ring = PI / 2.0 * (outer * outer - inner * inner);
        // The stem is a rectangle up to the lowest point of the ring, and the corners between it and the circle.
        let under_circle = half * (outer * outer - half * half).sqrt() + outer * outer * (half / outer).asin();
        let stem = self.stem_width * (self.stem_length + outer) - under_circle;
        self.depth * (2.0 * self.tine_length * self.thickness + ring + stem)
    }
}

/// The fork as quadratic tetrahedra with `fineness` bricks across a tine.
pub fn fork_mesh(fork: &Fork, fineness: usize) -> Result<TetMesh, TetMeshError> {
    let Fork { tine_length, thickness, gap, depth, stem_length, stem_width } = *fork;
    let (inner, outer) = (gap / 2.0, gap / 2.0 + thickness);
    let brick = thickness / fineness as f64;
    let bricks = |length: f64| (length / brick).ceil() as usize;
    let across_depth = bricks(depth);
    let z = |p: f64| depth * (p - 0.5);
    // The ring from the angle `from` to `to`, measured from −x over −y to +x; p.x runs along it, p.y outwards.
    let ring = |from: f64, to: f64, count: usize| {
        let map = move |p: DVec3| {
            let (sin, cos) = (from + (to - from) * p.x).sin_cos();
            let radius = inner + thickness * p.y;
            DVec3::new(-radius * cos, -radius * sin, z(1.0 - p.z))
        };
        TetMesh::mapped([count, fineness, across_depth], map, true)
    };
    let stem_angle = (stem_width / 2.0 / outer).asin();
    let middle_radius = inner + thickness / 2.0;
    let around_stem = bricks(2.0 * stem_angle * middle_radius);
    let beside = bricks((PI / 2.0 - stem_angle) * middle_radius);
    // The tines continue the ring with the same parameters: p.x along, p.y outwards.
    let tine = |side: f64, ascending: bool| {
        let map = move |p: DVec3| {
            let along = if ascending { p.x } else { 1.0 - p.x };
            DVec3::new(side * (inner + thickness * p.y), tine_length * along, z(1.0 - p.z))
        };
        TetMesh::mapped([bricks(tine_length), fineness, across_depth], map, true)
    };
    // The stem continues the ring outwards: p.y runs from the ring to the stem's flat end.
    let stem = TetMesh::mapped(
        [around_stem, bricks(stem_length), across_depth],
        |p| {
            let angle = PI / 2.0 + stem_angle * (2.0 * p.x - 1.0);
            let top = outer * DVec3::new(-angle.cos(), -angle.sin(), 0.0);
            let end = DVec3::new(stem_width * (p.x - 0.5), -outer - stem_length, 0.0);
            top.lerp(end, p.y).with_z(z(1.0 - p.z))
        },
        true,
    )?;
    let blocks = [
        tine(-1.0, false)?,
        ring(0.0, PI / 2.0 - stem_angle, beside)?,
        ring(PI / 2.0 - stem_angle, PI / 2.0 + stem_angle, around_stem)?,
        ring(PI / 2.0 + stem_angle, PI, beside)?,
        tine(1.0, true)?,
        stem,
    ];
    TetMesh::welded(&blocks, 1e-6 * thickness)
}

/// A cup without handle, standing on y = 0: a bottom disc and a cylindrical wall.
#[derive(Clone, Copy, Debug)]
pub struct Cup {
    /// Outer radius.
    pub radius: f64,
    /// Height, bottom included.
    pub height: f64,
    /// Thickness of the wall.
    pub wall: f64,
    /// Thickness of the bottom.
    pub bottom: f64,
}

impl Default for Cup {
    fn default() -> Cup {
        Cup { radius: 0.040, height: 0.095, wall: 0.004, bottom: 0.006 }
    }
}

impl Cup {
    /// Volume in closed form.
    pub fn volume(&self) -> f64 {
        let inner = self.radius - self.wall;
        PI * (self.radius * self.radius * self.height - inner * inner * (self.height - self.bottom))
    }
}

/// The cup as quadratic tetrahedra: `around` bricks in a quarter of the wall, `across` through it.
pub fn cup_mesh(cup: &Cup, around: usize, across: usize) -> Result<TetMesh, TetMeshError> {
    let Cup { radius, height, wall, bottom } = *cup;
    let inner = radius - wall;
    let half = 0.5 * inner;
    let size = PI / 2.0 * inner / around as f64;
    let bricks = |length: f64| (length / size).ceil().max(1.0) as usize;
    let (low, high) = (bricks(bottom), bricks(height - bottom));
    let mut blocks = Vec::new();
    for quarter in 0..4 {
        // Position from the fractions outwards, upwards and around; `out` gives the place for the angle.
        let block = |counts: [usize; 3], (from, to): (f64, f64), out: &dyn Fn(f64, f64) -> DVec3| {
            let turn = glam::DMat3::from_rotation_y(-PI / 2.0 * quarter as f64);
            let place = |outwards: f64, upwards: f64, around: f64| {
                (turn * out(outwards, PI / 2.0 * (around - 0.5))).with_y(from + (to - from) * upwards)
            };
            // Bricks on both sides of a face must agree on its diagonals, so the way around runs along +x or +z in
            // all quarters; where that is against the angle the other two parameters change places.
            let [outwards, upwards, around] = counts;
            if quarter == 0 || quarter == 3 {
                TetMesh::mapped([outwards, upwards, around], |p| place(p.x, p.y, p.z), true)
            } else {
                TetMesh::mapped([upwards, outwards, around], |p| place(p.y, p.x, 1.0 - p.z), true)
            }
        };
        let on_circle = |radius: f64, angle: f64| radius * DVec3::new(angle.cos(), 0.0, angle.sin());
        let wall_at = |t: f64, angle: f64| on_circle(inner + wall * t, angle);
        // From the side of the square in the middle to the inner circle.
        let fan_at =
            |t: f64, angle: f64| DVec3::new(half, 0.0, half * angle / (PI / 4.0)).lerp(on_circle(inner, angle), t);
        blocks.push(block([across, low, around], (0.0, bottom), &wall_at)?);
        blocks.push(block([across, high, around], (bottom, height), &wall_at)?);
        blocks.push(block([bricks(inner - half), low, around], (0.0, bottom), &fan_at)?);
    }
    let square = |p: DVec3| DVec3::new(half * (2.0 * p.x - 1.0), bottom * p.y, half * (2.0 * p.z - 1.0));
    blocks.push(TetMesh::mapped([around, low, around], square, true)?);
    TetMesh::welded(&blocks, 1e-6 * wall)
}
