//! A step of a contact group (*Sound*, Alg. 2): impulses at its start, free flight until its end.

use carom_contact::{Pose as _, Space};
use carom_impact::Grip;
use glam::{DMat3, DVec3};

use super::body::FlexibleBody;
use super::recorded::Blow;
use super::solve::{Block, Meeting};
use super::world::FlexibleWorld;
use crate::body::Drive;
use crate::{Dynamics, WorldError};

/// When a step begins and ends, and how long it is: the same bits for all steps of one length.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    pub start: f64,
    pub end: f64,
    pub length: f64,
}

/// Whether a body belongs to the group that is being found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    No,
    InGroup,
    /// With all that it may touch.
    Followed,
}

impl FlexibleWorld {
    /// Takes the group of bodies that advance with one that is behind all others through a step.
    pub(super) fn advance(&mut self, first: usize, [begin, end]: [f64; 2]) -> Result<(), WorldError> {
        let time = self.now.moving[first].time;
        self.find_group(first, end);
        self.take_back(time);
        let mut span = self.span(time, [begin, end]);
        loop {
            self.prepare(span);
            let culled = self.problem.cull(&self.now.candidates.rows);
            self.report.culled += u64::from(culled);
            self.problem.solve(&self.now.candidates.rows, &mut self.gram, span.length, &mut self.report)?;
            for meeting in self.problem.meetings.iter_mut().filter(|meeting| culled && meeting.impulse[0] > 0.0) {
                meeting.grip = Grip::Stick;
            }
            if !self.excite(span.length) {
                break;
            }
            // More modes need shorter steps: once more, from the start.
            for &body in &self.group {
                self.now.moving[body].copy(&self.launches[body]);
            }
            span = self.span(time, [begin, end]);
        }
        self.strike(span);
        self.fly(span, end);
        self.report.steps += 1;
        Ok(())
    }

    /// The bodies that advance with the first: those that it may touch, and those that they may touch, in a step.
    fn find_group(&mut self, first: usize, end: f64) {
        let (bodies, now) = (&self.bodies, &self.now);
        let time = now.moving[first].time;
        let longest = self.longest.min(end - time);
        // Of a body whose step began at the same time it is known where it was then; others that are ahead may have come from afar.
        let state = |body: usize| {
            let (moving, launch) = (&now.moving[body], &self.launches[body]);
            if moving.time > time && launch.time == time { launch } else { moving }
        };
        let way = |body: usize| {
            let lag = if bodies[body].answers() { state(body).time - time } else { 0.0 };
            now.fastest(body, bodies, self.params.gravity, longest) * (longest + lag)
        };
        self.near.clear();
        self.group.clear();
        self.group.push(first);
        self.seen.resize(bodies.len(), Seen::No);
        self.seen[first] = Seen::InGroup;
        let mut done = 0;
        while let Some(&body) = self.group.get(done) {
            done += 1;
            self.seen[body] = Seen::Followed;
            let own_way = way(body);
            let mut last = (usize::MAX, 0.0);
            for &place in now.candidates.of(body) {
                let candidate = &now.candidates.list[place as usize];
                let [a, b] = candidate.bodies.map(|body| body as usize);
                let other = if a == body { b } else { a };
                // Seen from both sides it counts once.
                if self.seen[other] == Seen::Followed || !candidate.gives_way {
                    continue;
                }
                if last.0 != other {
                    last = (other, way(other));
                }
                let gap = candidate.gap(&now.candidates.rows, bodies, [state(a), state(b)]);
                if gap <= own_way + last.1 {
                    self.near.push(place as usize);
                    if bodies[other].answers() && self.seen[other] == Seen::No {
                        self.seen[other] = Seen::InGroup;
                        self.group.push(other);
                    }
                }
            }
        }
        self.group.iter().for_each(|&body| self.seen[body] = Seen::No);
        self.group.sort_unstable();
        self.near.sort_unstable();
    }

    /// Takes bodies of the group that are ahead back to where they were at a time.
    fn take_back(&mut self, time: f64) {
        for k in 0..self.group.len() {
            let body = self.group[k];
            if self.now.moving[body].time > time {
                let undone = self.flown[body];
                self.now.ledger.subtract(&undone);
                self.fly_one(body, time, time - self.launches[body].time);
                self.report.rollbacks += 1;
            }
        }
        for place in 0..self.bodies.len() {
            let body = &self.bodies[place];
            let Drive::Scripted(scripted) = &body.rigid.drive else { continue };
            if body.answers() {
                continue;
            }
            let moving = &mut self.now.moving[place];
            moving.pose = scripted.pose(time);
            moving.velocity = scripted.velocity(time, time + self.longest);
            moving.time = time;
            let ahead = self.longest * self.now.fastest(place, &self.bodies, self.params.gravity, self.longest);
            self.stale |= self.now.candidates.is_outrun(place, body, &self.now.moving[place], 0.0, ahead);
        }
    }

