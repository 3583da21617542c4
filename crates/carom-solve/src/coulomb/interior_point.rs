//! Interior points on De Saxcé's form of Coulomb's law.
//!
//! With x = (μ r_N, r_T) and y = (ũ_N/μ, ũ_T) both lie in the unit second-order cone and x ∘ y = 0. Mehrotra's predictor and corrector
//! with Nesterov and Todd's scaling follow the path x ∘ y = σe of y − e|y_T| = W'x + q'. The term e|y_T| is part of Newton's matrix: evaluating it at the
//! last point instead makes convergence linear.
//!
//! A contact with a preload p has x = (μ(p + r_N), r_T) and two conditions: 0 ≤ r_N ⊥ u_N ≥ 0, and x ∘ y = 0 with y_T = u_T, where y_N is free.

use super::cone::Law;
use super::delassus::{Delassus, NewtonBlock};
use super::island::{Island, Residual};
use super::newton::{State, state};
use super::small::{IDENTITY, Matrix, Vector, add, apply, dot, multiply, scale, tangential};

/// The regularization of bilateral rows, relative to the diagonal of W.
const BILATERAL_REGULARIZATION: f64 = 1e-9;
/// δ, added to W in Newton's matrix but not in the residual. It bounds the compliance of contacts that stick, and with it the loss of digits.
const REGULARIZATION: f64 = 1e-7;
/// By how much it grows where linear equations are not solved, up to which bound.
const REGULARIZATION_GROWTH: f64 = 30.0;
const MAX_REGULARIZATION: f64 = 1e-2;
/// Relative residuals of linear equations below which refinement ends. Steps to the border of the cones need no more digits.
const LINEAR_TOLERANCE: f64 = 1e-6;
/// Relative residuals of linear equations that make a step useless.
const MAX_LINEAR_RESIDUAL: f64 = 1e-3;
/// The part of the way to the border of the cone that predictor and corrector go.
const PREDICTOR_REACH: f64 = 0.995;
const CORRECTOR_REACH: f64 = 0.98;
/// So many steps in a row that are shorter than this lead nowhere.
const SHORT_STEP: f64 = 0.05;
const MAX_SHORT_STEPS: usize = 5;
/// After a shorter predictor its second-order term is too inaccurate to be corrected.
const MIN_CORRECTED_REACH: f64 = 0.3;

/// Memory of the method.
#[derive(Debug, Default)]
pub(crate) struct InteriorPoint {
    x: Vec<Vector>,
    y: Vec<Vector>,
    /// The normals of contacts with a preload; those of others are not used.
    normals: Vec<NormalPair>,
    contacts: Vec<Scaling>,
    blocks: Vec<NewtonBlock>,
    residuals: Vec<Vector>,
    right: Vec<Vector>,
    dr: Vec<Vector>,
    du: Vec<Vector>,
    dx: Vec<Vector>,
    dy: Vec<Vector>,
    u: Vec<Vector>,
    /// The impulses of the current point.
    pub r: Vec<Vector>,
    /// What contacts do at the current point, and how many steps ago that was different.
    states: Vec<State>,
    pub steps_with_states: usize,
    /// How many contacts have a preload.
    preloads: usize,
    last_length: f64,
    /// Short steps in a row.
    short_steps: usize,
    /// δ, relative to the diagonal of W.
    regularization: f64,
}

/// r_N and u_N of a contact with a preload, and their steps.
#[derive(Debug, Clone, Copy, Default)]
struct NormalPair {
    impulse: f64,
    velocity: f64,
    impulse_step: f64,
    velocity_step: f64,
    /// The step of the velocity if that of the impulse is zero.
    wanted: f64,
}

/// Nesterov and Todd's scaling of one contact.
#[derive(Debug, Clone, Copy, Default)]
struct Scaling {
    /// F with F y = F⁻¹ x, its inverse, F⁻², and (F⁻² + δ)⁻¹.
    forward: Matrix,
    inverse: Matrix,
    square: Matrix,
    regularized: Matrix,
    /// λ = F y.
    center: Vector,
    /// I − e tᵀ: the derivative of y − e|y_T|.
    slope: Matrix,
}

/// How a step went.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Progress {
    /// A step of this length was made.
    Step(f64),
    /// Numbers ran out of digits.
    Stalled,
}

