//! What a solve took and how far it got.

/// The method that solved an island.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum IslandMethod {
    /// One contact, in closed form.
    #[default]
    OneContact,
    /// Block Gauss-Seidel alone.
    GaussSeidel,
    /// Semismooth Newton, from the given impulses or from block Gauss-Seidel.
    Newton,
    /// Interior points, finished by semismooth Newton.
    InteriorPoint,
    /// Proximal steps.
    Proximal,
}

impl IslandMethod {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            IslandMethod::OneContact => "one contact",
            IslandMethod::GaussSeidel => "Gauss-Seidel",
            IslandMethod::Newton => "Newton",
            IslandMethod::InteriorPoint => "interior point",
            IslandMethod::Proximal => "proximal",
        }
    }
}

/// What a solve took and how far it got.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct CoulombReport {
    /// |r − P(r − ũ)| / |q| over all constraints, in the caller's units.
    pub residual: f64,
    /// The largest residual of an island in units in which W has a diagonal near one. It does not depend on the caller's units.
    pub scaled_residual: f64,
    /// Whether every island reached the tolerance.
    pub converged: bool,
    /// Islands, and those among them that did not reach the tolerance.
    pub islands: usize,
    /// See `islands`.
    pub unsolved_islands: usize,
    /// Unsolved islands whose constraints contradict each other: they were relaxed by the least violation and solved then.
    pub relaxed_islands: usize,
    /// Constraints of the largest island.
    pub largest_island: usize,
    /// The most involved method that an island took.
    pub method: IslandMethod,
    /// Sweeps of block Gauss-Seidel, added up over islands as all that follows.
    pub sweeps: usize,
    /// Steps of semismooth Newton.
    pub newton_steps: usize,
    /// Interior points.
    pub interior_points: usize,
    /// Proximal steps.
    pub proximal_steps: usize,
    /// Islands whose impulses were not unique and were replaced by the least ones.
    pub least_norm_islands: usize,
}

impl CoulombReport {
    /// Interior points, Newton and proximal steps, and sweeps, added up.
    pub fn iterations(&self) -> usize {
        self.sweeps + self.newton_steps + self.interior_points + self.proximal_steps
    }
}
