//! Dual contouring of any field (Ju, Losasso, Schaefer, Warren 2002), manifold in every cell.
//!
//! Where the field changes sign along an edge of a regular grid, the crossing and its normal are found; each cell gets one vertex
//! per sheet of the surface that passes through it, where the tangent planes of the sheet's crossings meet best, so sharp
//! edges are kept. Sheets are told apart by a rule on the signs of each face, on which both its cells agree: every edge of
//! the mesh has exactly two triangles. The grid is centred on the body's box, so mirror images of the body mesh alike.

use std::cmp::Ordering;
use std::collections::HashMap;

use glam::{DMat3, DVec3, IVec3};
use rayon::prelude::*;

use super::Meshed;
use super::edges::{CELL_EDGES, FACE_CORNERS, FACES, corner_offset, edge_between};
use super::walls::thin_walls;
use crate::field::Field;
use crate::mass::outer;
use crate::{ShapeError, TriMesh, symmetric_eigen};

/// Cells that the surface may pass through; bounds memory.
const MOST_CELLS: usize = 6_000_000;
/// Tangent planes closer to parallel than this share of the largest eigenvalue do not place a vertex.
const FLAT: f64 = 0.03;
/// How far a vertex may leave its cell, in cells; further only if the sheet's crease lies beyond.
const SLACK: [f64; 2] = [0.05, 0.5];
/// The largest cell of which a wall of thickness one is sure to hold grid points.
pub(super) const CELL_IN_WALL: f64 = 0.9;
/// Walls are measured up to this many cells.
const WALLS_SEEN: f64 = 4.0;
/// Triangles up to which a mesh is refined for the sake of thin walls.
const MOST_FOR_WALLS: f64 = 240_000.0;
/// How far inside a grid point must lie to count as inside, in cells; above round-off, below anything that is seen.
const ON_FACE: f64 = 1e-9;
/// Cells across the body; bounds the time.
const MOST_ACROSS: f64 = 2000.0;

/// Crossing of the surface with an edge of the grid.
#[derive(Clone, Copy, Debug)]
struct Crossing {
    point: DVec3,
    normal: DVec3,
}

/// One sheet of the surface in a cell: the edges of the cell that it crosses, as bits, and its vertex.
struct Sheet {
    edges: u16,
    vertex: u32,
}

struct Grid<'a> {
    field: &'a Field,
    /// Of the body's box and of the grid.
    centre: DVec3,
    /// Half the number of cells along each axis.
    half: DVec3,
    cell: f64,
}

/// A mesh of the zero set of `field` with edges of about `edge`, or shorter where a wall would fall between the grid points.
pub(crate) fn contour(field: &Field, edge: f64) -> Result<Meshed, ShapeError> {
    let mut cell = edge;
    let mut mesh = contour_at(field, cell)?;
    let mut wall = thin_walls(field, &mesh, WALLS_SEEN * cell);
    for _ in 0..2 {
        let finest = cell * (mesh.triangles.len() as f64 / MOST_FOR_WALLS).sqrt();
        let wanted = (CELL_IN_WALL * wall).max(finest);
        if wall >= cell || wanted >= 0.9 * cell {
            break;
        }
        cell = wanted;
        mesh = contour_at(field, cell)?;
        wall = thin_walls(field, &mesh, WALLS_SEEN * cell);
    }
    Ok(Meshed { mesh, edge: cell, wall: Some(wall) })
}

