//! A body in motion: rigid motion plus modes (*Bounce*, §3.1), and how it flies through one time step.
//!
//! The mass matrix is that of Eq. 6: rigid motion and modes are coupled by the contact only. Left out are the terms
//! of floating-frame mechanics that are products of deformation or its rate with spin, such as the Coriolis
//! force 2w × Uq̇ and the change of inertia with q. They are smaller than what is kept by |Uq|/|X| and |w|/ω, about
//! 10⁻³ for a stiff body at 1 m/s. Kept is the gyroscopic term −w × Iw of the undeformed body.

use glam::{DMat3, DQuat, DVec3};

use crate::Site;
use crate::oscillator::Flight;

/// State of a body. Vectors are in world axes, which are those of the body at the beginning, unless said otherwise.
pub(crate) struct Moving<'a> {
    site: &'a Site,
    inverse_inertia: DMat3,
    /// Σ Uᵢ Uᵢᵀ in body axes: what a unit impulse does to the point's velocity through the modes.
    modal_mobility: DMat3,
    /// How far the centre of mass has come.
    shift: DVec3,
    turn: DQuat,
    velocity: DVec3,
    /// Angular velocity in body axes.
    spin: DVec3,
    /// Modal coordinates and their rates.
    coordinates: Vec<f64>,
    rates: Vec<f64>,
    /// Σ Uᵢ qᵢ in body axes.
    bend: DVec3,
}

/// Exact flights of all modes of a body over one step.
pub(crate) struct Flights {
    step: f64,
    modes: Vec<Flight>,
    /// Σ Uᵢ Uᵢᵀ sᵢ/h in body axes: what a unit impulse does, through the modes, to the point's mean velocity over the step.
    mean_mobility: DMat3,
}

impl Flights {
    fn new(site: &Site, damping: f64, step: f64) -> Flights {
        let modes: Vec<_> = site.angular_frequencies.iter().map(|&omega| Flight::new(omega, damping, step)).collect();
        let weighted = site.shapes.iter().zip(&modes).map(|(&shape, flight)| outer(shape) * (flight.qv / step));
        let mean_mobility = weighted.fold(DMat3::ZERO, |sum, term| sum + term);
        Flights { step, modes, mean_mobility }
    }
}

