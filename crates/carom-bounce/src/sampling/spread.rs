//! Places spread evenly over a surface, however coarse or fine its triangles are.
//!
//! Darts are thrown at the surface and kept if no other is near; the distance shrinks from pass to pass until enough
//! are kept (McCool and Fiume, *Hierarchical Poisson disk sampling distributions*, 1992). A few of Lloyd's steps then
//! even out their areas. The other side of a thin wall is not near.

use carom_object::FacePoint;
use carom_shape::TriMesh;
use glam::DVec3;
use rayon::prelude::*;

/// Darts per sample: how finely a place is chosen.
const DARTS_PER_SAMPLE: usize = 12;
/// So many of them are tried as first places.
const TRIED_PER_SAMPLE: usize = 6;
/// How much nearer darts may be to each other in the next pass.
const SHRINK: f64 = 0.9;
/// Lloyd's steps; later ones hardly change anything.
const RELAXATIONS: usize = 4;

/// The centroids of all triangles that have a normal.
pub(super) fn centroids(normals: &[DVec3]) -> Vec<FacePoint> {
    let has_normal = |(triangle, &normal): (usize, &DVec3)| {
        (normal != DVec3::ZERO).then(|| FacePoint { triangle: triangle as u32, weights: [1.0 / 3.0; 2] })
    };
    normals.iter().enumerate().filter_map(has_normal).collect()
}

/// `count` places, in the order of their triangles.
pub(super) fn over(surface: &TriMesh, normals: &[DVec3], count: usize) -> Vec<FacePoint> {
    // The distance of the densest packing that `count` discs can have.
    let packed = (2.0 * surface.area() / (3f64.sqrt() * count as f64)).sqrt();
    let place = |point: &FacePoint| {
        let ([a, b, c], weights) = (surface.corners(point.triangle as usize), point.barycentric());
        a * weights.x + b * weights.y + c * weights.z
    };
    let mut points = throw(surface, count * DARTS_PER_SAMPLE);
    // What is near in space is then near in memory, which is most of the speed.
    points.sort_by_cached_key(|point| (place(point) / packed).floor().to_array().map(|x| x as i64));
    let darts = Darts {
        positions: points.iter().map(place).collect(),
        normals: points.iter().map(|point| normals[point.triangle as usize]).collect(),
    };
    let mut kept = darts.thin(count, packed);
    for _ in 0..RELAXATIONS {
        kept.sort_unstable();
        darts.relax(&mut kept, packed);
    }
    kept.sort_unstable_by_key(|&dart| (points[dart as usize].triangle, dart));
    kept.into_iter().map(|dart| points[dart as usize]).collect()
}

struct Darts {
    positions: Vec<DVec3>,
    normals: Vec<DVec3>,
}

impl Darts {
    /// Squared distance along the surface, as far as two darts can tell. A layer above or below is far, and so is a
    /// face that is turned away by 90° and more, on the scale of `reach`.
    fn distance_squared(&self, one: u32, other: u32, reach: f64) -> f64 {
        let (one, other) = (one as usize, other as usize);
        let offset = self.positions[other] - self.positions[one];
        let height = offset.dot(self.normals[one]).abs().max(offset.dot(self.normals[other]).abs());
        let turn = self.normals[one].distance_squared(self.normals[other]);
        offset.length_squared() + 8.0 * height * height + 0.5 * reach * reach * turn
    }

    /// Keeps `count` darts, each as far from all others as the last pass asked for.
    fn thin(&self, count: usize, packed: f64) -> Vec<u32> {
        let mut waiting: Vec<u32> = (0..self.positions.len() as u32).collect();
        waiting.sort_by_key(|&dart| scrambled(dart.into()));
        waiting.truncate(count * TRIED_PER_SAMPLE);
        let mut kept: Vec<u32> = Vec::with_capacity(count);
        // Darts never pack densely: to ask for the full distance would only cost a pass.
        let mut radius = 0.9 * packed;
        while kept.len() < count {
            let mut near = Neighbours::new(radius, count);
            kept.iter().for_each(|&dart| near.insert(dart, self.positions[dart as usize]));
            waiting.retain(|&dart| {
                let here = self.positions[dart as usize];
                let close = |other: u32| self.distance_squared(dart, other, radius) < radius * radius;
                let keep = kept.len() < count && !near.around(here).any(close);
                if keep {
                    near.insert(dart, here);
                    kept.push(dart);
                }
                !keep
            });
            radius *= SHRINK;
        }
        kept
    }

