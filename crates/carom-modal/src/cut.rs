//! What part of a cell is inside: adaptive subdivision, linear cuts, and pieces that do not touch each other.
//!
//! A cell is divided like an octree where the surface passes, down to `resolution`³ subcells; whole boxes on one
//! side are recognized by distance. The last subcells are cut linearly: 24 tetrahedra around the subcell's centre,
//! a division that shares all symmetries of the cube, placed so that curvature does not change their volume. Volume,
//! centre and second moments of the cut are exact, so the error of the integral is far below that of the cells.

use carom_object::CellGrid;
use carom_shape::{Solid, symmetric_eigen};
use glam::{DMat3, DVec3};

use crate::brick::{GAUSS, POINTS, POINTS_3D, Weights};

/// Side of a cell: −x, +x, −y, +y, −z, +z.
pub const SIDES: usize = 6;

/// One connected piece of the body in a cell.
#[derive(Clone, Debug)]
pub struct CellPart {
    /// Quadrature weights of the piece.
    pub weights: Weights,
}

/// A cell that holds some of the body.
#[derive(Clone, Debug)]
pub enum CellContent {
    /// All of it is inside.
    Full,
    /// The surface passes through.
    Cut(Box<CutCell>),
}

/// A cell that the surface cuts.
#[derive(Clone, Debug)]
pub struct CutCell {
    /// Connected pieces, in order of their first subcell.
    pub parts: Vec<CellPart>,
    /// Piece of each subcell, x fastest: 0 outside, p + 1 for piece p.
    pub labels: Vec<u8>,
    /// How sharply the surface bends inwards where it does so most: about a fifth in a subcell with a right-angled
    /// inner edge, and the subcell's size over a few radii in a fillet; zero where the body is convex.
    pub concavity: f64,
    /// For each side, the piece that is open through it at each of its subcells: 0 none, p + 1 for piece p.
    pub openings: [Vec<u8>; SIDES],
}

/// Integrals of the Lagrange polynomials through the Gauss points, over dyadic intervals of [−1, 1].
pub struct Cutter<'a> {
    solid: &'a dyn Solid,
    grid: &'a CellGrid,
    resolution: usize,
    /// `interval[level][position][g]`: over the interval `position` of 2^level.
    interval: Vec<Vec<[f64; POINTS]>>,
    /// Coefficients of each polynomial, constant term first.
    lagrange: [[f64; POINTS]; POINTS],
}

/// A cell while it is being cut.
struct Work {
    corner: DVec3,
    size: DVec3,
    /// Distance at the subcells' corners; NaN where it was not needed.
    values: Vec<f64>,
    occupancy: Vec<Occupancy>,
    /// Whole boxes inside: position and size in subcells.
    boxes: Vec<([usize; 3], usize)>,
}

#[derive(Clone, Copy, PartialEq)]
enum Occupancy {
    Outside,
    Inside,
    Cut,
}