    /// The step that begins at a time: as long as the modes of the group allow, and so that whole steps fill the world's step.
    fn span(&self, start: f64, [begin, end]: [f64; 2]) -> Span {
        let mut limit = self.longest;
        if !self.near.is_empty() {
            for &body in &self.group {
                let active = self.now.active[body];
                if let (Some(vibration), true) = (&self.bodies[body].vibration, active > 0) {
                    let frequency = vibration.omegas[active - 1] / std::f64::consts::TAU;
                    limit = limit.min(1.0 / (self.flexible.steps_per_period * frequency));
                }
            }
        }
        let parts = (self.params.step / limit * (1.0 - 1e-12)).ceil().max(1.0);
        let length = self.params.step / parts;
        let done = ((start - begin) / length + 1e-6).floor() + 1.0;
        let stop = if done >= parts { end } else { begin + done * length };
        let whole = (stop - start - length).abs() <= 1e-6 * length;
        Span { start, end: stop, length: if whole { length } else { stop - start } }
    }

    /// Sets the contact problem of a step up: launches, forces, mean velocities and rows.
    fn prepare(&mut self, span: Span) {
        for k in 0..self.group.len() {
            let body = self.group[k];
            self.launches[body].copy(&self.now.moving[body]);
            self.gather_forces(body, span);
            self.gather_spin(body);
        }
        let FlexibleWorld { bodies, now, problem, flights, forces, group, .. } = self;
        problem.clear();
        self.block_of.clear();
        self.block_of.resize(bodies.len(), usize::MAX);
        let prescribed =
            self.near.iter().flat_map(|&place| now.candidates.list[place].bodies).map(|body| body as usize);
        for body in group.iter().copied().chain(prescribed) {
            if self.block_of[body] != usize::MAX {
                continue;
            }
            self.block_of[body] = problem.blocks.len();
            let rigid = &bodies[body].rigid;
            let moving = &mut now.moving[body];
            if let Drive::Scripted(scripted) = &rigid.drive {
                moving.velocity = scripted.velocity(span.start, span.end);
            }
            let active = now.active[body];
            let (begin, soft) = (problem.mean.len(), problem.compliance.len());
            flights[body].set(&bodies[body], span.length);
            flights[body].mean_velocity(&bodies[body], moving, &forces[body], active, span.length, &mut problem.mean);
            problem.compliance.extend_from_slice(flights[body].compliance.get(..active).unwrap_or_default());
            let (lightness, inverse_inertia) = if rigid.is_dynamic() {
                let axes = *moving.pose.axes();
                (1.0 / rigid.mass, axes * rigid.inertia.inverse() * axes.transpose())
            } else {
                (0.0, DMat3::ZERO)
            };
            problem.blocks.push(Block { body, begin, active, soft, lightness, inverse_inertia });
        }
        self.before.clear();
        for block in &problem.blocks {
            push_velocity(
                &now.moving[block.body].velocity,
                &now.moving[block.body].modes[..block.active],
                &mut self.before,
            );
        }
        for &place in &self.near {
            now.candidates.list[place].follow_balls(bodies, &now.moving);
            let meeting =
                meeting(place, bodies, now, &self.block_of, &self.before, problem, span.length, self.resting_speed);
            problem.meetings.push(meeting);
        }
    }

