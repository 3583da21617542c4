//! One group of contacts after the other: passes of both projections, Newton steps between them, and what to do if none settles.

use carom_solve::{ActiveSet, Candidates, Columns, Parts, Problem, Solver, minimize_in_disc, minimize_in_polygon};

use super::jump::Jump;
use super::rows::Rows;
use super::{Disc, Grip, StaggeredParams, StaggeredReport, Touch};

/// Rates below this much of the speeds that made them are round-off.
const NOISE: f64 = 1e-13;
/// Friction problems are solved to this share of what the passes are to reach, or have reached.
const INNER: f64 = 0.1;
/// Newton steps are tried in each of the first passes of groups of at most so many rows; later, and in larger ones, in passes
/// 4, 8, 16 and so on.
const SMALL: usize = 96;
/// A contact slides if its slip is beyond this many times what counts as zero.
const SLIPS: f64 = 10.0;

/// All rows of a step, their impulses, and memory.
#[derive(Debug, Default)]
pub(crate) struct Stagger<C> {
    pub rows: Rows<C>,
    pub joint_impulses: Vec<f64>,
    parts: Parts,
    /// Normals and joints, which tell the groups.
    heads: Vec<u32>,
    /// Rate without impulses, minus what is demanded, of each column, is Gᵀw + this.
    linear: Vec<f64>,
    /// Coulomb's μ that applies now, of each place.
    friction: Vec<f64>,
    /// The impulse of each column.
    impulses: Vec<f64>,
    /// The velocity with the impulses, and then its change.
    w: Vec<f64>,
    active_set: ActiveSet,
    exact: Solver<C>,
    jump: Jump,
    normals: Vec<u32>,
    saved: Vec<f64>,
    best: Vec<f64>,
}

/// What is the same for all passes over a group.
#[derive(Debug, Clone, Copy)]
struct Size {
    /// The fastest body.
    speed: f64,
    /// The fastest approach, by a contact of length one.
    closing: f64,
    /// Joints among the members.
    joints: usize,
    tolerance: f64,
}

impl Size {
    /// The change of an impulse that counts as none, among impulses of this size.
    fn enough(&self, impulse: f64) -> f64 {
        self.tolerance * self.closing.max(impulse) + NOISE * self.speed
    }
}

impl<C: Columns> Stagger<C> {
    /// What the impulses changed, in coordinates of unit mass.
    pub fn change(&self) -> &[f64] {
        &self.w
    }

    /// Solves for the rows loaded.
    pub fn solve(&mut self, joints: usize, touches: &mut [Touch], params: &StaggeredParams) -> StaggeredReport {
        let contacts = touches.len();
        self.start(touches);
        let mut parts = std::mem::take(&mut self.parts);
        parts.find(&self.rows.columns, &self.heads);
        let mut report = StaggeredReport { groups: parts.len(), ..StaggeredReport::default() };
        for part in 0..parts.len() {
            let members = parts.members(part);
            report.largest_group = report.largest_group.max(members.len());
            self.solve_group(members, touches, params, &mut report);
        }
        self.parts = parts;
        self.joint_impulses.clear();
        self.joint_impulses.resize(joints, 0.0);
        for place in 0..self.rows.joints {
            let joint = self.rows.order[place] as usize - contacts;
            self.joint_impulses[joint] = self.impulses[self.rows.starts[place] as usize];
        }
        self.w.iter_mut().zip(&self.rows.before).for_each(|(w, before)| *w -= before);
        report
    }

    /// Takes up targets, coefficients and the impulses to start from.
    fn start(&mut self, touches: &[Touch]) {
        let rows = &self.rows;
        self.linear.clone_from(&rows.drift);
        self.friction.clone_from(&rows.friction);
        self.impulses.clear();
        self.impulses.resize(rows.drift.len(), 0.0);
        self.w.clone_from(&rows.before);
        self.heads.clear();
        self.heads.extend_from_slice(&rows.starts[..rows.order.len()]);
        for place in rows.joints..rows.order.len() {
            let touch = &touches[rows.order[place] as usize];
            let columns = rows.of(place);
            self.linear[columns.start] -= touch.target;
            if touch.grip == Grip::Slide {
                self.friction[place] = touch.sliding_friction;
            }
            for (column, &impulse) in columns.zip(&touch.impulse) {
                self.impulses[column] = impulse;
            }
        }
    }

