//! Encounters in space made by hand or at random, with the energies and momenta to judge a response by.
use carom_contact::{Space, space::Pose};
use carom_impact::{InverseMass, WORLD};
use carom_world::{Dynamics, Encounter, JointRow, Ledger, Outcome, Tangents, Touching, WorldError};
use glam::{DMat3, DQuat, DVec3};

/// SplitMix64: enough for tests, and the same on every machine.
pub struct Random(pub u64);

impl Random {
    pub fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    pub fn below(&mut self, count: usize) -> usize {
        ((self.unit() * count as f64) as usize).min(count - 1)
    }

    pub fn vector(&mut self) -> DVec3 {
        DVec3::new(self.between(-1.0, 1.0), self.between(-1.0, 1.0), self.between(-1.0, 1.0))
    }

    pub fn direction(&mut self) -> DVec3 {
        self.vector().normalize_or(DVec3::Y)
    }
}

/// A body: mass, inertia and pose; without a mass its motion is prescribed.
#[derive(Clone)]
pub struct Body {
    pub mass: Option<f64>,
    pub inertia: DMat3,
    pub pose: Pose,
}

#[derive(Clone, Default)]
pub struct Case {
    pub bodies: Vec<Body>,
    pub before: Vec<[f64; 6]>,
    pub velocities: Vec<[f64; 6]>,
    pub contacts: Vec<Touching<6>>,
    pub tangents: Vec<Tangents<6>>,
    pub joints: Vec<JointRow<6>>,
    pub step: f64,
    pub resting_speed: f64,
    pub slop: f64,
    pub elastic: f64,
    pub last: Vec<[f64; 3]>,
    pub last_joints: Vec<f64>,
}

impl Case {
    pub fn new(step: f64) -> Case {
        Case { step, ..Case::default() }
    }

    pub fn body(&mut self, mass: Option<f64>, inertia: DMat3, pose: Pose, velocity: DVec3, spin: DVec3) -> u32 {
        self.bodies.push(Body { mass, inertia, pose });
        self.before.push(Space::join(velocity, spin));
        self.velocities.push(Space::join(velocity, spin));
        self.bodies.len() as u32 - 1
    }

    /// A ball of radius one, for arms in a simple relation to its inertia.
    pub fn ball(&mut self, mass: f64, at: DVec3, velocity: DVec3) -> u32 {
        let inertia = DMat3::from_diagonal(DVec3::splat(0.4 * mass));
        self.body(Some(mass), inertia, Pose::new(at, DQuat::IDENTITY), velocity, DVec3::ZERO)
    }

    pub fn wall(&mut self, velocity: DVec3) -> u32 {
        self.body(None, DMat3::IDENTITY, Pose::default(), velocity, DVec3::ZERO)
    }

    pub fn touch(&mut self, bodies: [u32; 2], point: DVec3, normal: DVec3) -> &mut Touching<6> {
        let arms = bodies.map(|body| point - self.bodies[body as usize].pose.position);
        let rows = |direction: DVec3| [Space::row(direction, arms[0]), Space::row(-direction, arms[1])];
        self.tangents.push(Space::tangents(normal).map(rows));
        self.contacts.push(Touching {
            feature: self.contacts.len() as u64,
            bodies,
            normal: rows(normal),
            gap: 0.0,
            centres: 0.0,
            clearance: 0.0,
            restitution: 0.0,
            friction: 0.0,
            shared: 1,
            before: None,
        });
        self.contacts.last_mut().unwrap()
    }

    /// Keeps two points together along an axis.
    pub fn tie(&mut self, bodies: [u32; 2], point: DVec3, axis: DVec3) -> &mut JointRow<6> {
        let row = |side: usize, axis: DVec3| match bodies[side] {
            WORLD => [0.0; 6],
            body => Space::row(axis, point - self.bodies[body as usize].pose.position),
        };
        let rows = [row(0, axis), row(1, -axis)];
        let key = self.joints.len() as u64;
        self.joints.push(JointRow { key, bodies, rows, error: 0.0, bend: 0.0, repair: 0.2, compliance: 0.0 });
        self.joints.last_mut().unwrap()
    }

