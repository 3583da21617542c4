//! How fine the cells must be.
//!
//! Cost and accuracy both follow the number of cells, so that number is chosen first, from the number of modes: a
//! body of any size and form then gets cells of about a quarter of the shortest wavelength. Slender bodies get at
//! least three cells across, which torsion needs and which costs them little.

use carom_object::Material;
use carom_shape::{Body, Bvh, WallThickness, wall_thickness};

use crate::eigen::Wanted;
use crate::{ModalError, ModalParams};

/// Cells that suffice for the default number of modes.
const CELLS: f64 = 800.0;
/// Cells with those that were divided; beyond them all are made larger, which costs less accuracy than it saves.
const CELLS_DIVIDED: f64 = 900.0;
/// Cells that a slender body may have in addition, so that three lie across.
const CELLS_SLENDER: f64 = 6000.0;
/// Places where wall thickness is measured.
const SAMPLES: usize = 500;

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
pub fn choose(body: &Body, material: &Material, params: &ModalParams) -> Result<Sizing, ModalError> {
    if let Wanted::UpTo(value) = params.wanted
        && !(value > 0.0 && value.is_finite())
    {
        let expected = "a positive number of Hz";
        return Err(ModalError::BadParameter { parameter: "highest frequency", value, expected });
    }
    let walls = wall_thickness(&body.surface, &Bvh::new(&body.surface), SAMPLES);
    let cell_size = params.cell_size.unwrap_or_else(|| default_cell_size(body, material, params.wanted, walls));
    if !(cell_size > 0.0 && cell_size.is_finite()) {
        return Err(ModalError::BadParameter {
            parameter: "cell size",
            value: cell_size,
            expected: "a positive length in metres",
        });
    }
    // At least two subcells across the thinner walls.
    let needed = walls.map_or(8.0, |w| 2.0 * cell_size / w.thin).clamp(8.0, 32.0);
    let resolution = params.resolution.unwrap_or((needed as usize).next_power_of_two());
    if !(resolution.is_power_of_two() && (2..=64).contains(&resolution)) {
        let value = resolution as f64;
        return Err(ModalError::BadParameter {
            parameter: "resolution",
            value,
            expected: "a power of two from 2 to 64",
        });
    }
    let mut warnings = Vec::new();
    if let Some(w) = walls.filter(|w| w.thin < 0.1 * cell_size) {
        let [x, y, z] = w.place.to_array();
        warnings.push(format!(
            "walls of {:.2} mm are thin for cells of {:.2} mm; the thinnest, {:.2} mm, is at ({x:.4}, {y:.4}, {z:.4})",
            1e3 * w.thin,
            1e3 * cell_size,
            1e3 * w.thinnest
        ));
    }
    Ok(Sizing { cell_size, resolution, warnings })
}

/// A larger cell size where dividing some cells made too many of them.
pub fn larger(cell_size: f64, (whole, small): (usize, usize), wanted: Wanted) -> Option<f64> {
    let more = more_modes(wanted);
    // Cells around an edge, and in a wall, go with the square of the size.
    let factor = ((whole + small) as f64 / (CELLS_DIVIDED * more)).sqrt();
    (small > whole / 2 && factor > 1.05).then_some(factor.min(1.6) * cell_size)
}

/// Whether these are as many cells as the modes need.
pub fn enough((whole, small): (usize, usize), wanted: Wanted) -> bool {
    (whole + small) as f64 >= CELLS * more_modes(wanted)
}

/// More modes than the default number need more cells in proportion.
fn more_modes(wanted: Wanted) -> f64 {
    match wanted {
        Wanted::Lowest(modes) => (modes as f64 / 45.0).max(1.0),
        Wanted::UpTo(_) => 1.0,
    }
}

fn default_cell_size(body: &Body, material: &Material, wanted: Wanted, walls: Option<WallThickness>) -> f64 {
    let area = body.surface.area();
    // The volume of a surface with holes is only roughly known, which is enough here.
    let volume = body.surface.volume().abs();
    let cells = |size: f64| volume / size.powi(3) + 0.6 * area / size.powi(2);
    let budget = CELLS * more_modes(wanted);
    let mut size = body.surface.bounds().size().length();
    while cells(size) < budget {
        size *= 0.97;
    }
    if let Some(third) = walls.map(|w| w.median / 3.0)
        && third < size
        && cells(third) < CELLS_SLENDER
    {
        size = third;
    }
    match wanted {
        Wanted::UpTo(frequency) => size.min(0.25 * material.shear_speed() / frequency),
        Wanted::Lowest(_) => size,
    }
}
