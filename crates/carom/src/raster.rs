//! Which triangle is seen where.
//!
//! Every sample is computed from the triangles alone, never from its neighbours, so the result does not depend on
//! how the rows are divided among threads.

use rayon::prelude::*;

/// No triangle.
pub(crate) const NOTHING: u32 = u32::MAX;

/// Rows that one thread takes at a time.
const BAND: usize = 32;

/// The nearest triangle of every sample.
pub(crate) struct Hits {
    pub(crate) width: usize,
    pub(crate) height: usize,
    /// Index of the triangle, or [`NOTHING`].
    pub(crate) triangle: Vec<u32>,
    /// Its nearness there.
    pub(crate) nearness: Vec<f32>,
}

impl Hits {
    /// Whether something is seen at a place that may lie outside the picture.
    pub(crate) fn covered(&self, column: i64, row: i64) -> bool {
        let inside = (0..self.width as i64).contains(&column) && (0..self.height as i64).contains(&row);
        inside && self.triangle[row as usize * self.width + column as usize] != NOTHING
    }
}

/// Draws triangles over points of (column, row, nearness), where nearness changes linearly across the picture. The
/// largest nearness wins, among equals the first triangle.
pub(crate) fn rasterize(points: &[[f64; 3]], triangles: &[[u32; 3]], width: usize, height: usize) -> Hits {
    let mut triangle = vec![NOTHING; width * height];
    let mut nearness = vec![f32::NEG_INFINITY; width * height];
    let bands = triangle.par_chunks_mut(BAND * width).zip(nearness.par_chunks_mut(BAND * width));
    bands.enumerate().for_each(|(band, (ids, depths))| {
        let first = band * BAND;
        for (id, corners) in triangles.iter().enumerate() {
            let corners = corners.map(|i| points[i as usize]);
            let Some(rows) = samples(corners.map(|p| p[1]), first, first + ids.len() / width) else { continue };
            let Some(columns) = samples(corners.map(|p| p[0]), 0, width) else { continue };
            for row in rows {
                for column in columns.clone() {
                    let Some(weights) = weights(corners, column, row) else { continue };
                    let near = (0..3).map(|i| weights[i] * corners[i][2]).sum::<f64>() as f32;
                    let at = (row - first) * width + column;
                    if near > depths[at] {
                        (depths[at], ids[at]) = (near, id as u32);
                    }
                }
            }
        }
    });
    Hits { width, height, triangle, nearness }
}

/// The samples (at pixel centres) from the smallest to the largest of three coordinates, within bounds.
fn samples(coordinates: [f64; 3], from: usize, to: usize) -> Option<std::ops::Range<usize>> {
    let low = coordinates.iter().copied().fold(f64::INFINITY, f64::min) - 0.5;
    let high = coordinates.iter().copied().fold(f64::NEG_INFINITY, f64::max) - 0.5;
    let range = (low.ceil().max(from as f64) as usize)..((high.floor() + 1.0).min(to as f64).max(0.0) as usize);
    (!range.is_empty()).then_some(range)
}

/// Barycentric weights of a sample in the picture, `None` outside the triangle. The same whichever way it turns.
pub(crate) fn weights(corners: [[f64; 3]; 3], column: usize, row: usize) -> Option<[f64; 3]> {
    let (x, y) = (column as f64 + 0.5, row as f64 + 0.5);
    let cross = |a: [f64; 3], b: [f64; 3]| (a[0] - x) * (b[1] - y) - (b[0] - x) * (a[1] - y);
    let [a, b, c] = corners;
    let areas = [cross(b, c), cross(c, a), cross(a, b)];
    let total = areas[0] + areas[1] + areas[2];
    let weights = areas.map(|area| area / total);
    weights.iter().all(|&w| w >= 0.0).then_some(weights)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearer_of_two_crossing_triangles_is_seen() {
        // Both cover the picture; the second is nearer in the right half.
        let points = [
            [-10.0, -10.0, 1.0],
            [50.0, -10.0, 1.0],
            [-10.0, 50.0, 1.0],
            [-10.0, -10.0, 0.0],
            [50.0, -10.0, 3.0],
            [-10.0, 50.0, 0.0],
        ];
        let hits = rasterize(&points, &[[0, 1, 2], [3, 4, 5]], 20, 10);
        for (sample, &triangle) in hits.triangle.iter().enumerate() {
            // The second has nearness (x + 10) / 20.
            assert_eq!(triangle, u32::from((sample % 20) as f64 + 0.5 > 10.0), "sample {sample}");
        }
    }

    #[test]
    fn triangles_that_share_an_edge_leave_no_gap_and_one_without_area_draws_nothing() {
        let points = [[0.3, 0.2, 1.0], [17.6, 1.1, 1.0], [16.2, 18.9, 1.0], [1.7, 17.3, 1.0]];
        for triangles in [[[0, 1, 2], [0, 2, 3]], [[0, 1, 3], [3, 1, 2]]] {
            let hits = rasterize(&points, &triangles, 20, 20);
            assert!((2..16).all(|row| (3..16).all(|column| hits.covered(column, row))));
        }
        assert!(rasterize(&points, &[[0, 1, 1]], 20, 20).triangle.iter().all(|&t| t == NOTHING));
    }
}
