//! Friction at one contact: minimize ½xᵀBx + cᵀx for x in a disc, or in a polygon inscribed in it (*Sound* Eq. 1).
//!
//! B is 2 × 2 and symmetric, positive semidefinite. On the border of the disc (B + νI)x = −c with ν ≥ 0 such that |x| is the radius,
//! found by Newton steps on 1/|x|, which is nearly linear in ν and makes them converge from one side.

/// [B₀₀, B₀₁, B₁₁] of a symmetric matrix.
pub type Symmetric = [f64; 3];

/// The minimum in the disc |x| ≤ radius.
///
/// ```
/// // A push of 5 along (3, 4) with friction of at most 2 left.
/// let x = carom_solve::minimize_in_disc([1.0, 0.0, 1.0], [3.0, 4.0], 2.0);
/// assert!((x[0] + 1.2).abs() < 1e-15 && (x[1] + 1.6).abs() < 1e-15);
/// ```
pub fn minimize_in_disc(matrix: Symmetric, linear: [f64; 2], radius: f64) -> [f64; 2] {
    let size = linear[0].hypot(linear[1]);
    if radius <= 0.0 || size == 0.0 {
        return [0.0; 2];
    }
    let trace = matrix[0] + matrix[2];
    // A singular matrix gets a hair more than nothing, so that the way along its null space leads to the border.
    let mut shift =
        if determinant(matrix) > 1e-14 * trace * trace { 0.0 } else { 1e-14 * trace + 1e-14 * size / radius };
    let mut x = solve(matrix, shift, linear.map(|c| -c));
    if x[0].hypot(x[1]) <= radius {
        return x;
    }
    for _ in 0..40 {
        let length = x[0].hypot(x[1]);
        let slope = solve(matrix, shift, x);
        let change = (length - radius) / radius * (length * length) / (x[0] * slope[0] + x[1] * slope[1]);
        shift += change;
        x = solve(matrix, shift, linear.map(|c| -c));
        if change <= 1e-15 * shift {
            break;
        }
    }
    let length = x[0].hypot(x[1]);
    x.map(|value| value * radius / length)
}

/// The minimum in a regular polygon with so many corners, at least three, on the circle of this radius, one of them on the first axis.
///
/// A polygon with a corner towards the minimum in the disc would have the same minimum: turning it saves nothing.
pub fn minimize_in_polygon(matrix: Symmetric, linear: [f64; 2], radius: f64, corners: usize) -> [f64; 2] {
    if radius <= 0.0 {
        return [0.0; 2];
    }
    let corners = corners.max(3);
    let corner = |k: usize| {
        let angle = std::f64::consts::TAU * k as f64 / corners as f64;
        [radius * libm::cos(angle), radius * libm::sin(angle)]
    };
    let trace = matrix[0] + matrix[2];
    if determinant(matrix) > 1e-14 * trace * trace {
        let x = solve(matrix, 0.0, linear.map(|c| -c));
        let inside = (0..corners).all(|k| {
            let (a, b) = (corner(k), corner(k + 1));
            (b[0] - a[0]) * (x[1] - a[1]) - (b[1] - a[1]) * (x[0] - a[0]) >= 0.0
        });
        if inside {
            return x;
        }
    }
    let times = |x: [f64; 2]| [matrix[0] * x[0] + matrix[1] * x[1], matrix[1] * x[0] + matrix[2] * x[1]];
    let mut best = (f64::INFINITY, [0.0; 2]);
    for k in 0..corners {
        let (a, b) = (corner(k), corner(k + 1));
        let edge = [b[0] - a[0], b[1] - a[1]];
        let (at_a, along) = (times(a), times(edge));
        let slope = edge[0] * (at_a[0] + linear[0]) + edge[1] * (at_a[1] + linear[1]);
        let curvature = edge[0] * along[0] + edge[1] * along[1];
        let share = if slope >= 0.0 { 0.0 } else { (-slope / curvature.max(f64::MIN_POSITIVE)).min(1.0) };
        let x = [a[0] + share * edge[0], a[1] + share * edge[1]];
        let image = times(x);
        let value = x[0] * (0.5 * image[0] + linear[0]) + x[1] * (0.5 * image[1] + linear[1]);
        if value < best.0 {
            best = (value, x);
        }
    }
    best.1
}

fn determinant([a, b, d]: Symmetric) -> f64 {
    a * d - b * b
}

/// (B + shift I)⁻¹ x.
fn solve([a, b, d]: Symmetric, shift: f64, x: [f64; 2]) -> [f64; 2] {
    let shifted = [a + shift, b, d + shift];
    let scale = 1.0 / determinant(shifted);
    [scale * (shifted[2] * x[0] - b * x[1]), scale * (shifted[0] * x[1] - b * x[0])]
}
