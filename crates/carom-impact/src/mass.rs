//! Inverse masses, and the coordinates in which every mass is one.
//!
//! With M⁻¹ = L Lᵀ per body, w = L⁻¹v is a velocity whose energy is ½|w|², and a contact row g becomes Lᵀg. The impulse
//! along a contact stays what it is. All operators work in these coordinates and know no masses.

use crate::ImpactError;

/// How a body answers to an impulse: its block of M⁻¹.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum InverseMass<const W: usize> {
    /// Nothing moves it; its velocity, zero or not, is prescribed.
    Fixed,
    /// Each coordinate has its own inverse mass: discs, spheres, bodies in their principal axes.
    Diagonal([f64; W]),
    /// Symmetric positive definite.
    Full([[f64; W]; W]),
}

impl<const W: usize> InverseMass<W> {
    /// The same mass for all coordinates.
    pub fn of_mass(mass: f64) -> Self {
        InverseMass::Diagonal([1.0 / mass; W])
    }

    /// L with M⁻¹ = L Lᵀ; `body` is named if there is none.
    pub fn factor(&self, body: usize) -> Result<Factor<W>, ImpactError> {
        match self {
            InverseMass::Fixed => Ok(Factor::Fixed),
            InverseMass::Diagonal(diagonal) => {
                let mut roots = [0.0; W];
                for k in 0..W {
                    roots[k] = root(body, diagonal[k])?;
                }
                Ok(Factor::Diagonal(roots))
            }
            InverseMass::Full(matrix) => {
                let mut lower = [[0.0; W]; W];
                for r in 0..W {
                    for c in 0..=r {
                        let mut sum = matrix[r][c];
                        for k in 0..c {
                            sum -= lower[r][k] * lower[c][k];
                        }
                        lower[r][c] = if r == c { root(body, sum)? } else { sum / lower[c][c] };
                    }
                }
                Ok(Factor::Full(lower))
            }
        }
    }
}

pub(crate) fn root(body: usize, value: f64) -> Result<f64, ImpactError> {
    if value > 0.0 && value.is_finite() {
        return Ok(value.sqrt());
    }
    Err(ImpactError::BadBody { body, quantity: "inverse mass", value, expected: "positive and finite" })
}

/// L of a body, with M⁻¹ = L Lᵀ: takes velocities and rows to coordinates in which every mass is one, and back.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Factor<const W: usize> {
    /// Nothing moves it.
    Fixed,
    /// The diagonal of L.
    Diagonal([f64; W]),
    /// L, row by row, zero above the diagonal.
    Full([[f64; W]; W]),
}

impl<const W: usize> Factor<W> {
    /// Whether impulses move the body.
    pub fn moves(&self) -> bool {
        !matches!(self, Factor::Fixed)
    }

    /// Lᵀ g.
    pub fn transposed_times(&self, row: &[f64; W]) -> [f64; W] {
        match self {
            Factor::Fixed => [0.0; W],
            Factor::Diagonal(diagonal) => std::array::from_fn(|k| diagonal[k] * row[k]),
            Factor::Full(lower) => std::array::from_fn(|k| (k..W).map(|r| lower[r][k] * row[r]).sum()),
        }
    }

    /// L w.
    pub fn times(&self, w: &[f64; W]) -> [f64; W] {
        match self {
            Factor::Fixed => [0.0; W],
            Factor::Diagonal(diagonal) => std::array::from_fn(|k| diagonal[k] * w[k]),
            Factor::Full(lower) => std::array::from_fn(|r| (0..=r).map(|k| lower[r][k] * w[k]).sum()),
        }
    }

    /// L⁻¹ v.
    pub fn solve(&self, v: &[f64; W]) -> [f64; W] {
        let mut w = *v;
        match self {
            Factor::Fixed => w = [0.0; W],
            Factor::Diagonal(diagonal) => (0..W).for_each(|k| w[k] /= diagonal[k]),
            Factor::Full(lower) => {
                for r in 0..W {
                    for k in 0..r {
                        w[r] -= lower[r][k] * w[k];
                    }
                    w[r] /= lower[r][r];
                }
            }
        }
        w
    }
}
