//! What bodies look like in pictures and animations.

use carom_shape::TriMesh;
use glam::DVec3;

/// A body in a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// The body.
    pub body: String,
    /// What is seen of it.
    pub appearance: Appearance,
    /// Its colour in sRGB.
    pub colour: [u8; 3],
    /// Place of its baked object among [`objects`](super::BuiltScene::objects), if it vibrates.
    pub object: Option<usize>,
}

/// What is seen of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Appearance {
    /// A surface.
    Surface {
        /// Its place among [`surfaces`](super::BuiltScene::surfaces).
        surface: usize,
        /// From the centre of mass to the surface's origin, in the body's axes, m.
        offset: [f64; 3],
    },
    /// Everything behind a plane through the body's position.
    HalfSpace {
        /// Out of it, of length one, in the body's axes.
        normal: [f64; 3],
    },
}

/// Colours that are told apart by most people (Okabe and Ito, 2008), without the black.
const COLOURS: [[u8; 3]; 7] =
    [[230, 159, 0], [86, 180, 233], [0, 158, 115], [240, 228, 66], [0, 114, 178], [213, 94, 0], [204, 121, 167]];

/// The colour of the n-th description of a body that moves; what does not move is grey.
pub(super) fn colour(number: usize, moves: bool) -> [u8; 3] {
    if moves { COLOURS[number % COLOURS.len()] } else { [170, 170, 170] }
}

/// Discs and drums are drawn with so many corners.
const CORNERS: usize = 64;

/// The points of a circle about the origin in the plane.
pub(super) fn circle(radius: f64) -> Vec<DVec3> {
    let angle = |i: usize| std::f64::consts::TAU * i as f64 / CORNERS as f64;
    (0..CORNERS).map(|i| DVec3::new(radius * angle(i).cos(), radius * angle(i).sin(), 0.0)).collect()
}

/// A convex body of the plane as a slab about z = 0; its corners go round counterclockwise.
pub(super) fn slab(corners: &[DVec3], thickness: f64) -> TriMesh {
    let n = corners.len() as u32;
    let z = DVec3::new(0.0, 0.0, 0.5 * thickness);
    let positions = corners.iter().map(|&p| p + z).chain(corners.iter().map(|&p| p - z)).collect();
    let mut triangles = Vec::new();
    for i in 1..n.saturating_sub(1) {
        triangles.extend([[0, i, i + 1], [n, n + i + 1, n + i]]);
    }
    sides(&mut triangles, 0, n, n, false);
    TriMesh { positions, triangles }
}

/// The wall of a drum about `axis`: a ring of finite width, solid outwards.
pub(super) fn ring(radius: f64, axis: DVec3, width: f64) -> TriMesh {
    let turn = glam::DQuat::from_rotation_arc(DVec3::Z, axis.normalize_or(DVec3::Z));
    let mut positions = Vec::new();
    for (size, z) in [(1.0, 0.5), (1.0, -0.5), (1.05, 0.5), (1.05, -0.5)] {
        let along = DVec3::new(0.0, 0.0, z * width);
        positions.extend(circle(size * radius).into_iter().map(|p| turn * (p + along)));
    }
    let n = CORNERS as u32;
    let mut triangles = Vec::new();
    sides(&mut triangles, 0, n, n, true);
    sides(&mut triangles, 2 * n, 3 * n, n, false);
    sides(&mut triangles, 2 * n, 0, n, true);
    sides(&mut triangles, 3 * n, n, n, false);
    TriMesh { positions, triangles }
}

/// The band between two rings of n vertices, the first above the second, seen from outside; or from inside.
fn sides(triangles: &mut Vec<[u32; 3]>, above: u32, below: u32, n: u32, inside: bool) {
    for i in 0..n {
        let next = (i + 1) % n;
        for [a, b, c] in [[above + i, below + i, below + next], [above + i, below + next, above + next]] {
            triangles.push(if inside { [a, c, b] } else { [a, b, c] });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slabs_and_rings_are_closed_with_the_outside_out() {
        let square = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(|(x, y)| DVec3::new(x, y, 0.0));
        assert!((slab(&square, 0.5).volume() - 2.0).abs() < 1e-12);
        let area =
            |radius: f64| 0.5 * CORNERS as f64 * radius * radius * (std::f64::consts::TAU / CORNERS as f64).sin();
        assert!((slab(&circle(2.0), 0.5).volume() / (0.5 * area(2.0)) - 1.0).abs() < 1e-12);
        let expected = 3.0 * (area(2.1) - area(2.0));
        assert!((ring(2.0, DVec3::X, 3.0).volume() / expected - 1.0).abs() < 1e-12);
    }
}
