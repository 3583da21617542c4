//! Generalized winding numbers: how often a surface wraps around a point, also when it has holes or overlaps.
//!
//! Near triangles give their solid angle, far groups of triangles a dipole with its first-order correction (Barill,
//! Dickson, Schmidt, Levin and Jacobson 2018, "Fast winding numbers for soups and clouds"). For a closed surface the
//! result is within 0.1 of a whole number, for any surface that close to the exact sum (0.06 at worst on scans).

use std::f64::consts::PI;

use glam::{DMat3, DVec3};

use crate::{Bvh, TriMesh, bvh::STACK_SIZE, mass::outer, triangle};

/// What a hierarchy needs to know about its nodes to answer winding numbers.
#[derive(Clone, Debug)]
pub struct WindingTree {
    moments: Vec<Moments>,
}

#[derive(Clone, Debug, Default)]
struct Moments {
    /// Area-weighted centroid of the node's triangles.
    centre: DVec3,
    /// Radius around the centre that holds all of them, squared.
    radius_squared: f64,
    /// ∫ n dA.
    dipole: DVec3,
    /// ∫ (x − centre) nᵀ dA.
    first: DMat3,
}

/// How many radii away a group of triangles counts as far, when nothing else is asked.
pub const WINDING_ACCURACY: f64 = 2.0;

impl WindingTree {
    /// Gathers the moments of all nodes.
    pub fn new(bvh: &Bvh) -> WindingTree {
        let mut moments = vec![Moments::default(); bvh.nodes.len()];
        let mut areas = vec![0.0; bvh.nodes.len()];
        // Depth-first order puts children behind their parent: backwards, children come first.
        for (index, node) in bvh.nodes.iter().enumerate().rev() {
            let mut sum = Moments::default();
            if node.count > 0 {
                let leaf = &bvh.corners[node.first as usize..(node.first + node.count) as usize];
                let weight = |&[a, b, c]: &[DVec3; 3]| 0.5 * (b - a).cross(c - a);
                let middle = |&[a, b, c]: &[DVec3; 3]| (a + b + c) / 3.0;
                areas[index] = leaf.iter().map(|t| weight(t).length()).sum();
                let first: DVec3 = leaf.iter().map(|t| weight(t).length() * middle(t)).sum();
                sum.centre = if areas[index] > 0.0 { first / areas[index] } else { node.bounds.centre() };
                for t in leaf {
                    sum.dipole += weight(t);
                    sum.first += outer(middle(t) - sum.centre, weight(t));
                    for corner in t {
                        sum.radius_squared = sum.radius_squared.max(corner.distance_squared(sum.centre));
                    }
                }
            } else {
                let children = [index + 1, node.first as usize];
                areas[index] = children.iter().map(|&c| areas[c]).sum();
                let first: DVec3 = children.iter().map(|&c| areas[c] * moments[c].centre).sum();
                sum.centre = if areas[index] > 0.0 { first / areas[index] } else { node.bounds.centre() };
                let mut radius = 0.0f64;
                for child in children.map(|c| &moments[c]) {
                    sum.dipole += child.dipole;
                    sum.first += child.first + outer(child.centre - sum.centre, child.dipole);
                    radius = radius.max(child.centre.distance(sum.centre) + child.radius_squared.sqrt());
                }
                let to_corner = (node.bounds.max - sum.centre).max(sum.centre - node.bounds.min).length();
                sum.radius_squared = radius.min(to_corner).powi(2);
            }
            moments[index] = sum;
        }
        WindingTree { moments }
    }

