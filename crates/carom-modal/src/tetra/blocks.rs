//! Regular meshes: boxes, mapped blocks with curved sides, and bodies welded from blocks.
//!
//! Each brick of a block becomes six tetrahedra around its diagonal from the lowest to the highest corner (Kuhn), so
//! neighbouring bricks conform, and so do blocks whose common faces have the same parameters or parameters shifted.

use std::collections::BTreeMap;

use glam::DVec3;

use super::{EDGES, TetElements, TetMesh, TetMeshError};

/// Orders in which a path along the edges of a brick can take the three axes; the second half are odd permutations.
const PATHS: [[usize; 3]; 6] = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];

impl TetMesh {
    /// A box centred at the origin.
    pub fn structured_box(size: DVec3, counts: [usize; 3], quadratic: bool) -> Result<TetMesh, TetMeshError> {
        TetMesh::mapped(counts, |parameter| (parameter - 0.5) * size, quadratic)
    }

    /// The image of the unit cube, cut into bricks along its three axes. With `quadratic` the nodes in the middle of
    /// edges lie on the image too, so that curved bodies keep their curvature. The map must preserve orientation.
    ///
    /// ```
    /// use std::f64::consts::FRAC_PI_2;
    /// use carom_modal::TetMesh;
    /// use glam::DVec3;
    ///
    /// // A quarter of a tube with radii 1 and 2 and length 1.
    /// let quarter = |p: DVec3| {
    ///     let (sin, cos) = (FRAC_PI_2 * p.y).sin_cos();
    ///     DVec3::new((1.0 + p.x) * cos, (1.0 + p.x) * sin, p.z)
    /// };
    /// let tube = TetMesh::mapped([2, 6, 2], quarter, true)?;
    /// assert!((tube.mass_properties(1.0).mass / (0.75 * std::f64::consts::PI) - 1.0).abs() < 1e-4);
    /// # Ok::<(), carom_modal::TetMeshError>(())
    /// ```
    pub fn mapped(counts: [usize; 3], map: impl Fn(DVec3) -> DVec3, quadratic: bool) -> Result<TetMesh, TetMeshError> {
        if counts.contains(&0) {
            return Err(TetMeshError::Empty);
        }
        // Middles of the edges and diagonals of bricks are exactly the other points of a lattice twice as fine.
        let step = if quadratic { 2 } else { 1 };
        let total = counts.iter().fold(1u128, |product, &n| product.saturating_mul(step * n as u128 + 1));
        if total > u128::from(u32::MAX) {
            return Err(TetMeshError::TooLarge { nodes: total });
        }
        let step = step as usize;
        let [nx, ny, nz] = counts.map(|n| step * n + 1);
        let number = |[i, j, k]: [usize; 3]| (i + nx * (j + ny * k)) as u32;
        let fraction = |i: usize, n: usize| i as f64 / (n - 1) as f64;
        let mut nodes = Vec::with_capacity(nx * ny * nz);
        for (k, j, i) in lattice([nz, ny, nx]) {
            nodes.push(map(DVec3::new(fraction(i, nx), fraction(j, ny), fraction(k, nz))));
        }
        let mut corners = Vec::with_capacity(6 * counts[0] * counts[1] * counts[2]);
        for (k, j, i) in lattice([counts[2], counts[1], counts[0]]) {
            for (path_number, path) in PATHS.iter().enumerate() {
                let mut at = [step * i, step * j, step * k];
                let mut tetrahedron = [at; 4];
                for (corner, &axis) in (1..).zip(path) {
                    at[axis] += step;
                    tetrahedron[corner] = at;
                }
                if path_number >= 3 {
                    tetrahedron.swap(1, 2);
                }
                corners.push(tetrahedron);
            }
        }
        let elements = if quadratic {
            let with_middles = |t: [[usize; 3]; 4]| {
                std::array::from_fn(|node| match node.checked_sub(4) {
                    None => number(t[node]),
                    Some(edge) => {
                        let [a, b] = EDGES[edge].map(|corner| t[corner]);
                        number(std::array::from_fn(|axis| (a[axis] + b[axis]) / 2))
                    }
                })
            };
            TetElements::Quadratic(corners.into_iter().map(with_middles).collect())
        } else {
            TetElements::Linear(corners.into_iter().map(|t| t.map(number)).collect())
        };
        TetMesh::new(nodes, elements)
    }

    /// One mesh of several, nodes within `tolerance` of each other made one. A single block can be closed on itself.
    ///
    /// Blocks must meet face to face: where the diagonals of the bricks on a common face disagree the result has a
    /// slit there, visible in [`TetMesh::surface`].
    pub fn welded(blocks: &[TetMesh], tolerance: f64) -> Result<TetMesh, TetMeshError> {
        if !(tolerance > 0.0 && tolerance.is_finite()) {
            return Err(TetMeshError::Tolerance { tolerance });
        }
        let total: usize = blocks.iter().map(|block| block.nodes.len()).sum();
        if total > u32::MAX as usize {
            return Err(TetMeshError::TooLarge { nodes: total as u128 });
        }
        let mut weld = Weld { tolerance, nodes: Vec::with_capacity(total), buckets: BTreeMap::new() };
        let (mut linear, mut quadratic) = (Vec::new(), Vec::new());
        for block in blocks {
            let numbers: Vec<u32> = block.nodes.iter().map(|&node| weld.number(node)).collect();
            match &block.elements {
                TetElements::Linear(list) => linear.extend(list.iter().map(|e| e.map(|n| numbers[n as usize]))),
                TetElements::Quadratic(list) => quadratic.extend(list.iter().map(|e| e.map(|n| numbers[n as usize]))),
            }
        }
        match (linear.is_empty(), quadratic.is_empty()) {
            (false, false) => Err(TetMeshError::MixedOrders),
            (_, true) => TetMesh::new(weld.nodes, TetElements::Linear(linear)),
            (true, _) => TetMesh::new(weld.nodes, TetElements::Quadratic(quadratic)),
        }
    }
}

/// All triples below the counts, the last running fastest.
fn lattice([slow, middle, fast]: [usize; 3]) -> impl Iterator<Item = (usize, usize, usize)> {
    (0..slow).flat_map(move |a| (0..middle).flat_map(move |b| (0..fast).map(move |c| (a, b, c))))
}

/// Nodes kept so far, in buckets as wide as the tolerance.
struct Weld {
    tolerance: f64,
    nodes: Vec<DVec3>,
    buckets: BTreeMap<[i64; 3], Vec<u32>>,
}

impl Weld {
    /// The number of the first node kept within the tolerance, or of this one, kept now.
    fn number(&mut self, node: DVec3) -> u32 {
        let home = node.to_array().map(|x| (x / self.tolerance).floor() as i64);
        for (i, j, k) in lattice([3, 3, 3]) {
            let bucket = [(home[0], i), (home[1], j), (home[2], k)].map(|(h, o)| h.saturating_add(o as i64 - 1));
            let near = |&&kept: &&u32| self.nodes[kept as usize].distance(node) <= self.tolerance;
            if let Some(&kept) = self.buckets.get(&bucket).and_then(|bucket| bucket.iter().find(near)) {
                return kept;
            }
        }
        let number = self.nodes.len() as u32;
        self.nodes.push(node);
        self.buckets.entry(home).or_default().push(number);
        number
    }
}
