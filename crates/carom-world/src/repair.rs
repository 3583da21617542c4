//! Positions are repaired without giving speed: bodies that overlap, and joints that have come apart, are moved a little.
//!
//! Bodies that push each other keep their centre of mass. Their angular momentum Σ (m x × v + Iω) would change, since x and I
//! do. A group that touches nothing but itself is therefore turned as one, by the small spin Ω that restores it: JΩ = L⁻ − L⁺,
//! J the inertia of the group as a single body. Of all changes that do so this has the least energy, and no contact and
//! no joint within the group notices. What all of this costs is stabilization's.

use carom_contact::{Pose as _, Vector as _};
use glam::DMat3;

use crate::Dynamics;
use crate::links::Links;
use crate::world::World;

/// Bodies that touch or hold each other, and nothing that is fixed or scripted.
struct Group<V> {
    bodies: Vec<usize>,
    centre: V,
    /// About the centre, along the axes of spin.
    angular_momentum: [f64; 3],
}

impl<G: Dynamics<W>, const W: usize> World<G, W> {
    /// Moves bodies by pseudo-velocities that last for some time.
    pub(crate) fn push(&mut self, push: &[[f64; W]], span: f64) {
        let is_pushed = |push: &[f64; W]| push.iter().any(|&x| x != 0.0);
        if !push.iter().any(is_pushed) {
            return;
        }
        let is_pushed: Vec<bool> = push.iter().map(is_pushed).collect();
        let groups = self.free_groups(&is_pushed);
        let gravity = self.params.gravity;
        for i in (0..push.len()).filter(|&i| is_pushed[i]) {
            let (body, pose, velocity) = (&self.bodies[i], &mut self.now.poses[i], &self.now.velocities[i]);
            let (linear, spin) = G::split(&push[i]);
            let pushed = pose.moved(linear, spin, span);
            let gained = -body.mass * gravity.dot(pushed.position() - pose.position());
            self.now.ledger.stabilization -= gained + body.kinetic(&pushed, velocity) - body.kinetic(pose, velocity);
            *pose = pushed;
        }
        groups.iter().for_each(|group| self.restore_angular_momentum(group));
    }

    /// The groups of bodies with a pushed one among them, in the order of bodies.
    fn free_groups(&self, is_pushed: &[bool]) -> Vec<Group<G::Vector>> {
        let world = self.bodies.len();
        let place = |body: u32| Some(body as usize).filter(|&i| i < world && self.bodies[i].is_dynamic());
        let mut links = Links::new(world + 1);
        let contacts = self.touching.iter().map(|contact| contact.bodies);
        for bodies in contacts.chain(self.joints.iter().map(|joint| joint.bodies())) {
            // What does not move is the world, which as the largest number is the root of all that it holds.
            let [a, b] = bodies.map(|body| place(body).unwrap_or(world));
            links.join(a, b);
        }
        let mut members = vec![Vec::new(); world];
        for body in 0..world {
            let root = links.root(body);
            if root != world {
                members[root].push(body);
            }
        }
        let groups = members.into_iter().filter(|bodies| bodies.iter().any(|&i| is_pushed[i])).map(|bodies| {
            let mass: f64 = bodies.iter().map(|&i| self.bodies[i].mass).sum();
            let moment = |sum, &i: &usize| sum + self.now.poses[i].position() * self.bodies[i].mass;
            let centre = bodies.iter().fold(G::Vector::default(), moment) * (1.0 / mass);
            let angular_momentum = self.angular_momentum(&bodies, centre);
            Group { bodies, centre, angular_momentum }
        });
        groups.collect()
    }

    /// The velocity of a body that turns about a centre as a part of a larger one.
    fn turning(&self, body: usize, centre: G::Vector, axis: G::Spin) -> [f64; W] {
        G::join(G::Pose::spin_velocity(axis, self.now.poses[body].position() - centre), axis)
    }

    fn angular_momentum(&self, bodies: &[usize], centre: G::Vector) -> [f64; 3] {
        let mut sum = [0.0; 3];
        for &i in bodies {
            let momentum = self.momentum_of(i, &self.now.velocities[i]);
            for (sum, &axis) in sum.iter_mut().zip(G::SPIN_AXES) {
                *sum += product(&self.turning(i, centre, axis), &momentum);
            }
        }
        sum
    }

    /// Turns a group as one, such that it has its angular momentum again.
    fn restore_angular_momentum(&mut self, group: &Group<G::Vector>) {
        let now = self.angular_momentum(&group.bodies, group.centre);
        let mut inertia = DMat3::IDENTITY.to_cols_array_2d();
        for (k, column) in inertia.iter_mut().enumerate().take(G::SPIN_AXES.len()) {
            column[k] = 0.0;
            for &i in &group.bodies {
                let momentum = self.momentum_of(i, &self.turning(i, group.centre, G::SPIN_AXES[k]));
                for (sum, &axis) in column.iter_mut().zip(G::SPIN_AXES) {
                    *sum += product(&self.turning(i, group.centre, axis), &momentum);
                }
            }
        }
        let missing: [f64; 3] = std::array::from_fn(|k| group.angular_momentum[k] - now[k]);
        let spin = (DMat3::from_cols_array_2d(&inertia).inverse() * glam::DVec3::from(missing)).to_array();
        for &i in &group.bodies {
            let mut velocity = self.now.velocities[i];
            for (&part, &axis) in spin.iter().zip(G::SPIN_AXES) {
                let turning = self.turning(i, group.centre, axis);
                (0..W).for_each(|k| velocity[k] += part * turning[k]);
            }
            let (body, pose) = (&self.bodies[i], &self.now.poses[i]);
            let gained = body.kinetic(pose, &velocity) - body.kinetic(pose, &self.now.velocities[i]);
            self.now.ledger.stabilization -= gained;
            self.now.velocities[i] = velocity;
        }
    }

    fn momentum_of(&self, body: usize, velocity: &[f64; W]) -> [f64; W] {
        G::momentum(self.bodies[body].mass, &self.bodies[body].inertia, &self.now.poses[body], velocity)
    }
}

fn product<const W: usize>(a: &[f64; W], b: &[f64; W]) -> f64 {
    (0..W).map(|k| a[k] * b[k]).sum()
}