/// The coefficient by which normals are scaled; contacts without friction have no tangents and any will do.
fn coefficient(law: Law) -> f64 {
    match law {
        Law::Coulomb(friction) | Law::Associated(friction) | Law::Preloaded { friction, .. } if friction > 0.0 => {
            friction
        }
        _ => 1.0,
    }
}

fn is_preloaded(law: Law) -> bool {
    matches!(law, Law::Preloaded { .. })
}

impl InteriorPoint {
    /// Starts at the centre of the cones.
    pub fn begin<D: Delassus>(&mut self, island: &Island<D>) {
        self.x.clear();
        self.y.clear();
        for &law in &island.laws {
            let size = match law {
                Law::Bilateral => 0.0,
                Law::Preloaded { friction, preload } => friction * (preload + 1.0),
                _ => 1.0,
            };
            self.x.push([size, 0.0, 0.0]);
            self.y.push([if size > 0.0 { 1.0 / size } else { 0.0 }, 0.0, 0.0]);
        }
        let center = NormalPair { impulse: 1.0, velocity: 1.0, ..NormalPair::default() };
        self.normals.clear();
        self.normals.resize(island.len(), center);
        self.preloads = island.laws.iter().filter(|law| is_preloaded(**law)).count();
        self.last_length = 1.0;
        self.short_steps = 0;
        self.regularization = REGULARIZATION;
        self.states.clear();
        self.update_impulses(island);
    }

    fn update_impulses<D: Delassus>(&mut self, island: &Island<D>) {
        self.r.clear();
        let normal = |contact: usize, law: Law| match law {
            Law::Preloaded { .. } => self.normals[contact].impulse,
            law => self.x[contact][0] / coefficient(law),
        };
        let impulses = island.laws.iter().zip(&self.x).enumerate();
        self.r.extend(impulses.map(|(contact, (&law, x))| [normal(contact, law), x[1], x[2]]));
    }

    /// The mean of xᵀy: how far from the solution, as long as the equations hold.
    pub fn gap<D: Delassus>(&self, island: &Island<D>) -> f64 {
        self.mean_product(island, 0.0)
    }

    /// The mean of xᵀy after a part of the step.
    fn mean_product<D: Delassus>(&self, island: &Island<D>, part: f64) -> f64 {
        let mut sum = 0.0;
        for contact in 0..self.x.len() {
            if part == 0.0 {
                sum += dot(&self.x[contact], &self.y[contact]);
            } else {
                let x = add(&self.x[contact], &scale(&self.dx[contact], part));
                let y = add(&self.y[contact], &scale(&self.dy[contact], part));
                sum += dot(&x, &y);
            }
        }
        if self.preloads > 0 {
            for (normal, _) in self.normals.iter().zip(&island.laws).filter(|(_, law)| is_preloaded(**law)) {
                let impulse = normal.impulse + part * normal.impulse_step;
                sum += impulse * (normal.velocity + part * normal.velocity_step);
            }
        }
        sum / (self.x.len() + self.preloads).max(1) as f64
    }

    /// The residual of the current impulses.
    pub fn residual<D: Delassus>(&mut self, island: &Island<D>) -> Residual {
        island.velocities(&self.r, &mut self.u);
        let states = island.laws.iter().zip(&self.r).zip(&self.u).map(|((law, r), u)| state(*law, r, u));
        if states.clone().eq(self.states.iter().copied()) {
            self.steps_with_states += 1;
        } else {
            self.states.clear();
            self.states.extend(states);
            self.steps_with_states = 0;
        }
        island.residual(&self.r, &self.u)
    }

    /// One predictor and corrector. `residual` must have been called for the current point.
    pub fn step<D: Delassus>(&mut self, island: &mut Island<D>) -> Progress {
        loop {
            if crate::is_interrupted() {
                return Progress::Stalled;
            }
            match self.try_step(island) {
                None if self.regularization < MAX_REGULARIZATION => self.regularization *= REGULARIZATION_GROWTH,
                None => return Progress::Stalled,
                Some(progress) => return progress,
            }
        }
    }