    /// What acts on a body in a step besides gravity and contact, and blows that fall into it.
    fn gather_forces(&mut self, body: usize, span: Span) {
        let forces = &mut self.forces[body];
        (forces.gravity, forces.rigid) = (self.params.gravity, [0.0; 6]);
        forces.modal.clear();
        for (load, struck) in self.loads.iter().zip(&mut self.struck).filter(|(load, _)| load.load.body == body) {
            let moving = &mut self.now.moving[body];
            if let Some(impulse) = load.load.force(&moving.pose, span.start, span.end) {
                forces.modal.resize(self.bodies[body].modes(), 0.0);
                let force = impulse.map(|x| x / span.length);
                (0..6).for_each(|k| forces.rigid[k] += force[k]);
                let local = moving.pose.turn_back(DVec3::new(force[0], force[1], force[2]));
                forces.modal.iter_mut().zip(&load.shapes).for_each(|(sum, shape)| *sum += shape.dot(local));
            }
            if let Some(impulse) = load.load.blow(&moving.pose, span.start, span.end).filter(|_| !*struck) {
                *struck = true;
                let flexible = &self.bodies[body];
                let stretched = flexible.stretch_energy(moving);
                self.now.ledger.injected +=
                    crate::loads::strike(&flexible.rigid, &moving.pose, &impulse, &mut moving.velocity);
                self.now.ledger.integrator -= flexible.stretch_energy(moving) - stretched;
                let local = moving.pose.turn_back(DVec3::new(impulse[0], impulse[1], impulse[2]));
                for (state, shape) in moving.modes.iter_mut().zip(&load.shapes) {
                    let change = shape.dot(local);
                    self.now.ledger.injected += change * (state[1] + 0.5 * change);
                    state[1] += change;
                }
                self.now.active[body] = self.bodies[body].modes();
                self.launches[body].copy(&self.now.moving[body]);
            }
        }
        if !forces.modal.is_empty() {
            self.now.active[body] = self.bodies[body].modes();
        }
    }

    /// How a body's own spin acts on its active modes.
    fn gather_spin(&mut self, body: usize) {
        let (moving, forces) = (&self.now.moving[body], &mut self.forces[body].spin);
        forces.clear();
        if let Some((spin, own)) = self.bodies[body].spinning(moving) {
            forces.resize(self.now.active[body], 0.0);
            spin.add_forces(own, &moving.modes, forces);
        }
    }

    /// Gives the impulses that were found to the bodies, and enters their work.
    fn strike(&mut self, span: Span) {
        let FlexibleWorld { bodies, now, problem, before, after, .. } = self;
        let rows = &now.candidates.rows;
        after.clone_from(before);
        for meeting in &problem.meetings {
            for (direction, &impulse) in meeting.impulse.iter().enumerate().filter(|(_, impulse)| **impulse != 0.0) {
                for side in 0..2 {
                    let block = &problem.blocks[meeting.blocks[side]];
                    let (rigid, modal) = after[block.begin..][..6 + block.active].split_at_mut(6);
                    let answer = meeting.answer(direction, side);
                    rigid.iter_mut().zip(answer).for_each(|(v, a)| *v += impulse * a);
                    let row = meeting.modal_row(direction, side, rows);
                    modal.iter_mut().zip(row).for_each(|(v, u)| *v += impulse * u);
                }
            }
        }
        for meeting in &problem.meetings {
            let candidate = &now.candidates.list[meeting.candidate];
            let gap = meeting.gap;
            let struck = meeting.impulse != [0.0; 3];
            let approach =
                if struck || gap <= self.slop { -meeting.speed(0, &problem.blocks, rows, before) } else { 0.0 };
            if struck {
                let [normal, slide, other] = [0, 1, 2].map(|direction| {
                    let [old, new] = [&*before, &*after].map(|v| meeting.speed(direction, &problem.blocks, rows, v));
                    0.5 * meeting.impulse[direction] * (old + new)
                });
                now.ledger.restitution -= normal;
                now.ledger.friction -= slide + other;
                let given = normal + slide + other;
                if given > self.largest_gain.0 {
                    self.largest_gain = (given, candidate.bodies);
                }
                for side in 0..2 {
                    let block = &problem.blocks[meeting.blocks[side]];
                    if block.lightness == 0.0 {
                        let velocity = &before[block.begin..][..6];
                        for direction in 0..3 {
                            let row = &meeting.rows[direction][side];
                            let speed = row.iter().zip(velocity).map(|(r, v)| r * v).sum::<f64>();
                            now.ledger.driven -= meeting.impulse[direction] * speed;
                        }
                    }
                }
            }
            if struck || gap <= self.slop {
                let [a, b] = candidate.ends(bodies, candidate.pair(&now.moving));
                let point = 0.5 * (a + b);
                self.recorded.add(
                    meeting.candidate,
                    candidate,
                    Blow { point, impulse: meeting.impulse, approach, gap },
                    span,
                );
            } else {
                self.recorded.end(meeting.candidate);
            }
            let candidate = &mut now.candidates.list[meeting.candidate];
            candidate.grip = meeting.grip;
            candidate.force = meeting.impulse.map(|impulse| impulse / span.length);
            candidate.fade(span.length);
        }
        for block in &problem.blocks {
            let moving = &mut now.moving[block.body];
            let velocity = &after[block.begin..][..6 + block.active];
            if block.lightness > 0.0 {
                let stretched = bodies[block.body].stretch_energy(moving);
                moving.velocity.copy_from_slice(&velocity[..6]);
                now.ledger.integrator -= bodies[block.body].stretch_energy(moving) - stretched;
            }
            moving.modes.iter_mut().zip(&velocity[6..]).for_each(|(state, &rate)| state[1] = rate);
        }
    }

