//! Friction by maximal dissipation, with bounds from the normal impulses (Reflections, Alg. 3).
//!
//! In the plane a contact rubs along its one tangent, between −μλ and μλ: Coulomb's law as it is. In space it rubs along the
//! direction of its slip, which stays fixed for a pass, as the paper has it; without slip before the impact along that which the normal impulses
//! make, and without any along two directions, each with μλ/√2. A further pass takes the direction of the slip that is left, within the same disc. Every pass
//! ends with an inelastic normal solve, so that nothing is left approaching. No step gains energy.

use carom_solve::{Columns, Problem, Solver};

use crate::island::{Island, NOISE};
use crate::reflections::{Course, Reflector};

/// Memory for friction.
#[derive(Debug, Default)]
pub(crate) struct Friction<C> {
    solver: Solver<C>,
    /// The impulse along each tangent.
    pub impulses: Vec<f64>,
    directions: C,
    /// For each direction: its first tangent and its components along the contact's tangents.
    parts: Vec<(usize, [f64; 2])>,
    linear: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    push: Vec<f64>,
    /// The velocity now, and the one whose slip tells the directions of the first pass.
    w: Vec<f64>,
    first: Vec<f64>,
}

impl<C: Columns> Friction<C> {
    /// Adds friction to an island whose normal impulses are known, in some passes. Normal impulses may grow.
    pub fn run(
        &mut self,
        island: &Island<C>,
        normal: &mut [f64],
        reflector: &mut Reflector<C>,
        passes: usize,
    ) -> Course {
        let mut course = Course::default();
        self.impulses.clear();
        self.impulses.resize(island.tangents.len(), 0.0);
        self.w.clone_from(&island.before);
        for (i, &impulse) in normal.iter().enumerate() {
            island.normals.add_scaled(i, impulse, &mut self.w);
        }
        // The paper takes the slip before the impact.
        self.first.clone_from(&island.before);
        for _ in 0..passes {
            self.choose_directions(island, normal);
            self.first.clear();
            self.rub(island, &mut course);
            course.add(reflector.run(island, &self.w, |_| false), 1.0);
            for (i, &impulse) in reflector.impulses.iter().enumerate() {
                if impulse != 0.0 {
                    normal[i] += impulse;
                    island.normals.add_scaled(i, impulse, &mut self.w);
                }
            }
        }
        course
    }

    /// One direction for each tangent in the plane and each slip in space, with what the disc still allows.
    fn choose_directions(&mut self, island: &Island<C>, normal: &[f64]) {
        self.directions.clear();
        for block in 0..island.normals.blocks() as u32 {
            self.directions.push_block_like(&island.normals, block);
        }
        self.parts.clear();
        self.lower.clear();
        self.upper.clear();
        let mut first = 0;
        while first < island.tangents.len() {
            let contact = island.tangent_contact[first] as usize;
            let paired = island.tangent_contact.get(first + 1) == Some(&(contact as u32));
            let radius = island.friction[contact] * normal[contact];
            if radius > 0.0 {
                self.choose_for_contact(island, first, paired, radius);
            }
            first += 1 + usize::from(paired);
        }
    }

    fn choose_for_contact(&mut self, island: &Island<C>, first: usize, paired: bool, radius: f64) {
        let used = [self.impulses[first], if paired { self.impulses[first + 1] } else { 0.0 }];
        if !paired {
            self.push_direction(island, first, [1.0, 0.0], [-radius - used[0], radius - used[0]]);
            return;
        }
        let direction_at = |w: &[f64]| slip_direction(island, first, w, &self.w);
        let begins = (!self.first.is_empty()).then(|| direction_at(&self.first)).flatten();
        if let Some(direction) = begins.or_else(|| direction_at(&self.w)) {
            // Where the line through what is used leaves the disc.
            let along = used[0] * direction[0] + used[1] * direction[1];
            let across = used[0] * direction[1] - used[1] * direction[0];
            let half = (radius * radius - across * across).max(0.0).sqrt();
            self.push_direction(island, first, direction, [(-half - along).min(0.0), (half - along).max(0.0)]);
        } else {
            // The square within the disc.
            let half = radius / std::f64::consts::SQRT_2;
            for (k, direction) in [[1.0, 0.0], [0.0, 1.0]].into_iter().enumerate() {
                self.push_direction(island, first, direction, [(-half - used[k]).min(0.0), (half - used[k]).max(0.0)]);
            }
        }
    }

    fn push_direction(&mut self, island: &Island<C>, first: usize, direction: [f64; 2], [low, high]: [f64; 2]) {
        let blocks = island.tangents.blocks_of(first);
        if direction[1] == 0.0 {
            self.directions.push_column_like(&island.tangents, first, blocks, direction[0]);
        } else {
            self.directions.push_combination(&island.tangents, [first, first + 1], direction);
        }
        self.parts.push((first, direction));
        self.lower.push(low);
        self.upper.push(high);
    }

    /// Dissipates as much as the bounds allow.
    fn rub(&mut self, island: &Island<C>, course: &mut Course) {
        self.linear.clear();
        for &(first, direction) in &self.parts {
            let mut sliding = direction[0] * island.sliding(first, &self.w);
            if direction[1] != 0.0 {
                sliding += direction[1] * island.sliding(first + 1, &self.w);
            }
            self.linear.push(sliding);
        }
        self.push.clear();
        self.push.resize(self.parts.len(), 0.0);
        let problem = Problem::boxed(&self.directions, &self.linear, &self.lower, &self.upper);
        let report = self.solver.solve(&problem, &mut self.push);
        course.solves += 1;
        course.rounds += report.rounds;
        course.residual = course.residual.max(report.residual);
        for (&(first, direction), &impulse) in self.parts.iter().zip(&self.push) {
            for k in 0..2 {
                if direction[k] != 0.0 {
                    self.impulses[first + k] += direction[k] * impulse;
                    island.tangents.add_scaled(first + k, direction[k] * impulse, &mut self.w);
                }
            }
        }
    }
}

/// The direction in which a contact in space slides, if that is more than round-off of the speeds that its bodies have, or have now.
fn slip_direction<C: Columns>(island: &Island<C>, first: usize, w: &[f64], now: &[f64]) -> Option<[f64; 2]> {
    let slip = [island.sliding(first, w), island.sliding(first + 1, w)];
    let speed = slip[0].hypot(slip[1]);
    let speeds = island.tangents.blocks_of(first).map(|block| island.speed(block, w).max(island.speed(block, now)));
    let noise = NOISE * speeds[0].max(speeds[1]) * island.tangents.product(first, first).sqrt();
    (speed > noise).then(|| slip.map(|s| s / speed))
}
