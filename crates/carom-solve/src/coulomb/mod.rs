//! Contact with Coulomb friction and joints, solved with the exact friction cone.
//!
//! Velocities u = W r + q belong to impulses r. A contact has a normal row and up to two tangents; its impulse lies in the cone K_μ = {|r_T| ≤ μ r_N}, and
//! De Saxcé's form of Coulomb's law says K_μ ∋ r ⊥ ũ ∈ K_μ* with ũ = (u_N + μ|u_T|, u_T). Bilateral rows keep u = 0. W comes over bodies,
//! W = GᵀG + S ([`CoulombProblem`]), or as an explicit matrix ([`ContactMatrix`], [`MatrixProblem`]); [`CoulombSolver`] solves either, island by island:
//!
//! 1. a sweep of block Jacobi with exact one-contact solves, then semismooth Newton on Alart and Curnier's equations;
//! 2. if that stalls, interior points with De Saxcé's term in Newton's matrix, and Newton again from there;
//! 3. if that stalls too, proximal steps: W + α is regular, and α falls as far as its problems can be solved.
//!
//! A solution whose velocities are not unique is replaced by the one that contacts of small, equal compliance have. Where redundant contacts nearly contradict
//! each other, Newton steps that end at the first change of a contact's state go on.
//! The relative residual |r − P(r − ũ)| / |q| judges all of them. [`CoulombReport`] says which method ran and how far it got.
//! Where redundant contacts leave impulses open, the ones with the least norm are taken.
//!
//! ```
//! use carom_solve::BlockColumns;
//! use carom_solve::coulomb::{Constraint, CoulombParams, CoulombProblem, CoulombSolver};
//! // A block of 2 kg slides at 1 m/s over the floor; gravity has given it 0.1 m/s downwards. Columns are scaled by 1/√m.
//! let mut columns = BlockColumns::<3>::new(1);
//! let scale = 1.0 / 2f64.sqrt();
//! for row in [[0.0, scale, 0.0], [scale, 0.0, 0.0], [0.0, 0.0, scale]] {
//!     columns.push_single(0, row);
//! }
//! let constraints = [Constraint::contact(0, 3, 0.5)];
//! let problem = CoulombProblem { columns: &columns, constraints: &constraints, free: &[-0.1, 1.0, 0.0], softness: &[] };
//! let mut impulses = [0.0; 3];
//! let report = CoulombSolver::default().solve(&problem, &CoulombParams::default(), &mut impulses)?;
//! assert!(report.converged && report.residual < 1e-12);
//! assert!((impulses[0] - 0.2).abs() < 1e-12 && (impulses[1] + 0.1).abs() < 1e-12);
//! # Ok::<(), carom_solve::coulomb::CoulombError>(())
//! ```

mod anderson;
mod assembly;
mod body_form;
mod cone;
mod delassus;
mod error;
mod gauss_seidel;
mod interior_point;
mod island;
mod least_norm;
mod matrix;
mod matrix_form;
mod newton;
mod one_contact;
mod problem;
mod proximal;
mod report;
mod small;
mod solver;
mod sweeps;

pub use error::CoulombError;
pub use matrix::ContactMatrix;
pub use problem::{Constraint, ConstraintLaw, CoulombProblem, MatrixProblem};
pub use report::{CoulombReport, IslandMethod};
pub use solver::{CoulombMethod, CoulombParams, CoulombSolver};
