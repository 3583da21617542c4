//! What can be wrong with a shape that bodies should touch with.

/// Why a shape was refused. Each message names the shape, the element and the number.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ContactError {
    /// A measure is not a number that a body can have.
    #[error("{shape}: {quantity} is {value}, but must be positive and finite")]
    BadSize {
        /// Which kind of shape.
        shape: &'static str,
        /// Which of its measures.
        quantity: &'static str,
        /// What was given.
        value: f64,
    },
    /// A direction has no length, or is not finite.
    #[error("{shape}: the direction {quantity} has the length {length}, but must have a finite one above zero")]
    BadDirection {
        /// Which kind of shape.
        shape: &'static str,
        /// Which direction.
        quantity: &'static str,
        /// Its length.
        length: f64,
    },
    /// A vertex has a coordinate that is NaN or infinite.
    #[error("{shape}: vertex {vertex} has a coordinate that is not a finite number")]
    NonFiniteVertex {
        /// Which kind of shape.
        shape: &'static str,
        /// Zero-based index.
        vertex: usize,
    },
    /// Too few vertices for a body with an inside.
    #[error("{shape}: {found} vertices are too few, it takes {least}")]
    TooFewVertices {
        /// Which kind of shape.
        shape: &'static str,
        /// How many there are.
        found: usize,
        /// How many it takes.
        least: usize,
    },
    /// All vertices lie on a line or in a point.
    #[error("{shape}: the vertices enclose no area ({area} m²)")]
    NoArea {
        /// Which kind of shape.
        shape: &'static str,
        /// What they enclose.
        area: f64,
    },
    /// A polygon turns the wrong way at a vertex, or goes round more than once.
    #[error("polygon: not convex at vertex {vertex}")]
    NotConvex {
        /// Zero-based index, as given.
        vertex: usize,
    },
    /// All points lie in a plane, on a line or in a point, or the surface encloses nothing.
    #[error("{shape}: it encloses no volume ({volume} m³)")]
    NoVolume {
        /// Which kind of shape.
        shape: &'static str,
        /// What it encloses.
        volume: f64,
    },
    /// A triangle refers to a vertex that does not exist.
    #[error("{shape}: triangle {triangle} refers to a vertex beyond the {vertices} there are")]
    NoSuchVertex {
        /// Which kind of shape.
        shape: &'static str,
        /// Zero-based index.
        triangle: usize,
        /// How many vertices there are.
        vertices: usize,
    },
}
