//! What code for both spaces may do with a vector.

use std::fmt::Debug;
use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

use glam::{DVec2, DVec3};

/// A vector of the plane or of space.
pub trait Vector:
    Copy
    + Debug
    + Default
    + PartialEq
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + AddAssign
    + Sub<Output = Self>
    + SubAssign
    + Mul<f64, Output = Self>
    + Neg<Output = Self>
{
    /// How many coordinates.
    const DIMENSION: usize;
    /// All coordinates alike.
    fn splat(value: f64) -> Self;
    /// The scalar product.
    fn dot(self, other: Self) -> f64;
    /// The smaller of each coordinate.
    fn min(self, other: Self) -> Self;
    /// The larger of each coordinate.
    fn max(self, other: Self) -> Self;
    /// One coordinate.
    fn coordinate(self, axis: usize) -> f64;
    /// In space, a vector of the plane lying at z = 0.
    fn in_space(self) -> DVec3;
    /// Back from [`Vector::in_space`].
    fn from_space(v: DVec3) -> Self;

    /// Its length.
    #[inline]
    fn length(self) -> f64 {
        self.dot(self).sqrt()
    }

    /// Whether all coordinates are finite.
    fn is_finite(self) -> bool {
        (0..Self::DIMENSION).all(|axis| self.coordinate(axis).is_finite())
    }
}

impl Vector for DVec2 {
    const DIMENSION: usize = 2;
    #[inline]
    fn splat(value: f64) -> Self {
        DVec2::splat(value)
    }
    #[inline]
    fn dot(self, other: Self) -> f64 {
        DVec2::dot(self, other)
    }
    #[inline]
    fn min(self, other: Self) -> Self {
        DVec2::min(self, other)
    }
    #[inline]
    fn max(self, other: Self) -> Self {
        DVec2::max(self, other)
    }
    #[inline]
    fn coordinate(self, axis: usize) -> f64 {
        self[axis]
    }
    #[inline]
    fn in_space(self) -> DVec3 {
        self.extend(0.0)
    }
    #[inline]
    fn from_space(v: DVec3) -> Self {
        v.truncate()
    }
}

impl Vector for DVec3 {
    const DIMENSION: usize = 3;
    #[inline]
    fn splat(value: f64) -> Self {
        DVec3::splat(value)
    }
    #[inline]
    fn dot(self, other: Self) -> f64 {
        DVec3::dot(self, other)
    }
    #[inline]
    fn min(self, other: Self) -> Self {
        DVec3::min(self, other)
    }
    #[inline]
    fn max(self, other: Self) -> Self {
        DVec3::max(self, other)
    }
    #[inline]
    fn coordinate(self, axis: usize) -> f64 {
        self[axis]
    }
    #[inline]
    fn in_space(self) -> DVec3 {
        self
    }
    #[inline]
    fn from_space(v: DVec3) -> Self {
        v
    }
}
