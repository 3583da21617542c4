//! An island: contacts that act on each other through the bodies between them, in coordinates of unit mass.

use carom_solve::Columns;

/// What is below this much of the speeds that made it is round-off, not motion.
pub(crate) const NOISE: f64 = 1e-13;

/// Contacts over a few bodies. Numbers of contacts and blocks are local to the island.
#[derive(Debug, Default)]
pub(crate) struct Island<C> {
    /// One column per contact.
    pub normals: C,
    /// What bodies of prescribed motion contribute to the normal velocity of each contact.
    pub drift: Vec<f64>,
    pub restitution: Vec<f64>,
    /// Coulomb's μ of each contact.
    pub friction: Vec<f64>,
    /// Which rows are joints: they pull as well as push, and stay at rest.
    pub joint: Vec<bool>,
    /// Directions of friction, over the same blocks, each with its contact and its drift.
    pub tangents: C,
    pub tangent_contact: Vec<u32>,
    pub tangent_drift: Vec<f64>,
    /// Velocity before the impact.
    pub before: Vec<f64>,
    /// What closes more slowly is at rest, m/s.
    pub still: f64,
    /// Lengths of the two sides of each normal; this and what follows is found by `connect`.
    pub lengths: Vec<[f64; 2]>,
    /// |Gᵢ|².
    pub squares: Vec<f64>,
    /// The contacts of each block.
    pub incident_starts: Vec<u32>,
    pub incident: Vec<u32>,
}

impl<C: Columns> Island<C> {
    pub fn clear(&mut self) {
        self.normals.clear();
        self.tangents.clear();
        self.joint.clear();
        self.tangent_contact.clear();
        for list in
            [&mut self.drift, &mut self.restitution, &mut self.friction, &mut self.tangent_drift, &mut self.before]
        {
            list.clear();
        }
    }

    pub fn len(&self) -> usize {
        self.drift.len()
    }

    /// Finds what depends on the contacts, when all are there.
    pub fn connect(&mut self) {
        let count = self.len();
        self.lengths.clear();
        self.squares.clear();
        for i in 0..count {
            let squares = self.normals.squares(i);
            self.lengths.push(squares.map(f64::sqrt));
            self.squares.push(squares[0] + squares[1]);
        }
        self.incident_starts.clear();
        self.incident_starts.resize(self.normals.blocks() + 1, 0);
        for i in 0..count {
            for block in distinct(self.normals.blocks_of(i)) {
                self.incident_starts[block as usize] += 1;
            }
        }
        for block in 1..self.incident_starts.len() {
            self.incident_starts[block] += self.incident_starts[block - 1];
        }
        self.incident.clear();
        self.incident.resize(self.incident_starts.last().map_or(0, |&end| end as usize), 0);
        // Filling from the back leaves each start where it belongs.
        for i in (0..count).rev() {
            for block in distinct(self.normals.blocks_of(i)) {
                let place = &mut self.incident_starts[block as usize];
                *place -= 1;
                self.incident[*place as usize] = i as u32;
            }
        }
    }

    /// The contacts of a block, in order.
    #[inline]
    pub fn contacts_of(&self, block: u32) -> &[u32] {
        let block = block as usize;
        &self.incident[self.incident_starts[block] as usize..self.incident_starts[block + 1] as usize]
    }

    /// How fast a contact opens; negative if it approaches.
    #[inline]
    pub fn opening(&self, contact: usize, w: &[f64]) -> f64 {
        self.normals.dot(contact, w) + self.drift[contact]
    }

    /// How fast a contact slides along a tangent.
    #[inline]
    pub fn sliding(&self, tangent: usize, w: &[f64]) -> f64 {
        self.tangents.dot(tangent, w) + self.tangent_drift[tangent]
    }

    /// Whether a contact closes, or a joint moves at all, beyond round-off.
    #[inline]
    pub fn violated(&self, contact: usize, w: &[f64], speeds: &[f64]) -> bool {
        let opening = self.opening(contact, w);
        if self.joint[contact] {
            return opening.abs() > self.noise(contact, speeds);
        }
        opening < -self.noise(contact, speeds) - self.still
    }

    /// What the impulse of a row may be at least.
    #[inline]
    pub fn least_impulse(&self, contact: usize) -> f64 {
        if self.joint[contact] { f64::NEG_INFINITY } else { 0.0 }
    }

    /// The part of a contact's opening that is only round-off, for bodies that have been as fast as `speeds`.
    #[inline]
    pub fn noise(&self, contact: usize, speeds: &[f64]) -> f64 {
        let [a, b] = self.normals.blocks_of(contact);
        let [length_a, length_b] = self.lengths[contact];
        NOISE * (length_a * speeds[a as usize] + length_b * speeds[b as usize] + self.drift[contact].abs())
    }

    /// How fast stopping a contact alone would make its two blocks, at most.
    #[inline]
    pub fn blow(&self, contact: usize, w: &[f64]) -> [f64; 2] {
        let push = (-self.opening(contact, w)).max(0.0) / self.squares[contact].max(f64::MIN_POSITIVE);
        self.lengths[contact].map(|length| push * length)
    }

    /// |Gᵢ|.
    #[inline]
    pub fn length(&self, contact: usize) -> f64 {
        let [a, b] = self.lengths[contact];
        (a * a + b * b).sqrt()
    }

    /// |w| of a block.
    #[inline]
    pub fn speed(&self, block: u32, w: &[f64]) -> f64 {
        w[self.normals.range(block)].iter().map(|x| x * x).sum::<f64>().sqrt()
    }
}

/// One block or two.
#[inline]
pub(crate) fn distinct([a, b]: [u32; 2]) -> impl Iterator<Item = u32> {
    std::iter::once(a).chain((a != b).then_some(b))
}