impl<'a> Cutter<'a> {
    /// `resolution` is the number of subcells along an edge: a power of two.
    pub fn new(solid: &'a dyn Solid, grid: &'a CellGrid, resolution: usize) -> Cutter<'a> {
        assert!(resolution.is_power_of_two());
        let lagrange = lagrange_coefficients();
        let levels = resolution.trailing_zeros() as usize;
        let interval = (0..=levels)
            .map(|level| {
                let width = 2.0 / (1usize << level) as f64;
                let start = |position: usize| -1.0 + position as f64 * width;
                (0..1usize << level)
                    .map(|p| lagrange.map(|poly| primitive(&poly, start(p) + width) - primitive(&poly, start(p))))
                    .collect()
            })
            .collect();
        Cutter { solid, grid, resolution, interval, lagrange }
    }

    /// Cuts one cell; `None` when nothing of the body is in it.
    pub fn cut(&self, cell: [usize; 3]) -> Option<CellContent> {
        let n = self.resolution;
        let mut work = Work {
            corner: self.grid.corner(cell),
            size: self.grid.size(cell),
            values: vec![f64::NAN; (n + 1).pow(3)],
            occupancy: vec![Occupancy::Outside; n.pow(3)],
            boxes: Vec::new(),
        };
        self.divide(&mut work, [0; 3], n);
        if work.boxes.first().is_some_and(|b| b.1 == n) {
            return Some(CellContent::Full);
        }
        if work.occupancy.iter().all(|&o| o == Occupancy::Outside) {
            return None;
        }
        if work.occupancy.iter().all(|&o| o == Occupancy::Inside) {
            return Some(CellContent::Full);
        }
        let labels = self.label(&mut work);
        let (parts, concavity) = self.integrate(&work, &labels);
        let openings = std::array::from_fn(|side| self.openings(&work, &labels, side));
        Some(CellContent::Cut(Box::new(CutCell { parts, labels, concavity, openings })))
    }

    /// A corner on the surface counts as inside whatever its round-off, so that a cell whose faces coincide with the
    /// body's is a full one.
    fn on_surface(&self, work: &Work) -> f64 {
        1e-6 * work.size.min_element()
    }

    fn distance(&self, work: &Work, subcells: DVec3) -> f64 {
        let place = self.grid.point(work.corner + work.size * subcells / self.resolution as f64);
        self.solid.signed_distance(place) - self.on_surface(work)
    }

    fn corner_value(&self, work: &mut Work, corner: [usize; 3]) -> f64 {
        let m = self.resolution + 1;
        let at = corner[0] + m * (corner[1] + m * corner[2]);
        if work.values[at].is_nan() {
            let place = DVec3::new(corner[0] as f64, corner[1] as f64, corner[2] as f64);
            work.values[at] = self.distance(work, place);
        }
        work.values[at]
    }

    fn corner_values(&self, work: &mut Work, at: [usize; 3], size: usize) -> [f64; 8] {
        std::array::from_fn(|c| {
            let corner = [at[0] + size * (c & 1), at[1] + size * (c >> 1 & 1), at[2] + size * (c >> 2)];
            self.corner_value(work, corner)
        })
    }

    /// Classifies the box of `size`³ subcells at `at`.
    fn divide(&self, work: &mut Work, at: [usize; 3], size: usize) {
        if size == 1 {
            let corners = self.corner_values(work, at, 1);
            let inside = corners.iter().filter(|&&d| d <= 0.0).count();
            let occupancy = match inside {
                0 => Occupancy::Outside,
                8 => Occupancy::Inside,
                _ => Occupancy::Cut,
            };
            return self.fill(work, at, 1, occupancy);
        }
        let half = size as f64 / 2.0;
        let centre = DVec3::new(at[0] as f64, at[1] as f64, at[2] as f64) + half;
        let reach = half / self.resolution as f64 * work.size.length();
        let distance = self.distance(work, centre);
        let one_sided = distance.abs() >= reach
            && (!self.solid.has_gaps()
                || self.corner_values(work, at, size).iter().all(|&d| (d <= 0.0) == (distance <= 0.0)));
        if one_sided {
            let occupancy = if distance < 0.0 { Occupancy::Inside } else { Occupancy::Outside };
            return self.fill(work, at, size, occupancy);
        }
        let step = size / 2;
        for child in 0..8 {
            self.divide(
                work,
                [at[0] + step * (child & 1), at[1] + step * (child >> 1 & 1), at[2] + step * (child >> 2)],
                step,
            );
        }
    }

    fn fill(&self, work: &mut Work, at: [usize; 3], size: usize, occupancy: Occupancy) {
        let n = self.resolution;
        if occupancy == Occupancy::Inside {
            work.boxes.push((at, size));
        }
        for k in at[2]..at[2] + size {
            for j in at[1]..at[1] + size {
                let row = n * (j + n * k);
                work.occupancy[row + at[0]..row + at[0] + size].fill(occupancy);
            }
        }
    }

    /// Numbers the connected pieces; subcells touch where their common face has an inside corner.
    fn label(&self, work: &mut Work) -> Vec<u8> {
        let n = self.resolution;
        let mut labels = vec![0u8; n.pow(3)];
        let mut pieces = 0u8;
        let mut stack = Vec::new();
        for seed in 0..labels.len() {
            if labels[seed] != 0 || work.occupancy[seed] == Occupancy::Outside {
                continue;
            }
            // More pieces than a byte counts are dust below the resolution; the rest share the last number.
            pieces = pieces.saturating_add(1);
            labels[seed] = pieces;
            stack.push(seed);
            while let Some(subcell) = stack.pop() {
                let at = [subcell % n, subcell / n % n, subcell / (n * n)];
                for side in 0..SIDES {
                    let (axis, up) = (side / 2, side % 2 == 1);
                    if at[axis] == if up { n - 1 } else { 0 } {
                        continue;
                    }
                    let stride = [1, n, n * n][axis];
                    let next = if up { subcell + stride } else { subcell - stride };
                    if labels[next] == 0 && work.occupancy[next] != Occupancy::Outside && self.open(work, at, side) {
                        labels[next] = pieces;
                        stack.push(next);
                    }
                }
            }
        }
        labels
    }

    /// Whether the inside reaches through a side of an occupied subcell.
    fn open(&self, work: &Work, at: [usize; 3], side: usize) -> bool {
        let n = self.resolution;
        if work.occupancy[at[0] + n * (at[1] + n * at[2])] == Occupancy::Inside {
            return true;
        }
        let (axis, up) = (side / 2, side % 2);
        (0..4).any(|c| {
            let mut corner = at;
            corner[axis] += up;
            corner[(axis + 1) % 3] += c & 1;
            corner[(axis + 2) % 3] += c >> 1;
            // A corner on the surface is no way through: the bottom of a slit that coincides with a side of subcells
            // would join what the slit parts.
            work.values[corner[0] + (n + 1) * (corner[1] + (n + 1) * corner[2])] < -2.0 * self.on_surface(work)
        })
    }

    fn openings(&self, work: &Work, labels: &[u8], side: usize) -> Vec<u8> {
        let n = self.resolution;
        let (axis, up) = (side / 2, side % 2 == 1);
        (0..n * n)
            .map(|place| {
                let mut at = [0; 3];
                at[axis] = if up { n - 1 } else { 0 };
                at[(axis + 1) % 3] = place % n;
                at[(axis + 2) % 3] = place / n;
                let label = labels[at[0] + n * (at[1] + n * at[2])];
                if label != 0 && self.open(work, at, side) { label } else { 0 }
            })
            .collect()
    }

    /// The quadrature weights of each piece: integrals of the Lagrange polynomials over it. Also the concavity.
    fn integrate(&self, work: &Work, labels: &[u8]) -> (Vec<CellPart>, f64) {
        let n = self.resolution;
        let pieces = labels.iter().copied().max().unwrap_or(0) as usize;
        let mut parts = vec![CellPart { weights: [0.0; POINTS_3D] }; pieces];
        let mut concavity = 0.0_f64;
        let subcell_size = work.size.max_element() / n as f64;
        let index = |at: [usize; 3]| at[0] + n * (at[1] + n * at[2]);
        for &(at, size) in &work.boxes {
            let level = (n / size).trailing_zeros() as usize;
            let [x, y, z] = at.map(|a| &self.interval[level][a / size]);
            add_product(&mut parts[labels[index(at)] as usize - 1].weights, x, y, z, 1.0);
        }
        for (subcell, _) in work.occupancy.iter().enumerate().filter(|&(_, &o)| o == Occupancy::Cut) {
            let at = [subcell % n, subcell / n % n, subcell / (n * n)];
            let corners: [f64; 8] = std::array::from_fn(|c| {
                let corner = [at[0] + (c & 1), at[1] + (c >> 1 & 1), at[2] + (c >> 2)];
                work.values[corner[0] + (n + 1) * (corner[1] + (n + 1) * corner[2])]
            });
            // A field with curvature H lies below its linear interpolant by ½ΣHᵢᵢ(¼ − xᵢ²) in a unit cube: by ⅛ΣHᵢᵢ at
            // the centre, which one more evaluation shows, and by two thirds of that on average. Shifted by as much,
            // the linear cut encloses the volume of the curved one.
            let centre = DVec3::from(at.map(|a| a as f64)) + 0.5;
            let bulge = corners.iter().sum::<f64>() / 8.0 - self.distance(work, centre);
            concavity = concavity.max(-bulge / subcell_size);
            let moments = Moments::below_zero(&corners.map(|d| d - 2.0 / 3.0 * bulge));
            self.add_moments(&mut parts[labels[subcell] as usize - 1].weights, at, &moments);
        }
        (parts, concavity)
    }

    /// Adds the integrals over a cut subcell: of six points with the same weight, which have its volume, centre and second moments.
    ///
    /// All of them count positively, so that no motion of a cell has a negative energy however little of the body is in it. An
    /// expansion about the centre, as exact, does not guarantee that.
    fn add_moments(&self, weights: &mut Weights, at: [usize; 3], moments: &Moments) {
        if moments.volume <= 0.0 {
            return;
        }
        let width = 2.0 / self.resolution as f64;
        let volume = moments.volume * width.powi(3);
        let centre = moments.first / moments.volume;
        let lowest = DVec3::from(at.map(|a| a as f64));
        // ± √3 times each column of the covariance's square root, which has all of its symmetries.
        for column in moments.spread().to_cols_array_2d() {
            let away = 3f64.sqrt() * DVec3::from(column);
            for place in [centre + away, centre - away] {
                let place = width * (lowest + place) - 1.0;
                let [x, y, z] = place.to_array().map(|x| self.lagrange.map(|poly| value(&poly, x)));
                add_product(weights, &x, &y, &z, volume / 6.0);
            }
        }
    }
}

