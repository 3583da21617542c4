//! Plane curves as polylines: rounded polygons, Bézier and spline curves, and walls of a given thickness along a
//! middle line.
//!
//! Curves are sampled so that a chord leaves its arc by less than 0.1 % of the curve's size. [`profile`] cleans what
//! sampling leaves behind (doubled points, −1e-17 on the axis), so that a profile is fit for extrude and revolve.

use crate::Profile;

/// A point of the plane.
pub(super) type Point = [f64; 2];

/// Largest turn between neighbouring samples, in degrees. A chord leaves its arc by r (1 − cos(step/2)): 0.06 % of
/// the radius for arcs, 0.2 % for corners, whose radius is at most half of the size, 0.9 % for the rims of thin walls.
const ARC_STEP: f64 = 4.0;
const CORNER_STEP: f64 = 7.5;
const RIM_STEP: f64 = 15.0;

/// Largest distance of a Bézier curve from its samples, relative to its extent.
const BEZIER_DEVIATION: f64 = 5e-4;

/// An outline without holes.
pub(super) fn profile(outline: Vec<Point>) -> Profile {
    profile_with_holes(outline, Vec::new())
}

/// An outline and holes, each without repeated points and with points on the axis x = 0 exactly there.
pub(super) fn profile_with_holes(outline: Vec<Point>, holes: Vec<Vec<Point>>) -> Profile {
    Profile { outline: cleaned(outline), holes: holes.into_iter().map(cleaned).collect() }
}

fn cleaned(mut points: Vec<Point>) -> Vec<Point> {
    let size = points.iter().flatten().fold(0.0_f64, |size, x| size.max(x.abs()));
    for point in &mut points {
        if point[0].abs() < 1e-12 * size {
            point[0] = 0.0;
        }
    }
    points.dedup_by(|a, b| distance(*a, *b) < 1e-9 * size);
    while points.len() > 1 && distance(points[0], points[points.len() - 1]) < 1e-9 * size {
        points.pop();
    }
    points
}

/// Points of a circle from one angle to another, in degrees, both ends included.
pub(super) fn arc(centre: Point, radius: f64, from: f64, to: f64) -> Vec<Point> {
    elliptic_arc(centre, [radius, radius], [from, to], ARC_STEP)
}

/// The same for the rim of a thin wall, with fewer points.
pub(super) fn rim(centre: Point, radius: f64, from: f64, to: f64) -> Vec<Point> {
    elliptic_arc(centre, [radius, radius], [from, to], RIM_STEP)
}

/// All points of an ellipse with axes along x and y.
pub(super) fn ellipse(centre: Point, radii: Point) -> Vec<Point> {
    elliptic_arc(centre, radii, [0.0, 360.0], ARC_STEP)
}

/// Points of an ellipse between two angles in degrees, both included, at most `step` apart.
pub(super) fn elliptic_arc(centre: Point, radii: Point, [from, to]: [f64; 2], step: f64) -> Vec<Point> {
    let steps = ((to - from).abs() / step - 1e-9).ceil().max(1.0) as usize;
    (0..=steps)
        .map(|i| {
            let (sin, cos) = libm::sincos((from + (to - from) * i as f64 / steps as f64).to_radians());
            [centre[0] + radii[0] * cos, centre[1] + radii[1] * sin]
        })
        .collect()
}

/// Points of a cubic Bézier curve, both ends included.
pub(super) fn bezier(points: [Point; 4]) -> Vec<Point> {
    let [a, b, c, d] = points;
    // A chord of parameter length 1/n leaves the curve by at most |B''| / 8n², and |B''| ≤ 6 max |second difference|.
    let second = |p: Point, q: Point, r: Point| (p[0] - 2.0 * q[0] + r[0]).hypot(p[1] - 2.0 * q[1] + r[1]);
    let bend = 6.0 * second(a, b, c).max(second(b, c, d));
    let extent = distance(a, d).max(distance(a, b)).max(distance(c, d));
    let steps = if extent > 0.0 { (bend / (8.0 * BEZIER_DEVIATION * extent)).sqrt().ceil().max(1.0) } else { 1.0 };
    (0..=steps as usize)
        .map(|i| {
            let t = i as f64 / steps;
            let s = 1.0 - t;
            let weights = [s * s * s, 3.0 * s * s * t, 3.0 * s * t * t, t * t * t];
            [0, 1].map(|k| (0..4).map(|j| weights[j] * points[j][k]).sum())
        })
        .collect()
}

/// A closed polygon whose corners `[x, y, radius]` are rounded.
pub(super) fn rounded_polygon(corners: &[[f64; 3]]) -> Vec<Point> {
    let n = corners.len();
    (0..n).flat_map(|i| rounded_corner(corners[(i + n - 1) % n], corners[i], corners[(i + 1) % n])).collect()
}

