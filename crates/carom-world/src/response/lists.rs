//! The lists that the impact operator reads, in rows of D numbers out of W.
//!
//! Smooth balls are not turned by contacts: their impacts need the D numbers of the velocity only, 2 of 3 in the plane and 3 of
//! 6 in space, and cost what a point costs. Everything else has D = W.

use carom_impact::{
    Contact, GatheredSystem, Impact, ImpactError, ImpactMemory, ImpactParams, ImpactSystem, InverseMass, Joint, Tangent,
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
    /// The number of each body among those that take part, and which these are, in order.
    number: Vec<u32>,
    taking_part: Vec<u32>,
    memory: ImpactMemory<D>,
}

/// The number of a body that does not take part.
const NONE: u32 = u32::MAX;

/// An active contact: its place in the encounter's list, and the restitution that it has in this step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Active {
    pub place: u32,
    pub restitution: f64,
}

/// Whether the first D numbers are all that impacts of these contacts read and change, unless masses mix them with others.
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
    encounter.joints.is_empty() && active.iter().all(goes_through_the_centre)
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
    /// Resolves the active contacts, whose bodies are there already; changes the first D numbers of the velocities.
    pub fn resolve<const W: usize>(
        &mut self,
        encounter: &Encounter<'_, W>,
        active: &[Active],
        velocities: &mut [[f64; W]],
        params: &ImpactParams,
    ) -> Result<Impact, ImpactError> {
        self.velocities.clear();
        self.velocities.extend(self.taking_part.iter().map(|&body| first(&velocities[body as usize])));
        // The world has no number.
        let number_of = |body: u32| self.number.get(body as usize).copied().unwrap_or(body);
        self.contacts.clear();
        self.tangents.clear();
        for (number, &Active { place, restitution }) in active.iter().enumerate() {
            let contact = &encounter.contacts[place as usize];
            let normal = contact.normal.each_ref().map(first);
            let (key, bodies, friction) = (place.into(), contact.bodies.map(number_of), contact.friction);
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
            bodies: joint.bodies.map(number_of),
            rows: joint.rows.each_ref().map(first),
        }));
        let Lists { bodies, contacts, tangents, joints, velocities: narrow, .. } = &*self;
        let system = ImpactSystem { bodies, contacts, tangents, joints };
        let gathered = GatheredSystem::new(&system, narrow).map_err(|error| match error {
            ImpactError::BadBody { body, quantity, value, expected } => {
                ImpactError::BadBody { body: self.taking_part[body] as usize, quantity, value, expected }
            }
            error => error,
        })?;
        if active.len() > MANY {
            (self.bodies, self.contacts, self.number) = Default::default();
        }
        let impact = gathered.resolve_within(&mut self.velocities, params, &mut self.memory)?;
        for (&body, resolved) in self.taking_part.iter().zip(&self.velocities) {
            velocities[body as usize][..D].copy_from_slice(resolved);
        }
        if active.len() > MANY {
            (self.velocities, self.taking_part, self.memory) = Default::default();
        }
        Ok(impact)
    }

    /// Finds the bodies of active contacts and of joints: nothing is copied of the others. False if a mass mixes the first D numbers with
    /// others.
    pub fn take_bodies<const W: usize>(&mut self, encounter: &Encounter<'_, W>, active: &[Active]) -> bool {
        self.number.clear();
        self.number.resize(encounter.masses.len(), NONE);
        let contacts = active.iter().flat_map(|active| encounter.contacts[active.place as usize].bodies);
        for body in contacts.chain(encounter.joints.iter().flat_map(|joint| joint.bodies)) {
            if let Some(number) = self.number.get_mut(body as usize) {
                *number = 0;
            }
        }
        self.taking_part.clear();
        self.bodies.clear();
        for (body, number) in self.number.iter_mut().enumerate().filter(|(_, number)| **number != NONE) {
            let Some(mass) = narrow(&encounter.masses[body]) else { return false };
            *number = self.taking_part.len() as u32;
            self.taking_part.push(body as u32);
            self.bodies.push(mass);
        }
        true
    }
}