/// Adds `factor` times the outer product of three vectors.
fn add_product(weights: &mut Weights, x: &[f64; POINTS], y: &[f64; POINTS], z: &[f64; POINTS], factor: f64) {
    for k in 0..POINTS {
        for j in 0..POINTS {
            let yz = factor * y[j] * z[k];
            let row = &mut weights[POINTS * (j + POINTS * k)..][..POINTS];
            for i in 0..POINTS {
                row[i] += x[i] * yz;
            }
        }
    }
}

/// Volume, first and second moments of a region of the unit cube.
#[derive(Clone, Copy, Debug, Default)]
struct Moments {
    volume: f64,
    first: DVec3,
    /// xx, yy, zz, xy, yz, zx.
    second: [f64; 6],
}

impl Moments {
    /// Of the part of the unit cube where the field given at its corners (x fastest) is negative.
    fn below_zero(corners: &[f64; 8]) -> Moments {
        let mut moments = Moments::default();
        let corner = |c: usize| DVec3::new((c & 1) as f64, (c >> 1 & 1) as f64, (c >> 2) as f64);
        let centre = (DVec3::splat(0.5), corners.iter().sum::<f64>() / 8.0);
        for side in 0..SIDES {
            let (axis, up) = (side / 2, side % 2);
            let (u, v) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
            let base = up << axis;
            let ring = [base, base + u, base + u + v, base + v];
            let middle = (
                ring.iter().map(|&c| corner(c)).sum::<DVec3>() / 4.0,
                ring.iter().map(|&c| corners[c]).sum::<f64>() / 4.0,
            );
            for edge in 0..4 {
                let (a, b) = (ring[edge], ring[(edge + 1) % 4]);
                moments.add_clipped([centre, middle, (corner(a), corners[a]), (corner(b), corners[b])]);
            }
        }
        moments
    }

