//! What spin and vibration do to each other: the quadratic velocity vector (*Sound*, Eq. 2), to first order in the vibration.
//!
//! Seen in a body's own axes, with spin ω = J⁻¹L of the undeformed body, its energy is
//! ½ωᵀJω + Σ ½(q̇ᵢ² + ωᵢ²qᵢ²) − ½Σ qᵢ ωᵀJᵢω, Jᵢ = dJ/dqᵢ. So spin throws modes outwards by ½ωᵀJᵢω, and a body that is stretched turns
//! slower. Coriolis' force 2ω·Σ cᵢⱼq̇ⱼ, cᵢⱼ = ∫ρ φᵢ × φⱼ, does no work; it lets the pattern of a ringing glass lag behind the glass. What is of second order in q, as
//! the angular momentum of vibrations themselves, is left out.

use carom_object::SpinCoupling;
use glam::{DMat3, DVec3};

/// Two modes whose shapes turn into each other less than this do not.
const NEGLIGIBLE: f64 = 1e-6;

/// The integrals of a body's modes, ready for use.
#[derive(Debug)]
pub(super) struct Spin {
    /// Jᵢ of each mode.
    inertia: Vec<DMat3>,
    /// Modes i < j and cᵢⱼ, j ascending.
    coriolis: Vec<(usize, usize, DVec3)>,
}

impl Spin {
    /// Of as many modes as there are scales, by which their shapes are multiplied.
    pub fn new(coupling: &SpinCoupling, scales: &[f64]) -> Spin {
        let pairs = coupling.pairs().take_while(|(_, j, _)| *j < scales.len());
        let pairs = pairs.map(|(i, j, c)| (i, j, scales[i] * scales[j] * c));
        Spin {
            inertia: scales.iter().enumerate().map(|(mode, scale)| *scale * coupling.inertia_rate(mode)).collect(),
            coriolis: pairs.filter(|(_, _, c)| c.length() > NEGLIGIBLE).collect(),
        }
    }

    /// ½ωᵀJᵢω: the force with which spin throws a mode outwards.
    pub fn centrifugal(&self, mode: usize, spin: DVec3) -> f64 {
        0.5 * spin.dot(self.inertia[mode] * spin)
    }

    /// The part of the kinetic energy that is due to the deformation.
    pub fn energy(&self, spin: DVec3, modes: &[[f64; 2]]) -> f64 {
        -0.5 * spin.dot(self.change(modes) * spin)
    }

    /// By how much the deformed body's spin differs from that of the undeformed one with the same angular momentum.
    pub fn slowing(&self, inverse_inertia: DMat3, spin: DVec3, modes: &[[f64; 2]]) -> DVec3 {
        -(inverse_inertia * (self.change(modes) * spin))
    }

    /// Σ qᵢJᵢ.
    fn change(&self, modes: &[[f64; 2]]) -> DMat3 {
        self.inertia.iter().zip(modes).map(|(rate, [q, _])| *rate * *q).sum()
    }

    /// Adds the forces on the lowest modes.
    pub fn add_forces(&self, spin: DVec3, modes: &[[f64; 2]], forces: &mut [f64]) {
        for (mode, force) in forces.iter_mut().enumerate() {
            *force += self.centrifugal(mode, spin);
        }
        for &(i, j, c) in self.pairs(forces.len()) {
            let rate = 2.0 * spin.dot(c);
            forces[i] += rate * modes[j][1];
            forces[j] -= rate * modes[i][1];
        }
    }

    /// Lets Coriolis' force act for some time, pair by pair, each turned exactly: no energy is gained or lost. Forwards and then
    /// backwards through the pairs is exact to second order.
    pub fn turn(&self, spin: DVec3, time: f64, modes: &mut [[f64; 2]], backwards: bool) {
        let pairs = self.pairs(modes.len()).iter();
        let turn = |&(i, j, c): &(usize, usize, DVec3)| {
            let half = time * spin.dot(c);
            let (cosine, sine) = ((1.0 - half * half) / (1.0 + half * half), 2.0 * half / (1.0 + half * half));
            let (a, b) = (modes[i][1], modes[j][1]);
            (modes[i][1], modes[j][1]) = (cosine * a + sine * b, cosine * b - sine * a);
        };
        if backwards { pairs.rev().for_each(turn) } else { pairs.for_each(turn) }
    }

    /// Those of the lowest modes.
    fn pairs(&self, modes: usize) -> &[(usize, usize, DVec3)] {
        &self.coriolis[..self.coriolis.partition_point(|(_, j, _)| *j < modes)]
    }
}