/// One contouring on a grid of this cell size.
fn contour_at(field: &Field, cell: f64) -> Result<TriMesh, ShapeError> {
    let bounds = field.bounds();
    if bounds.size().max_element() / cell > MOST_ACROSS {
        let problem = format!("an edge length of {cell} m is less than a {MOST_ACROSS}th of the body");
        return Err(ShapeError::BadParameter { shape: "surface".to_owned(), problem });
    }
    // An odd number of cells leaves no grid point in a plane of symmetry, where faces of parts like to lie.
    let half = (0.5 * bounds.size() / cell).ceil().as_ivec3() + 1;
    let count = 2 * half + 1;
    let grid = Grid { field, centre: bounds.centre(), half: 0.5 * count.as_dvec3(), cell };

    let mut cells = Vec::new();
    let side = count.max_element().max(1) as u32;
    grid.collect(IVec3::ZERO, side.next_power_of_two() as i32, count, &mut cells)?;
    let inside = grid.signs(&cells);
    cells.retain(|&at| {
        let first = inside[&at];
        (1..8).any(|c| inside[&(at + corner_offset(c))] != first)
    });
    if cells.is_empty() {
        let detail = format!("no part of it is as thick as the edge length of {cell} m");
        return Err(ShapeError::NoVolume { detail });
    }
    let crossings = grid.crossings(&cells, &inside);

    let mut mesh = TriMesh::default();
    let mut sheets: HashMap<IVec3, Vec<Sheet>> = HashMap::with_capacity(cells.len());
    let split: Vec<Vec<(u16, DVec3)>> = cells
        .par_iter()
        .map(|&at| {
            let signs = std::array::from_fn(|c| inside[&(at + corner_offset(c))]);
            let place = |edges: u16| {
                let on = |e: &usize| edges >> e & 1 == 1;
                let mut data: Vec<Crossing> = (0..12).filter(on).map(|e| crossings[&edge_key(at, e)]).collect();
                // From the centre outward: sums then round alike in a mirror image.
                let place = |c: &Crossing| (c.point - grid.centre).abs().to_array();
                data.sort_by(|a, b| place(a).partial_cmp(&place(b)).unwrap_or(Ordering::Equal));
                (edges, grid.vertex(at, &data))
            };
            sheets_of(&signs, |face| grid.joins_inside(at, face)).into_iter().map(place).collect()
        })
        .collect();
    for (&at, parts) in cells.iter().zip(split) {
        let mut add = |(edges, position): (u16, DVec3)| {
            mesh.positions.push(position);
            Sheet { edges, vertex: mesh.positions.len() as u32 - 1 }
        };
        sheets.insert(at, parts.into_iter().map(&mut add).collect());
    }
    grid.connect(&cells, &inside, &crossings, &sheets, &mut mesh);
    Ok(mesh)
}

/// Lower end and axis of an edge of a cell.
fn edge_key(cell: IVec3, edge: usize) -> (IVec3, u8) {
    let (corner, axis) = CELL_EDGES[edge];
    (cell + corner_offset(corner), axis as u8)
}

/// The sheets in a cell with these corners inside, as sets of crossed edges. In each face crossed edges are joined in pairs;
/// closed chains of joined edges are sheets.
fn sheets_of(inside: &[bool; 8], joins_inside: impl Fn(usize) -> bool) -> Vec<u16> {
    let mut group: [usize; 12] = std::array::from_fn(|e| e);
    let mut crossed = 0u16;
    for (edge, &(corner, axis)) in CELL_EDGES.iter().enumerate() {
        if inside[corner] != inside[corner | 1 << axis] {
            crossed |= 1 << edge;
        }
    }
    for face in 0..FACES {
        for [a, b] in joined_in(face, inside, &joins_inside).into_iter().flatten() {
            let (from, to) = (group[a].max(group[b]), group[a].min(group[b]));
            for g in &mut group {
                if *g == from {
                    *g = to;
                }
            }
        }
    }
    let members = |g: usize| (0..12).filter(|&e| crossed >> e & 1 == 1 && group[e] == g).fold(0, |set, e| set | 1 << e);
    (0..12).map(members).filter(|&set| set != 0).collect()
}

/// Pairs of crossed edges of a face that one sheet joins; of four, those around an outside corner if the inside ones are joined
/// through the face, else those around an inside corner.
fn joined_in(face: usize, inside: &[bool; 8], joins_inside: impl Fn(usize) -> bool) -> [Option<[usize; 2]>; 2] {
    let corners = FACE_CORNERS[face];
    let edge = |i: usize| edge_between(corners[i % 4], corners[(i + 1) % 4]);
    let crossed = |i: usize| inside[corners[i % 4]] != inside[corners[(i + 1) % 4]];
    let mut all = (0..4).filter(|&i| crossed(i));
    match (0..4).filter(|&i| crossed(i)).count() {
        2 => [all.next().zip(all.next()).map(|(i, j)| [edge(i), edge(j)]), None],
        4 => {
            let first = usize::from(inside[corners[0]] == joins_inside(face));
            [first, first + 2].map(|i| Some([edge(i + 3), edge(i)]))
        }
        _ => [None, None],
    }
}

