//! How far it is along a surface: the question, for whoever can answer it.

use std::fmt::Debug;

/// Distances along a surface from its vertices. A function of the surface: the same question has the same answer, to the bit.
pub trait SurfaceDistances: Debug + Send + Sync {
    /// For each of these vertices the distances to all vertices, m; infinite where no way leads.
    fn distances_from(&self, vertices: &[u32]) -> Vec<Vec<f64>>;
}
