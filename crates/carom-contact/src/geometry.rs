//! What detection asks of a space, and what it answers.

use std::fmt::Debug;

use crate::Vector;

/// Where a body is and how it is turned.
pub trait Pose: Copy + Debug + Default + PartialEq + Send + Sync + 'static {
    /// Vectors of its space.
    type Vector: Vector;
    /// Angular velocity: a number in the plane, a vector in space.
    type Spin: Copy + Debug + Default + PartialEq + Send + Sync + 'static;

    /// Where the body's origin, its centre of mass, is.
    fn position(&self) -> Self::Vector;
    /// The same, elsewhere.
    fn at(&self, position: Self::Vector) -> Self;
    /// Turns a direction of the body into the world.
    fn turn(&self, direction: Self::Vector) -> Self::Vector;
    /// Turns a direction of the world into the body.
    fn turn_back(&self, direction: Self::Vector) -> Self::Vector;
    /// The pose after a flight with constant velocity and spin.
    fn moved(&self, velocity: Self::Vector, spin: Self::Spin, time: f64) -> Self;
    /// How fast a point moves that spins at this arm from the centre.
    fn spin_velocity(spin: Self::Spin, arm: Self::Vector) -> Self::Vector;
    /// The size of a spin, rad/s.
    fn spin_speed(spin: Self::Spin) -> f64;

    /// Takes a point of the body into the world.
    #[inline]
    fn point(&self, local: Self::Vector) -> Self::Vector {
        self.position() + self.turn(local)
    }

    /// Takes a point of the world into the body.
    #[inline]
    fn local(&self, point: Self::Vector) -> Self::Vector {
        self.turn_back(point - self.position())
    }
}

/// A box along the axes; infinite where a shape is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds<V> {
    /// Its lowest corner.
    pub min: V,
    /// Its highest corner.
    pub max: V,
}

impl<V: Vector> Bounds<V> {
    /// Larger by `margin` on every side.
    #[inline]
    pub fn padded(self, margin: f64) -> Self {
        Bounds { min: self.min - V::splat(margin), max: self.max + V::splat(margin) }
    }

    /// Whether two boxes have a point in common.
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        (0..V::DIMENSION).all(|k| {
            self.min.coordinate(k) <= other.max.coordinate(k) && other.min.coordinate(k) <= self.max.coordinate(k)
        })
    }
}

/// One point of contact between two bodies.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Touch<V> {
    /// Half way between the two surfaces: one point for both bodies, so that impulses keep angular momentum.
    pub point: V,
    /// Of length one, from the second body to the first: the way the first is pushed.
    pub normal: V,
    /// How far the surfaces are apart along the normal; negative where they overlap.
    pub gap: f64,
    /// Which corner, edge or sample it is: the same number from step to step while the same features touch.
    pub feature: u64,
}

/// What is remembered of a pair of bodies: the face or edges that defined the last separating plane, tried first the next
/// time. It saves time and changes no result. All zeros: nothing known yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Witness(pub u64);

/// A space in which bodies have shapes and touch.
pub trait Geometry: Copy + Debug + Default + PartialEq + Send + Sync + 'static {
    /// Points and directions.
    type Vector: Vector;
    /// Angular velocity.
    type Spin: Copy + Debug + Default + PartialEq + Send + Sync + 'static;
    /// Where a body is.
    type Pose: Pose<Vector = Self::Vector, Spin = Self::Spin>;
    /// Moment of inertia: a number in the plane, a matrix in space.
    type Inertia: Copy + Debug + Default + PartialEq + Send + Sync + 'static;
    /// What a body looks like. The origin is its centre of mass.
    type Shape: Clone + Debug + Send + Sync + 'static;

    /// A box around a shape.
    fn bounds(shape: &Self::Shape, pose: &Self::Pose) -> Bounds<Self::Vector>;

    /// The largest distance of a point of the shape from its origin; infinite for half-planes, drums and the like.
    fn radius(shape: &Self::Shape) -> f64;

    /// Whether the shape is a ball about its origin: then every normal goes through the centre of mass and turns nothing.
    fn is_ball(shape: &Self::Shape) -> bool;

    /// Centre and radius of a shape that is a ball, about its origin or not.
    fn ball(shape: &Self::Shape, pose: &Self::Pose) -> Option<(Self::Vector, f64)>;

    /// Centre and radius of the room inside a shape that is all outside of a ball.
    fn room(shape: &Self::Shape, pose: &Self::Pose) -> Option<(Self::Vector, f64)>;

    /// Adds the complete set of contacts whose gap is at most `margin`: symmetric if the configuration is symmetric, and
    /// the same set with normals reversed if the bodies are exchanged.
    fn touches(
        first: (&Self::Shape, &Self::Pose),
        second: (&Self::Shape, &Self::Pose),
        margin: f64,
        witness: &mut Witness,
        touches: &mut Vec<Touch<Self::Vector>>,
    );

    /// How far two bodies are apart: never more than the distance between them, zero where they touch, negative where
    /// they overlap, and continuous in their poses.
    fn gap(first: (&Self::Shape, &Self::Pose), second: (&Self::Shape, &Self::Pose), witness: &mut Witness) -> f64;
}