    fn solve_group(
        &mut self,
        members: &[u32],
        touches: &mut [Touch],
        params: &StaggeredParams,
        report: &mut StaggeredReport,
    ) {
        self.normals.clear();
        self.normals.extend(members.iter().map(|&place| self.rows.starts[place as usize]));
        let mut size = self.size(members, params);
        self.clamp(members);
        self.refresh(members);
        loop {
            let residual = self.settle(members, &mut size, params, report);
            // Friction at rest that cannot hold gives way to that of sliding, and the rest has to be found anew.
            let broke_away = self.break_away(members, touches, &size);
            if broke_away == 0 || carom_solve::is_interrupted() {
                report.residual = report.residual.max(residual);
                break;
            }
            report.broke_away += broke_away;
        }
        self.finish(members, touches, &size, report);
    }

    fn size(&self, members: &[u32], params: &StaggeredParams) -> Size {
        let (rows, before) = (&self.rows, &self.rows.before);
        let mut size = Size { speed: 0.0, closing: 0.0, joints: 0, tolerance: params.tolerance };
        for &place in members {
            let normal = rows.starts[place as usize] as usize;
            for block in rows.columns.blocks_of(normal) {
                let square: f64 = before[rows.columns.range(block)].iter().map(|x| x * x).sum();
                size.speed = size.speed.max(square.sqrt());
            }
            let rate = rows.columns.dot(normal, before) + self.linear[normal];
            let joint = (place as usize) < rows.joints;
            size.joints += usize::from(joint);
            if rows.lengths[normal] > 0.0 {
                let closing = if joint { rate.abs() } else { -rate };
                size.closing = size.closing.max(closing / rows.lengths[normal]);
            }
        }
        size
    }

    /// Brings the impulses of contacts into their cones.
    fn clamp(&mut self, members: &[u32]) {
        for &place in members.iter().filter(|&&place| place as usize >= self.rows.joints) {
            let columns = self.rows.of(place as usize);
            let normal = self.impulses[columns.start].max(0.0);
            self.impulses[columns.start] = normal;
            let tangents = &mut self.impulses[columns.start + 1..columns.end];
            let length = tangents.iter().map(|x| x * x).sum::<f64>().sqrt();
            let radius = self.friction[place as usize] * normal;
            if length > radius {
                tangents.iter_mut().for_each(|x| *x *= radius / length);
            }
        }
    }

    /// Computes the velocity from the impulses.
    fn refresh(&mut self, members: &[u32]) {
        let columns = &self.rows.columns;
        for &place in members {
            for block in columns.blocks_of(self.rows.starts[place as usize] as usize) {
                let range = columns.range(block);
                self.w[range.clone()].copy_from_slice(&self.rows.before[range]);
            }
        }
        for &place in members {
            for column in self.rows.of(place as usize) {
                if self.impulses[column] != 0.0 {
                    columns.add_scaled(column, self.impulses[column], &mut self.w);
                }
            }
        }
    }

    /// Rate minus what is demanded.
    fn rate(&self, column: usize) -> f64 {
        self.rows.columns.dot(column, &self.w) + self.linear[column]
    }

    /// Finds impulses at which both projections hold. Returns the residual.
    fn settle(
        &mut self,
        members: &[u32],
        size: &mut Size,
        params: &StaggeredParams,
        report: &mut StaggeredReport,
    ) -> f64 {
        let rubs =
            members.iter().any(|&place| self.friction[place as usize] > 0.0 && self.rows.of(place as usize).len() > 1);
        if !rubs {
            self.project_normals(members, size, report);
            return self.residual(members, size, params.disc);
        }
        let residual = self.residual(members, size, params.disc);
        if residual <= params.tolerance {
            return residual;
        }
        let newton = params.newton_steps > 0 && params.disc == Disc::Round;
        if newton && self.largest(members) > 0.0 {
            let residual = self.jump(members, size, residual, params, report);
            if residual <= params.tolerance {
                return residual;
            }
        }
        let mut best = f64::INFINITY;
        for pass in 1..=params.passes {
            report.passes += 1;
            report.most_passes = report.most_passes.max(pass);
            self.project_normals(members, size, report);
            let residual = self.residual(members, size, params.disc);
            if residual < best {
                best = residual;
                self.save_best(members);
            }
            if residual <= params.tolerance || carom_solve::is_interrupted() {
                return residual;
            }
            let rows = 3 * self.active_set.used().len();
            if newton && ((pass < 4 && rows <= SMALL) || (pass >= 4 && pass.is_power_of_two())) {
                let residual = self.jump(members, size, residual, params, report);
                if residual <= params.tolerance {
                    return residual;
                }
            }
            report.sweeps += self.project_friction(members, size, params, residual);
        }
        report.fallbacks += 1;
        self.fall_back(members, size, params, report)
    }

