//! Many bodies of a kind: where each of them is, relative to the first, how it moves, and what it is called.

use std::f64::consts::TAU;

use carom_shape::portable::unit_vector;
use glam::DVec3;

/// One of many.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct CopyPlan {
    pub name: String,
    /// From the first.
    pub by: DVec3,
    /// Besides the velocity that all have.
    pub velocity: DVec3,
}

/// How copies are arranged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pattern {
    Row,
    Grid,
    /// Every layer has one body less along x and z than the one below it, and lies in its gaps.
    Pyramid,
    /// Every other layer is moved by half a spacing along x and z.
    Hexagonal,
}

/// A name's ending, and the way from the first body, for each copy.
pub(super) fn arrange(pattern: Pattern, count: [usize; 3], spacing: DVec3, dimension: usize) -> Vec<(String, DVec3)> {
    let [nx, ny, nz] = count;
    let mut placed = Vec::new();
    for j in 0..ny {
        let (fewer, shift) = match pattern {
            Pattern::Row | Pattern::Grid => (0, 0.0),
            Pattern::Pyramid => (j, 0.5 * j as f64),
            Pattern::Hexagonal => (0, 0.5 * (j % 2) as f64),
        };
        // A wall is a pyramid of one body's depth: it does not shrink across.
        let (across, shift_across) = if nz == 1 { (1, 0.0) } else { (nz.saturating_sub(fewer), shift) };
        for i in 0..nx.saturating_sub(fewer) {
            for k in 0..across {
                let steps = DVec3::new(i as f64 + shift, j as f64, k as f64 + shift_across);
                let ending = match (pattern, dimension) {
                    (Pattern::Row, _) => format!("-{i}"),
                    (_, 2) => format!("-{i}-{j}"),
                    _ => format!("-{i}-{j}-{k}"),
                };
                placed.push((ending, steps * spacing));
            }
        }
    }
    placed
}

/// A velocity of a given size in a direction that is drawn, evenly over all, by a seed and the number of the copy alone.
pub(super) fn drawn_velocity(speed: f64, seed: u64, number: u64, dimension: usize) -> DVec3 {
    let draw = |k: u64| share(mixed(mixed(seed) ^ (2 * number + k)));
    let [cos, sin] = unit_vector(TAU * draw(0)).to_array();
    let height = if dimension == 2 { 0.0 } else { 2.0 * draw(1) - 1.0 };
    let across = (1.0 - height * height).sqrt();
    speed * DVec3::new(across * cos, across * sin, height)
}

/// A number whose bits all depend on all bits of another (SplitMix64).
fn mixed(number: u64) -> u64 {
    let z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// From 0 to 1.
fn share(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(pattern: Pattern, count: [usize; 3]) -> Vec<(String, DVec3)> {
        arrange(pattern, count, DVec3::new(1.0, 2.0, 3.0), 3)
    }

    #[test]
    fn a_grid_fills_its_box() {
        let grid = at(Pattern::Grid, [2, 3, 4]);
        assert_eq!(grid.len(), 24);
        assert_eq!(grid[23], ("-1-2-3".into(), DVec3::new(1.0, 4.0, 9.0)));
    }

    #[test]
    fn a_pyramid_of_n_layers_has_as_many_bodies_as_the_sum_of_squares() {
        assert_eq!(at(Pattern::Pyramid, [10, 10, 10]).len(), (1..=10).map(|n| n * n).sum::<usize>());
        // A wall of blocks has n (n + 1) / 2 of them; the last lies over the middle of the first row.
        let wall = at(Pattern::Pyramid, [15, 15, 1]);
        assert_eq!(wall.len(), 120);
        assert_eq!(wall[119].1, DVec3::new(7.0, 28.0, 0.0));
        // Layers beyond the tip are empty.
        assert_eq!(at(Pattern::Pyramid, [2, 9, 1]).len(), 3);
    }

    #[test]
    fn a_hexagonal_packing_of_discs_touches_everywhere_and_nowhere_twice() {
        let spacing = DVec3::new(1.0, 0.75f64.sqrt(), 1.0);
        let discs = arrange(Pattern::Hexagonal, [6, 5, 1], spacing, 2);
        let mut touching = 0;
        for (i, a) in discs.iter().enumerate() {
            for b in &discs[..i] {
                let distance = a.1.distance(b.1);
                assert!(distance > 1.0 - 1e-12);
                touching += usize::from(distance < 1.0 + 1e-12);
            }
        }
        // Five rows of five neighbours; four gaps between rows, each with 2 · 6 − 1.
        assert_eq!(touching, 25 + 44);
    }

    #[test]
    fn drawn_velocities_have_their_size_and_no_direction_in_common() {
        for dimension in [2, 3] {
            let drawn: Vec<DVec3> = (0..4000).map(|i| drawn_velocity(3.0, 7, i, dimension)).collect();
            assert!(drawn.iter().all(|v| (v.length() - 3.0).abs() < 1e-12));
            assert!(dimension == 3 || drawn.iter().all(|v| v.z == 0.0));
            let mean = drawn.iter().sum::<DVec3>() / 4000.0;
            // The mean of n unit vectors has a size of about 1/√n.
            assert!(mean.length() < 3.0 * 3.0 / 4000f64.sqrt(), "{mean}");
            let share = drawn.iter().map(|v| v.y * v.y).sum::<f64>() / (4000.0 * 9.0);
            assert!((share * dimension as f64 - 1.0).abs() < 0.05, "{share}");
        }
        assert_ne!(drawn_velocity(1.0, 1, 0, 2), drawn_velocity(1.0, 2, 0, 2));
    }
}