    /// The square root of the covariance.
    fn spread(&self) -> DMat3 {
        let centre = self.first / self.volume;
        let [xx, yy, zz, xy, yz, zx] = self.second.map(|moment| moment / self.volume);
        let second = DMat3::from_cols(DVec3::new(xx, xy, zx), DVec3::new(xy, yy, yz), DVec3::new(zx, yz, zz));
        let (squares, axes) =
            symmetric_eigen(second - DMat3::from_cols(centre * centre.x, centre * centre.y, centre * centre.z));
        let roots = squares.to_array().map(|square| square.max(0.0).sqrt());
        axes * DMat3::from_diagonal(roots.into()) * axes.transpose()
    }

    /// Adds the negative part of a tetrahedron on which the field is linear.
    fn add_clipped(&mut self, mut vertices: [(DVec3, f64); 4]) {
        vertices.sort_by(|a, b| a.1.total_cmp(&b.1));
        let inside = vertices.iter().filter(|v| v.1 <= 0.0).count();
        let p = vertices.map(|v| v.0);
        // Where the edge from an inside to an outside vertex crosses zero.
        let cross = |i: usize, o: usize| {
            let (a, b) = (vertices[i].1, vertices[o].1);
            p[i] + (p[o] - p[i]) * (a / (a - b))
        };
        match inside {
            0 => {}
            1 => self.add_tetrahedron([p[0], cross(0, 1), cross(0, 2), cross(0, 3)], 1.0),
            2 => {
                let (a2, a3, b2, b3) = (cross(0, 2), cross(0, 3), cross(1, 2), cross(1, 3));
                self.add_tetrahedron([p[0], a2, a3, b3], 1.0);
                self.add_tetrahedron([p[0], a2, b2, b3], 1.0);
                self.add_tetrahedron([p[0], p[1], b2, b3], 1.0);
            }
            3 => {
                self.add_tetrahedron(p, 1.0);
                self.add_tetrahedron([p[3], cross(0, 3), cross(1, 3), cross(2, 3)], -1.0);
            }
            _ => self.add_tetrahedron(p, 1.0),
        }
    }

