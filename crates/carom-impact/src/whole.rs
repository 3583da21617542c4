//! The whole system in coordinates of unit mass: rows in the order of their keys, divided into islands.
//!
//! Joints come first, then contacts, each in the order of keys; islands in the order of their first rows; all sums follow. So
//! results have the same bits whatever the order of the lists and the number of threads.

use std::mem::take;

use carom_solve::{Columns, Interrupt, Parts};
use rayon::prelude::*;

use crate::bodies::{Bodies, Lists, push, whiten};
use crate::island::Island;
use crate::operator::{Workspace, Yield};
use crate::{Effort, Impact, ImpactError, ImpactParams, Ledger, WORLD};

/// Islands that one task resolves at least.
const PER_TASK: usize = 64;

/// Memory of one thread that is worth keeping from impact to impact.
#[derive(Debug, Default)]
pub(crate) struct Memory<C> {
    parts: Parts,
    island: Island<C>,
    workspace: Workspace<C>,
    /// The number of each block in the island, none between uses.
    number: Vec<u32>,
}

pub(crate) struct Whole<C> {
    normals: C,
    drift: Vec<f64>,
    restitution: Vec<f64>,
    friction: Vec<f64>,
    /// The caller's number of each row: joints are counted after the contacts.
    order: Vec<u32>,
    contacts: usize,
    tangents: C,
    tangent_drift: Vec<f64>,
    /// The caller's number of each tangent, row by row.
    tangent_order: Vec<u32>,
    /// Where the tangents of each row start.
    tangent_starts: Vec<u32>,
    w: Vec<f64>,
}

impl<C: Columns> Whole<C> {
    pub fn new<B: Bodies<Columns = C>, R: AsRef<[f64]>>(bodies: &B, lists: &Lists<'_, R>) -> Result<Self, ImpactError> {
        let contacts = lists.contacts.len();
        let row = |i: u32| {
            if (i as usize) < contacts {
                lists.contacts[i as usize].row()
            } else {
                lists.joints[i as usize - contacts].row()
            }
        };
        let moves = |body: u32| body != WORLD && bodies.moves(body);
        let key = |&i: &u32| ((i as usize) < contacts, row(i).key);
        let mut order = Vec::with_capacity(contacts + lists.joints.len());
        let (mut last, mut is_sorted) = ((false, 0), true);
        for i in 0..(contacts + lists.joints.len()) as u32 {
            if row(i).bodies.iter().any(|&body| moves(body)) {
                let next = key(&i);
                is_sorted &= last <= next;
                last = next;
                order.push(i);
            }
        }
        if !is_sorted {
            order.sort_by_key(key);
        }
        let (mut normals, mut w) = (C::default(), Vec::new());
        bodies.lay(&mut normals);
        let tangents = normals.clone();
        normals.reserve(order.len());
        bodies.velocity(&mut w);
        let mut whole = Whole {
            tangents,
            normals,
            drift: Vec::with_capacity(order.len()),
            restitution: Vec::with_capacity(order.len()),
            friction: Vec::with_capacity(order.len()),
            contacts,
            tangent_drift: Vec::new(),
            tangent_order: Vec::new(),
            tangent_starts: vec![0; order.len() + 1],
            w,
            order,
        };
        let mut white = [B::White::default(), B::White::default()];
        let mut swapped = vec![false; if lists.tangents.is_empty() { 0 } else { whole.order.len() }];
        for place in 0..whole.order.len() {
            let row = row(whole.order[place]);
            let drift = whiten(bodies, &row.bodies, &row.rows, &mut white);
            // The order of the sides must not decide about the order of sums.
            let is_swapped = white[0] < white[1];
            if let Some(swapped) = swapped.get_mut(place) {
                *swapped = is_swapped;
            }
            push(&mut whole.normals, row.bodies, &white, is_swapped);
            whole.drift.push(drift);
            whole.restitution.push(row.restitution);
            whole.friction.push(row.friction);
        }
        whole.add_tangents(bodies, lists, &swapped, &mut white)?;
        Ok(whole)
    }

