//! How fine the cells must be.

use carom_shape::Body;

use crate::{ModalError, ModalParams};

/// Cell size and subdivision for a body.
#[derive(Clone, Debug)]
pub struct Sizing {
    /// Edge of a cell in metres.
    pub cell_size: f64,
    /// Subcells along an edge of a cut cell.
    pub resolution: usize,
    /// What a user should know.
    pub warnings: Vec<String>,
}

/// The sizes that were asked for, or else ones that suit the body.
pub fn choose(body: &Body, params: &ModalParams) -> Result<Sizing, ModalError> {
    let cell_size = params.cell_size.unwrap_or_else(|| body.surface.bounds().size().max_element() / 20.0);
    Ok(Sizing { cell_size, resolution: params.resolution.unwrap_or(8), warnings: Vec::new() })
}