impl Grid<'_> {
    fn corner(&self, at: IVec3) -> DVec3 {
        self.point(at.as_dvec3())
    }

    /// Reckoned from the centre, so that mirror images are exact: where a crease lies in a plane of symmetry of the field, one
    /// bit decides to which side a point next to it moves.
    fn point(&self, at: DVec3) -> DVec3 {
        self.centre + self.cell * (at - self.half)
    }

    /// A grid point that lies on a face of the body is outside, whatever its round-off, and so is its mirror image.
    fn is_inside(&self, p: DVec3) -> bool {
        self.field.distance(p) < -ON_FACE * self.cell
    }

    /// Whether the body goes through the middle of a face. Only the field can tell a thin wall from a narrow gap where the signs
    /// of the corners alternate.
    fn joins_inside(&self, at: IVec3, face: usize) -> bool {
        let corners = FACE_CORNERS[face].map(|c| (at + corner_offset(c)).as_dvec3());
        self.is_inside(self.point(0.5 * (corners[0] + corners[2])))
    }

    /// The cells that the surface may touch, by descent through cubes that it cannot pass over.
    fn collect(&self, at: IVec3, side: i32, count: IVec3, cells: &mut Vec<IVec3>) -> Result<(), ShapeError> {
        if at.cmpge(count).any() {
            return Ok(());
        }
        let half = 0.5 * f64::from(side);
        let reach = 3f64.sqrt() * half * self.cell * (1.0 + 1e-9);
        if self.field.distance(self.point(at.as_dvec3() + half)).abs() > reach {
            return Ok(());
        }
        if side == 1 {
            if cells.len() == MOST_CELLS {
                let problem = format!("edge length {} m makes more than {MOST_CELLS} cells", self.cell);
                return Err(ShapeError::BadParameter { shape: "surface".to_owned(), problem });
            }
            cells.push(at);
            return Ok(());
        }
        for c in 0..8 {
            self.collect(at + side / 2 * corner_offset(c), side / 2, count, cells)?;
        }
        Ok(())
    }

    fn signs(&self, cells: &[IVec3]) -> HashMap<IVec3, bool> {
        let mut corners: Vec<[i32; 3]> =
            cells.iter().flat_map(|&at| (0..8).map(move |c| (at + corner_offset(c)).to_array())).collect();
        corners.par_sort_unstable();
        corners.dedup();
        let inside = |at: [i32; 3]| (IVec3::from(at), self.is_inside(self.corner(IVec3::from(at))));
        let signs: Vec<(IVec3, bool)> = corners.into_par_iter().map(inside).collect();
        signs.into_iter().collect()
    }

    fn crossings(&self, cells: &[IVec3], inside: &HashMap<IVec3, bool>) -> HashMap<(IVec3, u8), Crossing> {
        let mut edges: Vec<([i32; 3], u8)> = Vec::new();
        for &at in cells {
            for edge in 0..12 {
                let (start, axis) = edge_key(at, edge);
                if inside[&start] != inside[&(start + IVec3::AXES[axis as usize])] {
                    edges.push((start.to_array(), axis));
                }
            }
        }
        edges.par_sort_unstable();
        edges.dedup();
        let found: Vec<_> = edges
            .into_par_iter()
            .map(|(start, axis)| {
                let start = IVec3::from(start);
                ((start, axis), self.cross(self.corner(start), self.corner(start + IVec3::AXES[axis as usize])))
            })
            .collect();
        found.into_iter().collect()
    }

    /// The root between two points of different sign, by false position with the Illinois safeguard.
    fn cross(&self, a: DVec3, b: DVec3) -> Crossing {
        let (mut low, mut high) = (0.0, 1.0);
        let (mut at_low, mut at_high) = (self.field.distance(a), self.field.distance(b));
        for (end, value) in [(a, at_low), (b, at_high)] {
            if value.abs() <= ON_FACE * self.cell {
                return Crossing { point: end, normal: self.normal(end) };
            }
        }
        let mut t = 0.5;
        for _ in 0..60 {
            t = if at_high == at_low {
                0.5 * (low + high)
            } else {
                (low * at_high - high * at_low) / (at_high - at_low)
            };
            let value = self.field.distance(a.lerp(b, t));
            if value.abs() <= 1e-12 * self.cell || high - low <= 1e-13 {
                break;
            }
            if (value < 0.0) == (at_low < 0.0) {
                (low, at_low, at_high) = (t, value, 0.5 * at_high);
            } else {
                (high, at_high, at_low) = (t, value, 0.5 * at_low);
            }
        }
        let point = a.lerp(b, t);
        Crossing { point, normal: self.normal(point) }
    }

    /// Central differences over a step so small that it seldom straddles a crease.
    fn normal(&self, p: DVec3) -> DVec3 {
        let step = 1e-6 * self.cell;
        let slope = |e: DVec3| self.field.distance(p + step * e) - self.field.distance(p - step * e);
        DVec3::new(slope(DVec3::X), slope(DVec3::Y), slope(DVec3::Z)).normalize_or_zero()
    }

    /// Where the tangent planes of a sheet meet, if that is in the cell; else where two of them do; else a point of the face.
    fn vertex(&self, at: IVec3, crossings: &[Crossing]) -> DVec3 {
        let planes = TangentPlanes::new(crossings);
        if planes.rank() > 1 {
            for slack in SLACK {
                let low = self.corner(at) - slack * self.cell;
                let high = low + (1.0 + 2.0 * slack) * self.cell;
                if let Some(vertex) = self.feature(crossings, &planes, low, high) {
                    return vertex;
                }
            }
        }
        self.on_surface(planes.mean).point
    }

    /// A corner or a point of a crease between `low` and `high`.
    fn feature(&self, crossings: &[Crossing], planes: &TangentPlanes, low: DVec3, high: DVec3) -> Option<DVec3> {
        let near = 1e-3 * self.cell;
        let on_border = |p: &DVec3| self.field.distance(*p).abs() < near;
        let meet = |data: &[Crossing]| {
            let point = TangentPlanes::new(data).meeting_point(planes.rank());
            (point.cmpge(low).all() && point.cmple(high).all()).then_some(point)
        };
        if let Some(vertex) = self.refined(crossings, meet).filter(on_border) {
            return Some(vertex);
        }
        let pairs = (0..crossings.len()).flat_map(|i| (0..i).map(move |j| [crossings[i], crossings[j]]));
        let in_box = |data: &[Crossing]| crease_in_box(data, planes.mean, low, high);
        let creases: Vec<DVec3> = pairs.filter_map(|pair| self.refined(&pair, in_box)).filter(on_border).collect();
        // The nearest; of equally near ones the middle, so that a cell that is its own mirror image stays so, else the one
        // farthest from the centre, so that its mirror image chooses alike.
        let away = |p: &DVec3| p.distance(planes.mean);
        let nearest = creases.iter().map(away).fold(f64::INFINITY, f64::min);
        let tied: Vec<DVec3> = creases.into_iter().filter(|p| away(p) <= nearest + 1e-3 * near).collect();
        let middle = tied.iter().sum::<DVec3>() / tied.len().max(1) as f64;
        let farthest = tied.into_iter().max_by(|p, q| p.distance(self.centre).total_cmp(&q.distance(self.centre)))?;
        Some(if on_border(&middle) { middle } else { farthest })
    }

    /// Curved faces meet a little off the planes that touch them at the crossings: touches them again, nearer to the crease.
    fn refined(&self, crossings: &[Crossing], meet: impl Fn(&[Crossing]) -> Option<DVec3>) -> Option<DVec3> {
        let mut vertex = meet(crossings)?;
        for _ in 0..2 {
            let nearer = |c: &Crossing| self.on_surface(vertex.lerp(c.point, 0.1));
            let closer: Vec<Crossing> = crossings.iter().map(nearer).collect();
            if closer.iter().zip(crossings).any(|(new, old)| new.normal.dot(old.normal) < 0.8) {
                break;
            }
            vertex = meet(&closer)?;
        }
        Some(vertex)
    }

    /// Moves a point along the normal onto the surface.
    fn on_surface(&self, mut point: DVec3) -> Crossing {
        let mut normal = self.normal(point);
        for _ in 0..8 {
            let distance = self.field.distance(point);
            if distance.abs() <= 1e-9 * self.cell {
                break;
            }
            point -= distance * normal;
            normal = self.normal(point);
        }
        Crossing { point, normal }
    }

    /// A polygon around every crossed edge: the vertices of the four cells at the edge, split in triangles.
    fn connect(
        &self,
        cells: &[IVec3],
        inside: &HashMap<IVec3, bool>,
        crossings: &HashMap<(IVec3, u8), Crossing>,
        sheets: &HashMap<IVec3, Vec<Sheet>>,
        mesh: &mut TriMesh,
    ) {
        // Two sheets may join the same two vertices through one face; each then gets a vertex of its own in the face.
        let mut between: HashMap<[(IVec3, u8); 2], u32> = HashMap::new();
        for &cell in cells {
            for axis in 0..3 {
                // Each edge belongs to the cell of which it is the innermost edge, the last corner's.
                let (u, v) = (IVec3::AXES[(axis + 1) % 3], IVec3::AXES[(axis + 2) % 3]);
                let start = cell + u + v;
                let key = (start, axis as u8);
                if !crossings.contains_key(&key) {
                    continue;
                }
                let around = [cell, cell + u, cell + u + v, cell + v];
                let sheet_at = |at: IVec3, key: (IVec3, u8)| -> u32 {
                    let edge = (0..12).find(|&e| edge_key(at, e) == key).unwrap_or(0);
                    let list = sheets.get(&at).map(Vec::as_slice).unwrap_or_default();
                    list.iter().find(|s| s.edges >> edge & 1 == 1).map_or(0, |s| s.vertex)
                };
                let mut polygon: Vec<u32> = Vec::with_capacity(4);
                for i in 0..4 {
                    let (here, next) = (around[i], around[(i + 1) % 4]);
                    polygon.push(sheet_at(here, key));
                    let Some([pair, other]) = self.ambiguous_pairs(here, next, key, inside) else { continue };
                    if other
                        .iter()
                        .all(|&k| sheet_at(here, k) == sheet_at(here, key) && sheet_at(next, k) == sheet_at(next, key))
                    {
                        let middle = 0.5 * (crossings[&pair[0]].point + crossings[&pair[1]].point);
                        let vertex = *between.entry(pair).or_insert_with(|| {
                            mesh.positions.push(middle);
                            mesh.positions.len() as u32 - 1
                        });
                        polygon.push(vertex);
                    }
                }
                if !inside[&start] {
                    polygon.reverse();
                }
                self.split(&polygon, crossings[&key].point, mesh);
            }
        }
    }

    /// Cuts a quadrilateral along the diagonal whose middle is nearer to the surface, so that creases are followed. A polygon
    /// with vertices in faces becomes a fan around its crossing: a diagonal could join two cells past their face's vertex, and
    /// so could the other sheet's.
    fn split(&self, polygon: &[u32], crossing: DVec3, mesh: &mut TriMesh) {
        let position = |i: usize| mesh.positions[polygon[i] as usize];
        if let [a, b, c, d] = *polygon {
            let off = |i: usize, j: usize| self.field.distance(0.5 * (position(i) + position(j))).abs();
            let lengths = (position(0).distance(position(2)), position(1).distance(position(3)));
            let (first, second) = (off(0, 2), off(1, 3));
            let tie = (first - second).abs() <= 1e-9 * self.cell;
            if if tie { lengths.0 <= lengths.1 } else { first < second } {
                mesh.triangles.extend([[a, b, c], [a, c, d]]);
            } else {
                mesh.triangles.extend([[b, c, d], [b, d, a]]);
            }
            return;
        }
        let hub = mesh.positions.len() as u32;
        mesh.positions.push(crossing);
        for (i, &here) in polygon.iter().enumerate() {
            mesh.triangles.push([here, polygon[(i + 1) % polygon.len()], hub]);
        }
    }

    /// In the face between two neighbouring cells, if all four edges are crossed: the pair that holds `key`, and the other one.
    fn ambiguous_pairs(
        &self,
        here: IVec3,
        next: IVec3,
        key: (IVec3, u8),
        inside: &HashMap<IVec3, bool>,
    ) -> Option<[[(IVec3, u8); 2]; 2]> {
        let step = next - here;
        let upper = step.max_element() > 0;
        let axis = step.abs().to_array().iter().position(|&s| s == 1)?;
        let face = 2 * axis + usize::from(upper);
        let signs = std::array::from_fn(|c| inside[&(here + corner_offset(c))]);
        let [Some(a), Some(b)] = joined_in(face, &signs, |face| self.joins_inside(here, face)) else { return None };
        let keys = |pair: [usize; 2]| {
            let mut keys = pair.map(|e| edge_key(here, e));
            keys.sort_by_key(|(at, axis)| (at.to_array(), *axis));
            keys
        };
        let (a, b) = (keys(a), keys(b));
        Some(if a.contains(&key) { [a, b] } else { [b, a] })
    }
}