    /// One predictor and corrector; nothing if the linear equations are too badly conditioned.
    fn try_step<D: Delassus>(&mut self, island: &mut Island<D>) -> Option<Progress> {
        self.scale(island);
        if self.contacts.iter().any(|contact| !contact.center[0].is_finite()) || !island.factorize(&self.blocks) {
            return None;
        }
        let gap = self.gap(island);
        self.set_target(island, 0.0, false);
        if self.solve(island) >= MAX_LINEAR_RESIDUAL {
            return None;
        }
        let reach = self.longest_step(island, PREDICTOR_REACH);
        let mut centering = (self.mean_product(island, reach) / gap).min(1.0).powi(3);
        // After a short step the path is sought before the solution.
        if self.last_length < 0.05 {
            centering = centering.max(0.8);
        } else if self.last_length < 0.3 {
            centering = centering.max(0.3);
        }
        self.set_target(island, centering * gap, reach >= MIN_CORRECTED_REACH);
        self.solve(island);
        let length = self.longest_step(island, CORRECTOR_REACH);
        if !length.is_finite() || self.dx.iter().chain(&self.dy).any(|d| !dot(d, d).is_finite()) {
            return None;
        }
        for k in 0..self.x.len() {
            self.x[k] = add(&self.x[k], &scale(&self.dx[k], length));
            self.y[k] = add(&self.y[k], &scale(&self.dy[k], length));
            let normal = &mut self.normals[k];
            normal.impulse += length * normal.impulse_step;
            normal.velocity += length * normal.velocity_step;
        }
        self.last_length = length;
        self.short_steps = if length < SHORT_STEP { self.short_steps + 1 } else { 0 };
        if self.short_steps == MAX_SHORT_STEPS {
            return Some(Progress::Stalled);
        }
        self.update_impulses(island);
        let inside = |(v, law): (&Vector, &Law)| *law == Law::Bilateral || determinant(v) > 0.0;
        if self.x.iter().zip(&island.laws).all(inside) && self.y.iter().zip(&island.laws).all(inside) {
            Some(Progress::Step(length))
        } else {
            Some(Progress::Stalled)
        }
    }

    /// Residuals, scalings and Newton's blocks at the current point, whose velocities are known.
    fn scale<D: Delassus>(&mut self, island: &Island<D>) {
        self.contacts.clear();
        self.blocks.clear();
        self.residuals.clear();
        for contact in 0..island.len() {
            let (x, y, u, law) = (&self.x[contact], &self.y[contact], &self.u[contact], island.laws[contact]);
            if law == Law::Bilateral {
                self.residuals.push(scale(u, -1.0));
                let mut impulse = IDENTITY;
                (0..3).for_each(|k| impulse[k][k] = BILATERAL_REGULARIZATION);
                let mut block = NewtonBlock::new(impulse, IDENTITY);
                island.finish_block(contact, &mut block, &mut [0.0; 3]);
                self.blocks.push(block);
                self.contacts.push(Scaling::default());
                continue;
            }
            if let Law::Preloaded { friction, .. } = law {
                self.scale_preloaded(island, contact, friction);
                continue;
            }
            let friction = coefficient(law);
            let regularization = self.regularization * (1.0 / (friction * friction)).max(1.0);
            let slip = tangential(y);
            let saxce = matches!(law, Law::Coulomb(_));
            let correction = if saxce { slip } else { 0.0 };
            self.residuals.push([y[0] - correction - u[0] / friction, y[1] - u[1], y[2] - u[2]]);
            let mut slope = IDENTITY;
            if saxce && slip > 0.0 {
                (1..3).for_each(|k| slope[0][k] = -y[k] / slip);
            }
            let scaling = Scaling::new(x, y, slope, regularization);
            let mut square = scaling.square;
            (0..3).for_each(|k| square[k][k] += regularization);
            let mut impulse = multiply(&slope, &square);
            impulse.iter_mut().for_each(|row| row[0] *= friction);
            let mut velocity = IDENTITY;
            velocity[0][0] = 1.0 / friction;
            // (B (F⁻² + δ) D)⁻¹ = D⁻¹ (F⁻² + δ)⁻¹ B⁻¹, and B⁻¹ = I + e tᵀ.
            let mut back = slope;
            (1..3).for_each(|k| back[0][k] = -back[0][k]);
            let mut inverse = multiply(&scaling.regularized, &back);
            inverse[0].iter_mut().for_each(|value| *value /= friction);
            let mut block = NewtonBlock { impulse, velocity, inverse: Some(inverse) };
            island.finish_block(contact, &mut block, &mut [0.0; 3]);
            self.blocks.push(block);
            self.contacts.push(scaling);
        }
    }