    /// Eq. 5a: normal impulses for the present friction.
    fn project_normals(&mut self, members: &[u32], size: &Size, report: &mut StaggeredReport) {
        let largest = self.largest(members);
        let candidates = Candidates {
            columns: &self.normals,
            linear: &self.linear,
            lengths: &self.rows.lengths,
            pulling: size.joints,
            noise: INNER * size.enough(largest),
        };
        let found = self.active_set.solve(&self.rows.columns, &candidates, &mut self.impulses, &mut self.w);
        report.pivots += found.pivots;
        report.squeezed = report.squeezed.max(found.squeezed);
        if !found.converged {
            report.pivots += self.project_jammed_normals(members);
        }
    }

    /// Eq. 5a where contacts are jammed and exchanges come round in circles: spread over all contacts, by a solver that takes its time.
    fn project_jammed_normals(&mut self, members: &[u32]) -> usize {
        for &normal in &self.normals {
            self.impulses[normal as usize] = 0.0;
        }
        self.refresh(members);
        let linear: Vec<f64> = self.normals.iter().map(|&normal| self.rate(normal as usize)).collect();
        let joints = members.iter().filter(|&&place| (place as usize) < self.rows.joints).count();
        let mut lower = vec![f64::NEG_INFINITY; joints];
        lower.resize(members.len(), 0.0);
        let upper = vec![f64::INFINITY; members.len()];
        let mut impulses = vec![0.0; members.len()];
        let problem = Problem::boxed(&self.rows.columns, &linear, &lower, &upper);
        let found = self.exact.solve_subset(&problem, &self.normals, &mut impulses);
        for (&normal, impulse) in self.normals.iter().zip(impulses) {
            self.impulses[normal as usize] = impulse;
        }
        self.refresh(members);
        found.rounds
    }

    /// Eq. 5b: friction for the present normal impulses, contact by contact until nothing changes. Returns the sweeps.
    fn project_friction(&mut self, members: &[u32], size: &Size, params: &StaggeredParams, residual: f64) -> usize {
        let enough = INNER * size.enough(self.largest(members)).max(INNER * residual * self.largest(members));
        for sweep in 1..=params.sweeps {
            let mut worst = 0.0f64;
            for k in 0..members.len() {
                // Back and forth, so that the order of contacts matters less.
                let place = members[if sweep % 2 == 1 { k } else { members.len() - 1 - k }] as usize;
                worst = worst.max(self.rub(place, params.disc));
            }
            if worst <= enough {
                return sweep;
            }
        }
        params.sweeps
    }

    /// Solves for the friction of one contact. Returns how much it changed, in coordinates of unit mass.
    fn rub(&mut self, place: usize, disc: Disc) -> f64 {
        let columns = self.rows.of(place);
        if columns.len() < 2 {
            return 0.0;
        }
        let best = self.best_friction(place, disc);
        let mut change = 0.0f64;
        for (column, best) in columns.skip(1).zip(best) {
            let step = best - self.impulses[column];
            if step != 0.0 {
                self.impulses[column] = best;
                self.rows.columns.add_scaled(column, step, &mut self.w);
                change = change.max(step.abs() * self.rows.lengths[column]);
            }
        }
        change
    }

