//! Staggered projections: contact and friction at once, against closed forms, enumeration and what must hold for all input.

mod belt;
mod enumeration;
mod heaps;
mod jams;
mod steps;
mod values;

use carom_impact::{
    Contact, ImpactSystem, InverseMass, Staggered, StaggeredParams, StaggeredReport, Tangent, Touch, WORLD,
};

/// Bodies, contacts and what a step demands.
#[derive(Clone, Default)]
pub struct Scene<const W: usize> {
    pub bodies: Vec<InverseMass<W>>,
    pub contacts: Vec<Contact<[f64; W]>>,
    pub tangents: Vec<Tangent<[f64; W]>>,
    pub velocities: Vec<[f64; W]>,
    pub touches: Vec<Touch>,
}

impl<const W: usize> Scene<W> {
    /// Adds a contact with its tangents.
    pub fn touch(&mut self, bodies: [u32; 2], normal: [[f64; W]; 2], tangents: &[[[f64; W]; 2]], friction: f64) {
        let contact = self.contacts.len() as u32;
        self.contacts.push(Contact { key: contact as u64, bodies, normal, restitution: 0.0, friction });
        self.tangents.extend(tangents.iter().map(|&rows| Tangent { contact, rows }));
        self.touches.push(Touch { sliding_friction: friction, ..Touch::default() });
    }

    pub fn system(&self) -> ImpactSystem<'_, W> {
        let (bodies, contacts, tangents) = (&self.bodies, &self.contacts, &self.tangents);
        ImpactSystem { bodies, contacts, tangents, joints: &[] }
    }

    /// Solves, and leaves velocities and touches as they are afterwards.
    pub fn solve(&mut self, params: &StaggeredParams) -> StaggeredReport {
        let (mut velocities, mut touches) = (self.velocities.clone(), self.touches.clone());
        let report = Staggered::default().solve(&self.system(), &mut velocities, &mut touches, params).unwrap();
        (self.velocities, self.touches) = (velocities, touches);
        report
    }

    pub fn energy(&self) -> f64 {
        let of = |mass: &InverseMass<W>, v: &[f64; W]| match mass {
            InverseMass::Diagonal(inverse) => (0..W).map(|k| 0.5 * v[k] * v[k] / inverse[k]).sum(),
            _ => 0.0,
        };
        self.bodies.iter().zip(&self.velocities).map(|(mass, v)| of(mass, v)).sum()
    }

    /// Σ row · velocity.
    pub fn rate(&self, bodies: [u32; 2], rows: &[[f64; W]; 2]) -> f64 {
        let along = |side: usize| match bodies[side] {
            WORLD => 0.0,
            body => (0..W).map(|k| rows[side][k] * self.velocities[body as usize][k]).sum::<f64>(),
        };
        along(0) + along(1)
    }

    /// The rates of a contact's tangents; zero for one that it does not have.
    pub fn slip(&self, contact: usize) -> [f64; 2] {
        let mut slip = [0.0; 2];
        let own = self.tangents.iter().filter(|tangent| tangent.contact as usize == contact);
        for (slip, tangent) in slip.iter_mut().zip(own) {
            *slip = self.rate(self.contacts[contact].bodies, &tangent.rows);
        }
        slip
    }
}

pub fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The velocity of a point along a direction, as a row over (v, ω).
pub fn row(direction: [f64; 3], arm: [f64; 3]) -> [f64; 6] {
    let turn = cross(arm, direction);
    [direction[0], direction[1], direction[2], turn[0], turn[1], turn[2]]
}

pub const UP: [f64; 3] = [0.0, 1.0, 0.0];

/// A body stands on the world at a point.
pub fn stand(scene: &mut Scene<6>, body: u32, arm: [f64; 3], friction: f64) {
    let tangents = [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]].map(|t| [row(t, arm), [0.0; 6]]);
    scene.touch([body, WORLD], [row(UP, arm), [0.0; 6]], &tangents, friction);
}