    /// Scaling and Newton's block of a contact with a preload.
    fn scale_preloaded<D: Delassus>(&mut self, island: &Island<D>, contact: usize, friction: f64) {
        let (x, y, u, normal) = (&self.x[contact], &self.y[contact], &self.u[contact], &self.normals[contact]);
        self.residuals.push([normal.velocity - u[0], y[1] - u[1], y[2] - u[2]]);
        let scaling = Scaling::new(x, y, IDENTITY, self.regularization);
        let mut impulse = scaling.square;
        impulse[0] = [normal.velocity / normal.impulse, 0.0, 0.0];
        (1..3).for_each(|row| impulse[row][0] *= friction);
        (0..3).for_each(|k| impulse[k][k] += self.regularization);
        let mut block = NewtonBlock::new(impulse, IDENTITY);
        island.finish_block(contact, &mut block, &mut [0.0; 3]);
        self.blocks.push(block);
        self.contacts.push(scaling);
    }

    /// The right-hand side for x ∘ y = `target` e; the corrector takes the predictor's second-order term with it.
    fn set_target<D: Delassus>(&mut self, island: &Island<D>, target: f64, correct: bool) {
        self.right.clear();
        self.dy.resize(island.len(), [0.0; 3]);
        for contact in 0..island.len() {
            if island.laws[contact] == Law::Bilateral {
                let mut right = self.residuals[contact];
                (island.rows[contact] as usize..3).for_each(|row| right[row] = 0.0);
                self.right.push(right);
                continue;
            }
            let scaling = &self.contacts[contact];
            let mut wanted = scale(&jordan(&scaling.center, &scaling.center), -1.0);
            wanted[0] += target;
            if correct {
                let (dx, dy) = (apply(&scaling.inverse, &self.dx[contact]), apply(&scaling.forward, &self.dy[contact]));
                let second = jordan(&dx, &dy);
                wanted = [wanted[0] - second[0], wanted[1] - second[1], wanted[2] - second[2]];
            }
            let wanted = apply(&scaling.inverse, &divide(&scaling.center, &wanted));
            let mut right = add(&apply(&scaling.slope, &wanted), &self.residuals[contact]);
            if is_preloaded(island.laws[contact]) {
                let normal = &mut self.normals[contact];
                let second = if correct { normal.impulse_step * normal.velocity_step } else { 0.0 };
                normal.wanted = (target - second) / normal.impulse - normal.velocity;
                right[0] = normal.wanted + self.residuals[contact][0];
            }
            (island.rows[contact] as usize..3).for_each(|row| right[row] = 0.0);
            self.right.push(right);
            // Kept here until the solve turns it into dy.
            self.dy[contact] = wanted;
        }
    }

    /// Steps of x and y.
    fn solve<D: Delassus>(&mut self, island: &mut Island<D>) -> f64 {
        let residual = island.solve_newton(&self.blocks, &self.right, [&mut self.dr, &mut self.du], LINEAR_TOLERANCE);
        self.dx.resize(island.len(), [0.0; 3]);
        self.dy.resize(island.len(), [0.0; 3]);
        for contact in 0..island.len() {
            let dr = &self.dr[contact];
            if island.laws[contact] == Law::Bilateral {
                self.dx[contact] = *dr;
                self.dy[contact] = [0.0; 3];
                continue;
            }
            if is_preloaded(island.laws[contact]) {
                let normal = &mut self.normals[contact];
                normal.impulse_step = dr[0];
                normal.velocity_step = normal.wanted - normal.velocity / normal.impulse * dr[0];
            }
            let dx = [dr[0] * coefficient(island.laws[contact]), dr[1], dr[2]];
            let square = apply(&self.contacts[contact].square, &dx);
            self.dy[contact] = std::array::from_fn(|k| self.dy[contact][k] - square[k]);
            self.dx[contact] = dx;
        }
        residual
    }

