//! Vibration modes: laws, convergence, and cells against tetrahedra.

mod convergence;
mod cup;
mod errors;
mod fork;
mod laws;
mod mug;
mod support;
mod tetra;
