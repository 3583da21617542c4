//! Why a body has no modes.

use carom_object::MaterialError;

use crate::TetMeshError;

/// Why modes could not be computed. Each message names the thing at fault.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModalError {
    /// The material has a constant that no material has.
    #[error(transparent)]
    Material(#[from] MaterialError),
    /// The body consists of pieces without contact, which would vibrate apart.
    #[error("the body falls into {count} pieces that do not touch each other; their volumes in m³ are {volumes:?}")]
    Pieces {
        /// How many.
        count: usize,
        /// Their volumes, largest first.
        volumes: Vec<f64>,
    },
    /// No cell holds any of the body.
    #[error(
        "no part of the body was found inside a grid of {cells} cells of {size} m: it is flat, inside out or far thinner than a cell"
    )]
    NothingInside {
        /// Cells looked at.
        cells: usize,
        /// Largest edge of a cell.
        size: f64,
    },
    /// More modes were asked for than the discretization has.
    #[error("{asked} modes were asked for, but this body has only {available} at this resolution; use smaller cells")]
    TooManyModes {
        /// Modes asked for.
        asked: usize,
        /// Elastic modes there are.
        available: usize,
    },
    /// How many modes lie below a frequency could not be found out.
    #[error("the modes up to {frequency:e} Hz cannot be counted; ask for a lower frequency, or for a number of modes")]
    UncountedModes {
        /// The frequency, Hz.
        frequency: f64,
    },
    /// A transient would take more steps than anyone waits for.
    #[error("{span:e} s in steps of {step:e} s are {:e} steps, more than the {most:e} that are made", span / step)]
    TooManySteps {
        /// How long it is followed, s.
        span: f64,
        /// The step, s.
        step: f64,
        /// The most steps.
        most: f64,
    },
    /// A parameter is out of range.
    #[error("{parameter} is {value}, expected {expected}")]
    BadParameter {
        /// Which.
        parameter: &'static str,
        /// What it was.
        value: f64,
        /// What it should be.
        expected: &'static str,
    },
    /// The grid would have more cells than fit in memory.
    #[error("cells of {size:e} m would make a grid of {cells:.3e} cells; choose a larger cell size")]
    TooManyCells {
        /// Edge of a cell.
        size: f64,
        /// Cells of the grid.
        cells: f64,
    },
    /// Nothing of the surface lies in a place where the body should be held.
    #[error("no surface of the body lies where it should be held: {place}")]
    HeldNowhere {
        /// The place, as given.
        place: String,
    },
    /// The volume mesh is not usable.
    #[error(transparent)]
    Tetrahedra(#[from] TetMeshError),
    /// Volume meshes of tetrahedra are always free.
    #[error("a body of tetrahedra cannot be held at '{place}': only bodies in cells can")]
    TetrahedraHeld {
        /// The place asked for.
        place: String,
    },
    /// The matrix could not be factorized.
    #[error("the stiffness matrix could not be factorized: {0}")]
    Factorization(String),
    /// The iteration did not reach its tolerance.
    #[error("{converged} of {asked} modes converged after {iterations} iterations; the worst residual is {residual:e}")]
    NotConverged {
        /// Modes that converged.
        converged: usize,
        /// Modes asked for.
        asked: usize,
        /// Block iterations made.
        iterations: usize,
        /// Worst relative residual.
        residual: f64,
    },
    /// The count of eigenvalues below a frequency differs from the modes found.
    #[error("{counted} modes lie below {frequency} Hz by Sylvester's law, but {found} were found")]
    ModesMissed {
        /// By inertia.
        counted: usize,
        /// By the eigensolver.
        found: usize,
        /// Where was counted.
        frequency: f64,
    },
}
