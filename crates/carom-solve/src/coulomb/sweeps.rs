//! Block Gauss-Seidel over bodies of at most W coordinates: the approximate form of the solver.
//!
//! The whole problem is swept at once, one contact after the other, each solved exactly with the others as they are. The tangents of a contact are turned into the
//! principal axes of its own equations, where one step of the root finder takes few operations. The memory is in proportion to the contacts.

use super::anderson::Anderson;
use super::assembly::law_of;
use super::cone::Law;
use super::error::CoulombError;
use super::one_contact::{OneContact, solve_in_disc};
use super::problem::{Constraint, CoulombProblem};
use super::small::{Matrix, Vector, apply, dot, invert, scale, subtract};
use crate::Columns;
use crate::lanes::{Registers, Task, in_lanes};

/// Relative change of the slip at which a contact is solved. The steps are quadratic, and the next sweep goes on from there: its square is left.
const SLIP_TOLERANCE: f64 = 1e-3;
/// Most steps for the slip of a contact in a sweep.
const MAX_SLIP_STEPS: usize = 30;
/// Sweeps after which Anderson's acceleration begins. A few sweeps from a warm start are better off without.
const SWEEPS_BEFORE_ACCELERATION: usize = 20;
/// Added to the diagonal of a joint's block, relative to its mean: a block may be singular.
const JOINT_REGULARIZATION: f64 = 1e-12;

/// The target of a constraint.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    /// A normal without friction.
    Smooth,
    /// Coulomb's law.
    Rough,
    /// Coulomb's law with this preload.
    Preloaded(f64),
    /// A joint; the number is that of its inverse.
    Joint(u32),
}

/// A constraint in units in which its block of W has a mean of one on the diagonal.
#[derive(Debug, Clone, Copy)]
struct SweptConstraint<const W: usize> {
    bodies: [u32; 2],
    kind: Kind,
    /// Rows of both bodies: normal and tangents.
    rows: [[[f64; W]; 3]; 2],
    free: Vector,
    /// W_NN, W_TN and the principal values of the tangents' Schur complement.
    normal: f64,
    inverse_normal: f64,
    coupling: [f64; 2],
    stiffness: [f64; 2],
    inverse_stiffness: [f64; 2],
    friction: f64,
    kinetic_friction: f64,
    /// The slip of the last sweep: where the root finder begins.
    slip: f64,
    slides: bool,
    /// Whether its bound is that of the kinetic coefficient.
    is_kinetic: bool,
}

/// Memory that only the beginning and the end need.
#[derive(Debug, Clone, Copy)]
struct Units {
    constraint: u32,
    length: f64,
    /// The first principal axis of the tangents.
    axis: [f64; 2],
    law: Law,
}

/// Memory of the method.
#[derive(Debug)]
pub(crate) struct Sweeps<const W: usize> {
    constraints: Vec<SweptConstraint<W>>,
    units: Vec<Units>,
    joints: Vec<Matrix>,
    /// S in the turned axes, row by row; empty if all rows are hard.
    softness: Vec<Matrix>,
    r: Vec<Vector>,
    motion: Vec<[f64; W]>,
    /// The impulses before a pair of sweeps.
    start: Vec<Vector>,
    anderson: Anderson,
}

/// How far sweeps got.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Swept {
    pub sweeps: usize,
    pub scaled_residual: f64,
    pub residual: f64,
}

impl<const W: usize> Default for Sweeps<W> {
    fn default() -> Self {
        Sweeps {
            constraints: Vec::new(),
            units: Vec::new(),
            joints: Vec::new(),
            softness: Vec::new(),
            r: Vec::new(),
            motion: Vec::new(),
            start: Vec::new(),
            anderson: Anderson::default(),
        }
    }
}

