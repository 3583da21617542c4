//! The grid of bricks that a body lies in.

use glam::{DMat3, DVec3};

/// A grid of bricks between parallel planes, possibly turned against the axes of the body. Its planes need not be
/// evenly spaced: some lie in flat faces of the body.
#[derive(Clone, Debug, PartialEq)]
pub struct CellGrid {
    /// Where the grid's coordinates are zero, in the body's axes.
    pub origin: DVec3,
    /// Columns are the grid's directions in the body's axes; a rotation.
    pub axes: DMat3,
    /// The planes across each direction, in metres from the origin, ascending: one more than there are cells.
    pub planes: [Vec<f64>; 3],
}

impl CellGrid {
    /// A grid of equal cells.
    pub fn regular(origin: DVec3, axes: DMat3, cell: DVec3, counts: [usize; 3]) -> CellGrid {
        let planes = [0, 1, 2].map(|a| (0..=counts[a]).map(|i| i as f64 * cell[a]).collect());
        CellGrid { origin, axes, planes }
    }

    /// Number of cells along each direction.
    pub fn counts(&self) -> [usize; 3] {
        [0, 1, 2].map(|a| self.planes[a].len().saturating_sub(1))
    }

    /// Coordinates of a point along the grid's directions, in metres from the origin.
    pub fn coordinates(&self, point: DVec3) -> DVec3 {
        self.axes.transpose() * (point - self.origin)
    }

    /// The point at coordinates along the grid's directions.
    pub fn point(&self, coordinates: DVec3) -> DVec3 {
        self.origin + self.axes * coordinates
    }

    /// Coordinates of the corner of a cell where they are smallest.
    pub fn corner(&self, cell: [usize; 3]) -> DVec3 {
        DVec3::from([0, 1, 2].map(|a| self.planes[a][cell[a]]))
    }

    /// Edge lengths of a cell.
    pub fn size(&self, cell: [usize; 3]) -> DVec3 {
        DVec3::from([0, 1, 2].map(|a| self.planes[a][cell[a] + 1] - self.planes[a][cell[a]]))
    }

    /// The longest edge of any cell.
    pub fn longest_edge(&self) -> f64 {
        self.planes.iter().flat_map(|planes| planes.windows(2)).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max)
    }

    /// The cell at coordinates, or the nearest where they lie outside the grid.
    pub fn cell_at(&self, coordinates: DVec3) -> [usize; 3] {
        [0, 1, 2].map(|a| {
            let (planes, x) = (&self.planes[a], coordinates[a]);
            let last = planes.len().saturating_sub(2);
            // Planes are mostly evenly spaced: where they are, no search is needed.
            if let [first, .., end] = planes[..] {
                let guess = (((x - first) / (end - first) * (last + 1) as f64) as usize).min(last);
                if planes[guess] <= x && x < planes[guess + 1] {
                    return guess;
                }
            }
            planes.partition_point(|&plane| plane <= x).saturating_sub(1).min(last)
        })
    }

    /// Index of a cell, x fastest.
    pub fn index(&self, [i, j, k]: [usize; 3]) -> usize {
        let [nx, ny, _] = self.counts();
        i + nx * (j + ny * k)
    }

    /// Position of a cell from its index.
    pub fn position(&self, index: usize) -> [usize; 3] {
        let [nx, ny, _] = self.counts();
        let row = index / nx;
        [index - nx * row, row % ny, row / ny]
    }

    /// The grid whose cells are eighths of these.
    pub fn halved(&self) -> CellGrid {
        let halve = |planes: &Vec<f64>| {
            let middles = planes.windows(2).flat_map(|pair| [pair[0], 0.5 * (pair[0] + pair[1])]);
            middles.chain(planes.last().copied()).collect()
        };
        CellGrid { planes: [0, 1, 2].map(|a| halve(&self.planes[a])), ..*self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uneven() -> CellGrid {
        let planes = [vec![0.0, 0.5, 2.0], vec![0.0, 1.0], vec![-1.0, 0.0, 0.25, 1.0]];
        CellGrid { origin: DVec3::new(1.0, 2.0, 3.0), axes: DMat3::from_rotation_z(0.3), planes }
    }

    #[test]
    fn a_cell_is_found_again_by_its_index_and_by_its_middle() {
        let grid = uneven();
        assert_eq!(grid.counts(), [2, 1, 3]);
        for index in 0..6 {
            let cell = grid.position(index);
            assert_eq!(grid.index(cell), index);
            let middle = grid.corner(cell) + 0.5 * grid.size(cell);
            assert_eq!(grid.cell_at(grid.coordinates(grid.point(middle))), cell);
        }
        assert_eq!(grid.cell_at(DVec3::new(-9.0, 0.5, 9.0)), [0, 0, 2]);
    }

    #[test]
    fn eighths_fill_their_cell() {
        let grid = uneven();
        let halved = grid.halved();
        assert_eq!(halved.counts(), [4, 2, 6]);
        assert_eq!(halved.planes[0], [0.0, 0.25, 0.5, 1.25, 2.0]);
        assert_eq!(halved.corner([2, 0, 4]), grid.corner([1, 0, 2]));
        assert_eq!(2.0 * halved.size([3, 1, 5]), grid.size([1, 0, 2]));
    }
}
