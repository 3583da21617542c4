//! The 27-node brick: shape functions, quadrature and element matrices.
//!
//! Cells of one size have the same shape functions at the 5×5×5 Gauss points, one matrix; only the weights of the
//! points differ from cell to cell. A cut cell has the weights that integrate every tensor
//! polynomial of degree four exactly over its inside part, which covers each product that stiffness and mass need.

use carom_object::{Material, quadratic};
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, Par};
use glam::DVec3;

/// Quadrature points per direction.
pub const POINTS: usize = 5;
/// Quadrature points of a brick.
pub const POINTS_3D: usize = POINTS * POINTS * POINTS;
/// Nodes of a brick.
pub const NODES: usize = 27;

/// Weights of the brick's quadrature points, x fastest. They sum to the volume in reference coordinates [−1, 1]³.
pub type Weights = [f64; POINTS_3D];

/// The five Gauss points on [−1, 1].
pub const GAUSS: [f64; POINTS] =
    [-0.906_179_845_938_664, -0.538_469_310_105_683_1, 0.0, 0.538_469_310_105_683_1, 0.906_179_845_938_664];

/// Their weights.
pub const GAUSS_WEIGHTS: [f64; POINTS] = [
    0.236_926_885_056_189_08,
    0.478_628_670_499_366_47,
    0.568_888_888_888_888_9,
    0.478_628_670_499_366_47,
    0.236_926_885_056_189_08,
];

/// Weights of a cell that lies inside altogether.
pub fn full_weights() -> Weights {
    std::array::from_fn(|g| GAUSS_WEIGHTS[g % 5] * GAUSS_WEIGHTS[g / 5 % 5] * GAUSS_WEIGHTS[g / 25])
}

/// Local coordinates of a quadrature point.
pub fn gauss_point(g: usize) -> DVec3 {
    DVec3::new(GAUSS[g % 5], GAUSS[g / 5 % 5], GAUSS[g / 25])
}

/// Derivatives of the three quadratic Lagrange polynomials.
fn quadratic_slope(x: f64) -> [f64; 3] {
    [x - 0.5, -2.0 * x, x + 0.5]
}

/// Stiffness and mass of one element.
#[derive(Clone, Debug)]
pub struct ElementMatrices {
    /// 3×3 blocks by node pair: `stiffness[i * nodes + j][3 * a + b]` couples axis a of node i to axis b of node j.
    pub stiffness: Vec<[f64; 9]>,
    /// One number by node pair; the three axes share it.
    pub mass: Vec<f64>,
}

impl ElementMatrices {
    /// Adds multiples of another element's matrices.
    pub fn add_scaled(&mut self, other: &ElementMatrices, stiffness: f64, mass: f64) {
        for (block, term) in self.stiffness.iter_mut().zip(&other.stiffness) {
            block.iter_mut().zip(term).for_each(|(sum, k)| *sum += stiffness * k);
        }
        self.mass.iter_mut().zip(&other.mass).for_each(|(sum, m)| *sum += mass * m);
    }
}

/// Shape functions of all cells of one size, and the material in them.
pub struct Brick {
    /// Values at the quadrature points, 27 × 125.
    values: Mat<f64>,
    /// Derivatives along the grid's axes, per metre: row 27·axis + node.
    gradients: Mat<f64>,
    /// Cubic metres per unit of reference volume.
    jacobian: f64,
    lambda: f64,
    shear: f64,
    density: f64,
}

impl Brick {
    /// For cells with the given edge lengths.
    pub fn new(cell: DVec3, material: &Material) -> Brick {
        let values = Mat::from_fn(NODES, POINTS_3D, |node, g| {
            let p = gauss_point(g);
            quadratic(p.x)[node % 3] * quadratic(p.y)[node / 3 % 3] * quadratic(p.z)[node / 9]
        });
        let gradients = Mat::from_fn(3 * NODES, POINTS_3D, |row, g| {
            let (axis, node) = (row / NODES, row % NODES);
            let place = [node % 3, node / 3 % 3, node / 9];
            let p = gauss_point(g);
            let factor = |direction: usize| match direction == axis {
                true => quadratic_slope(p[direction])[place[direction]] * 2.0 / cell[direction],
                false => quadratic(p[direction])[place[direction]],
            };
            factor(0) * factor(1) * factor(2)
        });
        Brick {
            values,
            gradients,
            jacobian: cell.x * cell.y * cell.z / 8.0,
            lambda: material.lame_lambda(),
            shear: material.shear_modulus(),
            density: material.density,
        }
    }

    /// Stiffness ∫ ε(N_i) : C : ε(N_j) dV and consistent mass ∫ ρ N_i N_j dV for the given quadrature weights.
    pub fn matrices(&self, weights: &Weights) -> ElementMatrices {
        // Products ∫ ∂_a N_i ∂_b N_j dV of all derivatives, from which isotropic elasticity is combined.
        let products = self.weighted_gram(&self.gradients, weights, self.jacobian);
        let mass = self.weighted_gram(&self.values, weights, self.jacobian * self.density);
        let mut stiffness = vec![[0.0; 9]; NODES * NODES];
        for i in 0..NODES {
            for j in 0..NODES {
                let product = |a: usize, b: usize| products[(a * NODES + i, b * NODES + j)];
                let dilation = self.shear * (product(0, 0) + product(1, 1) + product(2, 2));
                let block = &mut stiffness[i * NODES + j];
                for a in 0..3 {
                    for b in 0..3 {
                        block[3 * a + b] = self.lambda * product(a, b) + self.shear * product(b, a);
                    }
                    block[4 * a] += dilation;
                }
            }
        }
        let mass = (0..NODES * NODES).map(|ij| mass[(ij / NODES, ij % NODES)]).collect();
        ElementMatrices { stiffness, mass }
    }

    /// A diag(weights) Aᵀ, scaled.
    fn weighted_gram(&self, a: &Mat<f64>, weights: &Weights, scale: f64) -> Mat<f64> {
        let weighted = Mat::from_fn(a.nrows(), POINTS_3D, |row, g| a[(row, g)] * weights[g]);
        let mut gram = Mat::zeros(a.nrows(), a.nrows());
        matmul(gram.as_mut(), Accum::Replace, weighted.as_ref(), a.transpose(), scale, Par::Seq);
        gram
    }
}
