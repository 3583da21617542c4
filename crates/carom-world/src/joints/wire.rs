//! A smooth curve through points: the cubic spline with continuous second derivatives, over the lengths of its chords.
//!
//! A closed wire is periodic. An open one has no curvature at its ends (the natural spline), so that it goes on straight beyond
//! them without a jump in the second derivative.

use carom_contact::Vector;

/// Samples of each span when the nearest place is sought without a guess.
const SAMPLES: usize = 16;
/// The most Newton steps towards the nearest place.
const STEPS: usize = 50;

/// A spline.
#[derive(Debug, Clone)]
pub(crate) struct Wire<V> {
    /// The parameter at each point; one more than there are points if closed.
    knots: Vec<f64>,
    points: Vec<V>,
    /// Second derivatives at the points.
    bends: Vec<V>,
    closed: bool,
}

/// A place on a wire, with its first and second derivative.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<V> {
    pub point: V,
    pub slope: V,
    pub bend: V,
}

impl<V: Vector> Wire<V> {
    /// Through these points: at least two, or three if closed, neighbours apart.
    pub fn new(mut points: Vec<V>, closed: bool) -> Wire<V> {
        if closed {
            points.push(points[0]);
        }
        let mut knots = vec![0.0];
        for pair in points.windows(2) {
            knots.push(knots[knots.len() - 1] + (pair[1] - pair[0]).length());
        }
        let bends = if closed { periodic_bends(&knots, &points) } else { natural_bends(&knots, &points) };
        Wire { knots, points, bends, closed }
    }

    /// The whole parameter, m: nearly the length.
    pub fn length(&self) -> f64 {
        self.knots[self.knots.len() - 1]
    }

    pub fn place(&self, parameter: f64) -> Place<V> {
        let parameter = if self.closed { parameter.rem_euclid(self.length()) } else { parameter };
        let inside = parameter.clamp(0.0, self.length());
        let span = self.knots.partition_point(|&knot| knot <= inside).clamp(1, self.knots.len() - 1) - 1;
        let width = self.knots[span + 1] - self.knots[span];
        let right = (inside - self.knots[span]) / width;
        let left = 1.0 - right;
        let ends = [self.points[span], self.points[span + 1]];
        let bends = [self.bends[span], self.bends[span + 1]];
        let point = ends[0] * left
            + ends[1] * right
            + (bends[0] * (left * left * left - left) + bends[1] * (right * right * right - right))
                * (width * width / 6.0);
        let slope = (ends[1] - ends[0]) * (1.0 / width)
            + (bends[1] * (3.0 * right * right - 1.0) - bends[0] * (3.0 * left * left - 1.0)) * (width / 6.0);
        // Zero within the wire; beyond an end it goes on straight.
        let beyond = parameter - inside;
        Place { point: point + slope * beyond, slope, bend: bends[0] * left + bends[1] * right }
    }

    /// The parameter of the place nearest to a point, sought near a guess.
    pub fn nearest(&self, point: V, guess: f64) -> f64 {
        let mut parameter = guess;
        let reach = self.length() / 16.0;
        for _ in 0..STEPS {
            let place = self.place(parameter);
            let away = place.point - point;
            let speed = place.slope.dot(place.slope);
            let curvature = speed + away.dot(place.bend);
            // Newton's step goes the wrong way beyond the centre of curvature.
            let step = -away.dot(place.slope) / if curvature > 0.1 * speed { curvature } else { speed };
            parameter += step.clamp(-reach, reach);
            if step.abs() <= 1e-15 * self.length() {
                break;
            }
        }
        if self.closed { parameter.rem_euclid(self.length()) } else { parameter }
    }

    /// The parameter of the place nearest to a point, wherever it is.
    pub fn nearest_of_all(&self, point: V) -> f64 {
        let mut best = (f64::INFINITY, 0.0);
        for span in self.knots.windows(2) {
            for k in 0..=SAMPLES {
                let parameter = span[0] + (span[1] - span[0]) * k as f64 / SAMPLES as f64;
                let distance = (self.place(parameter).point - point).length();
                if distance < best.0 {
                    best = (distance, parameter);
                }
            }
        }
        self.nearest(point, best.1)
    }
}

/// What the second derivatives at a point have to balance: six times the jump of the chords' slopes.
fn jump<V: Vector>(before: (f64, V), here: (f64, V), after: (f64, V)) -> V {
    let slope = |a: (f64, V), b: (f64, V)| (b.1 - a.1) * (1.0 / (b.0 - a.0));
    (slope(here, after) - slope(before, here)) * 6.0
}

fn natural_bends<V: Vector>(knots: &[f64], points: &[V]) -> Vec<V> {
    let last = points.len() - 1;
    let at = |i: usize| (knots[i], points[i]);
    let widths: Vec<f64> = knots.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let diagonal: Vec<f64> = (1..last).map(|i| 2.0 * (widths[i - 1] + widths[i])).collect();
    let mut inner: Vec<V> = (1..last).map(|i| jump(at(i - 1), at(i), at(i + 1))).collect();
    if last > 1 {
        solve_tridiagonal(&diagonal, &widths[1..last - 1], &mut inner);
    }
    let mut bends = vec![V::default()];
    bends.extend(inner);
    bends.push(V::default());
    bends
}

