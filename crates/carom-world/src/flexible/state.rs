//! All that a flexible world remembers from step to step, as named arrays: what a checkpoint holds.

use carom_contact::{Space, space};
use carom_impact::Grip;
use glam::DVec3;

use super::candidates::{Candidate, Candidates};
use super::moving::Moving;
use super::world::{FlexibleWorld, Now};
use crate::guard::{GUARD_NUMBERS, GuardState};
use crate::{Dynamics, Ledger, State, WorldError};

/// Numbers of a candidate: point, places, normal, tangents, restitution, friction, offset, force, where its shapes were read, and
/// what it does.
const NUMBERS: usize = 39;

impl FlexibleWorld {
    /// All that is needed to go on from here.
    pub fn state(&self) -> State {
        let now = &self.now;
        let mut poses = Vec::new();
        now.moving.iter().for_each(|moving| Space::save_pose(&moving.pose, &mut poses));
        let mut state = State::default();
        state.put_u64("steps", vec![now.steps]);
        state.put_f64("poses", poses);
        state.put_f64("velocities", now.moving.iter().flat_map(|moving| moving.velocity).collect());
        let modes = now.moving.iter().flat_map(|moving| moving.modes.as_flattened());
        state.put_f64("modes", modes.copied().collect());
        state.put_u64("active modes", now.active.iter().map(|&active| active as u64).collect());
        state.put_f64("ledger", now.ledger.columns().map(|(_, value)| value).to_vec());
        state.put_f64("guard", now.guard.numbers());
        let list = &now.candidates.list;
        let keys = list.iter().flat_map(|c| [u64::from(c.bodies[0]), u64::from(c.bodies[1]), c.feature]);
        state.put_u64("candidates", keys.collect());
        state.put_f64("candidate numbers", list.iter().flat_map(Candidate::numbers).collect());
        state.put_f64("candidate rows", now.candidates.rows.clone());
        let mut searched = Vec::new();
        for (pose, reach) in &now.candidates.searched {
            Space::save_pose(pose, &mut searched);
            searched.push(*reach);
        }
        state.put_f64("searched", searched);
        state.put_u64("stale", vec![u64::from(self.stale || self.stale_next)]);
        state
    }

    /// Goes to a saved state of the same scene. A state that does not fit changes nothing.
    pub fn restore(&mut self, state: &State) -> Result<(), WorldError> {
        let bodies = self.bodies.len();
        let poses = state.poses(bodies, Space::POSE_NUMBERS)?;
        let velocities = state.f64("velocities", Some(6 * bodies))?.as_chunks::<6>().0;
        let count: usize = self.bodies.iter().map(super::body::FlexibleBody::modes).sum();
        let mut modes = state.f64("modes", Some(2 * count))?.as_chunks::<2>().0;
        let active = state.u64("active modes", Some(bodies))?;
        if let Some(k) = (0..bodies).find(|&k| active[k] > self.bodies[k].modes() as u64) {
            let name = &self.bodies[k].name;
            return Err(WorldError::State(format!("'active modes' has {} of '{name}'", active[k])));
        }
        let steps = state.steps()?;
        let time = steps as f64 * self.params.step;
        let mut moving = Vec::with_capacity(bodies);
        for (k, body) in self.bodies.iter().enumerate() {
            let (own, rest) = modes.split_at(body.modes());
            modes = rest;
            let pose = Space::saved_pose(&poses[k * Space::POSE_NUMBERS..]);
            moving.push(Moving { time, pose, velocity: velocities[k], modes: own.to_vec() });
        }
        let candidates = self.restored_candidates(state)?;
        let energies = self.bodies.iter().zip(&moving).map(|(body, moving)| body.vibrational(&moving.modes)).collect();
        let stale = state.u64("stale", Some(1))?[0] != 0;
        self.now = Now {
            steps,
            moving,
            active: active.iter().map(|&active| active as usize).collect(),
            energies,
            ledger: Ledger::from_columns(state.f64("ledger", Some(Ledger::COLUMNS))?),
            guard: GuardState::from_numbers(state.f64("guard", Some(GUARD_NUMBERS))?),
            candidates,
        };
        self.bring_in_line(stale);
        Ok(())
    }

    fn restored_candidates(&self, state: &State) -> Result<Candidates, WorldError> {
        let bodies = self.bodies.len();
        let (keys, rest) = state.u64("candidates", None)?.as_chunks::<3>();
        let in_range = |&[a, b, _]: &[u64; 3]| a < b && b < bodies as u64;
        if !rest.is_empty() || !keys.iter().all(in_range) {
            return Err(WorldError::State("'candidates' names bodies that are not in the scene".into()));
        }
        let numbers = state.f64("candidate numbers", Some(NUMBERS * keys.len()))?.as_chunks::<NUMBERS>().0;
        let mut begin = 0;
        let mut list = Vec::with_capacity(keys.len());
        for (&[a, b, feature], numbers) in keys.iter().zip(numbers) {
            let pair = [a as u32, b as u32];
            let rows = pair.map(|body| {
                let first = begin;
                begin += 3 * self.bodies[body as usize].modes();
                first
            });
            list.push(Candidate::from_numbers(pair, feature, rows, numbers));
        }
        let rows = state.f64("candidate rows", Some(begin))?.to_vec();
        list.iter_mut().for_each(|candidate| candidate.gives_way = candidate.can_give_way(&rows, &self.bodies));
        let searched = state.f64("searched", None)?;
        if !searched.is_empty() && searched.len() != bodies * (Space::POSE_NUMBERS + 1) {
            return Err(WorldError::State("'searched' is not of the bodies of this scene".into()));
        }
        let searched = searched.chunks_exact(Space::POSE_NUMBERS + 1);
        let searched: Vec<(space::Pose, f64)> =
            searched.map(|pose| (Space::saved_pose(pose), pose[Space::POSE_NUMBERS])).collect();
        Ok(Candidates { list, rows, searched, ..Candidates::default() })
    }
}

impl Candidate {
    fn numbers(&self) -> [f64; NUMBERS] {
        let [(a, n), (b, m)] = self.read;
        let flag = |is: bool| f64::from(u8::from(is));
        let vectors = [
            self.point,
            self.places[0],
            self.places[1],
            self.normal,
            self.tangents[0],
            self.tangents[1],
            DVec3::new(self.restitution, self.friction[0], self.offset),
            DVec3::from(self.force),
            a,
            n,
            b,
            m,
            DVec3::new(self.friction[1], flag(self.grip != Grip::Open), flag(self.grip == Grip::Slide)),
        ];
        std::array::from_fn(|k| vectors[k / 3][k % 3])
    }

    fn from_numbers(bodies: [u32; 2], feature: u64, rows: [usize; 2], numbers: &[f64; NUMBERS]) -> Candidate {
        let at = |k: usize| DVec3::from_slice(&numbers[3 * k..]);
        Candidate {
            bodies,
            feature,
            point: at(0),
            places: [at(1), at(2)],
            normal: at(3),
            tangents: [at(4), at(5)],
            restitution: at(6).x,
            friction: [at(6).y, at(12).x],
            grip: match (at(12).y == 0.0, at(12).z == 0.0) {
                (true, _) => Grip::Open,
                (false, true) => Grip::Stick,
                (false, false) => Grip::Slide,
            },
            gives_way: false,
            offset: at(6).z,
            force: at(7).to_array(),
            rows,
            read: [(at(8), at(9)), (at(10), at(11))],
        }
    }
}
