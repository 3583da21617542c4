//! When two bodies meet (*Lecture*, "Finding the collision time by backtracking").
//!
//! No gap closes faster than the relative velocity and the spins allow. So a gap g lasts for at least g/L, and between two times
//! whose gaps add up to more than L times the time between them, nothing has happened: however thin and fast a body is, it does
//! not get through. What is left is a bracket, which bisection or regula falsi makes small; or bodies advance by g/L until they
//! touch (conservative advancement).

use crate::{Geometry, Pose, Vector, Witness};

/// A body in flight, with constant velocity and spin.
#[derive(Debug)]
pub struct Moving<'a, G: Geometry> {
    /// What it looks like.
    pub shape: &'a G::Shape,
    /// Where it is at the beginning.
    pub pose: G::Pose,
    /// m/s.
    pub velocity: G::Vector,
    /// rad/s.
    pub spin: G::Spin,
}

// Not derived: that would ask for shapes that can be copied, where only a reference is.
impl<G: Geometry> Clone for Moving<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G: Geometry> Copy for Moving<'_, G> {}

/// How a time of impact is made exact. All ways agree to within the tolerance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    /// The bracket is halved until it is small.
    Bisection,
    /// The bracket is cut where a straight line between its ends vanishes; an end that stays counts half (Illinois).
    #[default]
    RegulaFalsi,
    /// The bodies advance by as much as is certain not to let them meet.
    ConservativeAdvancement,
}

/// When bodies meet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ImpactTime {
    /// From the beginning, s. The gap is then between zero and the tolerance, unless the bodies overlapped from the beginning.
    pub time: f64,
    /// How often the gap was computed.
    pub evaluations: usize,
}

/// Beyond this many evaluations, as of a body that slides past another at a gap of next to nothing, the time is given until which
/// it is certain that they do not meet.
const MOST_EVALUATIONS: usize = 1000;

/// While bodies turn by less than this against each other, convex ones that come apart again do not meet again, rad.
const SMALL_TURN: f64 = 0.25;

/// The first time at which two bodies are no further apart than `tolerance`, if that is within `duration`.
///
/// ```
/// use carom_contact::plane::{Plane, Pose, Shape};
/// use carom_contact::{Method, Moving, time_of_impact};
/// use glam::DVec2;
///
/// let (disc, floor) = (Shape::disc(0.5)?, Shape::half_plane(DVec2::Y)?);
/// let falling = Moving::<Plane> {
///     shape: &disc,
///     pose: Pose::new(DVec2::new(0.0, 1.5), 0.0),
///     velocity: DVec2::new(3.0, -2.0),
///     spin: 7.0,
/// };
/// let resting = Moving { shape: &floor, pose: Pose::default(), velocity: DVec2::ZERO, spin: 0.0 };
/// let impact = time_of_impact(&falling, &resting, 1.0, 1e-9, Method::RegulaFalsi).unwrap();
/// assert!((impact.time - 0.5).abs() < 1e-9);
/// # Ok::<(), carom_contact::ContactError>(())
/// ```
pub fn time_of_impact<G: Geometry>(
    first: &Moving<'_, G>,
    second: &Moving<'_, G>,
    duration: f64,
    tolerance: f64,
    method: Method,
) -> Option<ImpactTime> {
    let mut witness = Witness::default();
    let gap = |time: f64| {
        let [a, b] = [first, second].map(|body| body.pose.moved(body.velocity, body.spin, time));
        G::gap((first.shape, &a), (second.shape, &b), &mut witness)
    };
    let turning = [first, second].map(|body| G::Pose::spin_speed(body.spin)).iter().sum::<f64>();
    let window = if turning > 0.0 { SMALL_TURN / turning } else { duration };
    first_contact(gap, fastest_closing(first, second, duration), window, duration, tolerance, method)
}

/// The first time at which `gap` is not above `tolerance`, if that is within `duration`. It must not change faster than at the
/// rate `fastest`; within a `window` of time, it is taken to have one minimum.
///
/// For flights that are not straight: see [`time_of_impact`] for those that are.
pub fn first_contact(
    mut gap: impl FnMut(f64) -> f64,
    fastest: f64,
    window: f64,
    duration: f64,
    tolerance: f64,
    method: Method,
) -> Option<ImpactTime> {
    let mut evaluations = 0;
    let mut search = Search {
        at: |time: f64| {
            evaluations += 1;
            // Half way into the tolerance: met from both sides.
            Sample { time, above: gap(time) - 0.5 * tolerance }
        },
        fastest,
        half: 0.5 * tolerance,
        left: MOST_EVALUATIONS,
    };
    let time = search.first(window, duration, method)?;
    Some(ImpactTime { time, evaluations })
}

