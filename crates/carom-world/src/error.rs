//! What can be wrong with a world, said so that its author finds it.

use thiserror::Error;

/// Why a world cannot be made, or cannot go on.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum WorldError {
    /// A number of a body cannot be.
    #[error("body '{body}': {quantity} is {value}, but must be {expected}")]
    BadBody {
        /// Its name.
        body: String,
        /// Which number.
        quantity: &'static str,
        /// What it is.
        value: f64,
        /// What it may be.
        expected: &'static str,
    },
    /// A number of a joint cannot be.
    #[error("joint '{joint}': {quantity} is {value}, but must be {expected}")]
    BadJoint {
        /// Its name.
        joint: String,
        /// Which number.
        quantity: &'static str,
        /// What it is.
        value: f64,
        /// What it may be.
        expected: &'static str,
    },
    /// A number of the world cannot be.
    #[error("{quantity} is {value}, but must be {expected}")]
    BadParameter {
        /// Which number.
        quantity: &'static str,
        /// What it is.
        value: f64,
        /// What it may be.
        expected: &'static str,
    },
    /// Two things have one name.
    #[error("two {what} are called '{name}'")]
    SameName {
        /// Bodies or joints.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A joint or a load names a body that is not there.
    #[error("{what} '{name}' names the body '{body}', which is not in the scene")]
    NoSuchBody {
        /// Joint or load.
        what: &'static str,
        /// Its name.
        name: String,
        /// The body that is missing.
        body: String,
    },
    /// Bodies overlap at the start.
    #[error("'{first}' and '{second}' overlap by {depth} m at the start")]
    Overlap {
        /// One body.
        first: String,
        /// The other.
        second: String,
        /// How deep.
        depth: f64,
    },
    /// A body went out of all bounds.
    #[error("'{body}' went out of bounds at {time} s: its {quantity} is {value}")]
    BlowUp {
        /// Its name.
        body: String,
        /// The end of the last good step, s.
        time: f64,
        /// What went wrong.
        quantity: &'static str,
        /// Its value.
        value: f64,
    },
    /// More memory is needed than there is.
    #[error("{what} need about {:.1} GB of memory, and {:.1} GB are available", bytes / 1e9, available / 1e9)]
    Memory {
        /// What needs it.
        what: String,
        /// How much it needs, in bytes.
        bytes: f64,
        /// How much there is, in bytes.
        available: f64,
    },
    /// Energy came from nowhere, and [`EnergyGuard::Stop`](crate::EnergyGuard::Stop) is on.
    #[error("energy came from nowhere after {time} s: {}", gain_text(column, *gained, *tolerance, bodies))]
    EnergyGain {
        /// The end of the last good step, s.
        time: f64,
        /// A loss column of the ledger, or `energy`.
        column: &'static str,
        /// By how much a loss fell, or the energy rose, J.
        gained: f64,
        /// What is allowed, J.
        tolerance: f64,
        /// The bodies of the contact that gave most of it in the step, or the body that gained most.
        bodies: Vec<String>,
    },
    /// The flag that was given with `set_interrupt` was raised. The world is as it was before the step.
    #[error("interrupted after {time} s")]
    Interrupted {
        /// The end of the last complete step, s.
        time: f64,
    },
    /// Flexible contact was asked of a world that does not know it.
    #[error("flexible contact is of space, and of `FlexibleWorld`")]
    Flexible,
    /// Flexible contact has no joints.
    #[error("flexible contact knows no joints, and there is '{joint}'")]
    NotFlexible {
        /// The first joint.
        joint: String,
    },
    /// The impact operator refused.
    #[error(transparent)]
    Impact(#[from] carom_impact::ImpactError),
    /// A state does not belong to this world.
    #[error("the saved state does not fit this scene: {0}")]
    State(String),
}

/// What gained, by how much, and where.
fn gain_text(column: &str, gained: f64, tolerance: f64, bodies: &[String]) -> String {
    let what = match column {
        "energy" => "the energy rose".to_owned(),
        column => format!("the loss by {column} fell"),
    };
    let place = match bodies {
        [first, second] => format!("; the contact of '{first}' and '{second}' gave most of it in this step"),
        [body] => format!("; '{body}' gained most of it in this step"),
        _ => String::new(),
    };
    format!("{what} by {gained:.3e} J, beyond its tolerance of {tolerance:.3e} J{place}")
}
