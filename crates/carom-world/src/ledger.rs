//! The energy ledger: where every joule of a run is, and where it went.

/// Energies at an instant, and what has come and gone since the start, J.
///
/// `kinetic + potential + elastic + vibrational` equals its value at the start plus what was `injected`, `driven`, given back as `distant` and gained by the `integrator`,
/// minus all that was dissipated; [`Ledger::imbalance`] is what is left of that equation.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Ledger {
    /// Of motion.
    pub kinetic: f64,
    /// In gravity.
    pub potential: f64,
    /// In penalty springs and soft joints.
    pub elastic: f64,
    /// What these were, together with `vibrational`, at the start.
    pub start: f64,
    /// Taken by restitution below one.
    pub restitution: f64,
    /// Taken by friction.
    pub friction: f64,
    /// Taken by damping.
    pub damping: f64,
    /// Taken by jams, where no admissible motion keeps the energy.
    pub jam: f64,
    /// Spent on pulling bodies and joints back to where they belong; negative if that gave energy.
    pub stabilization: f64,
    /// Lost by the integrator; negative if it gained.
    pub integrator: f64,
    /// Given by scripted bodies.
    pub driven: f64,
    /// Given by the user's forces and impulses.
    pub injected: f64,
    /// Given to distant contacts, out of what restitution and damping took.
    pub distant: f64,
    /// In the vibrations of flexible bodies, of motion and of strain.
    pub vibrational: f64,
}

impl Ledger {
    /// How many columns there are.
    pub const COLUMNS: usize = 14;

    /// The columns with their names, in the order in which they are recorded.
    pub fn columns(&self) -> [(&'static str, f64); Ledger::COLUMNS] {
        [
            ("kinetic", self.kinetic),
            ("potential", self.potential),
            ("elastic", self.elastic),
            ("start", self.start),
            ("restitution", self.restitution),
            ("friction", self.friction),
            ("damping", self.damping),
            ("jam", self.jam),
            ("stabilization", self.stabilization),
            ("integrator", self.integrator),
            ("driven", self.driven),
            ("injected", self.injected),
            ("distant", self.distant),
            ("vibrational", self.vibrational),
        ]
    }

    /// The ledger whose columns are these, in the order of [`Ledger::columns`]; columns that are missing are zero.
    pub fn from_columns(columns: &[f64]) -> Ledger {
        let at = |k: usize| columns.get(k).copied().unwrap_or(0.0);
        Ledger {
            kinetic: at(0),
            potential: at(1),
            elastic: at(2),
            start: at(3),
            restitution: at(4),
            friction: at(5),
            damping: at(6),
            jam: at(7),
            stabilization: at(8),
            integrator: at(9),
            driven: at(10),
            injected: at(11),
            distant: at(12),
            vibrational: at(13),
        }
    }

    /// Adds what came and went, column by column.
    pub(crate) fn add(&mut self, account: &Ledger) {
        let (mine, other) = (self.columns(), account.columns());
        *self = Ledger::from_columns(&std::array::from_fn::<f64, { Ledger::COLUMNS }, _>(|k| mine[k].1 + other[k].1));
    }

    /// Takes back what was added.
    pub(crate) fn subtract(&mut self, account: &Ledger) {
        let (mine, other) = (self.columns(), account.columns());
        *self = Ledger::from_columns(&std::array::from_fn::<f64, { Ledger::COLUMNS }, _>(|k| mine[k].1 - other[k].1));
    }

    /// What the bodies have now.
    pub fn energy(&self) -> f64 {
        self.kinetic + self.potential + self.elastic + self.vibrational
    }

    /// What is left if all columns are added up: round-off.
    pub fn imbalance(&self) -> f64 {
        let gone = self.restitution + self.friction + self.damping + self.jam + self.stabilization + self.integrator;
        self.energy() - (self.start + self.injected + self.driven + self.distant - gone)
    }
}