/// An open polyline whose inner corners `[x, y, radius]` are rounded.
pub(super) fn rounded_polyline(corners: &[[f64; 3]]) -> Vec<Point> {
    let n = corners.len();
    let mut points = vec![[corners[0][0], corners[0][1]]];
    points.extend((1..n - 1).flat_map(|i| rounded_corner(corners[i - 1], corners[i], corners[i + 1])));
    points.push([corners[n - 1][0], corners[n - 1][1]]);
    points
}

/// The arc that replaces a corner. It takes at most half of either edge, whatever radius was asked for.
fn rounded_corner(before: [f64; 3], corner: [f64; 3], after: [f64; 3]) -> Vec<Point> {
    let here = [corner[0], corner[1]];
    let edge = |to: [f64; 3]| {
        let length = distance(here, [to[0], to[1]]);
        ([(to[0] - here[0]) / length, (to[1] - here[1]) / length], length)
    };
    let ((back, length_back), (forth, length_forth)) = (edge(before), edge(after));
    let half_angle = 0.5 * libm::acos((back[0] * forth[0] + back[1] * forth[1]).clamp(-1.0, 1.0));
    let cut = (corner[2] / libm::tan(half_angle)).min(0.5 * length_back).min(0.5 * length_forth);
    let radius = cut * libm::tan(half_angle);
    if radius <= 0.0 || libm::cos(half_angle) < 1e-6 {
        return vec![here];
    }
    let turn = (back[1] * forth[0] - back[0] * forth[1]).signum();
    let start = [here[0] + cut * back[0], here[1] + cut * back[1]];
    // The centre lies beside the incoming edge, on the side to which the path turns.
    let side = [turn * back[1], -turn * back[0]];
    let centre = [start[0] + radius * side[0], start[1] + radius * side[1]];
    let from = libm::atan2(start[1] - centre[1], start[0] - centre[0]).to_degrees();
    let sweep = turn * (180.0 - 2.0 * half_angle.to_degrees());
    elliptic_arc(centre, [radius, radius], [from, from + sweep], CORNER_STEP)
}

/// A wall along a middle line, as a closed outline with a round end; `thickness` is a function of the relative arc
/// length. The start is cut square: for a revolved body it lies on the axis and leaves it horizontally.
pub(super) fn wall(middle: &[Point], thickness: impl Fn(f64) -> f64) -> Vec<Point> {
    let n = middle.len();
    let mut along = vec![0.0; n];
    for i in 1..n {
        along[i] = along[i - 1] + distance(middle[i - 1], middle[i]);
    }
    let half = |i: usize| 0.5 * thickness(along[i] / along[n - 1]);
    let direction = |i: usize, j: usize| {
        let length = distance(middle[i], middle[j]);
        [(middle[j][0] - middle[i][0]) / length, (middle[j][1] - middle[i][1]) / length]
    };
    // The offset of a vertex goes along the mitre of its two edges, so that straight stretches keep their thickness.
    let mitre = |i: usize| {
        let (u, v) = (direction(i.max(1) - 1, i.max(1)), direction(i.min(n - 2), i.min(n - 2) + 1));
        let scale = 1.0 + u[0] * v[0] + u[1] * v[1];
        [-(u[1] + v[1]) / scale, (u[0] + v[0]) / scale]
    };
    let beside = |i: usize, side: f64| {
        let normal = mitre(i);
        [middle[i][0] + side * half(i) * normal[0], middle[i][1] + side * half(i) * normal[1]]
    };
    let end = direction(n - 2, n - 1);
    let heading = libm::atan2(end[1], end[0]).to_degrees();
    let mut outline: Vec<Point> = (0..n - 1).map(|i| beside(i, -1.0)).collect();
    outline.extend(rim(middle[n - 1], half(n - 1), heading - 90.0, heading + 90.0));
    outline.extend((0..n - 1).rev().map(|i| beside(i, 1.0)));
    outline
}

/// Radii interpolated between `(height, radius)` knots by monotone cubics (Fritsch and Carlson 1980): smooth, and
/// never beyond the knots, so that the largest and smallest knot are the body's largest and smallest radius. Returns
/// `[radius, height]` points, both ends included.
pub(super) fn turned(knots: &[(f64, f64)], samples_per_knot: usize) -> Vec<Point> {
    let n = knots.len();
    let secant = |i: usize| (knots[i + 1].1 - knots[i].1) / (knots[i + 1].0 - knots[i].0);
    let slope = |i: usize| match i {
        0 => secant(0),
        i if i == n - 1 => secant(n - 2),
        i if secant(i - 1) * secant(i) <= 0.0 => 0.0,
        i => {
            let (left, right) = (knots[i].0 - knots[i - 1].0, knots[i + 1].0 - knots[i].0);
            let (a, b) = (left + 2.0 * right, 2.0 * left + right);
            (a + b) / (a / secant(i - 1) + b / secant(i))
        }
    };
    let mut points = vec![[knots[0].1, knots[0].0]];
    for i in 0..n - 1 {
        let ((y0, r0), (y1, r1)) = (knots[i], knots[i + 1]);
        let (m0, m1) = (slope(i) * (y1 - y0), slope(i + 1) * (y1 - y0));
        points.extend((1..=samples_per_knot).map(|k| {
            let t = k as f64 / samples_per_knot as f64;
            let cubic = |r0: f64, m0: f64, r1: f64, m1: f64| {
                let (a, b) = (2.0 * (r0 - r1) + m0 + m1, 3.0 * (r1 - r0) - 2.0 * m0 - m1);
                ((a * t + b) * t + m0) * t + r0
            };
            [cubic(r0, m0, r1, m1), y0 + t * (y1 - y0)]
        }));
    }
    points
}

