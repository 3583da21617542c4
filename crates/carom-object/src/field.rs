//! Modes throughout a body: the grid of 27-node bricks on which they were computed.
//!
//! A grid cell holds one *part* of the body, or several where pieces that do not touch each other pass through the
//! same cell (the tines of a fork). Each part has 27 nodes of its own or shares them with parts it touches.

use glam::DVec3;

use crate::CellGrid;

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
    let mut weights = [0.0; 27];
    for k in 0..3 {
        for j in 0..3 {
            for i in 0..3 {
                weights[9 * k + 3 * j + i] = x[i] * y[j] * z[k];
            }
        }
    }
    weights
}

impl CellField {
    /// Parts and nodes, with those of the finer cells.
    pub fn totals(&self) -> (usize, usize) {
        let (parts, nodes) = self.finer.as_ref().map_or((0, 0), |finer| finer.totals());
        (parts + self.part_cell.len(), nodes + self.nodes)
    }

    /// The parts of a cell, as a range of part indices.
    pub fn parts_of(&self, cell: usize) -> std::ops::Range<usize> {
        // Where all cells are filled, as in a slab, a part has the number of its cell.
        let begins = |part: usize| {
            self.part_cell.get(part) == Some(&(cell as u32)) && (part == 0 || self.part_cell[part - 1] < cell as u32)
        };
        let start = if begins(cell) { cell } else { self.part_cell.partition_point(|&c| (c as usize) < cell) };
        // A cell has few.
        let count = self.part_cell[start..].iter().take_while(|&&c| c as usize == cell).count();
        start..start + count
    }

    /// Finds a surface point. The outward normal says on which side the body is; zero when it is not known.
    ///
    /// The point may lie slightly outside the cell that it is read from (on the border between an empty cell and a
    /// full one, say); the shape functions then continue a little beyond their cell. `None` when no part is within
    /// one cell of the point.
    pub fn locate(&self, point: DVec3, normal: DVec3) -> Option<FieldPoint> {
        let finer = self.finer.as_deref();
        let neighbours = || self.locate_here(point, normal, true).map(|found| (false, found));
        let finer_neighbours = || finer.and_then(|f| f.locate_here(point, normal, true)).map(|found| (true, found));
        let (finer, (part, local)) = self.locate_inside(point, normal).or_else(neighbours).or_else(finer_neighbours)?;
        Some(FieldPoint { finer, part, weights: brick_weights(local) })
    }

    /// Finds a point that is known only to a part of its cell's size, in the cell that it lies in. So near to a face it counts as on it,
    /// and is read from the nine nodes there. `None` where the cell has no part of the body. If it lies in the cell of the point that was
    /// found before it, no search is needed.
    pub fn locate_roughly(
        &self,
        point: DVec3,
        normal: DVec3,
        precision: f64,
        before: Option<&FieldPoint>,
    ) -> Option<FieldPoint> {
        let again = before.and_then(|before| Some((before.finer, self.locate_again(point, normal, before)?)));
        let (finer, (part, local)) = again.or_else(|| self.locate_inside(point, normal))?;
        let snapped = local.to_array().map(|x| if (x.abs() - 1.0).abs() < precision { x.signum() } else { x });
        Some(FieldPoint { finer, part, weights: brick_weights(snapped.into()) })
    }

    /// The same as [`CellField::locate_inside`] for a point in the cell of another, if that has the cell to itself.
    fn locate_again(&self, point: DVec3, normal: DVec3, other: &FieldPoint) -> Option<(usize, DVec3)> {
        let field = if other.finer { self.finer.as_deref()? } else { self };
        let (grid, index) = (&field.grid, *field.part_cell.get(other.part)?);
        let beside = |part: usize| field.part_cell.get(part) == Some(&index);
        if beside(other.part + 1) || other.part.checked_sub(1).is_some_and(beside) {
            return None;
        }
        let cell = grid.position(index as usize);
        let (corner, size) = (grid.corner(cell), grid.size(cell));
        let inside = |place: DVec3| place.cmpge(corner).all() && place.cmplt(corner + size).all();
        let (place, target) = (grid.coordinates(point), grid.coordinates(point - field.inward(cell) * normal));
        (inside(place) && inside(target)).then(|| (other.part, 2.0 * (place - corner) / size - 1.0))
    }

