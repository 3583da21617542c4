//! What is wrong with a problem, and where.

/// A problem that cannot be solved as it is.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CoulombError {
    /// The [`Interrupt`](crate::Interrupt) of the thread was raised.
    #[error("interrupted")]
    Interrupted,
    /// A coefficient of friction is negative or not finite.
    #[error("constraint {constraint}: the coefficient of friction is {value}; it must be finite and not negative")]
    Friction {
        /// Which constraint.
        constraint: usize,
        /// Its coefficient.
        value: f64,
    },
    /// A preload is negative or not finite.
    #[error("constraint {constraint}: the preload is {value} N s; it must be finite and not negative")]
    Preload {
        /// Which constraint.
        constraint: usize,
        /// Its preload.
        value: f64,
    },
    /// The kinetic coefficient is larger than the static one.
    #[error(
        "constraint {constraint}: the kinetic coefficient {kinetic} is larger than the static one, {static_friction}"
    )]
    KineticAboveStatic {
        /// Which constraint.
        constraint: usize,
        /// Its kinetic coefficient.
        kinetic: f64,
        /// Its static coefficient.
        static_friction: f64,
    },
    /// A constraint has no rows, more than three, or rows beyond the last one.
    #[error(
        "constraint {constraint} has {count} rows, among them row {row} of {rows}; a constraint has one to three rows of the problem"
    )]
    Rows {
        /// Which constraint.
        constraint: usize,
        /// How many rows it has.
        count: usize,
        /// A row of it that does not exist, or zero.
        row: usize,
        /// Rows of the problem.
        rows: usize,
    },
    /// A row belongs to two constraints.
    #[error("row {row} of constraint {constraint} belongs to a constraint before it as well")]
    RowTwice {
        /// The second constraint.
        constraint: usize,
        /// The row.
        row: usize,
    },
    /// A constraint has other rows than when the matrix was made.
    #[error("constraint {constraint} has other rows than the one that the matrix was made for")]
    OtherRows {
        /// Which constraint.
        constraint: usize,
    },
    /// The rows of a constraint belong to different bodies.
    #[error("constraint {constraint}: its rows belong to different bodies")]
    Bodies {
        /// Which constraint.
        constraint: usize,
    },
    /// A number is not finite.
    #[error("{what} of row {row} is {value}; it must be finite")]
    NotFinite {
        /// What it stands for.
        what: &'static str,
        /// Its row.
        row: usize,
        /// The number.
        value: f64,
    },
    /// A number is so large that its square would overflow.
    #[error("{what} of row {row} is {value:e}; it must be between -{limit:e} and {limit:e}")]
    TooLarge {
        /// The kind of number.
        what: &'static str,
        /// Its row.
        row: usize,
        /// The number.
        value: f64,
        /// The largest number that is allowed.
        limit: f64,
    },
    /// A compliance is negative.
    #[error("the compliance of row {row} is {value}; it must not be negative")]
    Compliance {
        /// Its row.
        row: usize,
        /// The compliance.
        value: f64,
    },
    /// A list has the wrong length.
    #[error("{what}: {found} numbers where {expected} belong")]
    Length {
        /// Which list.
        what: &'static str,
        /// How many numbers it has.
        found: usize,
        /// How many it should have.
        expected: usize,
    },
    /// An entry of an explicit matrix lies outside of it.
    #[error("entry {entry} stands at row {row} and column {column} of a matrix with {size} rows")]
    Entry {
        /// Which entry.
        entry: usize,
        /// Its row.
        row: usize,
        /// Its column.
        column: usize,
        /// Rows and columns of the matrix.
        size: usize,
    },
    /// No impulse of a constraint moves anything: both of its bodies are fixed.
    #[error("constraint {constraint} moves nothing: its bodies are fixed, or its rows are zero")]
    Immovable {
        /// Which constraint.
        constraint: usize,
    },
    /// An explicit matrix has a negative eigenvalue.
    #[error(
        "the matrix is indefinite: elimination finds the pivot {pivot:e} in row {row}; W must be positive semidefinite"
    )]
    Indefinite {
        /// The row of the pivot.
        row: usize,
        /// The pivot.
        pivot: f64,
    },
    /// Memory does not suffice.
    #[error("not enough memory for {contacts} constraints that are connected")]
    Memory {
        /// Constraints of the island.
        contacts: usize,
    },
}