impl<const W: usize> Sweeps<W> {
    /// Takes up a problem, whose constraints are worked on in this order, with the impulses to start from.
    pub fn begin<C: Columns>(
        &mut self,
        problem: &CoulombProblem<'_, C>,
        order: &[u32],
        impulses: Option<&[f64]>,
    ) -> Result<(), CoulombError> {
        self.constraints.clear();
        self.units.clear();
        self.joints.clear();
        self.softness.clear();
        self.r.clear();
        self.motion.clear();
        self.motion.resize(problem.columns.blocks(), [0.0; W]);
        for &number in order {
            self.push(problem, number)?;
            let constraint = &problem.constraints[number as usize];
            let units = self.units[self.units.len() - 1];
            let mut start = [0.0; 3];
            if let Some(impulses) = impulses
                && constraint.rows().iter().all(|&row| impulses[row].is_finite())
            {
                for (value, &row) in start.iter_mut().zip(constraint.rows()) {
                    *value = impulses[row] * units.length;
                }
                start = units.law.project(&turn(units.axis, &start));
            }
            self.r.push(start);
        }
        self.update_motion();
        Ok(())
    }

    /// Scales a constraint and turns its tangents.
    fn push<C: Columns>(&mut self, problem: &CoulombProblem<'_, C>, number: u32) -> Result<(), CoulombError> {
        let constraint = &problem.constraints[number as usize];
        let mut rows = [[[0.0; W]; 3]; 2];
        let mut free = [0.0; 3];
        let mut soft = [0.0; 3];
        for (k, &row) in constraint.rows().iter().enumerate() {
            for (target, part) in rows.iter_mut().zip(problem.columns.rows(row)) {
                target[k].iter_mut().zip(part).for_each(|(target, value)| *target = *value);
            }
            free[k] = problem.free[row];
            soft[k] = problem.softness.get(row).copied().unwrap_or(0.0);
        }
        let bodies = problem.columns.blocks_of(constraint.rows[0]);
        let mut w = [[0.0; 3]; 3];
        let joined = bodies[0] == bodies[1];
        if joined {
            let [first, second] = &mut rows;
            first.as_flattened_mut().iter_mut().zip(second.as_flattened_mut()).for_each(|(a, b)| {
                *a += *b;
                *b = 0.0;
            });
        }
        for i in 0..constraint.count {
            for j in 0..=i {
                let mut sum = if i == j { soft[i] } else { 0.0 };
                for side in &rows {
                    sum += side[i].iter().zip(&side[j]).map(|(a, b)| a * b).sum::<f64>();
                }
                (w[i][j], w[j][i]) = (sum, sum);
            }
        }
        let mean = (0..constraint.count).map(|k| w[k][k]).sum::<f64>() / constraint.count as f64;
        if mean <= 0.0 {
            return Err(CoulombError::Immovable { constraint: number as usize });
        }
        let (inverse, inverse_length) = (1.0 / mean, 1.0 / mean.sqrt());
        w.as_flattened_mut().iter_mut().for_each(|x| *x *= inverse);
        let length = mean.sqrt();
        let law = law_of(constraint, false, length);
        let mut swept = SweptConstraint {
            bodies,
            kind: Kind::Rough,
            rows,
            free,
            normal: w[0][0],
            inverse_normal: 1.0 / w[0][0],
            coupling: [0.0; 2],
            stiffness: [1.0; 2],
            inverse_stiffness: [1.0; 2],
            friction: 0.0,
            kinetic_friction: 0.0,
            slip: 0.0,
            slides: false,
            is_kinetic: false,
        };
        let mut axis = [1.0, 0.0];
        match law {
            Law::Bilateral => {
                for k in 0..3 {
                    w[k][k] = if k < constraint.count { w[k][k] + JOINT_REGULARIZATION } else { 1.0 };
                }
                swept.kind = Kind::Joint(self.joints.len() as u32);
                self.joints.push(invert(&w));
            }
            Law::Coulomb(friction) | Law::Preloaded { friction, .. } if friction > 0.0 => {
                (constraint.count..3).for_each(|k| w[k][k] = 1.0);
                let contact = OneContact::new(&w);
                axis = contact.axis;
                if let Law::Preloaded { preload, .. } = law {
                    swept.kind = Kind::Preloaded(preload);
                }
                (swept.coupling, swept.stiffness) = (contact.coupling, contact.stiffness);
                swept.inverse_stiffness = contact.stiffness.map(|value| 1.0 / value);
                swept.friction = friction;
                swept.kinetic_friction = match law_of(constraint, true, length) {
                    Law::Coulomb(friction) => friction,
                    _ => friction,
                };
                for side in &mut swept.rows {
                    let [_, first, second] = side;
                    for (a, b) in first.iter_mut().zip(second) {
                        (*a, *b) = (axis[0] * *a + axis[1] * *b, axis[0] * *b - axis[1] * *a);
                    }
                }
                swept.free = turn(axis, &swept.free);
            }
            _ => {
                swept.kind = Kind::Smooth;
                for k in 1..3 {
                    swept.rows.iter_mut().for_each(|side| side[k] = [0.0; W]);
                    swept.free[k] = 0.0;
                }
            }
        }
        swept.rows.as_flattened_mut().as_flattened_mut().iter_mut().for_each(|x| *x *= inverse_length);
        swept.free = scale(&swept.free, inverse_length);
        if !problem.softness.is_empty() {
            let mut matrix = [[0.0; 3]; 3];
            for k in 0..constraint.count {
                // S of the turned axes is AᵀSA.
                let columns = turn(axis, &std::array::from_fn(|j| if j == k { 1.0 } else { 0.0 }));
                for i in 0..3 {
                    for j in 0..3 {
                        matrix[i][j] += columns[i] * columns[j] * soft[k] * inverse;
                    }
                }
            }
            self.softness.push(matrix);
        }
        self.constraints.push(swept);
        self.units.push(Units { constraint: number, length, axis, law });
        Ok(())
    }

