//! Matrices of one tetrahedron: closed forms for four nodes, quadrature for ten.
//!
//! With straight sides the strains of ten nodes are linear and their energy has degree 2 (four points integrate it
//! exactly), the mass has degree 4 (fourteen points, degree 5). With curved sides no rule is exact, and both use the
//! fourteen points.

use std::sync::LazyLock;

use carom_object::Material;
use glam::{DMat3, DVec3};

use super::{TetElements, TetMesh};

/// Corners of the edges whose middles are nodes 4 to 9.
pub(crate) const EDGES: [[usize; 2]; 6] = [[0, 1], [1, 2], [0, 2], [0, 3], [1, 3], [2, 3]];

/// Gradients of the barycentric coordinates in the reference tetrahedron (0, x, y, z).
const BARYCENTRIC_GRADIENTS: [DVec3; 4] = [DVec3::NEG_ONE, DVec3::X, DVec3::Y, DVec3::Z];

/// The node in the middle between two different corners.
pub(super) fn middle(a: usize, b: usize) -> usize {
    // Sums of corners are 1, 3, 2, 3, 4, 5: only 03 and 12 share one.
    match (a + b, a.min(b)) {
        (1, _) => 4,
        (3, 1) => 5,
        (2, _) => 6,
        (3, _) => 7,
        (4, _) => 8,
        _ => 9,
    }
}

/// A place where a ten-node element is integrated.
struct QuadraturePoint {
    /// Share of the volume; all add up to 1.
    weight: f64,
    /// Shape functions there.
    values: [f64; 10],
    /// Their gradients in the reference tetrahedron.
    gradients: [DVec3; 10],
}

impl QuadraturePoint {
    fn new(weight: f64, b: [f64; 4]) -> QuadraturePoint {
        let mut values = [0.0; 10];
        let mut gradients = [DVec3::ZERO; 10];
        for i in 0..4 {
            values[i] = b[i] * (2.0 * b[i] - 1.0);
            gradients[i] = (4.0 * b[i] - 1.0) * BARYCENTRIC_GRADIENTS[i];
        }
        for (node, [i, j]) in (4..).zip(EDGES) {
            values[node] = 4.0 * b[i] * b[j];
            gradients[node] = 4.0 * (b[i] * BARYCENTRIC_GRADIENTS[j] + b[j] * BARYCENTRIC_GRADIENTS[i]);
        }
        QuadraturePoint { weight, values, gradients }
    }
}

/// Four points (b, b, b, 1 − 3b), equal weights: exact to degree 2.
static FOUR_POINTS: LazyLock<Vec<QuadraturePoint>> =
    LazyLock::new(|| corner_points(0.25, (5.0 - 5f64.sqrt()) / 20.0).collect());

/// Fourteen points with positive weights, exact to degree 5 (N. J. Walkington, Quadrature on simplices of arbitrary
/// dimension, 2000).
static FOURTEEN_POINTS: LazyLock<Vec<QuadraturePoint>> = LazyLock::new(|| {
    let near_faces = corner_points(0.112_687_925_718_015_85, 0.310_885_919_263_300_6);
    let near_corners = corner_points(0.073_493_043_116_361_95, 0.092_735_250_310_891_23);
    let small = 0.045_503_704_125_649_65;
    let near_edges = EDGES.iter().map(|edge| {
        let barycentric = std::array::from_fn(|i| if edge.contains(&i) { 0.5 - small } else { small });
        QuadraturePoint::new(0.042_546_020_777_081_466, barycentric)
    });
    near_faces.chain(near_corners).chain(near_edges).collect()
});

fn corner_points(weight: f64, b: f64) -> impl Iterator<Item = QuadraturePoint> {
    (0..4).map(move |corner| {
        QuadraturePoint::new(weight, std::array::from_fn(|i| if i == corner { 1.0 - 3.0 * b } else { b }))
    })
}

/// Derivatives of the position by the reference coordinates.
fn jacobian(positions: &[DVec3], gradients: &[DVec3]) -> DMat3 {
    let mut columns = DMat3::ZERO;
    for (&x, g) in positions.iter().zip(gradients) {
        columns += DMat3::from_cols(x * g.x, x * g.y, x * g.z);
    }
    columns
}

/// Whether the middle nodes lie in the middle, to round-off.
fn is_straight(positions: &[DVec3]) -> bool {
    EDGES.iter().zip(&positions[4..]).all(|(&[a, b], middle)| {
        let (a, b) = (positions[a], positions[b]);
        (0.5 * (a + b)).distance(*middle) <= 1e-10 * a.distance(b)
    })
}

impl TetMesh {
    /// The least Jacobian determinant where an element is integrated.
    pub(super) fn least_jacobian(&self, element: usize) -> f64 {
        let positions = self.positions(element);
        let corners = jacobian(&positions[..4], &BARYCENTRIC_GRADIENTS).determinant();
        if positions.len() == 4 || is_straight(&positions) {
            return corners;
        }
        let at_points = FOURTEEN_POINTS.iter().map(|point| jacobian(&positions, &point.gradients).determinant());
        at_points.fold(f64::INFINITY, |least, determinant| if determinant >= least { least } else { determinant })
    }

