//! Why there is no radiation.

/// Why the sound field of a body could not be computed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RadiationError {
    /// The surface has no area.
    #[error("the surface has an area of {area} m², expected more")]
    NoSurface {
        /// Its area.
        area: f64,
    },
    /// A parameter is out of range.
    #[error("{name} is {value}, expected {expected}")]
    BadParameter {
        /// Its name.
        name: &'static str,
        /// Its value.
        value: f64,
        /// The range.
        expected: String,
    },
    /// The work was stopped on the way.
    #[error("stopped after {done} of {total} modes")]
    Stopped {
        /// Modes that were finished.
        done: usize,
        /// Modes in all.
        total: usize,
    },
}
