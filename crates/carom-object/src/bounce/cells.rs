//! A surface in cells of about one sample each, linked to their neighbours along the surface.
//!
//! A triangle with few samples is one cell; one with many is divided by a grid along its longest side, so that a cube
//! of twelve triangles is searched as quickly as a fine mesh. Cells are linked within a triangle and across its edges,
//! never through the air.

use carom_shape::TriMesh;
use glam::{DVec2, DVec3};

/// Triangles with more samples are divided.
const UNDIVIDED: u32 = 2;

pub(super) struct Cells {
    triangles: Vec<TriangleCells>,
    grids: Vec<Grid>,
    count: usize,
}

#[derive(Clone, Copy)]
struct TriangleCells {
    /// Its first cell.
    first: u32,
    /// Its grid, if it is divided.
    grid: u32,
}

/// Cells of a divided triangle: a rectangle along its longest side that just holds it.
struct Grid {
    origin: DVec3,
    /// Edges of one cell.
    cell: [DVec3; 2],
    /// Directions whose product with an offset from the origin counts cells.
    counting: [DVec3; 2],
    counts: [u32; 2],
}

const NONE: u32 = u32::MAX;

impl Cells {
    /// Cells for a surface with so many samples on each triangle.
    pub(super) fn new(surface: &TriMesh, samples_on: &[u32]) -> Cells {
        let mut cells = Cells { triangles: Vec::with_capacity(samples_on.len()), grids: Vec::new(), count: 0 };
        for (triangle, &samples) in samples_on.iter().enumerate() {
            let first = cells.count as u32;
            if samples <= UNDIVIDED {
                cells.triangles.push(TriangleCells { first, grid: NONE });
                cells.count += 1;
                continue;
            }
            let grid = Grid::new(surface, triangle, samples);
            cells.triangles.push(TriangleCells { first, grid: cells.grids.len() as u32 });
            cells.count += (grid.counts[0] * grid.counts[1]) as usize;
            cells.grids.push(grid);
        }
        cells
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The cell of a point on a triangle.
    #[inline]
    pub(super) fn cell(&self, triangle: usize, point: DVec3) -> usize {
        let TriangleCells { first, grid } = self.triangles[triangle];
        if grid == NONE { first as usize } else { first as usize + self.grids[grid as usize].cell(point) }
    }

    /// The middle of every cell, and the triangle that it belongs to.
    pub(super) fn middles(&self, surface: &TriMesh) -> Vec<(DVec3, u32)> {
        let mut middles = Vec::with_capacity(self.count);
        for (triangle, cells) in self.triangles.iter().enumerate() {
            if cells.grid == NONE {
                let [a, b, c] = surface.corners(triangle);
                middles.push(((a + b + c) / 3.0, triangle as u32));
                continue;
            }
            let Grid { origin, cell, counts, .. } = &self.grids[cells.grid as usize];
            for (j, i) in (0..counts[1]).flat_map(|j| (0..counts[0]).map(move |i| (j, i))) {
                let middle = *origin + (f64::from(i) + 0.5) * cell[0] + (f64::from(j) + 0.5) * cell[1];
                middles.push((middle, triangle as u32));
            }
        }
        middles
    }

    /// The cells of divided triangles, without those of the rectangle that lie wholly beside the triangle.
    pub(super) fn divided<'a>(&'a self, surface: &'a TriMesh) -> impl Iterator<Item = u32> + 'a {
        let divided = self.triangles.iter().enumerate().filter(|(_, cells)| cells.grid != NONE);
        divided.flat_map(|(triangle, cells)| {
            let grid = &self.grids[cells.grid as usize];
            let corners = surface.corners(triangle).map(|corner| grid.coordinates(corner));
            let [nx, ny] = grid.counts;
            let numbered = (0..ny).flat_map(move |j| (0..nx).map(move |i| (i, j)));
            let inside = numbered.filter(move |&(i, j)| square_meets_triangle([i, j].map(f64::from), &corners));
            inside.map(move |(i, j)| cells.first + i + nx * j)
        })
    }

    /// Pairs of cells that touch within a triangle or across an edge; each pair once or more.
    pub(super) fn links(&self, surface: &TriMesh, edges: &Edges) -> Vec<[u32; 2]> {
        let mut links = Vec::with_capacity(2 * self.count);
        for cells in self.triangles.iter().filter(|cells| cells.grid != NONE) {
            let [nx, ny] = self.grids[cells.grid as usize].counts;
            for (j, i) in (0..ny).flat_map(|j| (0..nx).map(move |i| (j, i))) {
                let here = cells.first + i + nx * j;
                links.extend((i + 1 < nx).then_some([here, here + 1]));
                links.extend((j + 1 < ny).then_some([here, here + nx]));
            }
        }
        for sides in edges.iter() {
            for pair in sides.windows(2) {
                let [one, other] = [pair[0], pair[1]].map(|(_, side)| side as usize / 3);
                let [from, to] = pair[0].0.map(|vertex| surface.positions[vertex as usize]);
                // Half a cell of the finer triangle at a time meets every pair of cells along the edge.
                let steps = 2 * self.most_along(one).max(self.most_along(other)) - 1;
                let mut last = None;
                for step in 0..steps {
                    let point = from.lerp(to, (f64::from(step) + 0.5) / f64::from(steps));
                    let link = [self.cell(one, point) as u32, self.cell(other, point) as u32];
                    links.extend((last.replace(link) != Some(link)).then_some(link));
                }
            }
        }
        links
    }

    fn most_along(&self, triangle: usize) -> u32 {
        let grid = self.triangles[triangle].grid;
        if grid == NONE { 1 } else { self.grids[grid as usize].counts.into_iter().max().unwrap_or(1) }
    }
}

impl Grid {
    /// About one cell per sample, as square as the triangle allows.
    fn new(surface: &TriMesh, triangle: usize, samples: u32) -> Grid {
        let corners = surface.corners(triangle);
        let side = |i: usize| corners[(i + 1) % 3] - corners[i];
        let longest = (0..3).fold(0, |best, i| if side(i).length() > side(best).length() { i } else { best });
        let along = side(longest);
        let length = along.length();
        let area_vector = surface.area_vector(triangle);
        let height = if length > 0.0 { 2.0 * area_vector.length() / length } else { 0.0 };
        let up = area_vector.cross(along).normalize_or_zero() * height;
        let shape = (length / height.max(f64::MIN_POSITIVE)).sqrt();
        let most = f64::from(samples);
        // Rounded up and never more than there are samples: even a sliver has at most four cells per sample.
        let counts = [most.sqrt() * shape, most.sqrt() / shape].map(|count| count.ceil().max(1.0).min(most) as u32);
        let cell = [along / f64::from(counts[0]), up / f64::from(counts[1])];
        let counting = cell.map(|edge| edge / edge.length_squared().max(f64::MIN_POSITIVE));
        Grid { origin: corners[longest], cell, counting, counts }
    }

