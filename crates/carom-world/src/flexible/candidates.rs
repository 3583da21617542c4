//! Where bodies may touch: found by detection now and then, followed in between by their gaps alone.
//!
//! Detection looks farther than bodies can move and deform before it is asked again (*Sound*, §4, deformation bounds).
//! Meanwhile the two places that are nearest stay fixed in their bodies and the normal in the world: the gap is exact in the
//! rigid motion of both places, and linear in the modes. What a new search finds deeper than it was followed is no reason for
//! a blow: the difference is kept as an offset that fades within milliseconds.

use carom_contact::space::Pose;
use carom_contact::{Collider, Contact, Detector, Pose as _, Space};
use carom_impact::Grip;
use glam::DVec3;

use super::body::{FlexibleBody, Vibration};
use super::moving::Moving;
use crate::Dynamics;
use crate::surfaces::Surfaces;

/// How far detection looks at least, as a part of a body's radius.
const REACH: f64 = 1e-3;
/// How many steps of a body's motion it looks ahead, and at most how far, as a part of its radius: corners and edges that are nearest now are not
/// once a body has turned. It looks one step ahead in any case.
const STEPS_AHEAD: f64 = 16.0;
const FARTHEST: f64 = 0.05;
/// Places and normals that differ by less, as a part of the radius and in radians, read the same mode shapes.
const SAME_PLACE: f64 = 1e-6;
/// Where a push displaces a body by less than this part of what it can anywhere, it is held.
const HELD: f64 = 1e-3;
/// The time in which an offset fades, s, and at least in how many steps.
const FADE: f64 = 5e-3;
const FADING_STEPS: f64 = 10.0;

/// A pair of places that may touch.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Candidate {
    pub bodies: [u32; 2],
    pub feature: u64,
    /// Where detection found it, in the world.
    pub point: DVec3,
    /// The nearest place of each body: in its axes; of a ball, in the world's axes from its centre.
    pub places: [DVec3; 2],
    /// From the second body to the first.
    pub normal: DVec3,
    pub tangents: [DVec3; 2],
    pub restitution: f64,
    /// Where it slides, and where it does not.
    pub friction: [f64; 2],
    /// Where the rows of each body's modes begin: along the normal, then along both tangents.
    pub rows: [usize; 2],
    /// Where, in each body's axes, and along which directions its mode shapes were read.
    pub read: [(DVec3, DVec3); 2],
    /// Whether anything at these places can move.
    pub gives_way: bool,
    /// Added to the gap, m.
    pub offset: f64,
    /// What it did in the last step.
    pub grip: Grip,
    /// Of the last step: along the normal and the tangents, N.
    pub force: [f64; 3],
}

/// All candidates, and when they have to be looked for again.
#[derive(Debug, Clone, Default)]
pub(super) struct Candidates {
    pub list: Vec<Candidate>,
    pub rows: Vec<f64>,
    /// Poses at the last search, and how far it looked from each body.
    pub searched: Vec<(Pose, f64)>,
    pub last: Vec<Candidate>,
    pub last_rows: Vec<f64>,
    /// Where the candidates of each body begin among those sorted by bodies, and the end of the last.
    pub starts: Vec<u32>,
    pub by_body: Vec<u32>,
}

impl Candidates {
    /// The candidates of a body, in order.
    pub fn of(&self, body: usize) -> &[u32] {
        &self.by_body[self.starts[body] as usize..self.starts[body + 1] as usize]
    }

    /// Sorts candidates by bodies.
    pub fn sort(&mut self, bodies: usize) {
        self.starts.clear();
        self.starts.resize(bodies + 1, 0);
        let sides = || self.list.iter().enumerate().flat_map(|(place, c)| c.bodies.map(|body| (place, body as usize)));
        sides().for_each(|(_, body)| self.starts[body + 1] += 1);
        (0..bodies).for_each(|body| self.starts[body + 1] += self.starts[body]);
        self.by_body.clear();
        self.by_body.resize(2 * self.list.len(), 0);
        let mut next = self.starts.clone();
        for (place, body) in sides() {
            self.by_body[next[body] as usize] = place as u32;
            next[body] += 1;
        }
    }

