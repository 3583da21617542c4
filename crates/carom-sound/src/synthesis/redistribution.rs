//! Contact impulses spread over all contacts of a body (*Sound* §5.2, Eq. 12–14), which changes no motion and calms the sound.
//!
//! Of all impulses with the same total force and torque, of the normal parts and of the tangential parts each, those are taken that
//! are nearest to the impulses of the step before and lie in the cone of friction |β| ≤ μα, here the round one. With B the
//! two wrenches of all impulses z and K the cones, that is z = P_K(z₀ + Bᵀλ) where the twelve multipliers λ make Bz what it was: the
//! minimum of a convex, once differentiable function of λ, found by Newton's method. The impulses that came in are feasible.

use glam::DVec3;

/// Numbers that do not change: force and torque of the normal impulses, and those of friction.
const ROWS: usize = 12;
const MOST_ROUNDS: usize = 60;

/// A contact whose impulse may be shared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    /// From any point that all contacts share, m.
    pub arm: DVec3,
    /// Of length one.
    pub normal: DVec3,
    /// Coulomb's μ.
    pub friction: f64,
    /// N s.
    pub impulse: DVec3,
    /// In the step before; zero if it did not touch.
    pub before: DVec3,
}

/// Where normal and tangents of a contact point: rows of B.
struct Contact {
    columns: [[f64; ROWS]; 3],
    axes: [DVec3; 3],
    friction: f64,
}

/// The impulses, spread. Where nothing can be shared, or it does not converge, they are what they were.
pub fn redistribute(shares: &[Share]) -> Vec<DVec3> {
    let kept = || shares.iter().map(|share| share.impulse).collect::<Vec<_>>();
    if shares.len() < 2 {
        return kept();
    }
    let size = shares.iter().map(|share| share.arm.length()).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    let contacts: Vec<Contact> = shares.iter().map(|share| Contact::new(share, size)).collect();
    let parts = |impulse: DVec3, contact: &Contact| contact.axes.map(|axis| axis.dot(impulse));
    let total: [f64; ROWS] = {
        let each = shares.iter().zip(&contacts).map(|(share, contact)| contact.wrench(parts(share.impulse, contact)));
        sum(each)
    };
    let scale = shares.iter().map(|share| share.impulse.length()).fold(0.0, f64::max);
    if scale == 0.0 {
        return kept();
    }
    let start: Vec<[f64; 3]> = shares.iter().zip(&contacts).map(|(s, contact)| parts(s.before, contact)).collect();
    let at = |lambda: &[f64; ROWS]| -> Vec<[f64; 3]> {
        let pulled = |(contact, start): (&Contact, &[f64; 3])| {
            std::array::from_fn(|i| start[i] + dot(&contact.columns[i], lambda))
        };
        contacts.iter().zip(&start).map(pulled).collect()
    };
    // ½|P_K(z₀ + Bᵀλ)|² − λ·c, whose gradient is what is still missing.
    let value = |lambda: &[f64; ROWS]| {
        let squares = at(lambda).into_iter().zip(&contacts).map(|(z, contact)| {
            let p = onto_cone(z, contact.friction).0;
            0.5 * p.iter().map(|x| x * x).sum::<f64>()
        });
        squares.sum::<f64>() - dot(lambda, &total)
    };
    let mut lambda = [0.0; ROWS];
    for _ in 0..MOST_ROUNDS {
        let mut matrix = [[0.0; ROWS]; ROWS];
        let mut residual = total.map(|c| -c);
        let mut projected = Vec::with_capacity(contacts.len());
        for (contact, z) in contacts.iter().zip(at(&lambda)) {
            let (p, derivative) = onto_cone(z, contact.friction);
            for i in 0..3 {
                (0..ROWS).for_each(|row| residual[row] += contact.columns[i][row] * p[i]);
                for j in 0..3 {
                    add_product(&mut matrix, derivative[i][j], &contact.columns[i], &contact.columns[j]);
                }
            }
            projected.push(p);
        }
        if residual.iter().all(|r| r.abs() <= 1e-12 * scale * contacts.len() as f64) {
            let back = |(p, contact): (&[f64; 3], &Contact)| (0..3).map(|i| p[i] * contact.axes[i]).sum();
            return projected.iter().zip(&contacts).map(back).collect();
        }
        let direction = solve(matrix, residual.map(|r| -r));
        let slope = dot(&direction, &residual);
        let (here, mut length) = (value(&lambda), 1.0);
        let moved = |length: f64| std::array::from_fn(|i| lambda[i] + length * direction[i]);
        while length > 1e-6 && value(&moved(length)) > here + 1e-4 * length * slope + 1e-16 * here.abs() {
            length *= 0.5;
        }
        lambda = moved(length);
    }
    kept()
}

