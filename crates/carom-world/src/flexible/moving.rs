//! A body in free flight: how it moves and vibrates, exactly, from the impulses at the start of a step to any instant of it.

use carom_contact::space::Pose;
use carom_contact::{Pose as _, Space};
use carom_shape::portable::rotation_by;
use glam::DVec3;

use super::body::FlexibleBody;
use super::spin::Spin;
use crate::body::Drive;
use crate::distant::Propagator;
use crate::moser_veselov::spin_of;
use crate::{Dynamics, Ledger};

/// Where a body is, how it moves and how it vibrates, at its own time.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Moving {
    /// s.
    pub time: f64,
    pub pose: Pose,
    pub velocity: [f64; 6],
    /// q and q̇ of all modes; those that take no part are at rest.
    pub modes: Vec<[f64; 2]>,
}

impl Moving {
    /// The same, without new memory.
    pub fn copy(&mut self, other: &Moving) {
        self.modes.clone_from(&other.modes);
        (self.time, self.pose, self.velocity) = (other.time, other.pose, other.velocity);
    }
}

/// What acts on a body during a flight.
#[derive(Debug, Clone, Default)]
pub(super) struct Forces {
    /// m/s².
    pub gravity: DVec3,
    /// Of the rigid motion, in the world's axes: force, torque.
    pub rigid: [f64; 6],
    /// Of the modes.
    pub modal: Vec<f64>,
    /// Of the modes that are active, by the body's own spin, as the flight begins.
    pub spin: Vec<f64>,
}

/// A flight over some time: what takes the modes there, and what they give in.
#[derive(Debug, Clone, Default)]
pub(super) struct Flight {
    /// s.
    span: f64,
    steps: Vec<Propagator>,
    /// What a unit impulse on a mode adds to its mean rate in the flight: e^(−δh) sin(ω_d h)/(ω_d h).
    pub compliance: Vec<f64>,
}

impl Flight {
    /// Makes it one over another time.
    pub fn set(&mut self, body: &FlexibleBody, span: f64) {
        if self.span != span
            && let Some(vibration) = &body.vibration
        {
            self.span = span;
            let modes = vibration.omegas.iter().zip(&vibration.decays);
            self.steps.clear();
            self.steps.extend(modes.map(|(&omega, &decay)| Propagator::new(omega, decay, span)));
            self.compliance.clear();
            self.compliance.extend(self.steps.iter().map(|step| step.sine / span));
        }
    }

    /// Appends the mean velocity over the flight, if nothing strikes: six rigid numbers, then the modes that are active.
    pub fn mean_velocity(
        &self,
        body: &FlexibleBody,
        moving: &Moving,
        forces: &Forces,
        active: usize,
        span: f64,
        mean: &mut Vec<f64>,
    ) {
        let mut velocity = moving.velocity;
        kick(body, &moving.pose, forces, 0.5 * span, &mut velocity);
        mean.extend_from_slice(&velocity);
        let Some(vibration) = &body.vibration else { return };
        for (mode, step) in self.steps[..active].iter().enumerate() {
            let [q, rate] = moving.modes[mode];
            let force = [&forces.modal, &forces.spin].map(|forces| forces.get(mode).copied().unwrap_or(0.0));
            let rest = (force[0] + force[1]) / vibration.omegas[mode].powi(2);
            mean.push((step.position([q - rest, rate]) + rest - q) / span);
        }
    }

    /// Lets a body fly from its launch until a time; returns what became of its energy.
    #[expect(clippy::too_many_arguments, reason = "all that a flight depends on")]
    pub fn fly(
        &mut self,
        body: &FlexibleBody,
        launch: &Moving,
        forces: &Forces,
        active: usize,
        until: f64,
        span: f64,
        moving: &mut Moving,
    ) -> Ledger {
        self.set(body, span);
        moving.copy(launch);
        moving.time = until;
        let mut account = Ledger::default();
        slow(body, 0.5 * span, moving);
        let begun = body.spinning(moving);
        match &body.rigid.drive {
            Drive::Fixed => {}
            Drive::Scripted(scripted) => moving.pose = scripted.pose(until),
            Drive::Dynamic => {
                let rigid = &body.rigid;
                let (pose, velocity) = (moving.pose, &mut moving.velocity);
                account.injected += kick(body, &pose, forces, 0.5 * span, velocity);
                let (flown, turned) = Space::fly(&rigid.inertia, &pose, velocity, span);
                *velocity = turned;
                account.injected += kick(body, &flown, forces, 0.5 * span, velocity);
                moving.pose = flown;
                let before = rigid.kinetic(&flown, velocity);
                let drag = rigid.resistance;
                if drag.linear > 0.0 || drag.angular > 0.0 {
                    for (k, value) in velocity.iter_mut().enumerate() {
                        *value *= libm::exp(-span * if k < 3 { drag.linear } else { drag.angular });
                    }
                    account.damping += before - rigid.kinetic(&flown, velocity);
                }
                let fall = -rigid.mass * forces.gravity.dot(flown.position() - pose.position());
                account.integrator -= before - rigid.kinetic(&launch.pose, &launch.velocity) + fall - account.injected;
            }
        }
        self.ring(body, forces, active, begun, moving, &mut account);
        let turned = body.rigid.kinetic(&moving.pose, &moving.velocity);
        slow(body, 0.5 * span, moving);
        account.integrator -= body.rigid.kinetic(&moving.pose, &moving.velocity) - turned;
        account.integrator -= body.stretch_energy(moving) - body.stretch_energy(launch);
        account
    }

