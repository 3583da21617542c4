//! Many bodies of a kind: where each of them is, relative to the first, and what it is called.

use glam::DVec3;

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
}
