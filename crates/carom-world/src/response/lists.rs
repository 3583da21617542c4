//! The lists that the impact operator reads, in rows of D numbers out of W.
//!
//! Smooth balls are not turned by contacts: their impacts need the D numbers of the velocity only, 2 of 3 in the plane and 3 of
//! 6 in space, and cost what a point costs. Everything else has D = W.

use carom_impact::{
    Contact, GatheredSystem, Impact, ImpactError, ImpactParams, ImpactSystem, InverseMass, Joint, Tangent,
};

use crate::Encounter;
use crate::step::MANY;

/// The first D numbers of each row.
#[derive(Debug, Default)]
pub(super) struct Lists<const D: usize> {
    bodies: Vec<InverseMass<D>>,
    contacts: Vec<Contact<[f64; D]>>,
    pub tangents: Vec<Tangent<[f64; D]>>,
    joints: Vec<Joint<[f64; D]>>,
    velocities: Vec<[f64; D]>,
}

/// An active contact: its place in the encounter's list, and the restitution that it has in this step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Active {
    pub place: u32,
    pub restitution: f64,
}

/// Whether the first D numbers are all that impacts of these contacts read and change.
pub(super) fn suffice<const D: usize, const W: usize>(encounter: &Encounter<'_, W>, active: &[Active]) -> bool {
    let vanish = |numbers: &[f64]| numbers.iter().all(|&x| x == 0.0);
    // What does not move does not turn either, wherever its wall is met.
    let stands = |body: u32| {
        matches!(encounter.masses[body as usize], InverseMass::Fixed) && vanish(&encounter.before[body as usize][D..])
    };
    let goes_through_the_centre = |active: &Active| {
        let contact = &encounter.contacts[active.place as usize];
        let mut sides = contact.normal.iter().zip(contact.bodies);
        contact.friction == 0.0 && sides.all(|(row, body)| vanish(&row[D..]) || stands(body))
    };
    encounter.joints.is_empty()
        && active.iter().all(goes_through_the_centre)
        && encounter.masses.iter().all(|mass| narrow::<D, W>(mass).is_some())
}

/// The part of an inverse mass that belongs to the first D numbers, if it is apart from the others.
fn narrow<const D: usize, const W: usize>(mass: &InverseMass<W>) -> Option<InverseMass<D>> {
    match mass {
        InverseMass::Fixed => Some(InverseMass::Fixed),
        InverseMass::Diagonal(diagonal) => Some(InverseMass::Diagonal(first(diagonal))),
        InverseMass::Full(matrix) if D < W => {
            let alone = (0..D).all(|r| (0..W).all(|c| r == c || matrix[r][c] == 0.0));
            alone.then(|| InverseMass::Diagonal(std::array::from_fn(|k| matrix[k][k])))
        }
        InverseMass::Full(matrix) => Some(InverseMass::Full(std::array::from_fn(|r| first(&matrix[r])))),
    }
}

#[inline]
fn first<const D: usize, const W: usize>(row: &[f64; W]) -> [f64; D] {
    std::array::from_fn(|k| row[k])
}

impl<const D: usize> Lists<D> {
    /// Resolves the active contacts; changes the first D numbers of the velocities.
    pub fn resolve<const W: usize>(
        &mut self,
        encounter: &Encounter<'_, W>,
        active: &[Active],
        velocities: &mut [[f64; W]],
        params: &ImpactParams,
    ) -> Result<Impact, ImpactError> {
        self.bodies.clear();
        self.bodies.extend(encounter.masses.iter().map(|mass| narrow(mass).unwrap_or(InverseMass::Fixed)));
        self.velocities.clear();
        self.velocities.extend(velocities.iter().map(first));
        self.contacts.clear();
        self.tangents.clear();
        for (number, &Active { place, restitution }) in active.iter().enumerate() {
            let contact = &encounter.contacts[place as usize];
            let normal = contact.normal.each_ref().map(first);
            let (key, bodies, friction) = (place.into(), contact.bodies, contact.friction);
            self.contacts.push(Contact { key, bodies, normal, restitution, friction });
            if friction > 0.0 {
                let tangents = encounter.tangents_of(place as usize).into_iter().filter(|rows| *rows != [[0.0; W]; 2]);
                let contact = number as u32;
                self.tangents.extend(tangents.map(|rows| Tangent { contact, rows: rows.each_ref().map(first) }));
            }
        }
        let hard = encounter.joints.iter().filter(|joint| joint.compliance == 0.0);
        self.joints.clear();
        self.joints.extend(hard.map(|joint| Joint {
            key: joint.key,
            bodies: joint.bodies,
            rows: joint.rows.each_ref().map(first),
        }));
        let Lists { bodies, contacts, tangents, joints, velocities: narrow } = &*self;
        let system = ImpactSystem { bodies, contacts, tangents, joints };
        let gathered = GatheredSystem::new(&system, narrow)?;
        if active.len() > MANY {
            (self.bodies, self.contacts) = (Vec::new(), Vec::new());
        }
        let impact = gathered.resolve(&mut self.velocities, params)?;
        for (velocity, resolved) in velocities.iter_mut().zip(&self.velocities) {
            velocity[..D].copy_from_slice(resolved);
        }
        if active.len() > MANY {
            self.velocities = Vec::new();
        }
        Ok(impact)
    }
}