/// A smooth closed curve through points (Catmull-Rom).
pub(super) fn closed_spline(knots: &[Point], samples_per_knot: usize) -> Vec<Point> {
    let n = knots.len();
    (0..n)
        .flat_map(|i| {
            let [a, b, c, d] = [n - 1, 0, 1, 2].map(|k| knots[(i + k) % n]);
            (0..samples_per_knot).map(move |k| {
                let t = k as f64 / samples_per_knot as f64;
                [0, 1].map(|x| {
                    let linear = 0.5 * (c[x] - a[x]);
                    let square = a[x] - 2.5 * b[x] + 2.0 * c[x] - 0.5 * d[x];
                    let cube = 0.5 * (d[x] - a[x]) + 1.5 * (b[x] - c[x]);
                    ((cube * t + square) * t + linear) * t + b[x]
                })
            })
        })
        .collect()
}

/// Points moved by a vector.
pub(super) fn moved(points: Vec<Point>, by: Point) -> Vec<Point> {
    points.into_iter().map(|p| [p[0] + by[0], p[1] + by[1]]).collect()
}

fn distance(a: Point, b: Point) -> f64 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;

    fn area(outline: &[Point]) -> f64 {
        let n = outline.len();
        (0..n).map(|i| (outline[i], outline[(i + 1) % n])).map(|(a, b)| 0.5 * (a[0] * b[1] - a[1] * b[0])).sum()
    }

    #[test]
    fn rounding_all_corners_of_a_square_to_the_middle_makes_a_circle() {
        for way in [1.0, -1.0] {
            let square = [[1.0, way, 1.0], [-1.0, way, 1.0], [-1.0, -way, 1.0], [1.0, -way, 1.0]];
            let circle = rounded_polygon(&square);
            assert!(circle.iter().all(|p| (p[0].hypot(p[1]) - 1.0).abs() < 1e-12));
            assert!((area(&circle) / PI - way).abs() < 3e-3);
        }
    }

    #[test]
    fn a_rounded_re_entrant_corner_adds_what_a_convex_one_takes_away() {
        let corners =
            |r: f64| [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [2.0, 1.0, r], [1.0, 1.0, r], [1.0, 2.0, 0.0], [0.0, 2.0, 0.0]];
        let (sharp, rounded) = (area(&rounded_polygon(&corners(0.0))), area(&rounded_polygon(&corners(0.3))));
        assert!((sharp - 3.0).abs() < 1e-12);
        assert!((rounded - sharp).abs() < 1e-12);
    }

    #[test]
    fn a_straight_wall_has_the_area_of_a_stadium_half() {
        let outline = wall(&[[0.0, 0.0], [1.0, 0.0], [3.0, 0.0]], |_| 0.2);
        assert!((area(&outline) - (0.6 + 0.005 * PI)).abs() < 3e-4);
    }

    #[test]
    fn a_wall_around_an_arc_has_the_area_of_a_ring_sector() {
        let outline = wall(&arc([0.0, 0.0], 1.0, -90.0, 0.0), |_| 0.2);
        let exact = 0.5 * PI * 0.2 + 0.005 * PI;
        assert!((area(&outline) / exact - 1.0).abs() < 1e-3);
    }

    #[test]
    fn a_bezier_of_a_quarter_circle_stays_within_a_thousandth_of_it() {
        let k = 0.5522847498;
        let curve = bezier([[1.0, 0.0], [1.0, k], [k, 1.0], [0.0, 1.0]]);
        let middles = curve.windows(2).map(|w| [0.5 * (w[0][0] + w[1][0]), 0.5 * (w[0][1] + w[1][1])]);
        assert!(middles.into_iter().all(|p| (p[0].hypot(p[1]) - 1.0).abs() < 1e-3));
    }

    #[test]
    fn a_turned_profile_passes_its_knots_and_never_leaves_their_range() {
        let knots = [(0.0, 1.0), (1.0, 3.0), (1.5, 3.2), (4.0, 0.5), (5.0, 2.0)];
        let points = turned(&knots, 7);
        for (y, r) in knots {
            assert!(points.iter().any(|p| distance(*p, [r, y]) < 1e-12));
        }
        assert!(points.iter().all(|p| p[0] > 0.5 - 1e-12 && p[0] < 3.2 + 1e-12));
    }
}