    /// Lets the modes ring through the flight, under the mean of what the spin as it was and as it is now does to them.
    fn ring(
        &self,
        body: &FlexibleBody,
        forces: &Forces,
        active: usize,
        begun: Option<(&Spin, DVec3)>,
        moving: &mut Moving,
        account: &mut Ledger,
    ) {
        let Some(vibration) = &body.vibration else { return };
        let before = body.vibrational(&moving.modes);
        let ended = body.spinning(moving);
        if let Some((spin, own)) = begun {
            spin.turn(own, 0.5 * self.span, &mut moving.modes[..active], false);
        }
        let (mut work, mut thrown) = (0.0, 0.0);
        for (mode, (state, step)) in moving.modes.iter_mut().zip(&self.steps).enumerate() {
            let load = forces.modal.get(mode).copied().unwrap_or(0.0);
            let ends = [begun, ended].into_iter().flatten().filter(|_| mode < active);
            let throw: f64 = ends.map(|(spin, own)| 0.5 * spin.centrifugal(mode, own)).sum();
            if *state == [0.0; 2] && load == 0.0 && throw == 0.0 {
                continue;
            }
            let rest = (load + throw) / vibration.omegas[mode].powi(2);
            let [q, rate] = step.state([state[0] - rest, state[1]]);
            let way = q + rest - state[0];
            work += load * way;
            thrown += throw * way;
            *state = [q + rest, rate];
        }
        if let Some((spin, own)) = ended {
            spin.turn(own, 0.5 * self.span, &mut moving.modes[..active], true);
        }
        account.injected += work;
        account.integrator -= thrown;
        account.damping += before + work + thrown - body.vibrational(&moving.modes);
    }
}

/// Turns a deformed body by as much as its spin differs from that of an undeformed one, for some time; its angular momentum stays.
fn slow(body: &FlexibleBody, time: f64, moving: &mut Moving) {
    let Some((spin, own)) = body.spinning(moving) else { return };
    let inertia = &body.rigid.inertia;
    let (inverse, momentum) = (inertia.inverse(), *inertia * own);
    // With the spin in the middle of the turn, so that it is the same backwards; the turn is tiny, and two rounds are plenty.
    let mut turn = DVec3::ZERO;
    for _ in 0..2 {
        let middle = inverse * (rotation_by(-0.5 * turn) * momentum);
        turn = time * spin.slowing(inverse, middle, &moving.modes);
    }
    // Round-off must not turn what rests.
    if turn.length_squared() < f64::EPSILON * f64::EPSILON {
        return;
    }
    let momentum = *moving.pose.axes() * momentum;
    let rotation = (moving.pose.rotation * rotation_by(turn)).normalize();
    moving.pose = Pose::new(moving.pose.position, rotation);
    let (linear, _) = Space::split(&moving.velocity);
    moving.velocity = Space::join(linear, spin_of(inertia, moving.pose.axes(), momentum));
}

/// Gravity and forces for some time; returns the work of the forces.
fn kick(body: &FlexibleBody, pose: &Pose, forces: &Forces, time: f64, velocity: &mut [f64; 6]) -> f64 {
    if !body.rigid.is_dynamic() {
        return 0.0;
    }
    (0..3).for_each(|k| velocity[k] += time * forces.gravity[k]);
    if forces.rigid == [0.0; 6] {
        return 0.0;
    }
    crate::loads::strike(&body.rigid, pose, &forces.rigid.map(|force| time * force), velocity)
}
