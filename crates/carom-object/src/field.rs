//! Modes throughout a body: the regular grid of 27-node bricks on which they were computed.
//!
//! A grid cell holds one *part* of the body, or several where pieces that do not touch each other pass through the
//! same cell (the tines of a fork). Each part has 27 nodes of its own or shares them with parts it touches.

use glam::{DMat3, DVec3};

/// A regular grid of equal bricks, possibly turned against the axes of the body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellGrid {
    /// The corner of cell (0, 0, 0), in the body's axes.
    pub origin: DVec3,
    /// Columns are the grid's directions in the body's axes; a rotation.
    pub axes: DMat3,
    /// Edge lengths of a cell along the grid's directions, in metres.
    pub cell: DVec3,
    /// Number of cells along each direction.
    pub counts: [usize; 3],
}

impl CellGrid {
    /// Grid coordinates of a point: cell (i, j, k) spans [i, i+1] × [j, j+1] × [k, k+1].
    pub fn coordinates(&self, point: DVec3) -> DVec3 {
        self.axes.transpose() * (point - self.origin) / self.cell
    }

    /// The point at grid coordinates.
    pub fn point(&self, coordinates: DVec3) -> DVec3 {
        self.origin + self.axes * (coordinates * self.cell)
    }

    /// Index of a cell, x fastest.
    pub fn index(&self, [i, j, k]: [usize; 3]) -> usize {
        i + self.counts[0] * (j + self.counts[1] * k)
    }

    /// Position of a cell from its index.
    pub fn position(&self, index: usize) -> [usize; 3] {
        let [nx, ny, _] = self.counts;
        [index % nx, index / nx % ny, index / (nx * ny)]
    }

    /// Volume of one cell.
    pub fn cell_volume(&self) -> f64 {
        self.cell.x * self.cell.y * self.cell.z
    }
}

/// Which parts of the body lie where in a cell that holds more than one: a label per subcell, x fastest; 0 is
/// outside, p + 1 the cell's p-th part.
#[derive(Clone, Debug, PartialEq)]
pub struct SharedCell {
    /// Index of the cell in the grid.
    pub cell: u32,
    /// Labels of `resolution`³ subcells.
    pub labels: Vec<u8>,
}

/// Mode shapes at the nodes of the grid.
#[derive(Clone, Debug, PartialEq)]
pub struct CellField {
    /// The grid.
    pub grid: CellGrid,
    /// The cell of each part, ascending.
    pub part_cell: Vec<u32>,
    /// The 27 nodes of each part: x fastest, then y, then z.
    pub part_nodes: Vec<[u32; 27]>,
    /// Subcells per edge in [`SharedCell::labels`].
    pub resolution: usize,
    /// Cells with more than one part, ascending by cell.
    pub shared: Vec<SharedCell>,
    /// Number of nodes.
    pub nodes: usize,
    /// Displacement of every node in every mode, in the body's axes: `shapes[mode * nodes + node]`.
    pub shapes: Vec<[f32; 3]>,
}

/// A place in a [`CellField`], found once and read for many modes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldPoint {
    /// Index of the part.
    pub part: usize,
    /// Values of the 27 shape functions.
    pub weights: [f64; 27],
}

/// The three quadratic Lagrange polynomials on [−1, 1], for the nodes −1, 0, 1.
pub fn quadratic(x: f64) -> [f64; 3] {
    [0.5 * x * (x - 1.0), 1.0 - x * x, 0.5 * x * (x + 1.0)]
}

/// The 27 shape functions of a brick at local coordinates in [−1, 1]³, x fastest.
pub fn brick_weights(local: DVec3) -> [f64; 27] {
    let (x, y, z) = (quadratic(local.x), quadratic(local.y), quadratic(local.z));
    std::array::from_fn(|i| x[i % 3] * y[i / 3 % 3] * z[i / 9])
}

