//! Why something cannot be heard.

/// What is wrong with the input of a synthesis. Names the element and the number.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SoundError {
    /// A number of a contact that no contact has.
    #[error("contact {contact}: {quantity} is {value}, expected {expected}")]
    BadContact {
        /// Its place in the list.
        contact: usize,
        /// Which number.
        quantity: &'static str,
        /// What it was.
        value: f64,
        /// What it should be.
        expected: &'static str,
    },
    /// A setting that makes no sense.
    #[error("{quantity} is {value}, expected {expected}")]
    BadParameter {
        /// Which.
        quantity: &'static str,
        /// What it was.
        value: f64,
        /// What it should be.
        expected: &'static str,
    },
    /// A file of head-related responses that cannot be used.
    #[error("the SOFA file cannot be used: {problem}")]
    BadEars {
        /// Why.
        problem: String,
    },
    /// A surface without triangles.
    #[error("the surface of '{body}' has no triangles")]
    NoSurface {
        /// Which body.
        body: String,
    },
}

/// Refuses a parameter unless it is as expected.
pub(crate) fn expect(fine: bool, quantity: &'static str, value: f64, expected: &'static str) -> Result<(), SoundError> {
    if fine { Ok(()) } else { Err(SoundError::BadParameter { quantity, value, expected }) }
}