    /// The friction of one contact that dissipates most, all else as it is.
    fn best_friction(&self, place: usize, disc: Disc) -> [f64; 2] {
        let columns = self.rows.of(place);
        let radius = self.friction[place] * self.impulses[columns.start].max(0.0);
        let matrix = &self.rows.columns;
        let first = columns.start + 1;
        let rate = self.rate(first);
        let square = matrix.product(first, first);
        if columns.len() == 2 {
            let free = if square > 0.0 { self.impulses[first] - rate / square } else { 0.0 };
            return [free.max(-radius).min(radius), 0.0];
        }
        let second = first + 1;
        let block = [square, matrix.product(first, second), matrix.product(second, second)];
        let [x, y] = [self.impulses[first], self.impulses[second]];
        let slip = [rate, self.rate(second)];
        let linear = [slip[0] - block[0] * x - block[1] * y, slip[1] - block[1] * x - block[2] * y];
        match disc {
            Disc::Round => minimize_in_disc(block, linear, radius),
            Disc::Sampled(directions) => minimize_in_polygon(block, linear, radius, directions),
        }
    }

    /// The largest impulse of a normal, in coordinates of unit mass.
    fn largest(&self, members: &[u32]) -> f64 {
        members.iter().fold(0.0, |largest, &place| {
            let normal = self.rows.starts[place as usize] as usize;
            largest.max(self.impulses[normal].abs() * self.rows.lengths[normal])
        })
    }

    /// How far the impulses are from holding: the most that one would change by a projected step of its own, as a share of the
    /// largest.
    fn residual(&self, members: &[u32], size: &Size, disc: Disc) -> f64 {
        let mut worst = 0.0f64;
        for &place in members {
            let place = place as usize;
            let columns = self.rows.of(place);
            let (normal, length) = (columns.start, self.rows.lengths[columns.start]);
            if length == 0.0 {
                continue;
            }
            let impulse = self.impulses[normal] * length;
            let moved = impulse - self.rate(normal) / length;
            worst = worst.max((impulse - if place < self.rows.joints { moved } else { moved.max(0.0) }).abs());
            if columns.len() > 1 {
                worst = worst.max(self.friction_residual(place, disc));
            }
        }
        let enough = size.enough(self.largest(members));
        if worst == 0.0 { 0.0 } else { size.tolerance * worst / enough }
    }

    fn friction_residual(&self, place: usize, disc: Disc) -> f64 {
        let columns = self.rows.of(place);
        let length = self.rows.lengths[columns.start + 1];
        if length == 0.0 {
            return 0.0;
        }
        let impulses = &self.impulses[columns.start + 1..columns.end];
        if disc != Disc::Round {
            let best = self.best_friction(place, disc);
            return impulses
                .iter()
                .zip(best)
                .fold(0.0, |worst, (impulse, best)| worst.max((impulse - best).abs() * length));
        }
        let radius = self.friction[place] * self.impulses[columns.start].max(0.0) * length;
        let mut moved = [0.0; 2];
        for (k, column) in columns.skip(1).enumerate() {
            moved[k] = self.impulses[column] * length - self.rate(column) / length;
        }
        let far = moved[0].hypot(moved[1]);
        let shrink = if far > radius { radius / far } else { 1.0 };
        impulses
            .iter()
            .zip(moved)
            .fold(0.0, |worst, (impulse, moved)| worst.max((impulse * length - shrink * moved).abs()))
    }

    /// Newton steps for the contacts that carry an impulse. Keeps what they find if it is better. Returns the residual.
    fn jump(
        &mut self,
        members: &[u32],
        size: &Size,
        before: f64,
        params: &StaggeredParams,
        report: &mut StaggeredReport,
    ) -> f64 {
        self.saved.clear();
        for &place in members {
            self.saved.extend_from_slice(&self.impulses[self.rows.of(place as usize)]);
        }
        let enough = |largest: f64| INNER * size.enough(largest);
        let (steps, found) = self.jump.find(
            &self.rows,
            members,
            &self.linear,
            &self.friction,
            &mut self.impulses,
            params.newton_steps,
            enough,
        );
        report.newton_steps += steps;
        if found {
            self.refresh(members);
            let residual = self.residual(members, size, params.disc);
            if residual < before {
                return residual;
            }
        }
        let saved = std::mem::take(&mut self.saved);
        self.restore(members, &saved);
        self.saved = saved;
        before
    }

    fn save_best(&mut self, members: &[u32]) {
        self.best.clear();
        for &place in members {
            self.best.extend_from_slice(&self.impulses[self.rows.of(place as usize)]);
        }
    }

    fn restore(&mut self, members: &[u32], saved: &[f64]) {
        let mut saved = saved.iter();
        for &place in members {
            for column in self.rows.of(place as usize) {
                self.impulses[column] = saved.next().copied().unwrap_or(0.0);
            }
        }
        self.refresh(members);
    }