impl CellField {
    /// The parts of a cell, as a range of part indices.
    pub fn parts_of(&self, cell: usize) -> std::ops::Range<usize> {
        let start = self.part_cell.partition_point(|&c| (c as usize) < cell);
        let end = self.part_cell.partition_point(|&c| (c as usize) <= cell);
        start..end
    }

    /// Finds a surface point. The outward normal says on which side the body is; zero when it is not known.
    ///
    /// The point may lie slightly outside the cell that it is read from (on the border between an empty cell and a
    /// full one, say); the shape functions then continue a little beyond their cell. `None` when no part is within
    /// one cell of the point.
    pub fn locate(&self, point: DVec3, normal: DVec3) -> Option<FieldPoint> {
        let grid = &self.grid;
        let inward = 0.5 / self.resolution as f64 * grid.cell.min_element();
        let target = grid.coordinates(point - inward * normal);
        let home = [0, 1, 2].map(|a| (target[a].floor() as i64).clamp(0, grid.counts[a] as i64 - 1));
        let part = self.nearest_part(home, target)?;
        let cell = grid.position(self.part_cell[part] as usize);
        let corner = DVec3::new(cell[0] as f64, cell[1] as f64, cell[2] as f64);
        let local = 2.0 * (grid.coordinates(point) - corner) - 1.0;
        Some(FieldPoint { part, weights: brick_weights(local) })
    }

    /// Displacement of a mode at a place, in the body's axes.
    pub fn value(&self, mode: usize, place: &FieldPoint) -> DVec3 {
        let shapes = &self.shapes[mode * self.nodes..][..self.nodes];
        let mut sum = DVec3::ZERO;
        for (&node, &weight) in self.part_nodes[place.part].iter().zip(&place.weights) {
            sum += weight * DVec3::from(shapes[node as usize].map(f64::from));
        }
        sum
    }

    /// The part in the home cell or, where that is empty, in the nearest of its 26 neighbours.
    fn nearest_part(&self, home: [i64; 3], target: DVec3) -> Option<usize> {
        if let Some((part, _)) = self.part_in_cell(home, target) {
            return Some(part);
        }
        let mut best: Option<(usize, f64)> = None;
        for offset in 0..27 {
            let cell = [home[0] + offset % 3 - 1, home[1] + offset / 3 % 3 - 1, home[2] + offset / 9 - 1];
            if let Some((part, distance)) = self.part_in_cell(cell, target)
                && best.is_none_or(|(_, least)| distance < least)
            {
                best = Some((part, distance));
            }
        }
        best.map(|(part, _)| part)
    }

    /// The part of a cell nearest to `target` (grid coordinates), and its distance in cells.
    fn part_in_cell(&self, cell: [i64; 3], target: DVec3) -> Option<(usize, f64)> {
        let counts = self.grid.counts;
        if (0..3).any(|a| cell[a] < 0 || cell[a] >= counts[a] as i64) {
            return None;
        }
        let index = self.grid.index(cell.map(|c| c as usize));
        let parts = self.parts_of(index);
        let corner = DVec3::new(cell[0] as f64, cell[1] as f64, cell[2] as f64);
        match parts.len() {
            0 => None,
            1 => Some((parts.start, (target - corner - 0.5).abs().max_element())),
            _ => {
                let at = self.shared.binary_search_by_key(&(index as u32), |s| s.cell).ok()?;
                let n = self.resolution;
                let inside = (target - corner) * n as f64;
                let nearest = self.shared[at].labels.iter().enumerate().filter(|&(_, &label)| label > 0);
                let distance = |subcell: usize| {
                    let centre = DVec3::new((subcell % n) as f64, (subcell / n % n) as f64, (subcell / (n * n)) as f64);
                    inside.distance_squared(centre + 0.5)
                };
                let (subcell, &label) = nearest.min_by(|a, b| distance(a.0).total_cmp(&distance(b.0)))?;
                Some((parts.start + label as usize - 1, distance(subcell).sqrt() / n as f64))
            }
        }
    }
}
