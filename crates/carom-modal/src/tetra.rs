//! Volume meshes of tetrahedra: imported ones, and the independent check of the finite cells.
//!
//! A [`TetMesh`] is sound by construction: every element is right-handed with a positive Jacobian wherever it is
//! integrated, no node stands twice in an element, no node is unused, and no two elements lie on the same side of a
//! face. Ten-node elements may have curved sides (isoparametric).

mod blocks;
mod element;

use carom_object::Material;
use carom_shape::{MassProperties, TriMesh};
use glam::{DMat3, DVec3};

pub(crate) use element::EDGES;

/// Corners of the faces, counter-clockwise seen from outside.
const FACES: [[usize; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];

/// The elements of a [`TetMesh`]: all of one kind.
///
/// Corner 3 lies on the side of corners 0, 1, 2 from which they are seen counter-clockwise, so that
/// (p₁ − p₀) · (p₂ − p₀) × (p₃ − p₀) > 0. Nodes 4 to 9 of a quadratic element are the middles of the edges
/// 01, 12, 02, 03, 13, 23.
#[derive(Clone, Debug, PartialEq)]
pub enum TetElements {
    /// Four nodes: constant strain.
    Linear(Vec<[u32; 4]>),
    /// Ten nodes: linear strain, sides possibly curved.
    Quadratic(Vec<[u32; 10]>),
}

impl TetElements {
    /// Number of elements.
    pub fn len(&self) -> usize {
        match self {
            TetElements::Linear(elements) => elements.len(),
            TetElements::Quadratic(elements) => elements.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// 4 or 10.
    pub fn nodes_per_element(&self) -> usize {
        match self {
            TetElements::Linear(_) => 4,
            TetElements::Quadratic(_) => 10,
        }
    }

    /// The nodes of an element.
    pub fn nodes(&self, element: usize) -> &[u32] {
        match self {
            TetElements::Linear(elements) => &elements[element],
            TetElements::Quadratic(elements) => &elements[element],
        }
    }

    /// All node numbers, element by element.
    fn flat_mut(&mut self) -> &mut [u32] {
        match self {
            TetElements::Linear(elements) => elements.as_flattened_mut(),
            TetElements::Quadratic(elements) => elements.as_flattened_mut(),
        }
    }
}

/// Why a volume mesh was refused. Elements and nodes are counted from 0, in the order in which they came.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TetMeshError {
    /// There is no tetrahedron.
    #[error("the volume mesh has no tetrahedra")]
    Empty,
    /// More nodes than can be numbered.
    #[error("the volume mesh would have {nodes} nodes; at most 4294967295 can be numbered")]
    TooLarge {
        /// How many.
        nodes: u128,
    },
    /// A node is NaN or infinite.
    #[error("node {node} has a coordinate that is not a finite number")]
    NonFiniteNode {
        /// Which node.
        node: usize,
    },
    /// An element refers to a node that does not exist.
    #[error("tetrahedron {element} refers to node {node}, but there are {nodes}")]
    IndexOutOfRange {
        /// Which element.
        element: usize,
        /// The node named there.
        node: usize,
        /// How many nodes there are.
        nodes: usize,
    },
    /// An element names a node twice.
    #[error("tetrahedron {element} has node {node} twice")]
    RepeatedNode {
        /// Which element.
        element: usize,
        /// The node named twice.
        node: usize,
    },
    /// An element is turned inside out, flat, or so curved that it folds over itself.
    #[error("tetrahedron {element} is inverted or flat (Jacobian determinant {jacobian:e})")]
    Inverted {
        /// Which element.
        element: usize,
        /// The least determinant found in it: six times the volume where sides are straight.
        jacobian: f64,
    },
    /// Two elements lie on the same side of a face that they share.
    #[error("tetrahedra {first} and {second} overlap: they lie on the same side of a face that they share")]
    Overlapping {
        /// One element.
        first: usize,
        /// The other.
        second: usize,
    },
    /// Blocks or parts of a file with 4 nodes per element stand beside others with 10.
    #[error("tetrahedra with 4 and with 10 nodes in one mesh")]
    MixedOrders,
    /// Parts of the body share no node, so that they would vibrate as several bodies.
    #[error("the volume mesh is in {pieces} pieces that do not touch each other")]
    Pieces {
        /// How many.
        pieces: usize,
    },
    /// Nodes cannot be welded within this distance.
    #[error("cannot weld nodes within a distance of {tolerance}, expected a positive number")]
    Tolerance {
        /// What was given.
        tolerance: f64,
    },
    /// A file is not what its format promises.
    #[error("MSH file is damaged at {place}: {problem}")]
    Malformed {
        /// A line ("line 12") or a byte offset ("byte 84").
        place: String,
        /// What was expected and what stood there.
        problem: String,
    },
}

/// A body filled with tetrahedra.
///
/// ```
/// use carom_modal::TetMesh;
/// use glam::DVec3;
///
/// let bar = TetMesh::structured_box(DVec3::new(0.2, 0.01, 0.01), [20, 1, 1], true)?;
/// assert_eq!(bar.elements().len(), 120);
/// assert!((bar.mass_properties(7850.0).mass - 0.157).abs() < 1e-12);
/// let (surface, _) = bar.surface();
/// assert!((surface.volume() - 2e-5).abs() < 1e-18);
/// # Ok::<(), carom_modal::TetMeshError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct TetMesh {
    nodes: Vec<DVec3>,
    elements: TetElements,
}

/// A face of an element, to be matched with its twin: sorted corners, element, local face, whether sorting the corners
/// was an odd permutation.
type SortedFace = ([u32; 3], u32, u8, bool);

impl TetMesh {
    /// A mesh that has been checked; nodes that no element uses are dropped, the others keep their order.
    pub fn new(nodes: Vec<DVec3>, elements: TetElements) -> Result<TetMesh, TetMeshError> {
        if elements.is_empty() {
            return Err(TetMeshError::Empty);
        }
        let mut used = vec![false; nodes.len()];
        for element in 0..elements.len() {
            let list = elements.nodes(element);
            for (i, &node) in list.iter().enumerate() {
                let node = node as usize;
                let Some(flag) = used.get_mut(node) else {
                    return Err(TetMeshError::IndexOutOfRange { element, node, nodes: nodes.len() });
                };
                if list[..i].contains(&(node as u32)) {
                    return Err(TetMeshError::RepeatedNode { element, node });
                }
                *flag = true;
            }
        }
        if let Some(node) = (0..nodes.len()).find(|&n| used[n] && !nodes[n].is_finite()) {
            return Err(TetMeshError::NonFiniteNode { node });
        }
        let mesh = TetMesh { nodes, elements }.without_unused(&used);
        for element in 0..mesh.elements.len() {
            let jacobian = mesh.least_jacobian(element);
            // A NaN from coordinates near the largest number is refused as well.
            if !(jacobian > 0.0 && jacobian.is_finite()) {
                return Err(TetMeshError::Inverted { element, jacobian });
            }
        }
        mesh.refuse_overlaps()?;
        Ok(mesh)
    }

    /// Positions of the nodes in metres.
    pub fn nodes(&self) -> &[DVec3] {
        &self.nodes
    }

    /// The elements.
    pub fn elements(&self) -> &TetElements {
        &self.elements
    }

    /// Number of pieces that share no node with each other.
    pub fn pieces(&self) -> usize {
        let mut parent: Vec<u32> = (0..self.nodes.len() as u32).collect();
        let mut pieces = parent.len();
        for element in 0..self.elements.len() {
            let list = self.elements.nodes(element);
            for &node in &list[1..] {
                let (a, b) = (root(&mut parent, list[0]), root(&mut parent, node));
                if a != b {
                    parent[a.max(b) as usize] = a.min(b);
                    pieces -= 1;
                }
            }
        }
        pieces
    }

    /// Refuses a mesh in several pieces.
    pub fn require_one_piece(&self) -> Result<(), TetMeshError> {
        match self.pieces() {
            1 => Ok(()),
            pieces => Err(TetMeshError::Pieces { pieces }),
        }
    }

    /// The boundary, counter-clockwise seen from outside, and for each of its vertices the node that it is.
    ///
    /// A face of ten-node elements becomes four triangles over its corners and the middles of its edges.
    pub fn surface(&self) -> (TriMesh, Vec<u32>) {
        let mut triangles: Vec<[u32; 3]> = Vec::new();
        let faces = self.sorted_faces();
        for group in faces.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() == 1) {
            let (_, element, face, _) = group[0];
            let list = self.elements.nodes(element as usize);
            let [a, b, c] = FACES[face as usize];
            let [p, q, r] = [a, b, c].map(|corner| list[corner]);
            match self.elements {
                TetElements::Linear(_) => triangles.push([p, q, r]),
                TetElements::Quadratic(_) => {
                    let [pq, qr, rp] = [(a, b), (b, c), (c, a)].map(|(i, j)| list[element::middle(i, j)]);
                    triangles.extend([[p, pq, rp], [pq, q, qr], [rp, qr, r], [pq, qr, rp]]);
                }
            }
        }
        let mut on_surface = vec![false; self.nodes.len()];
        triangles.as_flattened().iter().for_each(|&node| on_surface[node as usize] = true);
        let map: Vec<u32> = (0..self.nodes.len() as u32).filter(|&n| on_surface[n as usize]).collect();
        let mut vertex = vec![0u32; self.nodes.len()];
        map.iter().zip(0..).for_each(|(&node, v)| vertex[node as usize] = v);
        let triangles = triangles.into_iter().map(|t| t.map(|node| vertex[node as usize])).collect();
        let positions = map.iter().map(|&node| self.nodes[node as usize]).collect();
        (TriMesh { positions, triangles }, map)
    }

    /// Mass, centre and inertia from the very mass matrices of [`TetMesh::element_matrices`], so that rigid motions
    /// and modes do not couple.
    pub fn mass_properties(&self, density: f64) -> MassProperties {
        let per_element = self.elements.nodes_per_element();
        let origin = self.nodes[0];
        let (mut mass, mut first, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
        let mut matrix = vec![0.0; per_element * per_element];
        for element in 0..self.elements.len() {
            self.element_mass(element, density, &mut matrix);
            let list = self.elements.nodes(element);
            for (a, row) in matrix.chunks_exact(per_element).enumerate() {
                let x = self.nodes[list[a] as usize] - origin;
                for (b, &entry) in row.iter().enumerate() {
                    let y = self.nodes[list[b] as usize] - origin;
                    mass += entry;
                    first += entry * y;
                    second += entry * DMat3::from_cols(x * y.x, x * y.y, x * y.z);
                }
            }
        }
        let mut properties = MassProperties::from_moments(mass, first, second);
        properties.centre += origin;
        properties
    }

    /// Stiffness and consistent mass of one element.
    ///
    /// With n nodes per element, `stiffness` is 3n × 3n, row by row, unknown 3 · node + axis; `mass` is n × n, the
    /// same for each axis. Exact where sides are straight.
    ///
    /// # Panics
    /// If the slices do not have these sizes or the element does not exist.
    pub fn element_matrices(&self, element: usize, material: &Material, stiffness: &mut [f64], mass: &mut [f64]) {
        self.element_stiffness(element, material, stiffness);
        self.element_mass(element, material.density, mass);
    }

    fn without_unused(mut self, used: &[bool]) -> TetMesh {
        let mut renumbered = vec![0u32; used.len()];
        let kept = renumbered.iter_mut().zip(used).filter(|&(_, &used)| used);
        kept.zip(0..).for_each(|((number, _), position)| *number = position);
        self.elements.flat_mut().iter_mut().for_each(|node| *node = renumbered[*node as usize]);
        let mut flags = used.iter();
        self.nodes.retain(|_| flags.next().is_some_and(|&used| used));
        self
    }

    /// All faces of all elements, those between the same corners next to each other.
    fn sorted_faces(&self) -> Vec<SortedFace> {
        let mut faces = Vec::with_capacity(4 * self.elements.len());
        for element in 0..self.elements.len() {
            let list = self.elements.nodes(element);
            for (face, corners) in FACES.iter().enumerate() {
                let [a, b, c] = corners.map(|corner| list[corner]);
                let odd = (a > b) ^ (b > c) ^ (a > c);
                let mut key = [a, b, c];
                key.sort_unstable();
                faces.push((key, element as u32, face as u8, odd));
            }
        }
        faces.sort_unstable();
        faces
    }

    /// A face may have one element on either side: then it is seen with opposite orientations.
    fn refuse_overlaps(&self) -> Result<(), TetMeshError> {
        for group in self.sorted_faces().chunk_by(|a, b| a.0 == b.0) {
            for (i, one) in group.iter().enumerate() {
                if let Some(other) = group[..i].iter().find(|other| other.3 == one.3) {
                    return Err(TetMeshError::Overlapping { first: other.1 as usize, second: one.1 as usize });
                }
            }
        }
        Ok(())
    }
}

/// The representative of a node's piece; paths are halved on the way.
fn root(parent: &mut [u32], mut node: u32) -> u32 {
    while parent[node as usize] != node {
        parent[node as usize] = parent[parent[node as usize] as usize];
        node = parent[node as usize];
    }
    node
}
