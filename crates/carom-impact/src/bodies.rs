//! What the operator reads of the caller's lists, and what a kind of bodies has to know about itself: how its rows and velocities are taken
//! to coordinates of unit mass.

use carom_solve::Columns;

use crate::{Contact, Joint, Tangent, WORLD};

/// A contact, a joint or a tangent as the caller gave it.
pub(crate) struct Row<'a> {
    pub key: u64,
    pub bodies: [u32; 2],
    pub rows: [&'a [f64]; 2],
    pub restitution: f64,
    pub friction: f64,
}

impl<R: AsRef<[f64]>> Contact<R> {
    #[inline]
    pub(crate) fn row(&self) -> Row<'_> {
        let rows = [self.normal[0].as_ref(), self.normal[1].as_ref()];
        let Contact { key, bodies, restitution, friction, .. } = *self;
        Row { key, bodies, rows, restitution, friction }
    }
}

impl<R: AsRef<[f64]>> Joint<R> {
    pub(crate) fn row(&self) -> Row<'_> {
        let rows = [self.rows[0].as_ref(), self.rows[1].as_ref()];
        Row { key: self.key, bodies: self.bodies, rows, restitution: 0.0, friction: 0.0 }
    }
}

impl<R: AsRef<[f64]>> Tangent<R> {
    pub(crate) fn row(&self) -> (u32, [&[f64]; 2]) {
        (self.contact, [self.rows[0].as_ref(), self.rows[1].as_ref()])
    }
}

/// A row in coordinates of unit mass; empty if its body does not move. Where all have one width, none asks for memory.
pub(crate) trait White: Default + PartialOrd {
    fn clear(&mut self);

    fn as_slice(&self) -> &[f64];
}

impl White for Vec<f64> {
    fn clear(&mut self) {
        Vec::clear(self);
    }

    fn as_slice(&self) -> &[f64] {
        self
    }
}

impl<const W: usize> White for Option<[f64; W]> {
    #[inline]
    fn clear(&mut self) {
        *self = None;
    }

    #[inline]
    fn as_slice(&self) -> &[f64] {
        self.as_ref().map_or(&[], |row| row.as_slice())
    }
}

/// What a kind of bodies has to know about itself.
pub(crate) trait Bodies {
    type Columns: Columns;
    type White: White;

    /// Leaves no columns, over one block for each body.
    fn lay(&self, columns: &mut Self::Columns);

    /// Whether impulses move a body.
    fn moves(&self, body: u32) -> bool;

    /// What prescribed motion of a body contributes to row · v.
    fn prescribed(&self, body: u32, row: &[f64]) -> f64;

    /// Lᵀ row, written to `result`, which is empty.
    fn whiten(&self, body: u32, row: &[f64], result: &mut Self::White);

    /// L⁻¹ v of all bodies, one after the other, in place of what `result` had.
    fn velocity(&self, result: &mut Vec<f64>);
}

/// Lists of the caller.
pub(crate) struct Lists<'a, R> {
    pub contacts: &'a [Contact<R>],
    pub joints: &'a [Joint<R>],
    pub tangents: &'a [Tangent<R>],
}

/// Lᵀ of the rows of bodies that move, nothing for the others; returns what those contribute to the velocity.
#[inline]
pub(crate) fn whiten<B: Bodies>(bodies: &B, pair: &[u32; 2], rows: &[&[f64]; 2], white: &mut [B::White; 2]) -> f64 {
    let mut drift = 0.0;
    for side in 0..2 {
        white[side].clear();
        let body = pair[side];
        if body == WORLD {
            continue;
        }
        drift += bodies.prescribed(body, rows[side]);
        if bodies.moves(body) {
            bodies.whiten(body, rows[side], &mut white[side]);
        }
    }
    drift
}

#[inline]
pub(crate) fn push<C: Columns>(columns: &mut C, pair: [u32; 2], white: &[impl White; 2], swapped: bool) {
    let [a, b] = [0, 1].map(|side| (pair[side], white[side].as_slice()));
    // A side that does not move points to the block of the other.
    columns.push_rows(match (a.1.is_empty(), b.1.is_empty()) {
        (false, true) => [a, (a.0, &[])],
        (true, _) => [b, (b.0, &[])],
        (false, false) if swapped => [b, a],
        (false, false) => [a, b],
    });
}