    /// Whether a body may be where the last search did not look, by the end of a step that takes it this far.
    pub fn is_outrun(&self, place: usize, body: &FlexibleBody, moving: &Moving, energy: f64, ahead: f64) -> bool {
        let Some((pose, reach)) = self.searched.get(place) else { return true };
        let moved = if moving.pose == *pose {
            0.0
        } else {
            let turn = Space::turn_between(&moving.pose, pose).length();
            let tip = if turn > 0.0 { turn * body.rigid.radius } else { 0.0 };
            moving.pose.position.distance(pose.position) + tip
        };
        moved + body.deformation(energy) + ahead > *reach
    }

    /// Looks for candidates anew. `speeds` are bounds of the speed of any point of each body, `step` the longest step. Returns
    /// how many pairs were looked at.
    pub fn search(
        &mut self,
        detector: &mut Detector<Space>,
        (bodies, moving, energies): (&[FlexibleBody], &[Moving], &[f64]),
        surfaces: &Surfaces,
        speeds: &[f64],
        step: f64,
    ) -> usize {
        self.searched.clear();
        for (((body, moving), energy), speed) in bodies.iter().zip(moving).zip(energies).zip(speeds) {
            let radius = if body.rigid.radius.is_finite() { body.rigid.radius } else { 0.0 };
            let ahead = (STEPS_AHEAD * step * speed).min(FARTHEST * radius).max(1.5 * step * speed);
            let reach = REACH * radius + body.deformation(*energy) + ahead;
            self.searched.push((moving.pose, reach));
        }
        let colliders = bodies.iter().zip(&self.searched).map(|(body, &(pose, reach))| Collider {
            shape: &*body.rigid.shape,
            pose,
            reach,
            moves: body.answers(),
        });
        let colliders: Vec<Collider<'_, Space>> = colliders.collect();
        detector.detect(&colliders);
        std::mem::swap(&mut self.list, &mut self.last);
        std::mem::swap(&mut self.rows, &mut self.last_rows);
        self.list.clear();
        self.rows.clear();
        for contact in detector.contacts() {
            let before = contact.before.map(|place| self.last[place as usize]);
            let candidate = self.candidate(contact, before, (bodies, moving), surfaces);
            self.list.push(candidate);
        }
        detector.effort().tested
    }

    fn candidate(
        &mut self,
        contact: &Contact<Space>,
        before: Option<Candidate>,
        (bodies, moving): (&[FlexibleBody], &[Moving]),
        surfaces: &Surfaces,
    ) -> Candidate {
        let touch = &contact.touch;
        let [a, b] = contact.bodies.map(|body| body as usize);
        let poses = [&moving[a].pose, &moving[b].pose];
        let [first, second] = [&bodies[a], &bodies[b]];
        let (restitution, friction) = surfaces.meet([&first.rigid, &second.rigid], poses, touch);
        let tangents = Space::tangents(touch.normal);
        let ends = [touch.point + 0.5 * touch.gap * touch.normal, touch.point - 0.5 * touch.gap * touch.normal];
        let mut candidate = Candidate {
            bodies: contact.bodies,
            feature: touch.feature,
            point: touch.point,
            normal: touch.normal,
            tangents,
            // Bodies that vibrate bounce because they vibrate.
            restitution: if first.modes() + second.modes() > 0 { 0.0 } else { restitution },
            friction: [friction, surfaces.hold([&first.rigid, &second.rigid], friction)],
            grip: before.map_or(Grip::Open, |before| before.grip),
            force: before.map_or([0.0; 3], |before| turned(before, tangents)),
            ..Candidate::default()
        };
        for (side, body) in [first, second].into_iter().enumerate() {
            let pose = poses[side];
            candidate.places[side] =
                if body.rigid.is_ball { ends[side] - pose.position } else { pose.local(ends[side]) };
            candidate.rows[side] = self.rows.len();
            let Some(vibration) = &body.vibration else { continue };
            let place = pose.local(ends[side]);
            let sign = [1.0, -1.0][side];
            let directions = [touch.normal, tangents[0], tangents[1]].map(|v| sign * pose.turn_back(v));
            let known = before.filter(|before| {
                let (point, direction) = before.read[side];
                before.feature == touch.feature
                    && point.distance(place) <= SAME_PLACE * body.rigid.radius
                    && direction.distance(directions[0]) <= SAME_PLACE
            });
            let modes = body.modes();
            match known {
                Some(before) => {
                    candidate.read[side] = before.read[side];
                    let begin = before.rows[side];
                    self.rows.extend_from_slice(&self.last_rows[begin..begin + 3 * modes]);
                }
                None => {
                    candidate.read[side] = (place, directions[0]);
                    vibration.push_rows(place, directions, &mut self.rows);
                }
            }
        }
        // A place that was followed goes on where it was; one that is new does not begin with a blow.
        let depth = before.map_or(0.0, |before| before.gap(&self.last_rows, bodies, before.pair(moving)).min(0.0));
        let gap = touch.gap + candidate.bend(&self.rows, bodies, candidate.pair(moving));
        candidate.offset = (depth - gap).max(0.0);
        candidate.gives_way = candidate.can_give_way(&self.rows, bodies);
        candidate
    }
}

