//! The common language of shape: where is the inside, and how far is its border.

use glam::DVec3;

/// A body as a signed-distance field.
pub trait Solid: Send + Sync {
    /// Distance to the border, negative inside.
    ///
    /// Zero exactly on the border; its magnitude never exceeds the true distance (the field is 1-Lipschitz), so a
    /// ball of that radius around `p` lies entirely on one side. Booleans and smooth unions give such a bound
    /// rather than the distance itself; [`Solid::is_exact`] tells which.
    fn signed_distance(&self, p: DVec3) -> f64;

    /// A box that contains the body, as tight as is cheap.
    fn bounds(&self) -> Aabb;

    /// Whether [`Solid::signed_distance`] is the distance itself and not only a bound of it.
    fn is_exact(&self) -> bool {
        false
    }

    /// True when the sign can change away from the zero set, as across the hole of an open mesh. Who prunes by
    /// distance must then look at the corners too.
    fn has_gaps(&self) -> bool {
        false
    }
}

/// An axis-aligned box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// The corner with the smallest coordinates.
    pub min: DVec3,
    /// The corner with the largest coordinates.
    pub max: DVec3,
}

impl Aabb {
    /// The box that contains nothing; growing it by a point gives that point.
    pub const EMPTY: Aabb = Aabb { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };

    /// The smallest box around `points`.
    pub fn around(points: impl IntoIterator<Item = DVec3>) -> Aabb {
        points.into_iter().fold(Aabb::EMPTY, Aabb::grown)
    }

    /// This box grown to contain `p`.
    pub fn grown(self, p: DVec3) -> Aabb {
        Aabb { min: self.min.min(p), max: self.max.max(p) }
    }

    /// The smallest box around both.
    pub fn union(self, other: Aabb) -> Aabb {
        Aabb { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// The box with a margin on every side.
    pub fn padded(self, margin: f64) -> Aabb {
        Aabb { min: self.min - margin, max: self.max + margin }
    }

    /// Edge lengths.
    pub fn size(&self) -> DVec3 {
        self.max - self.min
    }

    /// The middle.
    pub fn centre(&self) -> DVec3 {
        0.5 * (self.min + self.max)
    }

    /// Whether a point lies in the box or on its border.
    pub fn contains(&self, p: DVec3) -> bool {
        p.cmpge(self.min).all() && p.cmple(self.max).all()
    }

    /// The eight corners, x fastest.
    pub fn corners(&self) -> [DVec3; 8] {
        std::array::from_fn(|i| {
            DVec3::new(
                if i & 1 == 0 { self.min.x } else { self.max.x },
                if i & 2 == 0 { self.min.y } else { self.max.y },
                if i & 4 == 0 { self.min.z } else { self.max.z },
            )
        })
    }

    /// Squared distance from `p` to the box, zero inside.
    pub fn distance_squared(&self, p: DVec3) -> f64 {
        (self.min - p).max(p - self.max).max(DVec3::ZERO).length_squared()
    }
}