    fn add_tangents<B: Bodies<Columns = C>, R: AsRef<[f64]>>(
        &mut self,
        bodies: &B,
        lists: &Lists<'_, R>,
        swapped: &[bool],
        white: &mut [B::White; 2],
    ) -> Result<(), ImpactError> {
        if lists.tangents.is_empty() {
            return Ok(());
        }
        const NOWHERE: u32 = u32::MAX;
        let mut place_of = vec![NOWHERE; self.contacts];
        for (place, &row) in self.order.iter().enumerate() {
            if (row as usize) < self.contacts {
                place_of[row as usize] = place as u32;
            }
        }
        let place = |tangent: u32| place_of[lists.tangents[tangent as usize].contact as usize];
        self.tangent_order = (0..lists.tangents.len() as u32).filter(|&t| place(t) != NOWHERE).collect();
        self.tangent_order.sort_by_key(|&t| place(t));
        for &tangent in &self.tangent_order {
            let (contact, rows) = lists.tangents[tangent as usize].row();
            let place = place_of[contact as usize] as usize;
            self.tangent_starts[place + 1] += 1;
            if self.tangent_starts[place + 1] > 2 {
                return Err(ImpactError::TooManyTangents { contact: contact as usize });
            }
            let pair = lists.contacts[contact as usize].bodies;
            self.tangent_drift.push(whiten(bodies, &pair, &rows, white));
            push(&mut self.tangents, pair, white, swapped[place]);
        }
        for place in 1..self.tangent_starts.len() {
            self.tangent_starts[place] += self.tangent_starts[place - 1];
        }
        Ok(())
    }

    /// Resolves all islands. Returns the change of velocity in these coordinates.
    pub fn resolve(mut self, impact: &mut Impact, params: &ImpactParams, memory: &mut Memory<C>) -> Vec<f64> {
        let mut parts = take(&mut memory.parts);
        let all: Vec<u32> = (0..self.order.len() as u32).collect();
        parts.find(&self.normals, &all);
        impact.effort.islands = parts.len();
        let acts = |part: &usize| parts.members(*part).iter().any(|&i| self.acts(i as usize));
        let acting: Vec<usize> = (0..parts.len()).filter(acts).collect();
        let mut change = vec![0.0; self.normals.dimension()];
        if let [part] = acting[..]
            && self.is_nearly_all(parts.members(part))
        {
            drop(parts);
            let mut island = self.lend();
            island.still = params.still;
            let mut result = Yield::default();
            memory.workspace.resolve(&island, params, &mut result);
            (self.normals, self.tangents) = (island.normals, island.tangents);
            self.enter(&all, &result, impact, &mut change);
            return change;
        }
        let resolve = |memory: &mut Memory<C>, part: usize, result: &mut Yield| {
            let members = parts.members(part);
            if let [row] = *members
                && self.resolve_alone(row as usize, params, result)
            {
                return;
            }
            self.gather(members, &mut memory.island, &mut memory.number);
            memory.island.still = params.still;
            memory.workspace.resolve(&memory.island, params, result);
        };
        // Another thread is worth waking for many islands only; it has no use of memory that this one has given back.
        if acting.len() < 2 * PER_TASK || rayon::current_num_threads() == 1 {
            let mut result = Yield::default();
            for &part in &acting {
                resolve(memory, part, &mut result);
                self.enter(parts.members(part), &result, impact, &mut change);
            }
        } else {
            let interrupt = Interrupt::current();
            let resolve = |memory: &mut Memory<C>, &part: &usize| {
                let _scope = interrupt.enter();
                let mut result = Yield::default();
                resolve(memory, part, &mut result);
                result
            };
            let yields: Vec<Yield> =
                acting.par_iter().with_min_len(PER_TASK).map_init(Memory::default, resolve).collect();
            for (&part, result) in acting.iter().zip(&yields) {
                self.enter(parts.members(part), result, impact, &mut change);
            }
        }
        memory.parts = parts;
        change
    }

    /// Resolves a contact without tangents that acts on no other: most islands are of this kind, and need not be copied. False if it
    /// is another row.
    fn resolve_alone(&self, row: usize, params: &ImpactParams, result: &mut Yield) -> bool {
        let is_joint = self.order[row] as usize >= self.contacts;
        if is_joint || self.tangent_starts[row] != self.tangent_starts[row + 1] {
            return false;
        }
        let opening = self.normals.dot(row, &self.w) + self.drift[row];
        let square = self.normals.product(row, row);
        result.clear();
        result.stop_alone(opening, self.restitution[row], square, params);
        let impulse = result.normal[0];
        let change = self.normals.rows(row).into_iter().flatten().map(|x| impulse * x);
        let curvature: f64 = change.map(|x| x * x).sum();
        // What it takes is found as for any island.
        result.ledger.restitution = -(impulse * opening + 0.5 * curvature);
        result.ledger.driven = -impulse * self.drift[row];
        true
    }

