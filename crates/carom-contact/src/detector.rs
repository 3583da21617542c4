//! Detection as a world uses it: all contacts of all bodies, in an order and with an identity that last.
//!
//! Contacts are sorted by bodies, then by feature. A contact of the last call goes on if the same bodies touch with the same
//! feature or, that being gone, at the nearest place within reach. The narrow phase runs in parallel; what it finds does not
//! depend on how many threads there are. Once warm, a call allocates nothing of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use rayon::prelude::*;

use crate::broad_phase::{Ball, Room, Sieve};
use crate::{Boxes, BroadPhase, Geometry, PairFinder, Touch, Vector, Witness};

/// A body as detection sees it.
#[derive(Debug)]
pub struct Collider<'a, G: Geometry> {
    /// What it looks like.
    pub shape: &'a G::Shape,
    /// Where it is.
    pub pose: G::Pose,
    /// How far from its surface contacts are wanted, m. Two bodies are wanted within the sum of both.
    pub reach: f64,
    /// Whether it moves. Two bodies that do not are never in contact.
    pub moves: bool,
}

// Not derived: that would ask for shapes that can be copied, where only a reference is.
impl<G: Geometry> Clone for Collider<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G: Geometry> Copy for Collider<'_, G> {}

/// A contact between two bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contact<G: Geometry> {
    /// Places of the bodies in the list, ascending.
    pub bodies: [u32; 2],
    /// Where, and how far apart.
    pub touch: Touch<G::Vector>,
    /// How many contacts these two bodies have.
    pub shared: u32,
    /// Its place in the list of the last call, if it was there.
    pub before: Option<u32>,
}

/// What a call took.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct DetectionEffort {
    /// Pairs of bodies whose boxes overlap.
    pub candidates: usize,
    /// Those of them that were looked at closely: all that are not ignored.
    pub tested: usize,
    /// Pairs whose defining face or edge of the last call still was the right one.
    pub witnesses_held: usize,
    /// Of the broad phase.
    pub broad_seconds: f64,
    /// Of the narrow phase, and of following contacts.
    pub narrow_seconds: f64,
}

/// Finds contacts call by call.
///
/// ```
/// use carom_contact::plane::{Plane, Pose, Shape};
/// use carom_contact::{Collider, Detector};
/// use glam::DVec2;
///
/// let (disc, floor) = (Shape::disc(0.5)?, Shape::half_plane(DVec2::Y)?);
/// let mut detector = Detector::<Plane>::default();
/// for height in [0.6, 0.5, 0.49] {
///     let disc = Collider { shape: &disc, pose: Pose::new(DVec2::new(0.0, height), 0.0), reach: 0.01, moves: true };
///     let floor = Collider { shape: &floor, pose: Pose::default(), reach: 0.0, moves: false };
///     detector.detect(&[disc, floor]);
/// }
/// let [contact] = detector.contacts() else { panic!() };
/// assert_eq!((contact.bodies, contact.before), ([0, 1], Some(0)));
/// assert!((contact.touch.gap + 0.01).abs() < 1e-15);
/// # Ok::<(), carom_contact::ContactError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Detector<G: Geometry> {
    boxes: Boxes<G::Vector>,
    finder: PairFinder<G::Vector>,
    /// Sorted.
    ignored: Vec<[u32; 2]>,
    /// Of the pairs that had one, sorted by pair.
    witnesses: Vec<([u32; 2], Witness)>,
    last_witnesses: Vec<([u32; 2], Witness)>,
    portions: Vec<Portion<G>>,
    /// What finds all where one task does.
    alone: Portion<G>,
    contacts: Vec<Contact<G>>,
    last: Vec<Known<G>>,
    /// Whether the last contacts were given, and are not those of the last call.
    given: bool,
    /// Which of the last contacts go on.
    goes_on: Vec<bool>,
    ended: Vec<Known<G>>,
    effort: DetectionEffort,
    interrupt: Option<Arc<AtomicBool>>,
}

/// By what a contact is known again: bodies, feature, point.
type Known<G> = ([u32; 2], u64, <G as Geometry>::Vector);

/// Bodies, and how each moves; no list if that is not told.
type Moving<'a, 'b, G> = (&'a [Collider<'b, G>], &'a [<G as Geometry>::Vector]);

/// What one task of the narrow phase finds.
#[derive(Debug, Clone, Default)]
struct Portion<G: Geometry> {
    touches: Vec<Touch<G::Vector>>,
    contacts: Vec<Contact<G>>,
    witnesses: Vec<([u32; 2], Witness)>,
    tested: usize,
    held: usize,
}

