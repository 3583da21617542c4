//! A small loop that steps joined bodies of the plane by Verlet, with nothing but rows and the response.

use carom_contact::Pose as _;
use carom_contact::{Plane, plane::Pose};
use carom_impact::InverseMass;
use carom_world::response::constraints::{ConstraintScratch, respond};
use carom_world::{ConstraintParams, Dynamics, Encounter, Joint, JointDefinition, JointKind, Outcome};
use glam::DVec2;

pub const GRAVITY: f64 = 9.81;

pub fn definition(bodies: [Option<&str>; 2], kind: JointKind<Plane>) -> JointDefinition<Plane> {
    let bodies = bodies.map(|name| name.map(String::from));
    JointDefinition { name: "joint".into(), bodies, kind, repair: 0.2, compliance: 0.0, collide: false }
}

/// Bodies "0", "1", … with their joints.
pub struct Swing {
    pub poses: Vec<Pose>,
    pub velocities: Vec<[f64; 3]>,
    pub mass: f64,
    pub inertia: f64,
    pub joints: Vec<Joint<Plane>>,
    pub outcome: Outcome<3>,
    /// Worst error of a joint so far.
    pub error: f64,
    scratch: ConstraintScratch<3>,
}

impl Swing {
    pub fn new(poses: Vec<Pose>, joints: &[JointDefinition<Plane>]) -> Swing {
        let count = poses.len();
        let place = |name: &str| name.parse().ok().filter(|&i: &u32| (i as usize) < count);
        let make = |(i, joint)| Joint::new(joint, i as u32, place, &poses).unwrap();
        let joints = joints.iter().enumerate().map(make).collect();
        let (velocities, mass, inertia) = (vec![[0.0; 3]; count], 2.0, 0.3);
        let (outcome, scratch) = (Outcome::default(), ConstraintScratch::default());
        Swing { poses, velocities, mass, inertia, joints, outcome, error: 0.0, scratch }
    }

    pub fn kick(&mut self, step: f64) {
        self.velocities.iter_mut().for_each(|velocity| velocity[1] -= 0.5 * step * GRAVITY);
    }

    pub fn fly(&mut self, step: f64, extra: &[[f64; 3]]) -> Vec<Pose> {
        let moved = |i: usize| {
            let mut velocity = self.velocities[i];
            extra.get(i).inspect(|push| (0..3).for_each(|k| velocity[k] += push[k]));
            self.poses[i].moved(DVec2::new(velocity[0], velocity[1]), velocity[2], step)
        };
        (0..self.poses.len()).map(moved).collect()
    }

    pub fn step(&mut self, step: f64) {
        let before = self.velocities.clone();
        self.kick(step);
        let ahead = self.fly(step, &[]);
        let mut rows = Vec::new();
        for joint in &mut self.joints {
            let start = rows.len();
            joint.rows(&self.poses, &mut rows);
            joint.bend(&ahead, &self.velocities, step, &mut rows[start..]);
        }
        self.error = rows.iter().fold(self.error, |worst, row| worst.max(row.error.abs()));
        let masses: Vec<InverseMass<3>> =
            self.poses.iter().map(|pose| Plane::inverse_mass(self.mass, &self.inertia, pose)).collect();
        let mut encounter = Encounter {
            step,
            masses: &masses,
            before: &before,
            velocities: &mut self.velocities,
            contacts: &[],
            tangents: &[],
            joints: &rows,
            last: &[],
            last_joints: &self.outcome.joints,
            elastic: 0.0,
            resting_speed: 0.0,
            slop: 0.0,
        };
        self.outcome = respond(&ConstraintParams::default(), &mut encounter, &mut self.scratch).unwrap();
        let push = std::mem::take(&mut self.outcome.push);
        self.poses = self.fly(step, &push);
        self.kick(step);
    }

    pub fn energy(&self) -> f64 {
        let of = |(pose, &[x, y, spin]): (&Pose, &[f64; 3])| {
            0.5 * self.mass * (x * x + y * y) + 0.5 * self.inertia * spin * spin + self.mass * GRAVITY * pose.position.y
        };
        self.poses.iter().zip(&self.velocities).map(of).sum()
    }
}