    /// Moves every kept dart to the middle of those that are nearest to it (Lloyd's step).
    fn relax(&self, kept: &mut [u32], packed: f64) {
        let mut near = Neighbours::new(packed, kept.len());
        for (number, &dart) in kept.iter().enumerate() {
            near.insert(number as u32, self.positions[dart as usize]);
        }
        let nearest = |dart: u32| {
            let here = self.positions[dart as usize];
            let mut best = (f64::INFINITY, None);
            for number in near.around(here) {
                let other = kept[number as usize];
                // The distance is never less than the straight one, which is quicker.
                if self.positions[other as usize].distance_squared(here) < best.0 {
                    let distance = self.distance_squared(dart, other, packed);
                    best = if distance < best.0 { (distance, Some(number)) } else { best };
                }
            }
            best.1
        };
        let owners: Vec<Option<u32>> = (0..self.positions.len() as u32).into_par_iter().map(nearest).collect();
        let mut middles = vec![(DVec3::ZERO, 0.0); kept.len()];
        for (owner, position) in owners.iter().zip(&self.positions) {
            let Some(owner) = *owner else { continue };
            let (sum, count) = middles[owner as usize];
            middles[owner as usize] = (sum + position, count + 1.0);
        }
        let mut best = vec![f64::INFINITY; kept.len()];
        for (dart, owner) in owners.iter().enumerate() {
            let Some(owner) = owner.map(|owner| owner as usize) else { continue };
            let distance = self.positions[dart].distance_squared(middles[owner].0 / middles[owner].1);
            if distance < best[owner] {
                best[owner] = distance;
                kept[owner] = dart as u32;
            }
        }
    }
}

/// Darts by area: triangle after triangle, and evenly within each (Roberts' R₂, from the root of x³ = x + 1).
pub(super) fn throw(surface: &TriMesh, count: usize) -> Vec<FacePoint> {
    const STEP: [f64; 2] = [0.754_877_666_246_692_7, 0.569_840_290_998_053_2];
    let total = surface.area();
    let mut darts = Vec::with_capacity(count);
    let (mut sum, mut last) = (0.0, 0);
    for triangle in 0..surface.triangles.len() {
        let area = surface.area_vector(triangle).length();
        sum += area;
        if area > 0.0 {
            last = triangle;
        }
        while darts.len() < count && (darts.len() as f64 + 0.5) * total <= sum * count as f64 && area > 0.0 {
            darts.push(dart(triangle, darts.len(), STEP));
        }
    }
    // Round-off of the sum may leave the last one unthrown.
    while darts.len() < count {
        darts.push(dart(last, darts.len(), STEP));
    }
    darts
}

fn dart(triangle: usize, index: usize, step: [f64; 2]) -> FacePoint {
    let [mut u, mut v] = step.map(|step| (0.5 + (index + 1) as f64 * step).fract());
    if u + v > 1.0 {
        (u, v) = (1.0 - u, 1.0 - v);
    }
    FacePoint { triangle: triangle as u32, weights: [u as f32, v as f32] }
}

/// A number that looks random (the finalizer of splitmix64).
fn scrambled(number: u64) -> u64 {
    let number = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

/// Points by the cube of a grid that they lie in. Cubes may share a place in the table; distance tells them apart.
struct Neighbours {
    /// Edge of a cube: twice the reach, so that all within reach lie in two cubes along each axis.
    cube: f64,
    first: Vec<u32>,
    /// The point, and the one before it at the same place of the table.
    chain: Vec<(u32, u32)>,
}

const NONE: u32 = u32::MAX;

impl Neighbours {
    fn new(reach: f64, count: usize) -> Neighbours {
        let first = vec![NONE; count.next_power_of_two()];
        Neighbours { cube: 2.0 * reach, first, chain: Vec::with_capacity(count) }
    }

    fn place(&self, cube: [i64; 3]) -> usize {
        let mixed =
            cube.iter().fold(0u64, |mixed, &x| (mixed ^ x as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31));
        mixed as usize & (self.first.len() - 1)
    }

    fn insert(&mut self, number: u32, point: DVec3) {
        let place = self.place((point / self.cube).floor().to_array().map(|x| x as i64));
        let before = std::mem::replace(&mut self.first[place], self.chain.len() as u32);
        self.chain.push((number, before));
    }

    /// All points within reach of a point, and others.
    fn around(&self, point: DVec3) -> impl Iterator<Item = u32> + '_ {
        let [x, y, z] = (point / self.cube - 0.5).floor().to_array().map(|x| x as i64);
        let link = |link: u32| self.chain.get(link as usize);
        (0..8).flat_map(move |i| {
            let start = link(self.first[self.place([x + (i & 1), y + (i >> 1 & 1), z + (i >> 2)])]);
            std::iter::successors(start, move |entry| link(entry.1)).map(|entry| entry.0)
        })
    }
}
