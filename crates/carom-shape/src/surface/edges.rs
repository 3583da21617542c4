//! How the corners, edges and faces of a cell are numbered: corners with x fastest, edges by lower corner and axis.

use glam::IVec3;

/// Lower corner and axis of each edge.
pub(crate) const CELL_EDGES: [(usize, usize); 12] =
    [(0, 0), (2, 0), (4, 0), (6, 0), (0, 1), (1, 1), (4, 1), (5, 1), (0, 2), (1, 2), (2, 2), (3, 2)];

/// Faces of a cell, two per axis, the lower first.
pub(crate) const FACES: usize = 6;

/// Corners around each face.
pub(crate) const FACE_CORNERS: [[usize; 4]; FACES] =
    [[0, 2, 6, 4], [1, 3, 7, 5], [0, 1, 5, 4], [2, 3, 7, 6], [0, 1, 3, 2], [4, 5, 7, 6]];

/// Where a corner lies in its cell.
pub(crate) fn corner_offset(corner: usize) -> IVec3 {
    IVec3::new((corner & 1) as i32, (corner >> 1 & 1) as i32, (corner >> 2 & 1) as i32)
}

/// The edge between two neighbouring corners.
pub(crate) fn edge_between(a: usize, b: usize) -> usize {
    let (lower, axis) = (a & b, (a ^ b).trailing_zeros() as usize);
    4 * axis + CELL_EDGES[4 * axis..4 * axis + 4].iter().position(|&(corner, _)| corner == lower).unwrap_or(0)
}