    fn add_tetrahedron(&mut self, p: [DVec3; 4], sign: f64) {
        let volume = sign * (p[1] - p[0]).dot((p[2] - p[0]).cross(p[3] - p[0])).abs() / 6.0;
        let sum = p[0] + p[1] + p[2] + p[3];
        self.volume += volume;
        self.first += volume / 4.0 * sum;
        // ∫ x_a x_b = V/20 (Σ p_a Σ p_b + Σ p_a p_b).
        for (slot, (a, b)) in [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0)].into_iter().enumerate() {
            let products: f64 = p.iter().map(|q| q[a] * q[b]).sum();
            self.second[slot] += volume / 20.0 * (sum[a] * sum[b] + products);
        }
    }
}

/// Coefficients of the Lagrange polynomials through the Gauss points, constant term first.
fn lagrange_coefficients() -> [[f64; POINTS]; POINTS] {
    std::array::from_fn(|g| {
        let mut poly = [0.0; POINTS];
        poly[0] = 1.0;
        for (degree, other) in (0..POINTS).filter(|&o| o != g).enumerate() {
            let scale = 1.0 / (GAUSS[g] - GAUSS[other]);
            for power in (0..=degree + 1).rev() {
                let shifted = if power > 0 { poly[power - 1] } else { 0.0 };
                let kept = if power <= degree { poly[power] } else { 0.0 };
                poly[power] = scale * (shifted - GAUSS[other] * kept);
            }
        }
        poly
    })
}

/// Value of the polynomial's primitive.
fn primitive(poly: &[f64; POINTS], x: f64) -> f64 {
    (0..POINTS).rev().fold(0.0, |sum, power| sum * x + poly[power] / (power + 1) as f64) * x
}

/// Value of a polynomial.
fn value(poly: &[f64; POINTS], x: f64) -> f64 {
    poly.iter().rev().fold(0.0, |sum, &coefficient| sum * x + coefficient)
}

/// Volume in the reference cube, [−1, 1]³, that weights stand for, as a share of the cell.
pub fn filled_share(weights: &Weights) -> f64 {
    weights.iter().sum::<f64>() / 8.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lagrange_polynomials_are_one_at_their_own_point_and_zero_at_the_others() {
        for (g, poly) in lagrange_coefficients().iter().enumerate() {
            for (other, &x) in GAUSS.iter().enumerate() {
                let expected = if g == other { 1.0 } else { 0.0 };
                assert!((value(poly, x) - expected).abs() < 1e-13);
            }
        }
    }

    #[test]
    fn a_half_space_cuts_a_subcell_exactly() {
        // x + y + z < 1 in the unit cube: a corner tetrahedron of volume 1/6 with its centre at 1/4.
        let corners = std::array::from_fn(|c| ((c & 1) + (c >> 1 & 1) + (c >> 2)) as f64 - 1.0);
        let moments = Moments::below_zero(&corners);
        assert!((moments.volume - 1.0 / 6.0).abs() < 1e-15);
        assert!((moments.first / moments.volume - 0.25).length() < 1e-14);
        assert!((moments.second[0] - 1.0 / 60.0).abs() < 1e-15);
        assert!((moments.second[3] - 1.0 / 120.0).abs() < 1e-15);
    }
}
