//! Rows of contacts and joints in coordinates of unit mass, in the order of keys, without new memory in later steps.

use carom_solve::Columns;

use crate::bodies::{Bodies, Lists, push, whiten};
use crate::{ImpactError, WORLD};

/// All rows: joints first, then contacts, each in the order of keys. A *place* is a position in that order; a contact has its normal
/// and then its tangents as columns.
#[derive(Debug, Default)]
pub(crate) struct Rows<C> {
    pub columns: C,
    /// What bodies of prescribed motion contribute to the rate of each column.
    pub drift: Vec<f64>,
    /// √(GᵢᵀGᵢ); for the tangents of a contact the larger of the two, so that its disc stays round.
    pub lengths: Vec<f64>,
    /// Where the columns of each place start, and the end of the last.
    pub starts: Vec<u32>,
    /// The caller's number of each place: joints are counted after the contacts.
    pub order: Vec<u32>,
    /// Coulomb's μ at rest.
    pub friction: Vec<f64>,
    /// How many places are joints.
    pub joints: usize,
    /// The predicted velocity.
    pub before: Vec<f64>,
    pub white: [Vec<f64>; 2],
    /// The tangents of each contact.
    tangents: Vec<[u32; 2]>,
}

const NONE: u32 = u32::MAX;

impl<C: Columns> Rows<C> {
    pub fn load<B: Bodies<Columns = C>, R: AsRef<[f64]>>(
        &mut self,
        bodies: &B,
        lists: &Lists<'_, R>,
    ) -> Result<(), ImpactError> {
        self.find_tangents(lists)?;
        self.find_order(bodies, lists);
        bodies.lay(&mut self.columns);
        bodies.velocity(&mut self.before);
        self.clear_numbers();
        for place in 0..self.order.len() {
            self.starts.push(self.drift.len() as u32);
            let number = self.order[place] as usize;
            let Some(joint) = number.checked_sub(lists.contacts.len()) else {
                let row = lists.contacts[number].row();
                self.friction.push(row.friction);
                self.push(bodies, row.bodies, row.rows);
                if row.friction > 0.0 {
                    for tangent in self.tangents[number].into_iter().filter(|&tangent| tangent != NONE) {
                        self.push(bodies, row.bodies, lists.tangents[tangent as usize].row().1);
                    }
                }
                self.level(place);
                continue;
            };
            let row = lists.joints[joint].row();
            self.friction.push(0.0);
            self.push(bodies, row.bodies, row.rows);
        }
        self.starts.push(self.drift.len() as u32);
        Ok(())
    }

    /// Forgets the numbers of all rows.
    pub fn clear_numbers(&mut self) {
        for list in [&mut self.drift, &mut self.lengths, &mut self.friction] {
            list.clear();
        }
        self.starts.clear();
    }

    /// The columns of a place: the normal, then tangents.
    pub fn of(&self, place: usize) -> std::ops::Range<usize> {
        self.starts[place] as usize..self.starts[place + 1] as usize
    }

    fn find_tangents<R: AsRef<[f64]>>(&mut self, lists: &Lists<'_, R>) -> Result<(), ImpactError> {
        self.tangents.clear();
        self.tangents.resize(lists.contacts.len(), [NONE; 2]);
        for (number, tangent) in lists.tangents.iter().enumerate() {
            let contact = tangent.contact as usize;
            let Some(free) = self.tangents[contact].iter_mut().find(|tangent| **tangent == NONE) else {
                return Err(ImpactError::TooManyTangents { contact });
            };
            *free = number as u32;
        }
        Ok(())
    }

    fn find_order<B: Bodies<Columns = C>, R: AsRef<[f64]>>(&mut self, bodies: &B, lists: &Lists<'_, R>) {
        let moves = |pair: [u32; 2]| pair.iter().any(|&body| body != WORLD && bodies.moves(body));
        let contacts = lists.contacts.len();
        self.order.clear();
        self.order
            .extend((0..lists.joints.len()).filter(|&i| moves(lists.joints[i].bodies)).map(|i| (contacts + i) as u32));
        self.joints = self.order.len();
        self.order.extend((0..contacts as u32).filter(|&i| moves(lists.contacts[i as usize].bodies)));
        let (joints, touching) = self.order.split_at_mut(self.joints);
        // Sorting in place needs no memory; equal keys keep the order of the list.
        joints.sort_unstable_by_key(|&i| (lists.joints[i as usize - contacts].key, i));
        touching.sort_unstable_by_key(|&i| (lists.contacts[i as usize].key, i));
    }

    fn push<B: Bodies<Columns = C>>(&mut self, bodies: &B, pair: [u32; 2], rows: [&[f64]; 2]) {
        let mut white = [B::White::default(), B::White::default()];
        let drift = whiten(bodies, &pair, &rows, &mut white);
        push(&mut self.columns, pair, &white, false);
        self.note(drift);
    }

    /// Appends what stands in `white` as a column.
    pub fn push_white(&mut self, pair: [u32; 2], drift: f64) {
        push(&mut self.columns, pair, &self.white, false);
        self.note(drift);
    }

    /// Keeps what belongs to the last column.
    fn note(&mut self, drift: f64) {
        self.drift.push(drift);
        let column = self.columns.len() - 1;
        self.lengths.push(self.columns.product(column, column).sqrt());
    }

    /// Gives the tangents of the last contact one length.
    pub fn level(&mut self, place: usize) {
        let first = self.starts[place] as usize + 1;
        if let Some(tangents) = self.lengths.get_mut(first..) {
            let longest = tangents.iter().fold(0.0f64, |longest, &length| longest.max(length));
            tangents.fill(longest);
        }
    }
}