/// The last point is the first: the system is cyclic, and its two corners are taken out by the formula of Sherman and Morrison.
fn periodic_bends<V: Vector>(knots: &[f64], points: &[V]) -> Vec<V> {
    let count = points.len() - 1;
    let at = |i: usize| (knots[i], points[i]);
    let widths: Vec<f64> = knots.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let corner = widths[count - 1];
    let mut diagonal: Vec<f64> = (0..count).map(|i| 2.0 * (widths[(i + count - 1) % count] + widths[i])).collect();
    let before = (knots[count - 1] - knots[count], points[count - 1]);
    let mut bends: Vec<V> =
        (0..count).map(|i| jump(if i == 0 { before } else { at(i - 1) }, at(i), at(i + 1))).collect();
    // The corners are corner·(e₀ + e₋₁)(e₀ + e₋₁)ᵀ less its own diagonal.
    diagonal[0] -= corner;
    diagonal[count - 1] -= corner;
    let mut response = vec![0.0; count];
    response[0] = corner;
    response[count - 1] = corner;
    solve_tridiagonal(&diagonal, &widths[..count - 1], &mut bends);
    solve_tridiagonal(&diagonal, &widths[..count - 1], &mut response);
    let part = (bends[0] + bends[count - 1]) * (1.0 / (1.0 + response[0] + response[count - 1]));
    for (bend, share) in bends.iter_mut().zip(response) {
        *bend -= part * share;
    }
    bends.push(bends[0]);
    bends
}

/// x ← A⁻¹x for a symmetric, diagonally dominant, tridiagonal A.
fn solve_tridiagonal<T>(diagonal: &[f64], beside: &[f64], x: &mut [T])
where
    T: Copy + std::ops::Sub<Output = T> + std::ops::Mul<f64, Output = T>,
{
    let mut pivots = diagonal.to_vec();
    for i in 1..x.len() {
        let factor = beside[i - 1] / pivots[i - 1];
        pivots[i] -= factor * beside[i - 1];
        x[i] = x[i] - x[i - 1] * factor;
    }
    for i in (0..x.len()).rev() {
        if i + 1 < x.len() {
            x[i] = x[i] - x[i + 1] * beside[i];
        }
        x[i] = x[i] * (1.0 / pivots[i]);
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec2;

    use super::*;

    fn circle(count: usize) -> Wire<DVec2> {
        let angle = |i: usize| i as f64 / count as f64 * std::f64::consts::TAU;
        Wire::new((0..count).map(|i| DVec2::from_angle(angle(i))).collect(), true)
    }

    #[test]
    fn a_closed_wire_through_points_of_a_circle_is_a_circle_to_fourth_order() {
        let error = |count: usize| {
            let wire = circle(count);
            (0..1000)
                .map(|k| (wire.place(wire.length() * k as f64 / 1000.0).point.length() - 1.0).abs())
                .fold(0.0, f64::max)
        };
        let (coarse, fine) = (error(16), error(32));
        assert!(fine < 1e-5, "{fine}");
        assert!((coarse / fine).log2() > 3.7, "order {}", (coarse / fine).log2());
    }

    #[test]
    fn slope_and_bend_are_derivatives_and_continuous_everywhere() {
        let points = [[0.0, 0.0], [1.0, 0.5], [1.5, -0.3], [3.0, 0.2], [3.2, 1.0]].map(DVec2::from);
        for closed in [false, true] {
            let wire = Wire::new(points.to_vec(), closed);
            let d = 1e-5;
            for k in -50..=1050 {
                let s = wire.length() * k as f64 / 1000.0;
                let (left, here, right) = (wire.place(s - d), wire.place(s), wire.place(s + d));
                assert!(((right.point - left.point) * (0.5 / d) - here.slope).length() < 1e-7);
                let inside = closed || (0.0..=wire.length()).contains(&s);
                let bend = if inside { here.bend } else { DVec2::ZERO };
                assert!(((right.slope - left.slope) * (0.5 / d) - bend).length() < 1e-3, "at {s}");
            }
        }
    }

    #[test]
    fn the_nearest_place_is_nearer_than_all_others() {
        let wire = circle(12);
        for k in 0..40 {
            let point = DVec2::from_angle(0.37 * k as f64) * (0.6 + 0.02 * k as f64);
            let found = (wire.place(wire.nearest_of_all(point)).point - point).length();
            let least = (0..4000)
                .map(|i| (wire.place(wire.length() * i as f64 / 4000.0).point - point).length())
                .fold(f64::INFINITY, f64::min);
            assert!(found <= least + 1e-12, "{found} {least}");
        }
    }

    #[test]
    fn two_points_make_a_straight_wire_without_end() {
        let wire = Wire::new(vec![DVec2::ZERO, DVec2::X * 2.0], false);
        assert_eq!(wire.nearest_of_all(DVec2::new(5.0, 1.0)), 5.0);
        assert_eq!(wire.place(5.0).point, DVec2::new(5.0, 0.0));
    }
}