    fn update_motion(&mut self) {
        self.motion.fill([0.0; W]);
        for (constraint, r) in self.constraints.iter().zip(&self.r) {
            if *r != [0.0; 3] {
                constraint.push(r, &mut self.motion);
            }
        }
    }

    /// Sweeps until the scaled residual is small enough. It is looked at every so many sweeps and at the end; at the end alone if `interval` is zero.
    pub fn run(&mut self, tolerance: f64, max_sweeps: usize, interval: usize) -> Swept {
        self.anderson.restart();
        let mut swept = Swept { sweeps: 0, scaled_residual: f64::INFINITY, residual: f64::INFINITY };
        loop {
            let accelerates = swept.sweeps >= SWEEPS_BEFORE_ACCELERATION;
            if accelerates {
                self.start.clone_from(&self.r);
            }
            for backwards in [false, true] {
                if swept.sweeps < max_sweeps {
                    in_lanes(Sweep(self, backwards));
                    swept.sweeps += 1;
                }
            }
            let ends = swept.sweeps == max_sweeps || crate::is_interrupted();
            if ends || (interval > 0 && swept.sweeps.is_multiple_of(interval.next_multiple_of(2))) {
                (swept.scaled_residual, swept.residual) = self.residuals();
            }
            if ends {
                return swept;
            }
            // The static coefficients decide which contacts slide.
            let is_solved = swept.scaled_residual <= tolerance;
            if is_solved || 2 * swept.sweeps >= max_sweeps {
                let changes = self.change_coefficients();
                if is_solved && !changes {
                    return swept;
                }
                if changes {
                    self.anderson.restart();
                    continue;
                }
            }
            if accelerates {
                self.anderson.combine(&self.start, &mut self.r);
                self.update_motion();
            }
        }
    }

    /// Gives contacts that slide their kinetic coefficient. Whether any had another one.
    fn change_coefficients(&mut self) -> bool {
        let mut changes = false;
        for constraint in &mut self.constraints {
            if constraint.slides && !constraint.is_kinetic && constraint.kinetic_friction < constraint.friction {
                (constraint.friction, constraint.is_kinetic) = (constraint.kinetic_friction, true);
                changes = true;
            }
        }
        changes
    }

    /// Writes the impulses.
    pub fn finish(&self, constraints: &[Constraint], impulses: &mut [f64]) {
        for (units, r) in self.units.iter().zip(&self.r) {
            let r = turn([units.axis[0], -units.axis[1]], r);
            let constraint = &constraints[units.constraint as usize];
            constraint.rows().iter().zip(r).for_each(|(&row, value)| impulses[row] = value / units.length);
        }
    }