    /// Stiffness K(a i, b j) = ∫ λ ∂ᵢNₐ ∂ⱼN_b + μ ∂ⱼNₐ ∂ᵢN_b + μ δᵢⱼ ∇Nₐ·∇N_b.
    pub(super) fn element_stiffness(&self, element: usize, material: &Material, stiffness: &mut [f64]) {
        let positions = self.positions(element);
        let nodes = positions.len();
        assert_eq!(stiffness.len(), 9 * nodes * nodes, "stiffness of an element with {nodes} nodes");
        stiffness.fill(0.0);
        let lame = (material.lame_lambda(), material.shear_modulus());
        if let TetElements::Linear(_) = self.elements {
            let edges = jacobian(&positions, &BARYCENTRIC_GRADIENTS);
            let to_space = edges.inverse().transpose();
            let gradients = BARYCENTRIC_GRADIENTS.map(|g| to_space * g);
            add_strain_energy(&gradients, edges.determinant() / 6.0, lame, stiffness);
        } else {
            let rule = if is_straight(&positions) { &FOUR_POINTS } else { &FOURTEEN_POINTS };
            for point in rule.iter() {
                let map = jacobian(&positions, &point.gradients);
                let to_space = map.inverse().transpose();
                let gradients = point.gradients.map(|g| to_space * g);
                add_strain_energy(&gradients, point.weight * map.determinant() / 6.0, lame, stiffness);
            }
        }
        mirror(stiffness, 3 * nodes);
    }

    /// Consistent mass M(a, b) = ∫ ρ Nₐ N_b.
    pub(super) fn element_mass(&self, element: usize, density: f64, mass: &mut [f64]) {
        let positions = self.positions(element);
        let nodes = positions.len();
        assert_eq!(mass.len(), nodes * nodes, "mass of an element with {nodes} nodes");
        if let TetElements::Linear(_) = self.elements {
            let volume = jacobian(&positions, &BARYCENTRIC_GRADIENTS).determinant() / 6.0;
            for (i, entry) in mass.iter_mut().enumerate() {
                *entry = density * volume / if i % 5 == 0 { 10.0 } else { 20.0 };
            }
            return;
        }
        mass.fill(0.0);
        for point in FOURTEEN_POINTS.iter() {
            let weight = density * point.weight * jacobian(&positions, &point.gradients).determinant() / 6.0;
            for (row, a) in mass.chunks_exact_mut(nodes).zip(point.values) {
                for (entry, b) in row.iter_mut().zip(point.values) {
                    *entry += weight * (a * b);
                }
            }
        }
    }

    /// Positions of an element's nodes relative to its first, so that a body far from the origin loses no digits.
    fn positions(&self, element: usize) -> Vec<DVec3> {
        let list = self.elements.nodes(element);
        let origin = self.nodes[list[0] as usize];
        list.iter().map(|&node| self.nodes[node as usize] - origin).collect()
    }
}

/// Adds the energy at one point to the blocks on and above the diagonal.
fn add_strain_energy(gradients: &[DVec3], weight: f64, (lambda, mu): (f64, f64), stiffness: &mut [f64]) {
    let unknowns = 3 * gradients.len();
    for (a, &ga) in gradients.iter().enumerate() {
        for (b, &gb) in gradients.iter().enumerate().skip(a) {
            let shear = weight * mu * ga.dot(gb);
            for i in 0..3 {
                for j in 0..3 {
                    let entry = weight * (lambda * ga[i] * gb[j] + mu * ga[j] * gb[i]);
                    stiffness[(3 * a + i) * unknowns + 3 * b + j] += if i == j { entry + shear } else { entry };
                }
            }
        }
    }
}

/// Copies the upper triangle to the lower.
fn mirror(matrix: &mut [f64], size: usize) {
    for row in 1..size {
        for column in 0..row {
            matrix[row * size + column] = matrix[column * size + row];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ∫ xᵃ yᵇ zᶜ over the reference tetrahedron, times 6 (its volume is 1/6): 6 a! b! c! / (a + b + c + 3)!.
    fn exact([a, b, c]: [u32; 3]) -> f64 {
        let factorial = |n: u32| (1..=n).map(f64::from).product::<f64>();
        6.0 * factorial(a) * factorial(b) * factorial(c) / factorial(a + b + c + 3)
    }

    fn worst_error(rule: &[QuadraturePoint], degree: u32) -> f64 {
        let mut worst: f64 = 0.0;
        for a in 0..=degree {
            for b in 0..=degree - a {
                let c = degree - a - b;
                let mut sum = 0.0;
                for point in rule {
                    // The straight ten-node element carries coordinates exactly: Σ Nₐ xₐ.
                    let mut x = DVec3::ZERO;
                    for (corner, at) in [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z].into_iter().enumerate() {
                        x += point.values[corner] * at;
                        for (node, edge) in (4..).zip(EDGES) {
                            if edge.contains(&corner) {
                                x += 0.5 * point.values[node] * at;
                            }
                        }
                    }
                    sum += point.weight * x.x.powi(a as i32) * x.y.powi(b as i32) * x.z.powi(c as i32);
                }
                worst = worst.max((sum - exact([a, b, c])).abs());
            }
        }
        worst
    }

    #[test]
    fn the_rules_integrate_polynomials_of_their_degree() {
        for degree in 0..=2 {
            assert!(worst_error(&FOUR_POINTS, degree) < 1e-15);
        }
        for degree in 0..=5 {
            assert!(worst_error(&FOURTEEN_POINTS, degree) < 1e-15);
        }
        assert!(worst_error(&FOUR_POINTS, 3) > 1e-4);
        assert!(worst_error(&FOURTEEN_POINTS, 6) > 1e-6);
    }

    #[test]
    fn the_middle_of_two_corners_is_the_node_of_their_edge() {
        for (node, [a, b]) in (4..).zip(EDGES) {
            assert_eq!((middle(a, b), middle(b, a)), (node, node));
        }
    }
}