/// Pairs between two looks at the interrupt: of meshes each takes up to a millisecond.
const PAIRS_PER_CHECK: usize = 64;

fn is_raised(interrupt: Option<&AtomicBool>) -> bool {
    interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed))
}

/// With fewer pairs than two tasks have, waking threads takes longer than testing the pairs.
const PAIRS_PER_TASK: usize = 1024;

impl<G: Geometry> Detector<G> {
    /// With a broad phase of choice.
    pub fn new(broad_phase: BroadPhase) -> Self {
        Detector { finder: PairFinder::new(broad_phase), ..Self::default() }
    }

    /// These two bodies pass through each other from now on.
    pub fn ignore(&mut self, first: u32, second: u32) {
        let pair = [first.min(second), first.max(second)];
        if let Err(place) = self.ignored.binary_search(&pair) {
            self.ignored.insert(place, pair);
        }
    }

    /// While this flag is raised calls end early, and what they find is incomplete.
    pub fn set_interrupt(&mut self, flag: Option<Arc<AtomicBool>>) {
        self.interrupt = flag;
    }

    /// Finds all contacts within reach.
    pub fn detect(&mut self, colliders: &[Collider<'_, G>]) -> &[Contact<G>] {
        self.detect_closing(colliders, &[])
    }

    /// Finds the contacts within reach that may close, where each body moves by the vector given for it and by no more than the rest of its
    /// reach besides. None may close by motion where the list is empty: then all within reach are found.
    pub fn detect_closing(&mut self, colliders: &[Collider<'_, G>], motions: &[G::Vector]) -> &[Contact<G>] {
        let begin = Instant::now();
        let bodies = (colliders, motions);
        self.boxes.clear();
        let bounds = |body: &Collider<'_, G>| G::bounds(body.shape, &body.pose).padded(body.reach);
        self.boxes.extend(colliders.iter().map(|body| (bounds(body), body.moves)));
        let ignored = &self.ignored[..];
        let interrupt = self.interrupt.as_deref();
        let (pairs, candidates) = self.finder.find_through(&self.boxes, &Asked { bodies, ignored, interrupt });
        let found = Instant::now();

        if !self.given {
            self.last.clear();
            self.last.extend(self.contacts.iter().map(|found| (found.bodies, found.touch.feature, found.touch.point)));
        }
        self.given = false;
        self.contacts.clear();
        std::mem::swap(&mut self.witnesses, &mut self.last_witnesses);
        self.witnesses.clear();
        self.effort = DetectionEffort {
            candidates,
            tested: candidates - pairs.len(),
            broad_seconds: (found - begin).as_secs_f64(),
            ..DetectionEffort::default()
        };
        let witnesses = &self.last_witnesses[..];
        let work = |(portion, pairs): (&mut Portion<G>, &[[u32; 2]])| {
            // Small pieces, to look at the flag in between.
            for pairs in pairs.chunks(PAIRS_PER_CHECK).take_while(|_| !is_raised(interrupt)) {
                portion.find(bodies, pairs, ignored, witnesses);
            }
        };
        if pairs.len() < 2 * PAIRS_PER_TASK || rayon::current_num_threads() == 1 {
            // Alone, straight into the lists of all.
            self.alone.clear();
            std::mem::swap(&mut self.alone.contacts, &mut self.contacts);
            std::mem::swap(&mut self.alone.witnesses, &mut self.witnesses);
            work((&mut self.alone, pairs));
            std::mem::swap(&mut self.alone.contacts, &mut self.contacts);
            std::mem::swap(&mut self.alone.witnesses, &mut self.witnesses);
            self.effort.tested += self.alone.tested;
            self.effort.witnesses_held += self.alone.held;
        } else {
            // One batch after the other, so that what tasks have found takes little room beside the list of all.
            for pairs in pairs.chunks(MOST_TASKS * PAIRS_PER_TASK) {
                let tasks = (pairs.len() / PAIRS_PER_TASK).clamp(1, MOST_TASKS);
                self.portions.resize_with(tasks, Portion::default);
                let size = pairs.len().div_ceil(tasks).max(1);
                self.portions.iter_mut().for_each(Portion::clear);
                self.portions.par_iter_mut().zip(pairs.par_chunks(size)).for_each(work);
                for portion in &self.portions {
                    self.contacts.extend_from_slice(&portion.contacts);
                    self.witnesses.extend_from_slice(&portion.witnesses);
                    self.effort.tested += portion.tested;
                    self.effort.witnesses_held += portion.held;
                }
            }
        }
        self.follow(colliders);
        if self.contacts.len() > MANY {
            self.finder.release();
            (self.last, self.goes_on) = (Vec::new(), Vec::new());
        }
        self.effort.narrow_seconds = found.elapsed().as_secs_f64();
        &self.contacts
    }

    /// What the last call found.
    pub fn contacts(&self) -> &[Contact<G>] {
        &self.contacts
    }

    /// Contacts of the call before the last that were gone in the last: their bodies, feature and point then.
    pub fn ended(&self) -> &[([u32; 2], u64, G::Vector)] {
        &self.ended
    }

    /// What the last call took.
    pub fn effort(&self) -> DetectionEffort {
        self.effort
    }

    /// After a restart: the contacts of the last call before it, in their order: bodies, feature, point. What comes then is what
    /// would have come without the restart, to the bit.
    pub fn remember(&mut self, contacts: impl Iterator<Item = ([u32; 2], u64, G::Vector)>) {
        self.keep(contacts);
        self.witnesses.clear();
    }

    /// Of the last call, only these contacts, in their order, may go on: bodies, feature, point.
    pub fn keep(&mut self, contacts: impl Iterator<Item = ([u32; 2], u64, G::Vector)>) {
        self.contacts.clear();
        self.last.clear();
        self.last.extend(contacts);
        self.given = true;
    }

    /// Finds each contact in the last list. Both lists are sorted by bodies.
    fn follow(&mut self, colliders: &[Collider<'_, G>]) {
        self.goes_on.clear();
        self.goes_on.resize(self.last.len(), false);
        let mut old = 0;
        let mut new = 0;
        while new < self.contacts.len() && old < self.last.len() {
            let bodies = self.contacts[new].bodies;
            let (known, own) = (number(self.last[old].0), number(bodies));
            if known != own {
                // Without a branch, which would be guessed wrong too often.
                old += usize::from(known < own);
                new += usize::from(own < known);
                continue;
            }
            let olds = self.last[old..].iter().take_while(|known| known.0 == bodies).count();
            let group = &mut self.contacts[new..];
            let count = group.iter().take_while(|contact| contact.bodies == bodies).count();
            let [first, second] = bodies.map(|body| &colliders[body as usize]);
            follow_pair(
                &mut group[..count],
                &self.last[old..old + olds],
                &mut self.goes_on[old..old + olds],
                old as u32,
                first.reach + second.reach,
            );
            new += count;
            old += olds;
        }
        self.ended.clear();
        let gone = self.last.iter().zip(&self.goes_on).filter(|(_, goes_on)| !**goes_on);
        self.ended.extend(gone.map(|(known, _)| *known));
    }
}

/// With more contacts than this, memory that only detection needs is given back between calls: what follows needs it more.
const MANY: usize = 1 << 16;

/// Of how far bodies reach: closer than this to what may close, a contact may close.
const ROUND_OFF: f64 = 1e-12;

/// With this many tasks per batch, every core has enough of them to share evenly.
const MOST_TASKS: usize = 64;

/// What the broad phase asks.
struct Asked<'a, 'b, G: Geometry> {
    bodies: Moving<'a, 'b, G>,
    ignored: &'a [[u32; 2]],
    interrupt: Option<&'a AtomicBool>,
}

impl<G: Geometry> Sieve<G::Vector> for Asked<'_, '_, G> {
    fn has_balls(&self) -> bool {
        self.bodies.0.iter().any(|body| G::ball(body.shape, &body.pose).is_some())
    }

    #[inline]
    fn ball(&self, body: u32) -> Ball<G::Vector> {
        let (colliders, motions) = self.bodies;
        let collider = &colliders[body as usize];
        let motion = motions.get(body as usize).copied().unwrap_or_default();
        match G::ball(collider.shape, &collider.pose) {
            Some((centre, radius)) => Ball::new(centre, radius, collider.reach, motion),
            None => Ball::unknown(),
        }
    }

    #[inline]
    fn room(&self, body: u32) -> Room<G::Vector> {
        let collider = &self.bodies.0[body as usize];
        match G::room(collider.shape, &collider.pose) {
            Some((centre, radius)) => Room::new(centre, radius, collider.reach),
            None => Room::none(),
        }
    }

    // Ignored pairs stay, to be counted as such.
    fn wants_more(&self) -> bool {
        !self.ignored.is_empty()
    }

    fn is_wanted(&self, pair: [u32; 2]) -> bool {
        self.ignored.binary_search(&pair).is_ok()
    }

    fn is_interrupted(&self) -> bool {
        is_raised(self.interrupt)
    }
}

/// A pair as one number, in the order of pairs.
#[inline]
fn number([first, second]: [u32; 2]) -> u64 {
    u64::from(first) << 32 | u64::from(second)
}

/// Finds the contacts of one pair among its last ones, which begin at `place` in the list: by feature, then by nearness.
fn follow_pair<G: Geometry>(
    contacts: &mut [Contact<G>],
    last: &[Known<G>],
    goes_on: &mut [bool],
    place: u32,
    reach: f64,
) {
    for contact in contacts.iter_mut() {
        let same = last.iter().zip(&*goes_on).position(|(old, taken)| !taken && old.1 == contact.touch.feature);
        if let Some(k) = same {
            goes_on[k] = true;
            contact.before = Some(place + k as u32);
        }
    }
    for contact in contacts.iter_mut().filter(|contact| contact.before.is_none()) {
        let distance = |old: &Known<G>| (old.2 - contact.touch.point).length();
        let free = (0..last.len()).filter(|&k| !goes_on[k] && distance(&last[k]) <= reach);
        if let Some(k) = free.min_by(|&a, &b| distance(&last[a]).total_cmp(&distance(&last[b]))) {
            goes_on[k] = true;
            contact.before = Some(place + k as u32);
        }
    }
}

impl<G: Geometry> Portion<G> {
    fn clear(&mut self) {
        self.contacts.clear();
        self.witnesses.clear();
        (self.tested, self.held) = (0, 0);
    }

    fn find(
        &mut self,
        bodies: Moving<'_, '_, G>,
        pairs: &[[u32; 2]],
        ignored: &[[u32; 2]],
        witnesses: &[([u32; 2], Witness)],
    ) {
        let Some(begin) = pairs.first() else { return };
        // All lists are sorted by pair: one walk through each.
        let mut ignored = &ignored[ignored.partition_point(|pair| pair < begin)..];
        let mut witnesses = &witnesses[witnesses.partition_point(|(pair, _)| pair < begin)..];
        for pair in pairs {
            while ignored.first().is_some_and(|next| next < pair) {
                ignored = &ignored[1..];
            }
            if ignored.first() == Some(pair) {
                continue;
            }
            while witnesses.first().is_some_and(|(next, _)| next < pair) {
                witnesses = &witnesses[1..];
            }
            let known = witnesses.first().filter(|(next, _)| next == pair).map_or(Witness::default(), |entry| entry.1);
            self.test(bodies, *pair, known);
        }
    }

    fn test(&mut self, (colliders, motions): Moving<'_, '_, G>, bodies: [u32; 2], known: Witness) {
        let [first, second] = bodies.map(|body| &colliders[body as usize]);
        let mut witness = known;
        self.touches.clear();
        G::touches(
            (first.shape, &first.pose),
            (second.shape, &second.pose),
            first.reach + second.reach,
            &mut witness,
            &mut self.touches,
        );
        self.tested += 1;
        if witness != Witness::default() {
            self.held += usize::from(witness == known);
            self.witnesses.push((bodies, witness));
        }
        if self.touches.is_empty() {
            return;
        }
        // The wall of a room comes nearer than a flat one would while a body moves along it.
        let is_room = |body: &Collider<'_, G>| G::room(body.shape, &body.pose).is_some();
        if let [Some(&a), Some(&b)] = bodies.map(|body| motions.get(body as usize))
            && !is_room(first)
            && !is_room(second)
        {
            let reach = first.reach + second.reach;
            let besides = reach - a.length() - b.length() + ROUND_OFF * reach;
            let closes = |touch: &Touch<G::Vector>| touch.gap + touch.normal.dot(a - b) <= besides;
            match &self.touches[..] {
                [touch] if closes(touch) => {}
                [_] => return,
                _ => self.touches.retain(closes),
            }
        }
        if let [touch] = self.touches[..] {
            self.contacts.push(Contact { bodies, touch, shared: 1, before: None });
            return;
        }
        self.touches.sort_unstable_by_key(|touch| touch.feature);
        let shared = self.touches.len() as u32;
        self.contacts.extend(self.touches.iter().map(|&touch| Contact { bodies, touch, shared, before: None }));
    }
}