    /// Takes over what an island yields.
    fn enter(&self, members: &[u32], result: &Yield, impact: &mut Impact, change: &mut [f64]) {
        impact.effort.add(&result.effort, members.len());
        if result.squeezed {
            impact.effort.unresolved += 1;
            let rows = members.iter().map(|&member| self.order[member as usize]);
            impact.squeezed.extend(rows.filter(|&row| (row as usize) < self.contacts));
            return;
        }
        let mut tangents = result.tangential.iter();
        for (&member, &impulse) in members.iter().zip(&result.normal) {
            let member = member as usize;
            self.normals.add_scaled(member, impulse, change);
            match (self.order[member] as usize).checked_sub(self.contacts) {
                None => impact.normal[self.order[member] as usize] = impulse,
                Some(joint) => impact.joints[joint] = impulse,
            }
            for tangent in self.tangent_starts[member] as usize..self.tangent_starts[member + 1] as usize {
                let Some(&impulse) = tangents.next() else { break };
                self.tangents.add_scaled(tangent, impulse, change);
                impact.tangential[self.tangent_order[tangent] as usize] = impulse;
            }
        }
        impact.ledger.add(&result.ledger);
    }

    /// Whether an island may as well be resolved together with all others, in which nothing approaches: no bit depends on these, since
    /// reflections look at contacts that approach and at what they push. But layers depend on which coefficients there are.
    fn is_nearly_all(&self, members: &[u32]) -> bool {
        let one_layer = || self.restitution.windows(2).all(|pair| pair[0] == pair[1]);
        members.len() == self.order.len() || (2 * members.len() > self.order.len() && one_layer())
    }

    /// All rows as one island; no column is copied.
    fn lend(&mut self) -> Island<C> {
        let rows = 0..self.order.len();
        let tangents = |row: usize| self.tangent_starts[row]..self.tangent_starts[row + 1];
        let mut island = Island {
            joint: self.order.iter().map(|&row| row as usize >= self.contacts).collect(),
            tangent_contact: rows.flat_map(|row| tangents(row).map(move |_| row as u32)).collect(),
            normals: take(&mut self.normals),
            drift: take(&mut self.drift),
            restitution: take(&mut self.restitution),
            friction: take(&mut self.friction),
            tangents: take(&mut self.tangents),
            tangent_drift: take(&mut self.tangent_drift),
            before: take(&mut self.w),
            ..Island::default()
        };
        island.connect();
        island
    }

    /// Whether a contact approaches or a joint moves at all, be it by round-off.
    #[inline]
    fn acts(&self, row: usize) -> bool {
        let opening = self.normals.dot(row, &self.w) + self.drift[row];
        opening < 0.0 || (opening > 0.0 && self.order[row] as usize >= self.contacts)
    }

    /// Copies one island out, with numbers of its own.
    fn gather(&self, members: &[u32], island: &mut Island<C>, number: &mut Vec<u32>) {
        const UNSEEN: u32 = u32::MAX;
        if number.len() < self.normals.blocks() {
            number.resize(self.normals.blocks(), UNSEEN);
        }
        island.clear();
        for (local, &member) in members.iter().enumerate() {
            let member = member as usize;
            let blocks = self.normals.blocks_of(member).map(|block| {
                if number[block as usize] == UNSEEN {
                    number[block as usize] = island.normals.blocks() as u32;
                    island.normals.push_block_like(&self.normals, block);
                    island.tangents.push_block_like(&self.normals, block);
                    island.before.extend_from_slice(&self.w[self.normals.range(block)]);
                }
                number[block as usize]
            });
            island.normals.push_column_like(&self.normals, member, blocks, 1.0);
            island.drift.push(self.drift[member]);
            island.restitution.push(self.restitution[member]);
            island.friction.push(self.friction[member]);
            island.joint.push(self.order[member] as usize >= self.contacts);
            for tangent in self.tangent_starts[member] as usize..self.tangent_starts[member + 1] as usize {
                island.tangents.push_column_like(&self.tangents, tangent, blocks, 1.0);
                island.tangent_contact.push(local as u32);
                island.tangent_drift.push(self.tangent_drift[tangent]);
            }
        }
        for &member in members {
            for block in self.normals.blocks_of(member as usize) {
                number[block as usize] = UNSEEN;
            }
        }
        island.connect();
    }
}

impl Ledger {
    fn add(&mut self, other: &Ledger) {
        self.restitution += other.restitution;
        self.friction += other.friction;
        self.jam += other.jam;
        self.driven += other.driven;
    }
}

impl Effort {
    fn add(&mut self, island: &Effort, contacts: usize) {
        self.largest_island = self.largest_island.max(contacts);
        self.solves += island.solves;
        self.most_solves = self.most_solves.max(island.solves);
        self.rounds += island.rounds;
        self.interior_points += island.interior_points;
        self.factorizations += island.factorizations;
        self.examined += island.examined;
        self.residual = self.residual.max(island.residual);
        self.jammed += island.jammed;
        self.friction_seconds += island.friction_seconds;
        self.friction_iterations += island.friction_iterations;
        self.friction_residual = self.friction_residual.max(island.friction_residual);
        self.unresolved += island.unresolved;
    }
}
