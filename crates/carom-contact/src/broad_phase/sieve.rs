//! What is told of a pair before it is sorted and looked at closely: most whose boxes overlap do not meet.
//!
//! Balls are what scenes of many bodies are made of, and they need neither a root nor a list: whether they come within reach
//! follows from their centres and motions. Nothing is ruled out where round-off decides.

use crate::Vector;

/// What detection knows of bodies while it looks for pairs.
pub(crate) trait Sieve<V: Vector> {
    /// Whether there are balls at all.
    fn has_balls(&self) -> bool;

    /// A body, if it is a ball.
    fn ball(&self, body: u32) -> Ball<V>;

    /// The room inside a body.
    fn room(&self, body: u32) -> Room<V>;

    /// Whether any pairs are wanted though their bodies do not meet.
    fn wants_more(&self) -> bool;

    /// Whether a pair is one of these.
    fn is_wanted(&self, pair: [u32; 2]) -> bool;

    /// Whether the search is to end early.
    fn is_interrupted(&self) -> bool {
        false
    }
}

/// Lets all pairs through.
pub(super) struct Open;

impl<V: Vector> Sieve<V> for Open {
    fn has_balls(&self) -> bool {
        false
    }

    fn ball(&self, _: u32) -> Ball<V> {
        Ball::unknown()
    }

    fn room(&self, _: u32) -> Room<V> {
        Room::none()
    }

    fn wants_more(&self) -> bool {
        false
    }

    fn is_wanted(&self, _: [u32; 2]) -> bool {
        false
    }
}

/// A ball and its motion.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ball<V> {
    centre: V,
    motion: V,
    /// How far from its centre contacts are wanted, and what its motion leaves of that.
    reach: f64,
    rest: f64,
}

/// Of what is compared: balls are within reach if they nearly are.
const ROUND_OFF: f64 = 1e-12;

impl<V: Vector> Ball<V> {
    /// Of a centre, radius, reach from the surface, and motion.
    #[inline]
    pub fn new(centre: V, radius: f64, reach: f64, motion: V) -> Self {
        let reach = (1.0 + 2.0 * ROUND_OFF) * (radius + reach);
        Ball { centre, motion, reach, rest: reach - motion.length() }
    }

    /// Meets everything.
    pub fn unknown() -> Self {
        Ball { centre: V::default(), motion: V::default(), reach: f64::INFINITY, rest: f64::INFINITY }
    }

    /// Whether the two are out of reach of each other, or part, or pass by: gap + normal·(difference of motions) is more than what
    /// motions leave of the reach. Multiplied by the distance, which saves the root, and all in any case: a branch would be guessed
    /// wrong too often.
    #[inline]
    pub fn cannot_meet(&self, other: &Self) -> bool {
        let (between, closing) = (self.centre - other.centre, self.motion - other.motion);
        let (reach, rest) = (self.reach + other.reach, self.rest + other.rest);
        let rest = if rest > 0.0 { rest } else { 0.0 };
        let square = between.dot(between);
        let end = square + between.dot(closing) - ROUND_OFF * (square + closing.dot(closing));
        (square > reach * reach) | ((end > 0.0) & (end * end > rest * rest * square))
    }
}

/// The inside of a drum: a ball around which there is a body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room<V> {
    centre: V,
    /// Of the ball that is out of reach.
    radius: f64,
}

impl<V: Vector> Room<V> {
    /// Of the centre and radius of a drum, and how far contacts are wanted from it.
    #[inline]
    pub fn new(centre: V, radius: f64, reach: f64) -> Self {
        Room { centre, radius: (1.0 - 2.0 * ROUND_OFF) * (radius - reach) }
    }

    /// Holds nothing.
    pub fn none() -> Self {
        Room { centre: V::default(), radius: f64::NEG_INFINITY }
    }

    /// Whether a ball inside is out of reach.
    #[inline]
    pub fn holds(&self, ball: &Ball<V>) -> bool {
        let (between, way) = (ball.centre - self.centre, self.radius - ball.reach);
        (way > 0.0) & (between.dot(between) < way * way)
    }
}