    /// The winding number at `p`, with groups approximated beyond `accuracy` times their radius
    /// ([`WINDING_ACCURACY`] by default; infinity gives the exact sum).
    pub fn winding_number(&self, bvh: &Bvh, p: DVec3, accuracy: f64) -> f64 {
        let accuracy_squared = accuracy * accuracy;
        let (mut far, mut near) = (0.0, PhaseSum::new());
        let mut stack = [0u32; STACK_SIZE];
        let mut top = usize::from(!self.moments.is_empty());
        while top > 0 {
            top -= 1;
            let index = stack[top] as usize;
            let moments = &self.moments[index];
            let r = moments.centre - p;
            let distance_squared = r.length_squared();
            if distance_squared > accuracy_squared * moments.radius_squared {
                far += moments.seen_along(r, distance_squared);
                continue;
            }
            let node = &bvh.nodes[index];
            if node.count == 0 {
                stack[top] = node.first;
                stack[top + 1] = index as u32 + 1;
                top += 2;
                continue;
            }
            for corners in &bvh.corners[node.first as usize..(node.first + node.count) as usize] {
                near.add(triangle::half_solid_angle(corners, p));
            }
            near.rescale();
        }
        far / (4.0 * PI) + near.phase() / (2.0 * PI)
    }
}

impl Moments {
    /// Solid angle of the node seen from a place that its centre is at `r` from: ∫ n·(x−p)/|x−p|³ dA to first order.
    #[inline]
    fn seen_along(&self, r: DVec3, distance_squared: f64) -> f64 {
        let inverse_squared = 1.0 / distance_squared;
        let inverse_cubed = inverse_squared * inverse_squared.sqrt();
        let trace = self.first.x_axis.x + self.first.y_axis.y + self.first.z_axis.z;
        let stretch = r.dot(self.first * r);
        inverse_cubed * (self.dipole.dot(r) + trace - 3.0 * inverse_squared * stretch)
    }
}

/// A sum of angles in (−π, π], each the phase of a complex number: the numbers are multiplied and whole turns
/// counted, so that one arctangent serves all.
struct PhaseSum {
    real: f64,
    imaginary: f64,
    turns: f64,
}

impl PhaseSum {
    fn new() -> PhaseSum {
        PhaseSum { real: 1.0, imaginary: 0.0, turns: 0.0 }
    }

    #[inline]
    fn add(&mut self, (real, imaginary): (f64, f64)) {
        if real == 0.0 && imaginary == 0.0 {
            return; // the point lies in the triangle's border, where its angle has no value
        }
        // Adding zero turns −0 into +0, so that a phase of π never reads as −π.
        let product =
            (self.real * real - self.imaginary * imaginary, self.real * imaginary + self.imaginary * real + 0.0);
        // Two phases of one sign whose sum has the other sign went over π.
        let up = self.imaginary >= 0.0;
        if up == (imaginary >= 0.0) && up != (product.1 >= 0.0) {
            self.turns += if up { 1.0 } else { -1.0 };
        }
        (self.real, self.imaginary) = product;
    }

    /// Keeps the magnitude from running out of range; the phase is all that counts.
    #[inline]
    fn rescale(&mut self) {
        let scale = 1.0 / self.real.abs().max(self.imaginary.abs()).max(f64::MIN_POSITIVE);
        self.real *= scale;
        self.imaginary *= scale;
    }

    fn phase(&self) -> f64 {
        self.imaginary.atan2(self.real) + 2.0 * PI * self.turns
    }
}

/// The winding number of a mesh at `p` as a plain sum over its triangles: the definition, slow and exact.
///
/// ```
/// # use carom_shape::{TriMesh, exact_winding_number};
/// # use glam::DVec3;
/// let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
/// let tetrahedron = TriMesh::new(corners, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
/// assert!((exact_winding_number(&tetrahedron, DVec3::splat(0.1)) - 1.0).abs() < 1e-12);
/// assert!(exact_winding_number(&tetrahedron, DVec3::splat(0.9)).abs() < 1e-12);
/// # Ok::<(), carom_shape::ShapeError>(())
/// ```
pub fn exact_winding_number(mesh: &TriMesh, p: DVec3) -> f64 {
    let angle = |t: usize| {
        let (real, imaginary) = triangle::half_solid_angle(&mesh.corners(t), p);
        imaginary.atan2(real)
    };
    (0..mesh.triangles.len()).map(angle).sum::<f64>() / (2.0 * PI)
}