    /// Lets the group fly to the end of its step; the world's step is over at `end`.
    fn fly(&mut self, span: Span, end: f64) {
        for k in 0..self.group.len() {
            let body = self.group[k];
            self.launches[body].copy(&self.now.moving[body]);
            self.fly_one(body, span.end, span.length);
            self.report.modes += self.now.active[body] as u64;
            self.calm(body);
            let energy = self.now.energies[body];
            let speed = self.now.fastest(body, &self.bodies, self.params.gravity, self.longest);
            let moving = &self.now.moving[body];
            let outrun = self.now.candidates.is_outrun(body, &self.bodies[body], moving, energy, speed * self.longest);
            // Who has arrived looks around when the next step of the world begins.
            *(if span.end < end { &mut self.stale } else { &mut self.stale_next }) |= outrun;
            self.queue.push(span.end, body);
        }
    }

    /// Lets one body fly from its launch until a time.
    fn fly_one(&mut self, body: usize, until: f64, length: f64) {
        let flown = self.flights[body].fly(
            &self.bodies[body],
            &self.launches[body],
            &self.forces[body],
            self.now.active[body],
            until,
            length,
            &mut self.now.moving[body],
        );
        self.now.ledger.add(&flown);
        self.flown[body] = flown;
        self.now.energies[body] = self.bodies[body].vibrational(&self.now.moving[body].modes);
    }
}

fn push_velocity(rigid: &[f64; 6], modes: &[[f64; 2]], into: &mut Vec<f64>) {
    into.extend_from_slice(rigid);
    into.extend(modes.iter().map(|[_, rate]| rate));
}

/// A candidate as the contact problem sees it, with the impulse of the last step to begin with.
#[expect(clippy::too_many_arguments, reason = "all that a contact depends on")]
fn meeting(
    place: usize,
    bodies: &[FlexibleBody],
    now: &super::world::Now,
    block_of: &[usize],
    before: &[f64],
    problem: &super::solve::Problem,
    step: f64,
    resting_speed: f64,
) -> Meeting {
    let candidate = &now.candidates.list[place];
    let ends = candidate.ends(bodies, candidate.pair(&now.moving));
    let pair = candidate.bodies.map(|body| body as usize);
    // One point for both bodies, so that angular momentum stays; of a ball, on the line through its centre.
    let half = 0.5 * candidate.normal.dot(ends[0] - ends[1]) * candidate.normal;
    let point = match pair.map(|body| bodies[body].rigid.is_ball) {
        [true, _] => ends[0] - half,
        [false, true] => ends[1] + half,
        [false, false] => 0.5 * (ends[0] + ends[1]),
    };
    let rows = [candidate.normal, candidate.tangents[0], candidate.tangents[1]].map(|direction| {
        [0, 1].map(|side| {
            let sign = [1.0, -1.0][side];
            // A ball is not turned by what goes through its centre, not even by round-off. Friction acts on both at one point.
            let arm = if bodies[pair[side]].rigid.is_ball && direction == candidate.normal {
                candidate.places[side]
            } else {
                point - now.moving[pair[side]].pose.position
            };
            Space::row(sign * direction, arm)
        })
    });
    let gap = candidate.normal.dot(ends[0] - ends[1])
        + candidate.bend(&now.candidates.rows, bodies, candidate.pair(&now.moving))
        + candidate.offset;
    let mut meeting = Meeting {
        candidate: place,
        blocks: pair.map(|body| block_of[body]),
        rows,
        modal: [0, 1].map(|side| (candidate.rows[side], bodies[pair[side]].modes())),
        demand: -gap / step,
        gap,
        friction: candidate.friction,
        slick: candidate.friction == [0.0; 2],
        grip: candidate.grip,
        impulse: candidate.force.map(|force| force * step),
        ..Meeting::default()
    };
    if candidate.restitution > 0.0 {
        let rows = &now.candidates.rows;
        let speed = meeting.speed(0, &problem.blocks, rows, before);
        let foreseen = meeting.speed(0, &problem.blocks, rows, &problem.mean);
        if speed < -resting_speed && gap + step * foreseen < 0.0 {
            meeting.demand = meeting.demand.max(-candidate.restitution * speed);
        }
    }
    meeting
}
