//! Mass, centre and inertia.

use glam::{DMat3, DVec3};
use serde::{Deserialize, Serialize};

use crate::TriMesh;

/// Mass, centre of mass and inertia of a body, in the body's own axes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MassProperties {
    /// Kilograms; equal to the volume when the density is one.
    pub mass: f64,
    /// Centre of mass.
    pub centre: DVec3,
    /// Inertia tensor about the centre of mass. Kept whole, because principal axes are ambiguous for bars and cubes.
    pub inertia: DMat3,
}

/// Principal moments and axes of an inertia tensor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PrincipalAxes {
    /// Moments of inertia, ascending.
    pub moments: DVec3,
    /// A rotation whose columns are the axes; right-handed.
    pub axes: DMat3,
}

impl MassProperties {
    /// From the integrals of 1, x and x xᵀ over the body, times the density.
    pub fn from_moments(mass: f64, first: DVec3, second: DMat3) -> MassProperties {
        let centre = first / mass;
        let covariance = second - mass * outer(centre, centre);
        let trace = covariance.x_axis.x + covariance.y_axis.y + covariance.z_axis.z;
        MassProperties { mass, centre, inertia: DMat3::from_diagonal(DVec3::splat(trace)) - covariance }
    }

    /// Of the volume that a closed surface encloses, with uniform density (divergence theorem).
    ///
    /// ```
    /// # use carom_shape::{MassProperties, TriMesh};
    /// # use glam::DVec3;
    /// let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    /// let tetrahedron = TriMesh::new(corners.to_vec(), vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
    /// let mass = MassProperties::of_surface(&tetrahedron, 6.0);
    /// assert!((mass.mass - 1.0).abs() < 1e-15);
    /// assert!(mass.centre.distance(DVec3::splat(0.25)) < 1e-15);
    /// # Ok::<(), carom_shape::ShapeError>(())
    /// ```
    pub fn of_surface(surface: &TriMesh, density: f64) -> MassProperties {
        // Tetrahedra from the box centre to each triangle; far from the origin that loses no digits.
        let origin = surface.bounds().centre();
        let (mut mass, mut first, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
        for triangle in 0..surface.triangles.len() {
            let [a, b, c] = surface.corners(triangle).map(|p| p - origin);
            let weight = density * a.dot(b.cross(c)) / 6.0;
            let sum = a + b + c;
            mass += weight;
            first += weight / 4.0 * sum;
            second += weight / 20.0 * (outer(sum, sum) + outer(a, a) + outer(b, b) + outer(c, c));
        }
        let mut properties = MassProperties::from_moments(mass, first, second);
        properties.centre += origin;
        properties
    }

    /// The same body with all masses multiplied.
    pub fn scaled(mut self, factor: f64) -> MassProperties {
        self.mass *= factor;
        self.inertia *= factor;
        self
    }

    /// Principal moments, ascending, and a right-handed set of axes. Deterministic; where moments coincide the axes
    /// are one choice among many.
    pub fn principal(&self) -> PrincipalAxes {
        let (moments, mut axes) = symmetric_eigen(self.inertia);
        if axes.determinant() < 0.0 {
            axes.z_axis = -axes.z_axis;
        }
        PrincipalAxes { moments, axes }
    }
}

/// The matrix a bᵀ.
pub(crate) fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// Eigenvalues, ascending, and orthonormal eigenvectors of a symmetric matrix, by cyclic Jacobi rotations.
pub fn symmetric_eigen(matrix: DMat3) -> (DVec3, DMat3) {
    let mut a = matrix.to_cols_array_2d();
    let mut v = DMat3::IDENTITY.to_cols_array_2d();
    for _ in 0..30 {
        let off: f64 = a[0][1].powi(2) + a[0][2].powi(2) + a[1][2].powi(2);
        let diagonal: f64 = (0..3).map(|i| a[i][i].powi(2)).sum();
        if off <= 1e-34 * diagonal {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if a[p][q] == 0.0 {
                continue;
            }
            let theta = 0.5 * (a[q][q] - a[p][p]) / a[p][q];
            let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
            let c = 1.0 / (t * t + 1.0).sqrt();
            let s = t * c;
            for k in 0..3 {
                let (x, y) = (a[k][p], a[k][q]);
                a[k][p] = c * x - s * y;
                a[k][q] = s * x + c * y;
            }
            for k in 0..3 {
                let (x, y) = (a[p][k], a[q][k]);
                a[p][k] = c * x - s * y;
                a[q][k] = s * x + c * y;
                let (x, y) = (v[p][k], v[q][k]);
                v[p][k] = c * x - s * y;
                v[q][k] = s * x + c * y;
            }
        }
    }
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| a[i][i].total_cmp(&a[j][j]));
    let [i, j, k] = order;
    let axes = DMat3::from_cols(v[i].into(), v[j].into(), v[k].into());
    (DVec3::new(a[i][i], a[j][j], a[k][k]), axes)
}
