//! Bodies whose modes are known in closed form, and made-up ones.

use std::f64::consts::PI;

use carom_bounce::{Place, Site};
use carom_object::{Damping, Material, ModalModel};
use carom_shape::{MassProperties, TriMesh};
use glam::{DMat3, DVec3};

/// Speed of sound along the rods, in m/s.
pub const SOUND: f64 = 5000.0;

/// Mass per length of the rods, in kg/m.
pub const LINE_DENSITY: f64 = 2.0;

/// The end of a rod that moves along itself only, with its first axial modes, √(2/M) cos(kπx/L) at kπc/L.
pub fn rod(length: f64, modes: usize) -> Site {
    let mass = LINE_DENSITY * length;
    let shape = (2.0 / mass).sqrt();
    Site {
        arm: DVec3::X * (length / 2.0),
        normal: DVec3::X,
        mass,
        inertia: DMat3::IDENTITY,
        angular_frequencies: (1..=modes).map(|k| k as f64 * PI * SOUND / length).collect(),
        shapes: (1..=modes).map(|k| if k % 2 == 0 { shape * DVec3::X } else { -shape * DVec3::X }).collect(),
    }
}

/// A free slender bar of steel with its bending modes in two planes and its axial modes (Euler and Bernoulli), along x
/// from −L/2 to L/2, of a rectangular section. The surface is a box whose sides are cut in `pieces`.
pub fn bar(length: f64, height: f64, width: f64, bending: usize, axial: usize, pieces: usize) -> ModalModel {
    let (young, density) = (2e11, 7850.0);
    let mass = density * length * height * width;
    let surface = box_surface(DVec3::new(length, height, width), pieces);
    // Roots of cos β cosh β = 1; close to (n + ½)π from the first one on.
    let root = |n: usize| match n {
        1 => 4.730_040_744_862_704,
        2 => 7.853_204_624_095_838,
        _ => (n as f64 + 0.5) * PI,
    };
    // cosh bs + cos bs − σ(sinh bs + sin bs), even or odd about the middle; from the nearer end, where nothing overflows.
    let bend = |n: usize, s: f64| {
        let (b, near) = (root(n), s.min(1.0 - s));
        let sigma = (b.cosh() - b.cos()) / (b.sinh() - b.sin());
        let sign = if s > 0.5 && n.is_multiple_of(2) { -1.0 } else { 1.0 };
        let (grow, decay) = ((b * near).exp(), (-b * near).exp());
        sign * (0.5 * ((1.0 - sigma) * grow + (1.0 + sigma) * decay) + (b * near).cos() - sigma * (b * near).sin())
    };
    let mut modes: Vec<(f64, Vec<[f32; 3]>)> = Vec::new();
    let mut add = |omega: f64, shape: &dyn Fn(DVec3) -> DVec3| {
        let shapes = surface.positions.iter().map(|&p| (shape(p) / mass.sqrt()).as_vec3().to_array()).collect();
        modes.push((omega / (2.0 * PI), shapes));
    };
    for n in 1..=bending {
        let curvature = (root(n) / length).powi(2);
        let along = |p: DVec3| bend(n, p.x / length + 0.5);
        add(curvature * (young / density / 12.0).sqrt() * height, &|p| DVec3::Y * along(p));
        add(curvature * (young / density / 12.0).sqrt() * width, &|p| DVec3::Z * along(p));
    }
    for k in 1..=axial {
        let wave = k as f64 * PI / length;
        add(wave * (young / density).sqrt(), &|p| DVec3::X * 2f64.sqrt() * (wave * (p.x + 0.5 * length)).cos());
    }
    modes.sort_by(|a, b| a.0.total_cmp(&b.0));
    let squares = DVec3::new(length, height, width).powf(2.0);
    let inertia = mass / 12.0 * DVec3::new(squares.y + squares.z, squares.x + squares.z, squares.x + squares.y);
    ModalModel {
        name: "bar".into(),
        material: Material {
            name: "steel".into(),
            density,
            young,
            poisson: 0.3,
            damping: Damping::default(),
            source: String::new(),
        },
        mass: MassProperties { mass, centre: DVec3::ZERO, inertia: DMat3::from_diagonal(inertia) },
        frequencies: modes.iter().map(|mode| mode.0).collect(),
        shapes: modes.into_iter().flat_map(|mode| mode.1).collect(),
        surface,
        field: None,
        held: false,
        spin: None,
    }
}

/// A box around the origin whose faces are grids of pieces × pieces.
fn box_surface(size: DVec3, pieces: usize) -> TriMesh {
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    for axis in 0..3 {
        for side in [-0.5, 0.5] {
            let first = positions.len() as u32;
            let n = pieces as u32 + 1;
            for i in 0..n {
                for j in 0..n {
                    let mut p = DVec3::ZERO;
                    p[axis] = side;
                    p[(axis + 1) % 3] = f64::from(i) / pieces as f64 - 0.5;
                    p[(axis + 2) % 3] = f64::from(j) / pieces as f64 - 0.5;
                    positions.push(p * size);
                }
            }
            for i in 0..n - 1 {
                for j in 0..n - 1 {
                    let [a, b, c, d] =
                        [i * n + j, (i + 1) * n + j, (i + 1) * n + j + 1, i * n + j + 1].map(|k| first + k);
                    let quad = if side > 0.0 { [[a, b, c], [a, c, d]] } else { [[a, c, b], [a, d, c]] };
                    triangles.extend(quad);
                }
            }
        }
    }
    TriMesh::new(positions, triangles).unwrap()
}

/// The middle of every n-th triangle, with its normal.
pub fn places(model: &ModalModel, every: usize) -> Vec<Place> {
    let middle = |triangle: usize| Place {
        triangle: triangle as u32,
        barycentric: DVec3::splat(1.0 / 3.0),
        normal: model.surface.area_vector(triangle),
    };
    (0..model.surface.triangles.len()).step_by(every).map(middle).collect()
}

/// Numbers from −1 to 1, the same in every run.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub fn vector(&mut self) -> DVec3 {
        DVec3::new(self.next(), self.next(), self.next())
    }
}

/// A stiff body of about 1 kg and 0.1 m with everything at odd angles.
pub fn odd_body(seed: u64, modes: usize) -> Site {
    let mut numbers = Numbers(seed);
    let axes = DMat3::from_quat(glam::DQuat::from_scaled_axis(numbers.vector()));
    let moments = 1e-3 * (DVec3::splat(2.0) + numbers.vector());
    Site {
        arm: 0.1 * numbers.vector(),
        normal: numbers.vector().normalize(),
        mass: 1.2 + numbers.next(),
        inertia: axes * DMat3::from_diagonal(moments) * axes.transpose(),
        angular_frequencies: (0..modes).map(|k| 1e4 * (1.0 + k as f64 + 0.3 * numbers.next())).collect(),
        shapes: (0..modes).map(|_| numbers.vector()).collect(),
    }
}