    /// The part of the step, at most one, that stays so far within all cones.
    fn longest_step<D: Delassus>(&self, island: &Island<D>, reach: f64) -> f64 {
        let mut length = 1.0f64;
        for contact in 0..island.len() {
            if island.laws[contact] != Law::Bilateral {
                length = length.min(reach * reach_of_cone(&self.x[contact], &self.dx[contact]));
                length = length.min(reach * reach_of_cone(&self.y[contact], &self.dy[contact]));
            }
            if is_preloaded(island.laws[contact]) {
                let normal = &self.normals[contact];
                for (value, step) in [(normal.impulse, normal.impulse_step), (normal.velocity, normal.velocity_step)] {
                    if step < 0.0 {
                        length = length.min(reach * -value / step);
                    }
                }
            }
        }
        length
    }
}

impl Scaling {
    fn new(x: &Vector, y: &Vector, slope: Matrix, regularization: f64) -> Self {
        let (size_x, size_y) = (determinant(x).sqrt(), determinant(y).sqrt());
        let (a, b) = (scale(x, 1.0 / size_x), scale(y, 1.0 / size_y));
        let factor = 1.0 / (2.0 * (1.0 + dot(&a, &b))).sqrt();
        let w = [(a[0] + b[0]) * factor, (a[1] - b[1]) * factor, (a[2] - b[2]) * factor];
        // F has the eigenvectors (1, ±t)/√2 and (0, t⊥), with w₀² − |w_T|² = 1.
        let length = tangential(&w);
        let t = if length > 0.0 { [w[1] / length, w[2] / length] } else { [1.0, 0.0] };
        let size = (size_x / size_y).sqrt();
        let values = [size * (w[0] + length), size / (w[0] + length), size];
        let forward = spectral(t, values);
        let inverse = spectral(t, values.map(|value| 1.0 / value));
        let square = spectral(t, values.map(|value| 1.0 / (value * value)));
        let regularized = spectral(t, values.map(|value| 1.0 / (1.0 / (value * value) + regularization)));
        Scaling { forward, inverse, square, regularized, center: apply(&forward, y), slope }
    }
}

/// The matrix with eigenvectors (1, t)/√2, (1, −t)/√2 and (0, t⊥) and these eigenvalues.
fn spectral(t: [f64; 2], [plus, minus, across]: [f64; 3]) -> Matrix {
    let (mean, half) = (0.5 * (plus + minus), 0.5 * (plus - minus));
    let mut matrix = [[mean, half * t[0], half * t[1]], [half * t[0], 0.0, 0.0], [half * t[1], 0.0, 0.0]];
    let n = [-t[1], t[0]];
    for i in 0..2 {
        for j in 0..2 {
            matrix[i + 1][j + 1] = mean * t[i] * t[j] + across * n[i] * n[j];
        }
    }
    matrix
}

/// x₀² − |x_T|² without cancellation.
fn determinant(x: &Vector) -> f64 {
    let slip = tangential(x);
    (x[0] - slip) * (x[0] + slip)
}

/// The Jordan product of the second-order cone.
fn jordan(x: &Vector, y: &Vector) -> Vector {
    [dot(x, y), x[0] * y[1] + y[0] * x[1], x[0] * y[2] + y[0] * x[2]]
}

/// z with x ∘ z = y, for x inside the cone.
fn divide(x: &Vector, y: &Vector) -> Vector {
    let first = (x[0] * y[0] - (x[1] * y[1] + x[2] * y[2])) / determinant(x);
    [first, (y[1] - first * x[1]) / x[0], (y[2] - first * x[2]) / x[0]]
}

/// How many times d can be added to x before the border of the cone is reached.
fn reach_of_cone(x: &Vector, d: &Vector) -> f64 {
    let (a, b, c) = (determinant(d), x[0] * d[0] - (x[1] * d[1] + x[2] * d[2]), determinant(x));
    let mut reach = if d[0] < 0.0 { -x[0] / d[0] } else { f64::INFINITY };
    let discriminant = b * b - a * c;
    if discriminant >= 0.0 {
        let k = -(b + b.signum() * discriminant.sqrt());
        for root in [k / a, c / k] {
            if root.is_finite() && root > 1e-16 {
                reach = reach.min(root);
            }
        }
    }
    reach
}