    pub fn kick(&mut self, acceleration: DVec3) {
        for (body, velocity) in self.bodies.iter().zip(&mut self.velocities) {
            if body.mass.is_some() {
                (0..3).for_each(|k| velocity[k] += self.step * acceleration[k]);
            }
        }
    }

    pub fn respond(
        &mut self,
        respond: impl FnOnce(&mut Encounter<'_, 6>) -> Result<Outcome<6>, WorldError>,
    ) -> Outcome<6> {
        let mass = |body: &Body| {
            body.mass.map_or(InverseMass::Fixed, |mass| Space::inverse_mass(mass, &body.inertia, &body.pose))
        };
        let masses: Vec<InverseMass<6>> = self.bodies.iter().map(mass).collect();
        let mut encounter = Encounter {
            step: self.step,
            masses: &masses,
            before: &self.before,
            velocities: &mut self.velocities,
            contacts: &self.contacts,
            tangents: &self.tangents,
            joints: &self.joints,
            last: &self.last,
            last_joints: &self.last_joints,
            elastic: self.elastic,
            resting_speed: self.resting_speed,
            slop: self.slop,
        };
        respond(&mut encounter).unwrap()
    }

    fn momenta(&self) -> impl Iterator<Item = (&Body, &[f64; 6], [f64; 6])> {
        self.bodies.iter().zip(&self.velocities).filter_map(|(body, velocity)| {
            body.mass.map(|mass| (body, velocity, Space::momentum(mass, &body.inertia, &body.pose, velocity)))
        })
    }

    pub fn kinetic(&self) -> f64 {
        self.momenta().map(|(_, v, p)| 0.5 * (0..6).map(|k| v[k] * p[k]).sum::<f64>()).sum()
    }

    /// Momentum and angular momentum about the origin.
    pub fn momentum(&self) -> [DVec3; 2] {
        let mut total = [DVec3::ZERO; 2];
        for (body, _, momentum) in self.momenta() {
            let (linear, angular) = Space::split(&momentum);
            total[0] += linear;
            total[1] += angular + body.pose.position.cross(linear);
        }
        total
    }

    /// Bodies at random places that touch and are tied at random.
    pub fn random(random: &mut Random, contacts: usize, joints: usize, wall: bool) -> Case {
        let mut case = Case::new(1e-2);
        if wall {
            let (velocity, spin) = (random.vector(), random.vector());
            case.body(None, DMat3::IDENTITY, Pose::default(), velocity, spin);
        }
        for _ in 0..3 + contacts / 3 {
            let mass = 10f64.powf(random.between(-1.0, 1.0));
            let inertia = DMat3::from_diagonal(DVec3::splat(1.1) + 0.3 * random.vector()) * (0.4 * mass);
            let pose = Pose::new(random.vector() * 2.0, DQuat::from_scaled_axis(random.vector() * 3.0));
            let (velocity, spin) = (random.vector() * 2.0, random.vector());
            case.body(Some(mass), inertia, pose, velocity, spin);
        }
        let pair = |random: &mut Random| {
            let first = random.below(case.bodies.len());
            let second = (first + 1 + random.below(case.bodies.len() - 1)) % case.bodies.len();
            [first as u32, second as u32]
        };
        let pairs: Vec<[u32; 2]> = (0..contacts + joints).map(|_| pair(random)).collect();
        for &bodies in &pairs[..contacts] {
            let middle =
                0.5 * (case.bodies[bodies[0] as usize].pose.position + case.bodies[bodies[1] as usize].pose.position);
            let (point, normal) = (middle + 0.5 * random.vector(), random.direction());
            case.touch(bodies, point, normal);
        }
        for &bodies in &pairs[contacts..] {
            let (point, axis) = (random.vector(), random.direction());
            case.tie(bodies, point, axis);
        }
        case
    }
}

/// What the account says about the change of kinetic energy.
pub fn change(account: &Ledger) -> f64 {
    account.driven
        - account.elastic
        - (account.restitution
            + account.friction
            + account.damping
            + account.jam
            + account.stabilization
            + account.integrator)
}