    /// Relative residuals in scaled and in the caller's units.
    fn residuals(&self) -> (f64, f64) {
        let (mut scaled, mut unscaled, mut free, mut unscaled_free) = (0.0, 0.0, 0.0, 0.0);
        for (k, constraint) in self.constraints.iter().enumerate() {
            let (r, units) = (&self.r[k], &self.units[k]);
            let u = self.velocity(k);
            let law = match units.law {
                Law::Coulomb(_) if constraint.is_kinetic => Law::Coulomb(constraint.friction),
                law => law,
            };
            let defect = law.defect(r, &u);
            scaled += dot(&defect, &defect);
            free += dot(&constraint.free, &constraint.free);
            let defect =
                law.rescaled(1.0 / units.length).defect(&scale(r, 1.0 / units.length), &scale(&u, units.length));
            unscaled += dot(&defect, &defect);
            unscaled_free += units.length * units.length * dot(&constraint.free, &constraint.free);
        }
        let relative = |sum: f64, size: f64| if sum == 0.0 { 0.0 } else { (sum / size).sqrt() };
        (relative(scaled, free), relative(unscaled, unscaled_free))
    }

    #[inline(always)]
    fn velocity(&self, k: usize) -> Vector {
        let mut u = self.constraints[k].rates(&self.motion);
        if let Some(soft) = self.softness.get(k) {
            let more = apply(soft, &self.r[k]);
            (0..3).for_each(|i| u[i] += more[i]);
        }
        u
    }

    #[inline(always)]
    fn sweep(&mut self, backwards: bool) {
        let count = self.constraints.len();
        for place in 0..count {
            let k = if backwards { count - 1 - place } else { place };
            let u = self.velocity(k);
            let r = self.r[k];
            let constraint = &mut self.constraints[k];
            let new = match constraint.kind {
                Kind::Rough => constraint.solve(&r, &u),
                Kind::Smooth => [(r[0] - u[0] * constraint.inverse_normal).max(0.0), 0.0, 0.0],
                Kind::Joint(number) => subtract(&r, &apply(&self.joints[number as usize], &u)),
                Kind::Preloaded(preload) => constraint.solve_preloaded(&r, &u, preload),
            };
            let change = subtract(&new, &r);
            if change != [0.0; 3] {
                self.r[k] = new;
                constraint.push(&change, &mut self.motion);
            }
        }
    }
}

/// One sweep, in the registers that there are.
struct Sweep<'a, const W: usize>(&'a mut Sweeps<W>, bool);

impl<const W: usize> Task for Sweep<'_, W> {
    type Output = ();
    #[inline(always)]
    fn run<R: Registers>(self, _: R) {
        self.0.sweep(self.1);
    }
}

/// Tangential components in turned axes.
#[inline(always)]
fn turn(axis: [f64; 2], v: &Vector) -> Vector {
    [v[0], axis[0] * v[1] + axis[1] * v[2], axis[0] * v[2] - axis[1] * v[1]]
}

impl<const W: usize> SweptConstraint<W> {
    /// Velocities along the rows.
    #[inline(always)]
    fn rates(&self, motion: &[[f64; W]]) -> Vector {
        let [a, b] = self.bodies.map(|body| &motion[body as usize]);
        let mut u = self.free;
        for row in 0..3 {
            let (first, second) = (&self.rows[0][row], &self.rows[1][row]);
            // Four sums, so that numbers are loaded in the groups in which they were stored.
            let mut sums = [0.0; 4];
            for k in 0..W {
                sums[k % 4] += first[k] * a[k] + second[k] * b[k];
            }
            u[row] += (sums[0] + sums[1]) + (sums[2] + sums[3]);
        }
        u
    }

    /// motion ← motion + G r.
    #[inline(always)]
    fn push(&self, r: &Vector, motion: &mut [[f64; W]]) {
        for side in 0..2 {
            let part = &mut motion[self.bodies[side] as usize];
            let rows = &self.rows[side];
            for k in 0..W {
                part[k] += rows[0][k] * r[0] + (rows[1][k] * r[1] + rows[2][k] * r[2]);
            }
        }
    }

