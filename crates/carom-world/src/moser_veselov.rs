//! Rotation of a free body by the discrete Moser-Veselov map, which keeps the angular momentum and the energy of any body.
//!
//! A step of time h turns the body by the unit quaternion (c, e), in its own axes, with h m = 2(c I e + e × I e), m the angular
//! momentum there (Moser and Veselov 1991; Hairer and Vilmart 2006 for the quaternion). With e = c g this is quadratic in g:
//! I g + g × I g = (1 + g·g) h m / 2, solved by Newton's method to round-off. There is no root near h|ω| = 1: longer
//! turns are divided. Where all moments are equal the rotation is exact.

use carom_contact::space::Pose;
use carom_shape::portable::rotation_by;
use glam::{DMat3, DQuat, DVec3};

/// The largest turn in one step of the map, rad.
const LARGEST_TURN: f64 = 0.25;
/// Newton's method converges in five or is halved.
const ROUNDS: usize = 12;
/// Halvings after which a turn is taken as even: only non-finite numbers come here.
const HALVINGS: u32 = 20;

/// The rotation and spin of a free body after some time; spins are in the world's axes, the inertia in the body's.
pub(crate) fn turn(inertia: &DMat3, pose: &Pose, spin: DVec3, time: f64) -> (DQuat, DVec3) {
    if spin == DVec3::ZERO {
        return (pose.rotation, spin);
    }
    if is_round(inertia) {
        return ((rotation_by(spin * time) * pose.rotation).normalize(), spin);
    }
    let mut rotation = pose.rotation;
    let axes = *pose.axes();
    // In the world it stays as it is: computed once, never updated.
    let momentum = axes * (*inertia * (axes.transpose() * spin));
    let parts = (spin.length() * time.abs() / LARGEST_TURN).ceil().clamp(1.0, 1e6) as usize;
    for _ in 0..parts {
        rotation = step(inertia, rotation, momentum, time / parts as f64, HALVINGS);
    }
    (rotation, spin_of(inertia, &DMat3::from_quat(rotation), momentum))
}

/// The spin that goes with an angular momentum, both in the world's axes.
pub(crate) fn spin_of(inertia: &DMat3, axes: &DMat3, momentum: DVec3) -> DVec3 {
    let inverse = inertia.inverse();
    let roughly = |momentum: DVec3| *axes * (inverse * (axes.transpose() * momentum));
    let spin = roughly(momentum);
    // Axes and inverse are rounded, always the same way: without this refinement the error of a step adds up over all of them.
    spin + roughly(momentum - *axes * (*inertia * (axes.transpose() * spin)))
}

/// Whether all principal moments are equal.
fn is_round(inertia: &DMat3) -> bool {
    let mean = (inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z) / 3.0;
    let rest = *inertia - DMat3::from_diagonal(DVec3::splat(mean));
    rest.to_cols_array().iter().all(|x| x.abs() <= 1e-12 * mean)
}

fn step(inertia: &DMat3, rotation: DQuat, momentum: DVec3, time: f64, halvings: u32) -> DQuat {
    let half = 0.5 * time * (DMat3::from_quat(rotation).transpose() * momentum);
    match gibbs_vector(inertia, half) {
        Some(g) => (rotation * DQuat::from_xyzw(g.x, g.y, g.z, 1.0)).normalize(),
        None if halvings > 0 => {
            let middle = step(inertia, rotation, momentum, 0.5 * time, halvings - 1);
            step(inertia, middle, momentum, 0.5 * time, halvings - 1)
        }
        None => rotation,
    }
}

/// The root of I g + g × I g = (1 + g·g) `half` that goes to zero with it.
fn gibbs_vector(inertia: &DMat3, half: DVec3) -> Option<DVec3> {
    let mut g = inertia.inverse() * half;
    let mut last = f64::INFINITY;
    for _ in 0..ROUNDS {
        let moved = *inertia * g;
        let excess = moved + g.cross(moved) - half * (1.0 + g.dot(g));
        let outer = DMat3::from_cols(half * g.x, half * g.y, half * g.z);
        let slope = *inertia + skew(g) * *inertia - skew(moved) - outer * 2.0;
        let change = slope.inverse() * excess;
        g -= change;
        let size = change.length();
        // Quadratic convergence: once steps no longer shrink, what is left is round-off.
        if size <= 1e-9 * g.length() && size >= 0.1 * last || size == 0.0 {
            return Some(g);
        }
        last = size;
    }
    (last <= 1e-14 * g.length()).then_some(g)
}