    /// How far below the surface it is looked for the body: half a subcell.
    fn inward(&self, cell: [usize; 3]) -> f64 {
        0.5 / self.resolution as f64 * self.grid.size(cell).min_element()
    }

    /// In the point's own cell, which is either divided or not: whether it is finer, the part, and the place in its cell, in [−1, 1]³.
    fn locate_inside(&self, point: DVec3, normal: DVec3) -> Option<(bool, (usize, DVec3))> {
        let finer = self.finer.as_deref().and_then(|f| f.locate_here(point, normal, false));
        finer.map(|found| (true, found)).or_else(|| Some((false, self.locate_here(point, normal, false)?)))
    }

    /// Finds a point among the cells of this size: in its own cell, or else in the nearest of its neighbours.
    fn locate_here(&self, point: DVec3, normal: DVec3, neighbours: bool) -> Option<(usize, DVec3)> {
        let grid = &self.grid;
        let place = grid.coordinates(point);
        let target = grid.coordinates(point - self.inward(grid.cell_at(place)) * normal);
        let home = grid.cell_at(target);
        if !target.is_finite() || self.gap(home, target).cmpgt(grid.size(home)).any() {
            return None;
        }
        let (part, cell) = match neighbours {
            true => {
                let part = self.nearest_part(home, target)?;
                (part, grid.position(self.part_cell[part] as usize))
            }
            false => (self.part_in_cell(home, target)?.0, home),
        };
        Some((part, 2.0 * (place - grid.corner(cell)) / grid.size(cell) - 1.0))
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
    fn nearest_part(&self, home: [usize; 3], target: DVec3) -> Option<usize> {
        let mut best: Option<(usize, f64)> = None;
        let counts = self.grid.counts();
        for offset in 0..27 {
            // One beyond, so that nothing is negative.
            let beyond = [home[0] + offset % 3, home[1] + offset / 3 % 3, home[2] + offset / 9];
            if (0..3).any(|a| beyond[a] == 0 || beyond[a] > counts[a]) {
                continue;
            }
            if let Some((part, distance)) = self.part_in_cell(beyond.map(|b| b - 1), target)
                && best.is_none_or(|(_, least)| distance < least)
            {
                best = Some((part, distance));
            }
        }
        best.map(|(part, _)| part)
    }

    /// The part of a cell nearest to `target` (grid coordinates), and its distance. A cell with one part
    /// counts as filled by it; in a shared cell the labelled subcells are.
    fn part_in_cell(&self, cell: [usize; 3], target: DVec3) -> Option<(usize, f64)> {
        let index = self.grid.index(cell);
        let parts = self.parts_of(index);
        if parts.len() < 2 {
            return (!parts.is_empty()).then(|| (parts.start, self.gap(cell, target).length()));
        }
        let at = self.shared.binary_search_by_key(&(index as u32), |s| s.cell).ok()?;
        let n = self.resolution;
        let subcell_size = self.grid.size(cell) / n as f64;
        let inside = (target - self.grid.corner(cell)) / subcell_size;
        let corner = |i: usize| DVec3::from([i % n, i / n % n, i / (n * n)].map(|c| c as f64));
        // Centres, not borders, decide within the cell: a target on the border of two subcells is then no tie.
        let distance = |i: usize| ((corner(i) + 0.5 - inside) * subcell_size).length_squared();
        let labelled = self.shared[at].labels.iter().enumerate().filter(|&(_, &label)| label > 0);
        let (nearest, &label) = labelled.min_by(|a, b| distance(a.0).total_cmp(&distance(b.0)))?;
        Some((parts.start + label as usize - 1, (outside(corner(nearest), DVec3::ONE, inside) * subcell_size).length()))
    }

    /// How far grid coordinates lie outside a cell along each direction.
    fn gap(&self, cell: [usize; 3], coordinates: DVec3) -> DVec3 {
        outside(self.grid.corner(cell), self.grid.size(cell), coordinates)
    }
}

/// How far a point lies outside a box along each direction, zero inside.
fn outside(corner: DVec3, size: DVec3, point: DVec3) -> DVec3 {
    (corner - point).max(point - corner - size).max(DVec3::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DMat3;

    /// A displacement that 27-node bricks represent exactly; its coefficients are exact in `f32`.
    fn quadratic_field(p: DVec3) -> DVec3 {
        let DVec3 { x, y, z } = p;
        DVec3::new(1.0 + x - 2.0 * y * y, x * y * z + 0.5 * z, x * x * y * y - z * z + 0.25)
    }

    /// Cells in a row along x with the given parts; every part has nodes of its own that hold `displacement`.
    fn row(counts: usize, part_cell: &[u32], displacement: impl Fn(usize, DVec3) -> DVec3) -> CellField {
        let grid = CellGrid::regular(DVec3::ZERO, DMat3::IDENTITY, DVec3::ONE, [counts, 1, 1]);
        let mut field = CellField {
            grid: grid.clone(),
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
                let point = grid.point(grid.corner([cell as usize, 0, 0]) + local);
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
    fn two_turned_cells_of_different_size_reproduce_it_and_agree_on_their_border() {
        let mut field = row(2, &[0, 1], |_, _| DVec3::ZERO);
        let axes = DMat3::from_rotation_z(0.4);
        let planes = [vec![0.0, 0.5, 2.0], vec![0.0, 2.0], vec![0.0, 1.5]];
        field.grid = CellGrid { origin: DVec3::new(-1.0, 0.2, 3.0), axes, planes };
        let grid = field.grid.clone();
        for part in 0..2 {
            for i in 0..27 {
                let local = DVec3::new((i % 3) as f64, (i / 3 % 3) as f64, (i / 9) as f64) / 2.0;
                let node = grid.corner([part, 0, 0]) + local * grid.size([part, 0, 0]);
                field.shapes[27 * part + i] = quadratic_field(node).as_vec3().to_array();
            }
        }
        for point in [DVec3::new(0.3, 0.9, 0.1), DVec3::new(1.7, 0.2, 0.6), DVec3::new(0.5, 0.7, 0.4)] {
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
    fn a_point_that_is_roughly_known_is_read_on_the_face_that_it_is_near() {
        let field = row(2, &[0], |_, p| quadratic_field(p));
        let found = field.locate_roughly(DVec3::new(0.3, 0.996, 0.6), DVec3::Y, 0.01, None).unwrap();
        assert_eq!(found.weights.iter().filter(|weight| **weight != 0.0).count(), 9);
        assert!(field.value(0, &found).distance(quadratic_field(DVec3::new(0.3, 1.0, 0.6))) < 1e-14);
        let inner = DVec3::new(0.3, 0.98, 0.6);
        for before in [None, Some(&found)] {
            assert_eq!(field.locate_roughly(inner, DVec3::Y, 0.01, before), field.locate(inner, DVec3::Y));
        }
        // The other cell is empty.
        assert_eq!(field.locate_roughly(DVec3::new(1.3, 0.5, 0.6), DVec3::Y, 0.01, Some(&found)), None);
    }

    #[test]
    fn a_point_far_from_the_body_has_no_place() {
        let field = row(2, &[0], |_, p| quadratic_field(p));
        assert!(field.locate(DVec3::new(0.5, 1.9, 0.5), DVec3::ZERO).is_some());
        assert_eq!(field.locate(DVec3::new(0.5, 2.1, 0.5), DVec3::ZERO), None);
        assert_eq!(field.locate(DVec3::splat(f64::NAN), DVec3::ZERO), None);
    }
}
