//! What is wrong with an impact that was asked for.

/// Why an impact could not be resolved. Each message names the element and the number.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ImpactError {
    /// A list has the wrong length.
    #[error("there are {found} {what}, expected {expected}")]
    Count {
        /// Of what.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there should be.
        expected: usize,
    },
    /// A contact refers to a body that does not exist.
    #[error("contact {contact} touches body {body}, but there are only {bodies}")]
    NoSuchBody {
        /// Place of the contact in the list.
        contact: usize,
        /// The body asked for.
        body: u32,
        /// How many there are.
        bodies: usize,
    },
    /// A contact touches the same body twice.
    #[error("contact {contact} touches body {body} with itself")]
    SelfContact {
        /// Place of the contact in the list.
        contact: usize,
        /// The body.
        body: u32,
    },
    /// A tangent refers to a contact that does not exist.
    #[error("tangent {tangent} belongs to contact {contact}, but there are only {contacts}")]
    NoSuchContact {
        /// Place of the tangent in the list.
        tangent: usize,
        /// The contact asked for.
        contact: u32,
        /// How many there are.
        contacts: usize,
    },
    /// A contact has one tangent in the plane and two in space.
    #[error("contact {contact} has more than two tangents")]
    TooManyTangents {
        /// Place of the contact in the list.
        contact: usize,
    },
    /// A row does not have the width of its body.
    #[error("a row of contact {contact} has {found} numbers for body {body}, which has {expected}")]
    Width {
        /// Place of the contact in the list.
        contact: usize,
        /// The body.
        body: u32,
        /// Numbers in the row.
        found: usize,
        /// Width of the body.
        expected: usize,
    },
    /// A number of a contact is out of range.
    #[error("{quantity} of contact {contact} is {value}, expected {expected}")]
    BadContact {
        /// Place of the contact in the list.
        contact: usize,
        /// Which number.
        quantity: &'static str,
        /// What it was.
        value: f64,
        /// What it should be.
        expected: &'static str,
    },
    /// A number of a body is out of range.
    #[error("{quantity} of body {body} is {value}, expected {expected}")]
    BadBody {
        /// Place of the body in the list.
        body: usize,
        /// Which number.
        quantity: &'static str,
        /// What it was.
        value: f64,
        /// What it should be.
        expected: &'static str,
    },
}
