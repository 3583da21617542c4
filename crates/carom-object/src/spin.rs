//! How the spin of a free body and its vibration act on each other.
//!
//! A body that turns with the spin ω, seen in its own axes, throws its modes outwards and bends their motion sideways: the coordinates q
//! obey q̈ᵢ + ωᵢ²qᵢ = ½ωᵀJᵢω + 2ω·Σⱼ cᵢⱼ q̇ⱼ (to first order in q, besides damping). A body that is deformed has another inertia, J + Σ qᵢJᵢ. Here
//! Jᵢ = dJ/dqᵢ and cᵢⱼ = ∫ρ φᵢ × φⱼ, from the same integration as the mass matrix.

use glam::{DMat3, DVec3};

use crate::ObjectError;
use crate::object::{expect_count, finite};

/// Integrals over the mode shapes of a free body that its quadratic velocity vector is made of.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpinCoupling {
    /// By how much a unit of each mode changes the inertia about the centre, √kg m: xx, yy, zz, xy, yz, zx.
    pub inertia: Vec<[f64; 6]>,
    /// ∫ρ φᵢ × φⱼ of every two modes, i < j: at j(j − 1)/2 + i, so that those of fewer modes come first.
    pub coriolis: Vec<[f32; 3]>,
}

impl SpinCoupling {
    /// By how much a unit of a mode changes the inertia, as a matrix.
    ///
    /// ```
    /// # use carom_object::SpinCoupling;
    /// let coupling = SpinCoupling { inertia: vec![[1.0, 2.0, 3.0, 0.1, 0.2, 0.3]], coriolis: vec![] };
    /// assert_eq!(coupling.inertia_rate(0).row(0).to_array(), [1.0, 0.1, 0.3]);
    /// ```
    pub fn inertia_rate(&self, mode: usize) -> DMat3 {
        let [xx, yy, zz, xy, yz, zx] = self.inertia[mode];
        DMat3::from_cols(DVec3::new(xx, xy, zx), DVec3::new(xy, yy, yz), DVec3::new(zx, yz, zz))
    }

    /// The numbers i < j of two modes and their ∫ρ φᵢ × φⱼ, j ascending.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize, DVec3)> {
        let places = (0..self.inertia.len()).flat_map(|j| (0..j).map(move |i| (i, j)));
        places.zip(&self.coriolis).map(|((i, j), c)| (i, j, c.map(f64::from).into()))
    }

    /// Leaves the lowest modes.
    pub fn truncate(&mut self, modes: usize) {
        self.inertia.truncate(modes);
        self.coriolis.truncate(pair_count(modes));
    }

    /// Refuses what is not of this many modes.
    pub(crate) fn validate(&self, modes: usize) -> Result<(), ObjectError> {
        expect_count("spin.inertia", self.inertia.len(), Some(modes))?;
        finite("spin.inertia", self.inertia.iter().flatten().copied())?;
        expect_count("spin.coriolis", self.coriolis.len(), Some(pair_count(modes)))?;
        finite("spin.coriolis", self.coriolis.iter().flatten().map(|&x| x.into()))
    }
}

/// How many pairs some modes make.
fn pair_count(modes: usize) -> usize {
    modes * modes.saturating_sub(1) / 2
}