impl Contact {
    fn new(share: &Share, size: f64) -> Contact {
        let (t1, t2) = share.normal.any_orthonormal_pair();
        let axes = [share.normal, t1, t2];
        let column = |i: usize| {
            let torque = share.arm.cross(axes[i]) / size;
            let wrench = [axes[i].x, axes[i].y, axes[i].z, torque.x, torque.y, torque.z];
            let from = if i == 0 { 0 } else { 6 };
            let mut column = [0.0; ROWS];
            column[from..from + 6].copy_from_slice(&wrench);
            column
        };
        Contact { columns: std::array::from_fn(column), axes, friction: share.friction }
    }

    fn wrench(&self, parts: [f64; 3]) -> [f64; ROWS] {
        std::array::from_fn(|row| (0..3).map(|i| self.columns[i][row] * parts[i]).sum())
    }
}

/// The nearest point of the cone |(y, z)| ≤ μx, and the derivative of it.
fn onto_cone([x, y, z]: [f64; 3], friction: f64) -> ([f64; 3], [[f64; 3]; 3]) {
    let across = y.hypot(z);
    if across <= friction * x {
        return ([x, y, z], [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
    }
    if friction * across <= -x {
        return ([0.0; 3], [[0.0; 3]; 3]);
    }
    // Onto the ray (1, μe) in the plane of the normal and e = (y, z)/|(y, z)|.
    let share = 1.0 / (1.0 + friction * friction);
    let (e, along) = ([y / across, z / across], share * (x + friction * across));
    let point = [along, friction * along * e[0], friction * along * e[1]];
    let turn = friction * along / across;
    let (mixed, outward) = (friction * share, friction * friction * share);
    let inner = |i: usize, j: usize| {
        let one = if i == j { 1.0 } else { 0.0 };
        outward * e[i] * e[j] + turn * (one - e[i] * e[j])
    };
    let derivative = [
        [share, mixed * e[0], mixed * e[1]],
        [mixed * e[0], inner(0, 0), inner(0, 1)],
        [mixed * e[1], inner(1, 0), inner(1, 1)],
    ];
    (point, derivative)
}

fn dot(a: &[f64; ROWS], b: &[f64; ROWS]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn sum(all: impl Iterator<Item = [f64; ROWS]>) -> [f64; ROWS] {
    all.fold([0.0; ROWS], |sum, one| std::array::from_fn(|i| sum[i] + one[i]))
}

fn add_product(matrix: &mut [[f64; ROWS]; ROWS], factor: f64, a: &[f64; ROWS], b: &[f64; ROWS]) {
    for (row, &a) in matrix.iter_mut().zip(a).filter(|(_, a)| **a != 0.0) {
        row.iter_mut().zip(b).for_each(|(entry, b)| *entry += factor * a * b);
    }
}

/// Solves with a symmetric matrix that may be singular, by Cholesky's factors and a trace of the identity.
fn solve(mut matrix: [[f64; ROWS]; ROWS], mut right: [f64; ROWS]) -> [f64; ROWS] {
    let trace: f64 = (0..ROWS).map(|i| matrix[i][i]).sum();
    (0..ROWS).for_each(|i| matrix[i][i] += 1e-13 * trace + f64::MIN_POSITIVE);
    for i in 0..ROWS {
        for j in 0..=i {
            let rest = matrix[i][j] - (0..j).map(|k| matrix[i][k] * matrix[j][k]).sum::<f64>();
            // Round-off may leave nothing of a dependent row.
            matrix[i][j] =
                if i == j { rest.max(1e-16 * trace + f64::MIN_POSITIVE).sqrt() } else { rest / matrix[j][j] };
        }
        right[i] = (right[i] - (0..i).map(|k| matrix[i][k] * right[k]).sum::<f64>()) / matrix[i][i];
    }
    for i in (0..ROWS).rev() {
        right[i] = (right[i] - (i + 1..ROWS).map(|k| matrix[k][i] * right[k]).sum::<f64>()) / matrix[i][i];
    }
    right
}