    /// The impulse that obeys Coulomb's law, from the last one and the velocity with it.
    #[inline(always)]
    fn solve(&mut self, r: &Vector, u: &Vector) -> Vector {
        let [c0, c1] = self.coupling;
        let free_normal = u[0] - (self.normal * r[0] + (c0 * r[1] + c1 * r[2]));
        if free_normal >= 0.0 {
            return [0.0; 3];
        }
        let inverse = self.inverse_normal;
        let b = [0, 1].map(|k| u[k + 1] - self.coupling[k] * inverse * u[0] - self.stiffness[k] * r[k + 1]);
        let normal_at = |t: [f64; 2]| -(free_normal + (c0 * t[0] + c1 * t[1])) * inverse;
        let t = [0, 1].map(|k| -b[k] * self.inverse_stiffness[k]);
        let normal = normal_at(t);
        let (square, bound) = (t[0] * t[0] + t[1] * t[1], self.friction * normal);
        if bound >= 0.0 && square <= bound * bound {
            self.slides = false;
            return [normal, t[0], t[1]];
        }
        self.slides = true;
        self.slide(b, free_normal)
    }

    /// The impulse of a contact that slides: |r_T| = μ r_N, by Newton's method on 1/|r_T| − 1/(μ r_N) within a bracket.
    #[inline(always)]
    fn slide(&mut self, b: [f64; 2], free_normal: f64) -> Vector {
        let [c0, c1] = self.coupling;
        let inverse = self.inverse_normal;
        let (mut low, mut high) = (0.0, f64::INFINITY);
        let mut slip = if self.slip > 0.0 { self.slip } else { self.stiffness[0] };
        for _ in 0..MAX_SLIP_STEPS {
            let compliance = [0, 1].map(|k| 1.0 / (self.stiffness[k] + slip));
            let t = [0, 1].map(|k| -b[k] * compliance[k]);
            let bound = -(free_normal + (c0 * t[0] + c1 * t[1])) * inverse * self.friction;
            let rate = [0, 1].map(|k| -t[k] * compliance[k]);
            let square = t[0] * t[0] + t[1] * t[1];
            let length = square.sqrt();
            *(if length > bound { &mut low } else { &mut high }) = slip;
            let bound_rate = -(c0 * rate[0] + c1 * rate[1]) * inverse * self.friction;
            let next = if bound > 0.0 {
                // 1/|r_T| − 1/bound over its derivative, multiplied by |r_T| bound².
                let value = bound * (bound - length);
                let slope = bound_rate * length - (t[0] * rate[0] + t[1] * rate[1]) * bound * bound / square;
                slip - value / slope
            } else {
                f64::NAN
            };
            // A small step may leave the bracket by rounding.
            if (next - slip).abs() <= SLIP_TOLERANCE * slip {
                slip = next;
                break;
            }
            slip = match (next > low && next < high, high.is_finite()) {
                (true, _) => next,
                (false, true) => 0.5 * (low + high),
                (false, false) => 8.0 * slip,
            };
        }
        self.slip = slip;
        let t = [0, 1].map(|k| -b[k] / (self.stiffness[k] + slip));
        let normal = (-(free_normal + (c0 * t[0] + c1 * t[1])) * inverse).max(0.0);
        let length = (t[0] * t[0] + t[1] * t[1]).sqrt();
        let factor = if length > 0.0 { self.friction * normal / length } else { 0.0 };
        [normal, factor * t[0], factor * t[1]]
    }

    fn solve_preloaded(&mut self, r: &Vector, u: &Vector, preload: f64) -> Vector {
        let mut w = [[0.0; 3]; 3];
        w[0][0] = self.normal;
        for i in 0..2 {
            (w[0][i + 1], w[i + 1][0]) = (self.coupling[i], self.coupling[i]);
            for j in 0..2 {
                w[i + 1][j + 1] = self.coupling[i] * self.coupling[j] / self.normal;
            }
            w[i + 1][i + 1] += self.stiffness[i];
        }
        let q = subtract(u, &apply(&w, r));
        let tangent = solve_in_disc(&w, [q[1], q[2]], self.friction * preload);
        let opening = q[0] + self.coupling[0] * tangent[0] + self.coupling[1] * tangent[1];
        if opening >= 0.0 {
            return [0.0, tangent[0], tangent[1]];
        }
        let shifted = [0, 1, 2].map(|k| q[k] - w[k][0] * preload);
        let [normal, x, y] = self.solve(&[0.0; 3], &shifted);
        [(normal - preload).max(0.0), x, y]
    }
}
