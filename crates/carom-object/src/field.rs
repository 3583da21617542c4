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
    /// Cells that were divided once more, on a grid of half the cell size; none of them is among the cells above.
    pub finer: Option<Box<CellField>>,
}

/// A place in a [`CellField`], found once and read for many modes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldPoint {
    /// Whether the part is one of the finer cells.
    pub finer: bool,
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
        let finer = self.finer.as_deref();
        let refined = |place: FieldPoint| FieldPoint { finer: true, ..place };
        // A cell is either divided or not: the point's own cell first, whichever it is, and then its neighbours.
        finer
            .and_then(|f| f.locate_here(point, normal, false))
            .map(refined)
            .or_else(|| self.locate_here(point, normal, false))
            .or_else(|| self.locate_here(point, normal, true))
            .or_else(|| finer.and_then(|f| f.locate_here(point, normal, true)).map(refined))
    }

    /// Finds a point among the cells of this size: in its own cell, or else in the nearest of its neighbours.
    fn locate_here(&self, point: DVec3, normal: DVec3, neighbours: bool) -> Option<FieldPoint> {
        let grid = &self.grid;
        let inward = 0.5 / self.resolution as f64 * grid.cell.min_element();
        let target = grid.coordinates(point - inward * normal);
        let home = [0, 1, 2].map(|a| (target[a].floor() as i64).clamp(0, grid.counts[a] as i64 - 1));
        if !target.is_finite() || cell_gap(home, target).max_element() > 1.0 {
            return None;
        }
        let part = match neighbours {
            true => self.nearest_part(home, target)?,
            false => self.part_in_cell(home, target)?.0,
        };
        let cell = grid.position(self.part_cell[part] as usize).map(|c| c as i64);
        let local = 2.0 * (grid.coordinates(point) - corner(cell)) - 1.0;
        Some(FieldPoint { finer: false, part, weights: brick_weights(local) })
    }

    /// Displacement of a mode at a place, in the body's axes.
    pub fn value(&self, mode: usize, place: &FieldPoint) -> DVec3 {
        if let (true, Some(finer)) = (place.finer, &self.finer) {
            return finer.value(mode, &FieldPoint { finer: false, ..*place });
        }
        let shapes = &self.shapes[mode * self.nodes..][..self.nodes];
        let mut sum = DVec3::ZERO;
        for (&node, &weight) in self.part_nodes[place.part].iter().zip(&place.weights) {
            sum += weight * DVec3::from(shapes[node as usize].map(f64::from));
        }
        sum
    }

    /// The nearest part in the home cell or one of its 26 neighbours.
    fn nearest_part(&self, home: [i64; 3], target: DVec3) -> Option<usize> {
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

    /// The part of a cell nearest to `target` (grid coordinates), and its distance in metres. A cell with one part
    /// counts as filled by it; in a shared cell the labelled subcells are.
    fn part_in_cell(&self, cell: [i64; 3], target: DVec3) -> Option<(usize, f64)> {
        let grid = &self.grid;
        if (0..3).any(|a| cell[a] < 0 || cell[a] >= grid.counts[a] as i64) {
            return None;
        }
        let index = grid.index(cell.map(|c| c as usize));
        let parts = self.parts_of(index);
        if parts.len() < 2 {
            return (!parts.is_empty()).then(|| (parts.start, (cell_gap(cell, target) * grid.cell).length()));
        }
        let at = self.shared.binary_search_by_key(&(index as u32), |s| s.cell).ok()?;
        let n = self.resolution;
        let subcell_size = grid.cell / n as f64;
        let inside = (target - corner(cell)) * n as f64;
        let subcell = |i: usize| [i % n, i / n % n, i / (n * n)].map(|c| c as i64);
        // Centres, not borders, decide within the cell: a target on the border of two subcells is then no tie.
        let distance = |i: usize| ((corner(subcell(i)) + 0.5 - inside) * subcell_size).length_squared();
        let labelled = self.shared[at].labels.iter().enumerate().filter(|&(_, &label)| label > 0);
        let (nearest, &label) = labelled.min_by(|a, b| distance(a.0).total_cmp(&distance(b.0)))?;
        Some((parts.start + label as usize - 1, (cell_gap(subcell(nearest), inside) * subcell_size).length()))
    }
}

/// The corner of a cell with the smallest coordinates, in grid coordinates.
fn corner(cell: [i64; 3]) -> DVec3 {
    DVec3::from(cell.map(|c| c as f64))
}

