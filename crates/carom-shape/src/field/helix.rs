//! Exact distance to a helix of finite length.
//!
//! In the angle v from the point's own height, the squared distance is a²v² − 2ρR cos(v − δ) and a constant, where δ is
//! the angle to a place straight in front of the point. Half its derivative, a²v − ρR sin(δ − v), is convex on
//! [δ − π, δ], so Newton's method from δ runs down to the local minimum of that turn, or shows that there is none.

use std::f64::consts::{PI, TAU};

use glam::DVec3;

/// The curve (R cos θ, a θ, R sin θ) for |θ| ≤ `half_angle`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Helix {
    pub radius: f64,
    /// Rise per radian; negative is left-handed.
    pub rise: f64,
    pub half_angle: f64,
}

impl Helix {
    pub fn new(radius: f64, pitch: f64, turns: f64) -> Helix {
        Helix { radius, rise: pitch / TAU, half_angle: PI * turns }
    }

    pub fn point(&self, angle: f64) -> DVec3 {
        let (sin, cos) = libm::sincos(angle);
        DVec3::new(self.radius * cos, self.rise * angle, self.radius * sin)
    }

    pub fn distance(&self, p: DVec3) -> f64 {
        let level = p.y / self.rise;
        let front = libm::atan2(p.z, p.x);
        let pull = self.radius * (p.x * p.x + p.z * p.z).sqrt();
        // Of the endless helix the nearest point is in the turn whose front is nearest to the point's level.
        let nearest_turn = ((level - front) / TAU).round();
        if let Some(angle) = self.local_minimum(level, front + TAU * nearest_turn, pull)
            && angle.abs() <= self.half_angle
        {
            return p.distance(self.point(angle));
        }
        // Otherwise it is an end, or in one of the last turns: minima further away in angle are further away.
        let mut best = p.distance(self.point(self.half_angle)).min(p.distance(self.point(-self.half_angle)));
        let inside = ((level.clamp(-self.half_angle, self.half_angle) - front) / TAU).round();
        for turn in [inside - 1.0, inside, inside + 1.0] {
            if let Some(angle) = self.local_minimum(level, front + TAU * turn, pull)
                && angle.abs() <= self.half_angle
            {
                best = best.min(p.distance(self.point(angle)));
            }
        }
        best
    }

    /// The angle between `level` and `front` where the distance has its minimum, if it has one within half a turn of `front`.
    fn local_minimum(&self, level: f64, front: f64, pull: f64) -> Option<f64> {
        let stiffness = self.rise * self.rise;
        let side = if front >= level { 1.0 } else { -1.0 };
        let delta = side * (front - level);
        let mut v = delta;
        for _ in 0..60 {
            let (sin, cos) = libm::sincos(delta - v);
            let slope = stiffness + pull * cos;
            if slope <= 0.0 {
                return None;
            }
            let step = (stiffness * v - pull * sin) / slope;
            v -= step;
            if v < delta - PI {
                return None;
            }
            if step.abs() <= 1e-9 {
                // The distance is stationary: an error of 1e-9 in the angle is 1e-18 in the distance.
                return Some(level + side * v);
            }
        }
        Some(level + side * v)
    }

    /// Largest value of d·x over the curve.
    pub fn support(&self, d: DVec3) -> f64 {
        let ends = d.dot(self.point(self.half_angle)).max(d.dot(self.point(-self.half_angle)));
        // d·x = A cos(θ − φ) + a d.y θ is stationary where sin(θ − φ) = a d.y/A: twice per turn, the largest in the last.
        let amplitude = self.radius * d.x.hypot(d.z);
        let climb = self.rise * d.y;
        if climb.abs() >= amplitude {
            return ends;
        }
        let top = libm::atan2(d.z, d.x) + libm::asin(climb / amplitude);
        let [low, high] = [-self.half_angle, self.half_angle];
        let last = top + TAU * ((high - top) / TAU).floor();
        let first = top + TAU * ((low - top) / TAU).ceil();
        [last, first].into_iter().filter(|t| t.abs() <= high).map(|t| d.dot(self.point(t))).fold(ends, f64::max)
    }

    /// Whether a wire of this radius keeps clear of itself, so that the middle line's distance measures depth too.
    pub fn admits_wire(&self, wire: f64) -> bool {
        let speed_squared = self.radius * self.radius + self.rise * self.rise;
        if wire >= speed_squared / self.radius {
            return false;
        }
        // The distance between points an angle u apart; beyond one turn and a half it only grows past the first minimum.
        let chord_squared = |u: f64| {
            let sine = libm::sin(0.5 * u);
            4.0 * self.radius * self.radius * sine * sine + self.rise * self.rise * u * u
        };
        let last = (2.0 * self.half_angle).min(1.5 * TAU);
        // Within half a turn the curvature, checked above, decides.
        last <= PI || (0..=400).all(|i| chord_squared(PI + (last - PI) * f64::from(i) / 400.0) > 4.0 * wire * wire)
    }
}