    /// The best pass, with less friction if it gains energy.
    fn fall_back(
        &mut self,
        members: &[u32],
        size: &Size,
        params: &StaggeredParams,
        report: &mut StaggeredReport,
    ) -> f64 {
        let mut best = std::mem::take(&mut self.best);
        self.restore(members, &best);
        let mut share = 1.0;
        while self.gain(members) > NOISE * size.speed * size.speed {
            share = if share > 1e-3 { 0.5 * share } else { 0.0 };
            let mut values = best.iter_mut();
            for &place in members {
                for k in 0..self.rows.of(place as usize).len() {
                    if let Some(value) = values.next()
                        && k > 0
                    {
                        *value *= share;
                    }
                }
            }
            self.restore(members, &best);
            self.project_normals(members, size, report);
            if share == 0.0 {
                break;
            }
        }
        self.best = best;
        self.residual(members, size, params.disc)
    }

    /// Energy gained beyond what the demanded velocities take: Σλ(u⁻ + u⁺)/2 − Σα·target.
    fn gain(&self, members: &[u32]) -> f64 {
        let mut gain = 0.0;
        for column in members.iter().flat_map(|&place| self.rows.of(place as usize)) {
            if self.impulses[column] != 0.0 {
                let before = self.rows.columns.dot(column, &self.rows.before) + self.linear[column];
                gain += 0.5 * self.impulses[column] * (before + self.rate(column));
            }
        }
        gain
    }

    /// What a contact does, by its impulses.
    fn grip(&self, place: usize, size: &Size, largest: f64) -> Grip {
        let columns = self.rows.of(place);
        let normal = self.impulses[columns.start];
        if normal <= 0.0 {
            return Grip::Open;
        }
        let (mut friction, mut slip, mut length) = (0.0f64, 0.0f64, 1.0);
        for column in columns.skip(1) {
            friction = friction.hypot(self.impulses[column]);
            slip = slip.hypot(self.rate(column));
            length = self.rows.lengths[column];
        }
        let at_limit = friction >= (1.0 - 1e-6) * self.friction[place] * normal;
        if at_limit && slip > SLIPS * length * size.enough(largest) { Grip::Slide } else { Grip::Stick }
    }

    /// Gives contacts that friction at rest does not hold the friction of sliding. Returns how many.
    fn break_away(&mut self, members: &[u32], touches: &[Touch], size: &Size) -> usize {
        let largest = self.largest(members);
        let mut count = 0;
        for &place in members {
            let (place, number) = (place as usize, self.rows.order[place as usize] as usize);
            if number >= touches.len() || self.friction[place] <= touches[number].sliding_friction {
                continue;
            }
            if self.grip(place, size, largest) == Grip::Slide {
                self.friction[place] = touches[number].sliding_friction;
                count += 1;
            }
        }
        if count > 0 {
            self.clamp(members);
            self.refresh(members);
        }
        count
    }

    /// Writes the touches and the account.
    fn finish(&mut self, members: &[u32], touches: &mut [Touch], size: &Size, report: &mut StaggeredReport) {
        self.refresh(members);
        let largest = self.largest(members);
        for &place in members {
            let (place, number) = (place as usize, self.rows.order[place as usize] as usize);
            let columns = self.rows.of(place);
            for column in columns.clone().filter(|&column| self.impulses[column] != 0.0) {
                let impulse = self.impulses[column];
                let target = self.rows.drift[column] - self.linear[column];
                let before = self.rows.columns.dot(column, &self.rows.before) + self.rows.drift[column];
                let taken = -0.5 * impulse * (before + self.rate(column) + target);
                let account = &mut report.ledger;
                *(if column == columns.start { &mut account.restitution } else { &mut account.friction }) += taken;
                account.driven -= impulse * self.rows.drift[column];
            }
            if number >= touches.len() {
                continue;
            }
            let grip = self.grip(place, size, largest);
            report.active += usize::from(grip != Grip::Open);
            let touch = &mut touches[number];
            (touch.impulse, touch.grip) = ([0.0; 3], grip);
            for (impulse, column) in touch.impulse.iter_mut().zip(columns) {
                *impulse = self.impulses[column];
            }
        }
    }
}
