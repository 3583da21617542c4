//! Discs that slide without turning: contacts are found here, so that the operators can be tested without a world.

use carom_impact::{Contact, Impact, ImpactParams, ImpactSystem, InverseMass, resolve};

pub type Vector = [f64; 2];

/// Discs in free flight between impacts.
#[derive(Clone)]
pub struct Discs {
    pub masses: Vec<f64>,
    pub radii: Vec<f64>,
    pub places: Vec<Vector>,
    pub velocities: Vec<Vector>,
    pub restitution: f64,
}

impl Discs {
    /// Unit masses, radius one half.
    pub fn new(places: &[Vector], velocities: &[Vector]) -> Discs {
        Discs {
            masses: vec![1.0; places.len()],
            radii: vec![0.5; places.len()],
            places: places.to_vec(),
            velocities: velocities.to_vec(),
            restitution: 1.0,
        }
    }

    pub fn bodies(&self) -> Vec<InverseMass<2>> {
        self.masses.iter().map(|&mass| InverseMass::of_mass(mass)).collect()
    }

    /// Pairs that would overlap after a time, with their normals of now (Reflections, Alg. 4).
    pub fn contacts(&self, dt: f64) -> Vec<Contact<[f64; 2]>> {
        let ahead = |i: usize| [0, 1].map(|k| self.places[i][k] + dt * self.velocities[i][k]);
        let mut contacts = Vec::new();
        for b in 0..self.places.len() {
            for a in 0..b {
                let reach = self.radii[a] + self.radii[b];
                if length(difference(ahead(b), ahead(a))) > reach {
                    continue;
                }
                let apart = difference(self.places[b], self.places[a]);
                let normal = apart.map(|x| x / length(apart));
                contacts.push(Contact {
                    key: contacts.len() as u64,
                    bodies: [a as u32, b as u32],
                    normal: [normal.map(|x| -x), normal],
                    restitution: self.restitution,
                    friction: 0.0,
                });
            }
        }
        contacts
    }

    /// Resolves the impacts of a step, then flies on (Reflections, Alg. 4).
    pub fn step(&mut self, dt: f64, params: &ImpactParams) -> Impact {
        let contacts = self.contacts(dt);
        let bodies = self.bodies();
        let system = ImpactSystem { bodies: &bodies, contacts: &contacts, ..Default::default() };
        let impact = resolve(&system, &mut self.velocities, params).unwrap();
        for (place, velocity) in self.places.iter_mut().zip(&self.velocities) {
            (0..2).for_each(|k| place[k] += dt * velocity[k]);
        }
        impact
    }

    /// Steps until the first impact has been resolved.
    pub fn run_to_impact(&mut self, dt: f64, params: &ImpactParams) -> Impact {
        let mut steps = (0..100_000).map(|_| self.step(dt, params));
        steps.find(|impact| impact.normal.iter().any(|&impulse| impulse > 0.0)).unwrap()
    }

    pub fn energy(&self) -> f64 {
        self.masses.iter().zip(&self.velocities).map(|(m, v)| 0.5 * m * (v[0] * v[0] + v[1] * v[1])).sum()
    }

    pub fn momentum(&self) -> Vector {
        [0, 1].map(|k| self.masses.iter().zip(&self.velocities).map(|(m, v)| m * v[k]).sum())
    }
}

pub fn difference(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1]]
}

pub fn length(a: Vector) -> f64 {
    a[0].hypot(a[1])
}

pub fn assert_near(found: &[Vector], expected: &[Vector], tolerance: f64) {
    for (i, (f, e)) in found.iter().zip(expected).enumerate() {
        assert!(length(difference(*f, *e)) <= tolerance, "disc {i} moves at {f:?}, expected {e:?}");
    }
    assert_eq!(found.len(), expected.len());
}
