//! Generalized winding numbers: how often a surface wraps around a point, also when it has holes or overlaps.
//!
//! Near triangles give their solid angle, far groups of triangles a dipole with two orders of correction (Barill,
//! Dickson, Schmidt, Levin and Jacobson 2018, "Fast winding numbers for soups and clouds"). For a closed surface the
//! result is within 0.03 of a whole number, for any surface that close to the exact sum (default accuracy).

use std::f64::consts::PI;

use glam::DVec3;

use crate::{
    Bvh, TriMesh,
    bvh::STACK_SIZE,
    forms::{Cubic, Quadratic},
    triangle,
};

/// What a hierarchy needs to know about its nodes to answer winding numbers.
#[derive(Clone, Debug)]
pub struct WindingTree {
    moments: Vec<Moments>,
}

/// Moments of the area vectors n dA of a node's triangles at places x from the centre, as forms in r.
#[derive(Clone, Debug, Default)]
struct Moments {
    /// Area-weighted centroid of the triangles.
    centre: DVec3,
    /// Radius around the centre that holds all of them, squared.
    radius_squared: f64,
    /// ∫ n dA.
    dipole: DVec3,
    /// ∫ (n·r)(x·r) dA.
    first: Quadratic,
    /// ∫ (n·r)(x·r)² dA.
    second: Cubic,
}

/// How many radii away a group of triangles counts as far, when nothing else is asked. The error is then about one
/// hundredth; at 2 it is a quarter of that.
pub const WINDING_ACCURACY: f64 = 1.5;

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
                    let (n, x) = (weight(t), middle(t) - sum.centre);
                    sum.dipole += n;
                    sum.first += Quadratic::product(n, x);
                    // Over a triangle ∫ (x·r)² dA is a twelfth of its area times the squares of these four.
                    for y in [3.0 * x, t[0] - sum.centre, t[1] - sum.centre, t[2] - sum.centre] {
                        sum.second += Quadratic::product(y, y).times(n / 12.0);
                    }
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
                    let shift = child.centre - sum.centre;
                    let shifted = Quadratic::product(child.dipole, shift);
                    sum.dipole += child.dipole;
                    sum.second += child.second + child.first.times(2.0 * shift) + shifted.times(shift);
                    sum.first += child.first;
                    sum.first += shifted;
                    radius = radius.max(shift.length() + child.radius_squared.sqrt());
                }
                let to_corner = (node.bounds.max - sum.centre).max(sum.centre - node.bounds.min).length();
                sum.radius_squared = radius.min(to_corner).powi(2);
            }
            moments[index] = sum;
        }
        // Outside the surface only the harmonic parts are seen; the factors are those of the expansion.
        for node in &mut moments {
            node.first = node.first.harmonic().scaled(-3.0);
            node.second = node.second.harmonic().scaled(7.5);
        }
        WindingTree { moments }
    }

    /// The winding number at `p`, with groups approximated beyond `accuracy` times their radius
    /// ([`WINDING_ACCURACY`] by default; infinity gives the exact sum).
    pub fn winding_number(&self, bvh: &Bvh, p: DVec3, accuracy: f64) -> f64 {
        self.counted_winding_number(bvh, p, accuracy).0
    }

    /// The winding number, and how many triangles were near: what it cost.
    pub(crate) fn counted_winding_number(&self, bvh: &Bvh, p: DVec3, accuracy: f64) -> (f64, usize) {
        let mut triangles = 0;
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
            triangles += node.count as usize;
        }
        (far / (4.0 * PI) + near.phase() / (2.0 * PI), triangles)
    }
}

impl Moments {
    /// Solid angle of the node for an eye from which its centre is at `r`: ∫ n·(r+x)/|r+x|³ dA to second order in x.
    #[inline]
    fn seen_along(&self, r: DVec3, distance_squared: f64) -> f64 {
        let inverse_squared = 1.0 / distance_squared;
        let inverse_cubed = inverse_squared * inverse_squared.sqrt();
        let higher = inverse_squared * (self.first.at(r) + inverse_squared * self.second.at(r));
        inverse_cubed * (self.dipole.dot(r) + higher)
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
        libm::atan2(self.imaginary, self.real) + 2.0 * PI * self.turns
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
        libm::atan2(imaginary, real)
    };
    (0..mesh.triangles.len()).map(angle).sum::<f64>() / (2.0 * PI)
}
