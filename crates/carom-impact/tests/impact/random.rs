//! Random impacts: masses over six decades, redundant contacts, degenerate normals, chains and heaps.

use carom_impact::{Contact, ImpactSystem, InverseMass, WORLD};

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
}

/// What makes the coefficients of restitution.
#[derive(Clone, Copy, PartialEq)]
pub enum Restitution {
    Elastic,
    Uniform(f64),
    Mixed,
    /// A coefficient of its own for every contact.
    Distinct,
}

#[derive(Clone)]
pub struct Scene {
    pub masses: Vec<f64>,
    pub contacts: Vec<Contact<[f64; 2]>>,
    pub velocities: Vec<[f64; 2]>,
}

impl Scene {
    pub fn bodies(&self) -> Vec<InverseMass<2>> {
        self.masses.iter().map(|&mass| InverseMass::of_mass(mass)).collect()
    }

    pub fn energy(&self, velocities: &[[f64; 2]]) -> f64 {
        self.masses.iter().zip(velocities).map(|(m, v)| 0.5 * m * (v[0] * v[0] + v[1] * v[1])).sum()
    }

    pub fn momentum(&self, velocities: &[[f64; 2]]) -> [f64; 2] {
        let sum = |k: usize| self.masses.iter().zip(velocities).map(|(m, v)| m * v[k]).sum();
        [sum(0), sum(1)]
    }

    /// How far the momentum is from what it was plus what the ground gave, as a share of all that bodies and ground carried.
    pub fn lost_momentum(&self, after: &[[f64; 2]], impulses: &[f64]) -> f64 {
        let (before, now) = (self.momentum(&self.velocities), self.momentum(after));
        let grounded = self.contacts.iter().zip(impulses).filter(|(contact, _)| contact.bodies[1] == WORLD);
        let given: f64 = grounded.map(|(contact, impulse)| contact.normal[0][1] * impulse).sum();
        let size = |v: &[f64; 2]| v[0].hypot(v[1]);
        let carried: f64 =
            self.masses.iter().zip(&self.velocities).map(|(m, v)| m * size(v)).sum::<f64>() + given.abs();
        (now[0] - before[0]).hypot(now[1] - before[1] - given) / carried
    }

    /// The worst approach left, as a share of the largest that the energy before could make: |opening| ≤ |G| √(2E).
    pub fn worst_approach(&self, after: &[[f64; 2]]) -> f64 {
        let mut worst = 0.0f64;
        for contact in &self.contacts {
            let (mut opening, mut square) = (0.0, 0.0);
            for side in (0..2).filter(|&side| contact.bodies[side] != WORLD) {
                let body = contact.bodies[side] as usize;
                opening += contact.normal[side][0] * after[body][0] + contact.normal[side][1] * after[body][1];
                square += 1.0 / self.masses[body];
            }
            worst = worst.max(-opening / square.sqrt());
        }
        worst / (2.0 * self.energy(&self.velocities)).sqrt()
    }

    /// A random heap in the plane, all of whose contacts open when the heap is blown up: no jam is possible.
    pub fn heap(random: &mut Random, restitution: Restitution) -> Scene {
        let count = 2 + random.below(14);
        let places: Vec<[f64; 2]> = (0..count).map(|_| [random.between(-1.0, 1.0), random.between(0.1, 1.0)]).collect();
        let masses = (0..count).map(|_| 10f64.powf(random.between(-3.0, 3.0))).collect();
        let velocities = (0..count).map(|_| [random.between(-1.0, 1.0), random.between(-1.0, 1.0)]).collect();
        let mut contacts: Vec<Contact<[f64; 2]>> = Vec::new();
        for key in 0..(1 + random.below(3 * count)) as u64 {
            let a = random.below(count);
            let b = random.below(count);
            let apart = [places[b][0] - places[a][0], places[b][1] - places[a][1]];
            let distance = apart[0].hypot(apart[1]);
            // Grounded, a pair, or a repetition of the last contact.
            let (bodies, normal) = match contacts.last() {
                Some(last) if random.unit() < 0.15 => (last.bodies, last.normal),
                _ if a == b || random.unit() < 0.2 => ([a as u32, WORLD], [[0.0, 1.0], [0.0, -1.0]]),
                _ => {
                    let normal = apart.map(|x| x / distance);
                    ([a as u32, b as u32], [normal.map(|x| -x), normal])
                }
            };
            let restitution = match restitution {
                Restitution::Elastic => 1.0,
                Restitution::Uniform(c) => c,
                Restitution::Mixed => [0.0, 0.3, 0.7, 1.0, 0.9][random.below(5)],
                Restitution::Distinct => random.unit(),
            };
            contacts.push(Contact { key, bodies, normal, restitution, friction: 0.0 });
        }
        Scene { masses, contacts, velocities }
    }

    pub fn resolve(&self, params: &carom_impact::ImpactParams) -> (Vec<[f64; 2]>, carom_impact::Impact) {
        let bodies = self.bodies();
        let system = ImpactSystem { bodies: &bodies, contacts: &self.contacts, ..Default::default() };
        let mut velocities = self.velocities.clone();
        let impact = carom_impact::resolve(&system, &mut velocities, params).unwrap();
        (velocities, impact)
    }
}