impl<'a> Moving<'a> {
    /// A body at rest in itself that moves as given.
    pub fn new(site: &'a Site, velocity: DVec3, spin: DVec3) -> Moving<'a> {
        let modes = site.shapes.len();
        Moving {
            site,
            inverse_inertia: site.inertia.inverse(),
            modal_mobility: site.shapes.iter().fold(DMat3::ZERO, |sum, &shape| sum + outer(shape)),
            shift: DVec3::ZERO,
            turn: DQuat::IDENTITY,
            velocity,
            spin,
            coordinates: vec![0.0; modes],
            rates: vec![0.0; modes],
            bend: DVec3::ZERO,
        }
    }

    /// The exact flights of its modes over a step.
    pub fn flights(&self, damping: f64, step: f64) -> Flights {
        Flights::new(self.site, damping, step)
    }

    /// Whether it has modes.
    pub fn vibrates(&self) -> bool {
        !self.rates.is_empty()
    }

    /// How far the point has come.
    pub fn displacement(&self) -> DVec3 {
        self.rigid_displacement() + self.turn * self.bend
    }

    /// How far the point would have come without deformation.
    pub fn rigid_displacement(&self) -> DVec3 {
        self.shift + way_of_turn(self.turn, self.site.arm)
    }

    /// Velocity of the point (Eq. 3).
    pub fn point_velocity(&self) -> DVec3 {
        self.rigid_velocity() + self.turn * combination(&self.site.shapes, &self.rates)
    }

    /// Velocity of the point with the part of the modes projected out (§3.2).
    pub fn rigid_velocity(&self) -> DVec3 {
        self.velocity + self.turn * self.spin.cross(self.site.arm + self.bend)
    }

    /// J M⁻¹ Jᵀ: velocity of the point that a unit impulse gives.
    pub fn mobility(&self) -> DMat3 {
        self.mobility_with(&self.modal_mobility)
    }

    /// As [`Moving::mobility`], for the mean velocity over a flight.
    pub fn mean_mobility(&self, flights: &Flights) -> DMat3 {
        self.mobility_with(&flights.mean_mobility)
    }

    fn mobility_with(&self, modal: &DMat3) -> DMat3 {
        let turn = DMat3::from_quat(self.turn);
        let arm = cross_matrix(self.site.arm + self.bend);
        let rotational = arm * self.inverse_inertia * arm.transpose();
        DMat3::from_diagonal(DVec3::splat(1.0 / self.site.mass)) + turn * (rotational + *modal) * turn.transpose()
    }

    /// Applies an impulse at the point.
    pub fn push(&mut self, impulse: DVec3) {
        let local = self.turn.conjugate() * impulse;
        self.velocity += impulse / self.site.mass;
        self.spin += self.inverse_inertia * (self.site.arm + self.bend).cross(local);
        for (rate, shape) in self.rates.iter_mut().zip(&self.site.shapes) {
            *rate += shape.dot(local);
        }
    }

    /// The predictor of §3.3: velocities a step later, without contact.
    ///
    /// Damping is taken from the end of the step, so that it dissipates however strong it is.
    pub fn predict(&mut self, step: f64, damping: f64) {
        self.spin -= step * (self.inverse_inertia * self.spin.cross(self.site.inertia * self.spin));
        for ((rate, q), omega) in self.rates.iter_mut().zip(&self.coordinates).zip(&self.site.angular_frequencies) {
            let kick = step * omega * omega;
            *rate = (*rate - kick * q) / (1.0 + kick * damping);
        }
    }

    /// The rest of a step of symplectic Euler: positions follow the velocities.
    pub fn drift(&mut self, step: f64) {
        self.move_frame(step, self.spin);
        for (q, rate) in self.coordinates.iter_mut().zip(&self.rates) {
            *q += step * rate;
        }
        self.bend = combination(&self.site.shapes, &self.coordinates);
    }

    /// Where [`Moving::fly`] would bring the point, but for the little that spin changes within a step.
    pub fn displacement_after(&self, flights: &Flights) -> DVec3 {
        let (mut bend, step) = (DVec3::ZERO, flights.step);
        for (mode, flight) in flights.modes.iter().enumerate() {
            bend += self.site.shapes[mode] * flight.advance(self.coordinates[mode], self.rates[mode]).0;
        }
        let turn = self.turn * DQuat::from_scaled_axis(self.spin * step);
        self.shift + step * self.velocity + way_of_turn(turn, self.site.arm) + turn * bend
    }

    /// A step of exact free flight. Without damping energy is kept to round-off.
    pub fn fly(&mut self, flights: &Flights) {
        let step = flights.step;
        // Implicit midpoint, I(w′ − w) = −h w̄ × I w̄: energy is kept as w̄ is perpendicular to the right-hand side. The
        // change of spin in a step is minute, so a few substitutions reach round-off.
        let before = self.spin;
        let mut middle = before;
        if before != DVec3::ZERO {
            for _ in 0..4 {
                let after = before - step * (self.inverse_inertia * middle.cross(self.site.inertia * middle));
                middle = 0.5 * (before + after);
                self.spin = after;
            }
        }
        self.move_frame(step, middle);
        for (mode, flight) in flights.modes.iter().enumerate() {
            let (q, rate) = flight.advance(self.coordinates[mode], self.rates[mode]);
            (self.coordinates[mode], self.rates[mode]) = (q, rate);
        }
        self.bend = combination(&self.site.shapes, &self.coordinates);
    }

    fn move_frame(&mut self, step: f64, spin: DVec3) {
        self.shift += step * self.velocity;
        if spin != DVec3::ZERO {
            self.turn = (self.turn * DQuat::from_scaled_axis(step * spin)).normalize();
        }
    }

    /// Adds the bound of Eq. 8 on how far vibrations can carry the point to `reach`, and stops as soon as the sum
    /// exceeds `enough`.
    pub fn extend_reach(&self, mut reach: f64, enough: f64) -> f64 {
        for (mode, omega) in self.site.angular_frequencies.iter().enumerate() {
            if reach > enough {
                break;
            }
            reach += self.site.shapes[mode].length()
                * (self.coordinates[mode].powi(2) + (self.rates[mode] / omega).powi(2)).sqrt();
        }
        reach
    }

    /// Energy of the vibrations in joules.
    pub fn modal_energy(&self) -> f64 {
        let modes = self.coordinates.iter().zip(&self.rates).zip(&self.site.angular_frequencies);
        0.5 * modes.map(|((q, rate), omega)| rate * rate + (omega * q).powi(2)).sum::<f64>()
    }

    /// Energy of the rigid motion in joules.
    pub fn rigid_energy(&self) -> f64 {
        0.5 * (self.site.mass * self.velocity.length_squared() + self.spin.dot(self.site.inertia * self.spin))
    }
}

/// How far a turn takes a point, without the cancellation of (turn · point) − point.
fn way_of_turn(turn: DQuat, point: DVec3) -> DVec3 {
    let axis = turn.xyz();
    let across = axis.cross(point);
    2.0 * (turn.w * across + axis.cross(across))
}

/// Σ shapeᵢ weightᵢ.
fn combination(shapes: &[DVec3], weights: &[f64]) -> DVec3 {
    shapes.iter().zip(weights).fold(DVec3::ZERO, |sum, (&shape, &weight)| sum + shape * weight)
}

/// The matrix a aᵀ.
fn outer(a: DVec3) -> DMat3 {
    DMat3::from_cols(a * a.x, a * a.y, a * a.z)
}

/// The matrix of a × ·.
fn cross_matrix(a: DVec3) -> DMat3 {
    DMat3::from_cols(DVec3::new(0.0, a.z, -a.y), DVec3::new(-a.z, 0.0, a.x), DVec3::new(a.y, -a.x, 0.0))
}