    /// Where a point lies, counted in cells.
    #[inline]
    fn coordinates(&self, point: DVec3) -> DVec2 {
        let offset = point - self.origin;
        DVec2::new(offset.dot(self.counting[0]), offset.dot(self.counting[1]))
    }

    #[inline]
    fn cell(&self, point: DVec3) -> usize {
        let coordinates = self.coordinates(point);
        // A cast from below zero gives zero.
        let count = |axis: usize| (coordinates[axis] as u32).min(self.counts[axis] - 1);
        count(0) as usize + self.counts[0] as usize * count(1) as usize
    }
}

/// Whether a unit square, given by its lower corner, is not wholly on the outer side of an edge of a triangle.
fn square_meets_triangle(lower: [f64; 2], corners: &[DVec2; 3]) -> bool {
    let area = (corners[1] - corners[0]).perp_dot(corners[2] - corners[0]);
    (0..3).all(|i| {
        let (from, to) = (corners[i], corners[(i + 1) % 3]);
        let beside = |x: f64, y: f64| {
            let point = DVec2::new(lower[0] + x, lower[1] + y);
            (to - from).perp_dot(point - from) * area < -1e-9 * area * area
        };
        !(beside(0.0, 0.0) && beside(1.0, 0.0) && beside(0.0, 1.0) && beside(1.0, 1.0))
    })
}

/// The sides of all triangles, those of an edge together.
pub(super) struct Edges {
    /// The two vertices, the lesser in front, and the side: 3 × triangle + i begins at its corner i.
    sides: Vec<([u32; 2], u32)>,
}

impl Edges {
    pub(super) fn of(surface: &TriMesh) -> Edges {
        let mut sides: Vec<_> =
            (0..3 * surface.triangles.len()).map(|side| (Edges::vertices(surface, side as u32), side as u32)).collect();
        sides.sort_unstable();
        Edges { sides }
    }

    fn vertices(surface: &TriMesh, side: u32) -> [u32; 2] {
        let (corners, i) = (surface.triangles[side as usize / 3], side as usize % 3);
        let (from, to) = (corners[i], corners[(i + 1) % 3]);
        [from.min(to), from.max(to)]
    }

    fn iter(&self) -> impl Iterator<Item = &[([u32; 2], u32)]> {
        self.sides.chunk_by(|a, b| a.0 == b.0)
    }

    /// The triangles around the edge that a side lies on.
    pub(super) fn triangles_at(&self, surface: &TriMesh, side: u32) -> impl Iterator<Item = u32> + '_ {
        let edge = Edges::vertices(surface, side);
        let start = self.sides.partition_point(|(vertices, _)| *vertices < edge);
        self.sides[start..].iter().take_while(move |(vertices, _)| *vertices == edge).map(|(_, side)| side / 3)
    }
}