/// How fast the gap of two bodies can close. A body without end is as large as the other's flight makes it.
fn fastest_closing<G: Geometry>(first: &Moving<'_, G>, second: &Moving<'_, G>, duration: f64) -> f64 {
    let speed = (first.velocity - second.velocity).length();
    let apart = (first.pose.position() - second.pose.position()).length() + speed * duration;
    let (a, b) = (G::radius(first.shape), G::radius(second.shape));
    let turning = |body: &Moving<'_, G>, arm: f64| match G::Pose::spin_speed(body.spin) {
        spin if spin > 0.0 => spin * arm,
        _ => 0.0,
    };
    speed + turning(first, a.min(apart + b)) + turning(second, b.min(apart + a))
}

/// How far the gap is above half of the tolerance at a time.
#[derive(Clone, Copy)]
struct Sample {
    time: f64,
    above: f64,
}

struct Search<F: FnMut(f64) -> Sample> {
    at: F,
    fastest: f64,
    half: f64,
    left: usize,
}

impl<F: FnMut(f64) -> Sample> Search<F> {
    fn sample(&mut self, time: f64) -> Sample {
        self.left = self.left.saturating_sub(1);
        (self.at)(time)
    }

    fn first(&mut self, window: f64, duration: f64, method: Method) -> Option<f64> {
        let mut free = self.sample(0.0);
        while free.above > self.half {
            // Until then nothing meets.
            let certain = free.time + free.above / self.fastest;
            if certain > duration {
                return None;
            }
            if self.left == 0 {
                return Some(free.time);
            }
            if method == Method::ConservativeAdvancement {
                free = self.sample(certain);
                continue;
            }
            let end = self.sample((certain + window).min(duration));
            match self.bracket(free, end) {
                Bracket::Free if end.time >= duration => return None,
                Bracket::Free => free = end,
                Bracket::Around(free, met) => return Some(self.refine(free, met, method)),
                Bracket::Unknown(free) => return Some(free.time),
            }
        }
        Some(free.time)
    }

    /// Looks between two times, halving what is not certain, the earlier half first.
    fn bracket(&mut self, mut free: Sample, end: Sample) -> Bracket {
        let mut later = [end; 64];
        let mut count = 1;
        while count > 0 {
            let next = later[count - 1];
            if next.above <= self.half {
                return Bracket::Around(free, next);
            }
            let from = free.time + free.above / self.fastest;
            let until = next.time - next.above / self.fastest;
            // What could still happen between is less than the tolerance.
            let grazing = (until - from) * self.fastest <= self.half;
            if until <= from || grazing || count == later.len() {
                free = next;
                count -= 1;
            } else if self.left == 0 {
                return Bracket::Unknown(free);
            } else {
                later[count] = self.sample(0.5 * (from + until));
                count += 1;
            }
        }
        Bracket::Free
    }

    fn refine(&mut self, mut free: Sample, mut met: Sample, method: Method) -> f64 {
        // Weights of the ends in the straight line between them, and which end came last.
        let (mut of_free, mut of_met, mut last) = (1.0, 1.0, None);
        if met.above >= -self.half {
            return met.time;
        }
        while self.left > 0 && met.time - free.time > f64::EPSILON * met.time {
            let part = match method {
                Method::RegulaFalsi => {
                    let (a, b) = (of_free * free.above, of_met * met.above);
                    a / (a - b)
                }
                _ => 0.5,
            };
            let next = self.sample(free.time + part * (met.time - free.time));
            if next.above.abs() <= self.half {
                return next.time;
            }
            let is_free = next.above > 0.0;
            let again = last == Some(is_free);
            if is_free {
                (free, of_free, of_met) = (next, 1.0, if again { 0.5 * of_met } else { of_met });
            } else {
                (met, of_met, of_free) = (next, 1.0, if again { 0.5 * of_free } else { of_free });
            }
            last = Some(is_free);
        }
        free.time
    }
}

/// What is between two times.
enum Bracket {
    /// No contact.
    Free,
    /// Contact, after the first and not after the second.
    Around(Sample, Sample),
    /// No contact until then, and no evaluations left to look further.
    Unknown(Sample),
}
