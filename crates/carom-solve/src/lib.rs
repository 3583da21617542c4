//! Quadratic programs and complementarity problems of contact, as pure mathematics.
//!
//! The problem is to minimize ½|Gy|² + bᵀy within bounds, where each column of G touches at most two blocks: impulses y
//! between pairs of bodies. [`Solver`] solves it to round-off, dependent columns included; [`Problem::residual`]
//! judges any solution, from any [`Method`]. [`ActiveSet`] uses as few columns as it takes and keeps them from step to step; [`lemke`]
//! is for small problems whose matrix is not of this form. [`coulomb`] solves contact with friction and joints.

#![forbid(unsafe_code)]

mod active_set;
mod block_lu;
mod columns;
pub mod coulomb;
mod dense_lu;
mod descent;
mod disc;
mod elimination;
mod factor;
mod fronts;
mod interior;
mod interrupt;
mod lanes;
mod least_norm;
mod lemke;
mod local;
mod lu_kernel;
mod pair;
mod parts;
mod pivoting;
mod problem;
mod solver;
mod sparse;
mod tiles;

pub use active_set::{ActiveSet, ActiveSetReport, Candidates};
pub use columns::{BlockColumns, Columns, RaggedColumns};
pub use disc::{Symmetric, minimize_in_disc, minimize_in_polygon};
pub use elimination::eliminate;
pub use interrupt::{Interrupt, InterruptScope, is_interrupted};
pub use least_norm::least_norm;
pub use lemke::{LemkeError, lemke};
pub use parts::Parts;
pub use problem::{Bounds, Problem};
pub use solver::{Method, SolveParams, SolveReport, Solver};