/// The point nearest to `mean` on the line where the planes of two crossings meet, as far as it runs in a box.
fn crease_in_box(pair: &[Crossing], mean: DVec3, low: DVec3, high: DVec3) -> Option<DVec3> {
    let [a, b] = pair else { return None };
    let direction = a.normal.cross(b.normal);
    if direction.length() < 0.3 {
        return None;
    }
    let direction = direction.normalize();
    let planes = DMat3::from_cols(a.normal, b.normal, direction).transpose();
    let foot = mean + planes.inverse() * DVec3::new(a.normal.dot(a.point - mean), b.normal.dot(b.point - mean), 0.0);
    let (mut from, mut to) = (f64::NEG_INFINITY, f64::INFINITY);
    for k in 0..3 {
        let (s, t) = ((low[k] - foot[k]) / direction[k], (high[k] - foot[k]) / direction[k]);
        if s.is_finite() && t.is_finite() {
            (from, to) = (from.max(s.min(t)), to.min(s.max(t)));
        } else if foot[k] < low[k] || foot[k] > high[k] {
            return None;
        }
    }
    (from <= to).then(|| foot + 0f64.clamp(from, to) * direction)
}

/// The planes that touch a sheet at its crossings, and the axes in which they agree least.
struct TangentPlanes {
    mean: DVec3,
    /// Σ n (n·(p − mean)) over the crossings.
    right: DVec3,
    /// Eigenvalues and eigenvectors of Σ n nᵀ, ascending.
    values: DVec3,
    axes: DMat3,
}

impl TangentPlanes {
    fn new(crossings: &[Crossing]) -> TangentPlanes {
        let mean = crossings.iter().map(|c| c.point).sum::<DVec3>() / crossings.len() as f64;
        let (mut matrix, mut right) = (DMat3::ZERO, DVec3::ZERO);
        for c in crossings {
            matrix += outer(c.normal, c.normal);
            right += c.normal.dot(c.point - mean) * c.normal;
        }
        let (values, axes) = symmetric_eigen(matrix);
        TangentPlanes { mean, right, values, axes }
    }

    /// One on a smooth face, two on a crease, three at a corner.
    fn rank(&self) -> usize {
        (0..3).filter(|&k| self.values[k] > FLAT * self.values[2]).count()
    }

    /// Nearest to all planes in the `rank` directions that they fix best, at the mean of the crossings in the others.
    fn meeting_point(&self, rank: usize) -> DVec3 {
        let along = |k: usize| self.axes.col(k).dot(self.right) / self.values[k] * self.axes.col(k);
        self.mean + (3 - rank..3).map(along).sum::<DVec3>()
    }
}