impl Candidate {
    /// How far apart the places are.
    pub fn gap(&self, rows: &[f64], bodies: &[FlexibleBody], pair: [&Moving; 2]) -> f64 {
        self.rigid_gap(bodies, pair) + self.bend(rows, bodies, pair) + self.offset
    }

    /// Its bodies as they are.
    pub fn pair<'a>(&self, moving: &'a [Moving]) -> [&'a Moving; 2] {
        self.bodies.map(|body| &moving[body as usize])
    }

    /// How far apart the places are, the bodies being rigid.
    pub fn rigid_gap(&self, bodies: &[FlexibleBody], pair: [&Moving; 2]) -> f64 {
        let [a, b] = self.ends(bodies, pair);
        self.normal.dot(a - b)
    }

    /// The two places in the world, the bodies being rigid.
    pub fn ends(&self, bodies: &[FlexibleBody], pair: [&Moving; 2]) -> [DVec3; 2] {
        [0, 1].map(|side| {
            let (body, place) = (self.bodies[side] as usize, self.places[side]);
            let pose = &pair[side].pose;
            if bodies[body].rigid.is_ball { pose.position + place } else { pose.point(place) }
        })
    }

    /// What the modes add to the gap.
    pub fn bend(&self, rows: &[f64], bodies: &[FlexibleBody], pair: [&Moving; 2]) -> f64 {
        let side = |side: usize| {
            let body = self.bodies[side] as usize;
            let row = &rows[self.rows[side]..][..bodies[body].modes()];
            row.iter().zip(&pair[side].modes).map(|(u, [q, _])| u * q).sum::<f64>()
        };
        side(0) + side(1)
    }

    /// Whether anything at these places can move: of two bodies that are fixed or scripted, whether their modes give way there. They
    /// do not where a table's legs stand on a floor that holds them.
    pub fn can_give_way(&self, rows: &[f64], bodies: &[FlexibleBody]) -> bool {
        let body = |side: usize| &bodies[self.bodies[side] as usize];
        let gives = |side: usize| {
            let soft = |vibration: &Vibration| {
                let row = rows[self.rows[side]..].iter().zip(&vibration.omegas);
                let give = row.map(|(u, w)| (u / w) * (u / w)).sum::<f64>().sqrt();
                give > HELD * vibration.softness
            };
            body(side).vibration.as_ref().is_some_and(soft)
        };
        (0..2).any(|side| body(side).rigid.is_dynamic()) || (0..2).any(gives)
    }

    /// Of two balls the normal is known at any time.
    pub fn follow_balls(&mut self, bodies: &[FlexibleBody], moving: &[Moving]) {
        let [a, b] = self.bodies.map(|body| body as usize);
        if bodies[a].rigid.is_ball && bodies[b].rigid.is_ball {
            let between = moving[a].pose.position - moving[b].pose.position;
            let normal = between.try_normalize().unwrap_or(self.normal);
            self.places = [-normal * self.places[0].length(), normal * self.places[1].length()];
            (self.normal, self.tangents) = (normal, Space::tangents(normal));
        }
    }

    /// Lets the offset fade in a step of some length.
    pub fn fade(&mut self, step: f64) {
        self.offset *= libm::exp(-step / FADE.max(FADING_STEPS * step));
    }
}

/// The force of a candidate that goes on, along new directions.
fn turned(before: Candidate, tangents: [DVec3; 2]) -> [f64; 3] {
    let [n, t, s] = before.force;
    let along = before.tangents[0] * t + before.tangents[1] * s;
    [n, along.dot(tangents[0]), along.dot(tangents[1])]
}
