//! Interior points on De Saxcé's form of Coulomb's law.
//!
//! With x = (μ r_N, r_T) and y = (ũ_N/μ, ũ_T) both lie in the unit second-order cone and x ∘ y = 0. Mehrotra's predictor and corrector
//! with Nesterov and Todd's scaling follow the path x ∘ y = σe of y − e|y_T| = W'x + q'. The term e|y_T| is part of Newton's matrix: evaluating it at the
//! last point instead makes convergence linear.

use super::cone::Law;
use super::delassus::{Delassus, NewtonBlock};
use super::island::{Island, Residual};
use super::small::{IDENTITY, Matrix, Vector, add, apply, dot, invert, multiply, scale, tangential};

/// The regularization of bilateral rows, relative to the diagonal of W.
const BILATERAL_REGULARIZATION: f64 = 1e-9;
/// δ, added to W in Newton's matrix but not in the residual. It bounds the compliance of contacts that stick, and with it the loss of digits.
const REGULARIZATION: f64 = 1e-7;
/// By how much it grows where linear equations are not solved, up to which bound.
const REGULARIZATION_GROWTH: f64 = 30.0;
const MAX_REGULARIZATION: f64 = 1e-2;
/// Relative residuals of linear equations that make a step useless.
const MAX_LINEAR_RESIDUAL: f64 = 1e-3;
/// The part of the way to the border of the cone that predictor and corrector go.
const PREDICTOR_REACH: f64 = 0.995;
const CORRECTOR_REACH: f64 = 0.98;

/// Memory of the method.
#[derive(Debug, Default)]
pub(crate) struct InteriorPoint {
    x: Vec<Vector>,
    y: Vec<Vector>,
    contacts: Vec<Scaling>,
    blocks: Vec<NewtonBlock>,
    residuals: Vec<Vector>,
    right: Vec<Vector>,
    dr: Vec<Vector>,
    dx: Vec<Vector>,
    dy: Vec<Vector>,
    u: Vec<Vector>,
    /// The impulses of the current point.
    pub r: Vec<Vector>,
    last_length: f64,
    /// δ, relative to the diagonal of W.
    regularization: f64,
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
        Law::Coulomb(friction) | Law::Associated(friction) if friction > 0.0 => friction,
        _ => 1.0,
    }
}

impl InteriorPoint {
    /// Starts at the centre of the cones.
    pub fn begin<D: Delassus>(&mut self, island: &Island<D>) {
        let center = |law: &Law| if *law == Law::Bilateral { [0.0; 3] } else { [1.0, 0.0, 0.0] };
        self.x.clear();
        self.x.extend(island.laws.iter().map(center));
        self.y.clone_from(&self.x);
        self.last_length = 1.0;
        self.regularization = REGULARIZATION;
        self.update_impulses(island);
    }

    fn update_impulses<D: Delassus>(&mut self, island: &Island<D>) {
        self.r.clear();
        self.r.extend(self.x.iter().zip(&island.laws).map(|(x, &law)| [x[0] / coefficient(law), x[1], x[2]]));
    }

    /// The mean of xᵀy: how far from the solution, as long as the equations hold.
    pub fn gap(&self) -> f64 {
        self.x.iter().zip(&self.y).map(|(x, y)| dot(x, y)).sum::<f64>() / self.x.len().max(1) as f64
    }

    /// The residual of the current impulses.
    pub fn residual<D: Delassus>(&mut self, island: &Island<D>) -> Residual {
        island.velocities(&self.r, &mut self.u);
        island.residual(&self.r, &self.u)
    }

    /// One predictor and corrector. `residual` must have been called for the current point.
    pub fn step<D: Delassus>(&mut self, island: &mut Island<D>) -> Progress {
        loop {
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
        if self.contacts.iter().any(|contact| !contact.center[0].is_finite())
            || !island.delassus.factorize(&self.blocks)
        {
            return None;
        }
        let gap = self.gap();
        self.set_target(island, 0.0, false);
        if self.solve(island) >= MAX_LINEAR_RESIDUAL {
            return None;
        }
        let reach = self.longest_step(island, PREDICTOR_REACH);
        let ahead = self.x.iter().zip(&self.dx).zip(self.y.iter().zip(&self.dy));
        let ahead: f64 =
            ahead.map(|((x, dx), (y, dy))| dot(&add(x, &scale(dx, reach)), &add(y, &scale(dy, reach)))).sum();
        let mut centering = (ahead / self.x.len() as f64 / gap).min(1.0).powi(3);
        // After a short step the path is sought before the solution.
        if self.last_length < 0.05 {
            centering = centering.max(0.8);
        } else if self.last_length < 0.3 {
            centering = centering.max(0.3);
        }
        self.set_target(island, centering * gap, true);
        self.solve(island);
        let length = self.longest_step(island, CORRECTOR_REACH);
        if !length.is_finite() || self.dx.iter().chain(&self.dy).any(|d| !dot(d, d).is_finite()) {
            return None;
        }
        for k in 0..self.x.len() {
            self.x[k] = add(&self.x[k], &scale(&self.dx[k], length));
            self.y[k] = add(&self.y[k], &scale(&self.dy[k], length));
        }
        self.last_length = length;
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
            let mut block = NewtonBlock { impulse, velocity, inverse };
            island.finish_block(contact, &mut block, &mut [0.0; 3]);
            self.blocks.push(block);
            self.contacts.push(scaling);
        }
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
            (island.rows[contact] as usize..3).for_each(|row| right[row] = 0.0);
            self.right.push(right);
            // Kept here until the solve turns it into dy.
            self.dy[contact] = wanted;
        }
    }

    /// Steps of x and y.
    fn solve<D: Delassus>(&mut self, island: &mut Island<D>) -> f64 {
        let (right, mut dr) = (std::mem::take(&mut self.right), std::mem::take(&mut self.dr));
        let residual = island.solve_newton(&self.blocks, &right, &mut dr);
        (self.right, self.dr) = (right, dr);
        self.dx.resize(island.len(), [0.0; 3]);
        self.dy.resize(island.len(), [0.0; 3]);
        for contact in 0..island.len() {
            let dr = &self.dr[contact];
            if island.laws[contact] == Law::Bilateral {
                self.dx[contact] = *dr;
                self.dy[contact] = [0.0; 3];
                continue;
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

/// z with x ∘ z = y.
fn divide(x: &Vector, y: &Vector) -> Vector {
    let arrow = [[x[0], x[1], x[2]], [x[1], x[0], 0.0], [x[2], 0.0, x[0]]];
    apply(&invert(&arrow), y)
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