/// v ↦ a × v.
fn skew(a: DVec3) -> DMat3 {
    DMat3::from_cols(DVec3::new(0.0, a.z, -a.y), DVec3::new(-a.z, 0.0, a.x), DVec3::new(a.y, -a.x, 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use carom_contact::Pose as _;

    fn energy(inertia: &DMat3, pose: &Pose, spin: DVec3) -> f64 {
        let local = pose.turn_back(spin);
        0.5 * local.dot(*inertia * local)
    }

    fn momentum(inertia: &DMat3, pose: &Pose, spin: DVec3) -> DVec3 {
        pose.turn(*inertia * pose.turn_back(spin))
    }

    /// The largest relative drift of energy and angular momentum of an asymmetric top near its unstable axis.
    fn drift_of_a_top(steps: usize) -> (f64, f64) {
        let inertia = DMat3::from_diagonal(DVec3::new(1.0, 2.0, 2.7));
        let mut pose = Pose::new(DVec3::ZERO, DQuat::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), 0.4));
        let mut spin = pose.turn(DVec3::new(0.3, 4.0, -0.2));
        let (energy_before, momentum_before) = (energy(&inertia, &pose, spin), momentum(&inertia, &pose, spin));
        let (mut energy_drift, mut momentum_drift) = (0.0f64, 0.0f64);
        for _ in 0..steps {
            let (rotation, turned) = turn(&inertia, &pose, spin, 0.01);
            pose = Pose::new(DVec3::ZERO, rotation);
            spin = turned;
            energy_drift = energy_drift.max((energy(&inertia, &pose, spin) / energy_before - 1.0).abs());
            let change = (momentum(&inertia, &pose, spin) - momentum_before).length();
            momentum_drift = momentum_drift.max(change / momentum_before.length());
        }
        (energy_drift, momentum_drift)
    }

    #[test]
    fn an_asymmetric_top_keeps_energy_and_angular_momentum_for_a_million_steps() {
        let (energy, momentum) = drift_of_a_top(1_000_000);
        println!("drift of energy {energy:e}, of angular momentum {momentum:e}");
        assert!(energy <= 1e-12 && momentum <= 1e-12, "energy {energy:e}, angular momentum {momentum:e}");
    }

    #[test]
    fn a_symmetric_top_precesses_at_its_rate_to_second_order() {
        // The axis of a free symmetric top circles the angular momentum at the rate |L|/I₁.
        let inertia = DMat3::from_diagonal(DVec3::new(1.0, 1.0, 2.0));
        let error = |steps: usize| {
            let mut pose = Pose::default();
            let mut spin = DVec3::new(0.5, 0.0, 1.0);
            let momentum = momentum(&inertia, &pose, spin);
            for _ in 0..steps {
                let (rotation, turned) = turn(&inertia, &pose, spin, 1.0 / steps as f64);
                pose = Pose::new(DVec3::ZERO, rotation);
                spin = turned;
            }
            let exact = DQuat::from_axis_angle(momentum.normalize(), momentum.length()) * DVec3::Z;
            pose.turn(DVec3::Z).distance(exact)
        };
        let (coarse, fine) = (error(20), error(40));
        assert!((coarse / fine - 4.0).abs() < 0.05, "{coarse:e} and {fine:e}");
    }

    #[test]
    fn a_fast_spin_is_divided_and_still_keeps_its_energy() {
        let inertia = DMat3::from_diagonal(DVec3::new(1.0, 2.0, 2.5));
        let pose = Pose::default();
        let spin = DVec3::new(40.0, 900.0, 3.0);
        let (rotation, turned) = turn(&inertia, &pose, spin, 0.01);
        let after = Pose::new(DVec3::ZERO, rotation);
        assert!((energy(&inertia, &after, turned) / energy(&inertia, &pose, spin) - 1.0).abs() < 1e-13);
    }
}