/// How far a point lies outside a cell along each direction, zero inside, in grid coordinates.
fn cell_gap(cell: [i64; 3], point: DVec3) -> DVec3 {
    (corner(cell) - point).max(point - corner(cell) - 1.0).max(DVec3::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A displacement that 27-node bricks represent exactly; its coefficients are exact in `f32`.
    fn quadratic_field(p: DVec3) -> DVec3 {
        let DVec3 { x, y, z } = p;
        DVec3::new(1.0 + x - 2.0 * y * y, x * y * z + 0.5 * z, x * x * y * y - z * z + 0.25)
    }

    /// Cells in a row along x with the given parts; every part has nodes of its own that hold `displacement`.
    fn row(counts: usize, part_cell: &[u32], displacement: impl Fn(usize, DVec3) -> DVec3) -> CellField {
        let grid = CellGrid { origin: DVec3::ZERO, axes: DMat3::IDENTITY, cell: DVec3::ONE, counts: [counts, 1, 1] };
        let mut field = CellField {
            grid,
            part_cell: part_cell.to_vec(),
            part_nodes: Vec::new(),
            resolution: 4,
            shared: Vec::new(),
            nodes: 27 * part_cell.len(),
            shapes: Vec::new(),
            finer: None,
        };
        for (part, &cell) in part_cell.iter().enumerate() {
            field.part_nodes.push(std::array::from_fn(|i| (27 * part + i) as u32));
            for i in 0..27 {
                let local = DVec3::new((i % 3) as f64, (i / 3 % 3) as f64, (i / 9) as f64) / 2.0;
                let point = grid.point(DVec3::X * f64::from(cell) + local);
                field.shapes.push(displacement(part, point).as_vec3().to_array());
            }
        }
        field
    }

    fn read(field: &CellField, point: DVec3, normal: DVec3) -> DVec3 {
        field.value(0, &field.locate(point, normal).expect("the point is near the body"))
    }

    #[test]
    fn one_cell_reproduces_a_quadratic_field_at_any_point() {
        let field = row(1, &[0], |_, p| quadratic_field(p));
        for i in 0..125 {
            let point = DVec3::new((i % 5) as f64, (i / 5 % 5) as f64, (i / 25) as f64) / 4.0;
            assert!(read(&field, point, DVec3::ZERO).distance(quadratic_field(point)) < 1e-14);
        }
    }

    #[test]
    fn two_turned_cells_reproduce_it_and_agree_on_their_border() {
        let mut field = row(2, &[0, 1], |_, _| DVec3::ZERO);
        field.grid.axes = DMat3::from_rotation_z(0.4);
        field.grid.cell = DVec3::new(0.5, 2.0, 1.5);
        field.grid.origin = DVec3::new(-1.0, 0.2, 3.0);
        let grid = field.grid;
        for part in 0..2 {
            for i in 0..27 {
                let local = DVec3::new((2 * part + i % 3) as f64, (i / 3 % 3) as f64, (i / 9) as f64) / 2.0;
                field.shapes[27 * part + i] = quadratic_field(local).as_vec3().to_array();
            }
        }
        for point in [DVec3::new(0.3, 0.9, 0.1), DVec3::new(1.7, 0.2, 0.6), DVec3::new(1.0, 0.7, 0.4)] {
            // The normals choose the cell on either side of the border; both must say the same.
            for normal in [grid.axes.x_axis, -grid.axes.x_axis] {
                let found = read(&field, grid.point(point), normal);
                assert!(found.distance(quadratic_field(point)) < 1e-13, "{found} at {point}");
            }
        }
    }

    #[test]
    fn a_shared_cell_reads_the_part_on_the_inner_side_of_the_point() {
        // Two tines along y with a gap at 0.5 < x < 0.75: part 0 moves along x, part 1 along z.
        let mut field = row(1, &[0, 0], |part, _| [DVec3::X, DVec3::Z][part]);
        let labels = (0..64).map(|subcell| [1, 1, 0, 2][subcell % 4]).collect();
        field.shared.push(SharedCell { cell: 0, labels });
        let moves_along = |x: f64, normal: DVec3, direction: DVec3| {
            assert!(read(&field, DVec3::new(x, 0.4, 0.6), normal).distance(direction) < 1e-15);
        };
        moves_along(0.2, DVec3::ZERO, DVec3::X);
        moves_along(0.9, DVec3::ZERO, DVec3::Z);
        // Facing walls of the gap.
        moves_along(0.5, DVec3::X, DVec3::X);
        moves_along(0.75, -DVec3::X, DVec3::Z);
    }

    #[test]
    fn a_point_on_the_border_of_an_empty_cell_is_read_from_its_neighbour() {
        let field = row(4, &[0, 2], |_, p| quadratic_field(p));
        for (point, part) in [(DVec3::new(1.001, 0.3, 0.4), 0), (DVec3::new(1.999, 0.3, 0.4), 1)] {
            assert_eq!(field.locate(point, DVec3::ZERO).unwrap().part, part);
            assert!(read(&field, point, DVec3::ZERO).distance(quadratic_field(point)) < 1e-13);
        }
    }

    #[test]
    fn the_nearer_part_wins_whether_its_cell_is_shared_or_not() {
        // Cell 1 is empty; in the shared cell 2 only the far half is filled, so cell 0 is nearer to x = 1.4.
        let mut field = row(3, &[0, 2, 2], |part, _| DVec3::splat(part as f64));
        let labels = (0..64).map(|subcell| [0, 0, 1, 2][subcell % 4]).collect();
        field.shared.push(SharedCell { cell: 2, labels });
        assert_eq!(field.locate(DVec3::new(1.4, 0.5, 0.5), DVec3::ZERO).unwrap().part, 0);
        assert_eq!(field.locate(DVec3::new(1.9, 0.5, 0.5), DVec3::ZERO).unwrap().part, 1);
    }

    #[test]
    fn a_point_far_from_the_body_has_no_place() {
        let field = row(2, &[0], |_, p| quadratic_field(p));
        assert!(field.locate(DVec3::new(0.5, 1.9, 0.5), DVec3::ZERO).is_some());
        assert_eq!(field.locate(DVec3::new(0.5, 2.1, 0.5), DVec3::ZERO), None);
        assert_eq!(field.locate(DVec3::splat(f64::NAN), DVec3::ZERO), None);
    }

    #[test]
    fn a_cell_is_found_again_by_its_index() {
        let grid = CellGrid { counts: [3, 4, 5], ..row(1, &[0], |_, p| p).grid };
        assert!((0..60).all(|index| grid.index(grid.position(index)) == index));
        assert_eq!(grid.position(1 + 3 * (2 + 4 * 3)), [1, 2, 3]);
    }
}
