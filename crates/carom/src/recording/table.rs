//! The tables of a recording: which columns they have, in which units, and rows of them in memory.
//!
//! A row is some whole numbers followed by some real ones; [`Table`] keeps rows one after the other, so that recording a
//! row is two copies, and files have columns.

/// How a whole number is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whole {
    /// 64 bits.
    Long,
    /// 32 bits.
    Short,
    /// Yes or no.
    Flag,
}

/// A column of whole numbers.
pub(crate) struct WholeColumn {
    pub(crate) name: &'static str,
    pub(crate) stored: Whole,
    pub(crate) about: &'static str,
}

/// A column of real numbers.
pub(crate) struct RealColumn {
    pub(crate) name: &'static str,
    pub(crate) unit: &'static str,
    pub(crate) about: &'static str,
    /// What stands for it in files that were written before there was such a column; they are damaged if there is nothing.
    pub(crate) missing: Option<f64>,
}

/// A table as it is defined: its name, which is that of its folder, and its columns.
pub(crate) struct Layout {
    pub(crate) name: &'static str,
    pub(crate) wholes: &'static [WholeColumn],
    pub(crate) reals: &'static [RealColumn],
}

const fn whole(name: &'static str, stored: Whole, about: &'static str) -> WholeColumn {
    WholeColumn { name, stored, about }
}

const fn real(name: &'static str, unit: &'static str, about: &'static str) -> RealColumn {
    RealColumn { name, unit, about, missing: None }
}

/// A column that files of earlier versions lack.
const fn later(name: &'static str, unit: &'static str, about: &'static str, missing: f64) -> RealColumn {
    RealColumn { name, unit, about, missing: Some(missing) }
}

const STEP: WholeColumn = whole("step", Whole::Long, "steps since the start");
const TIME: RealColumn = real("time", "s", "time since the start");

/// Where bodies are: all of them, in the order of run.json, once per frame.
pub(crate) static MOTION: Layout = Layout {
    name: "motion",
    wholes: &[STEP, whole("body", Whole::Short, "number of the body in run.json")],
    reals: &[
        TIME,
        real("x", "m", "centre of mass"),
        real("y", "m", "centre of mass, upwards"),
        real("z", "m", "centre of mass"),
        real("qx", "1", "rotation, a unit quaternion"),
        real("qy", "1", "rotation"),
        real("qz", "1", "rotation"),
        real("qw", "1", "rotation, its real part"),
        real("vx", "m/s", "velocity of the centre of mass"),
        real("vy", "m/s", "velocity"),
        real("vz", "m/s", "velocity"),
        real("wx", "rad/s", "spin, in the world's axes"),
        real("wy", "rad/s", "spin"),
        real("wz", "rad/s", "spin"),
    ],
};

/// What touched: every contact of every step.
pub(crate) static CONTACTS: Layout = Layout {
    name: "contacts",
    wholes: &[
        STEP,
        whole("first", Whole::Short, "number of the body that the impulse acts on"),
        whole("second", Whole::Short, "number of the other body"),
        whole("feature", Whole::Long, "the same while the same corners, edges or faces touch"),
        whole("is_new", Whole::Flag, "whether the contact began in this step"),
    ],
    reals: &[
        real("time", "s", "when it began if it is new, else the end of the step"),
        real("x", "m", "the point of contact"),
        real("y", "m", "the point of contact"),
        real("z", "m", "the point of contact"),
        real("nx", "1", "normal, from the second body to the first"),
        real("ny", "1", "normal"),
        real("nz", "1", "normal"),
        real("px", "N s", "impulse on the first body in this step"),
        real("py", "N s", "impulse"),
        real("pz", "N s", "impulse"),
        real("normal_impulse", "N s", "its part along the normal"),
        real("approach_speed", "m/s", "how fast the bodies approached before"),
        real("gap", "m", "how far apart; negative where they overlap"),
        real("restitution", "1", "of the pair at this point"),
        later("start", "s", "when the interval began in which the impulse acted", f64::NAN),
        later("span", "s", "how long that interval is", f64::NAN),
    ],
};

/// Where the energy is and where it went: once per frame.
pub(crate) static LEDGER: Layout = Layout {
    name: "ledger",
    wholes: &[STEP],
    reals: &[
        TIME,
        real("kinetic", "J", "of motion"),
        real("potential", "J", "in gravity"),
        real("elastic", "J", "in penalty springs and soft joints"),
        real("start", "J", "the sum of these at the start"),
        real("restitution", "J", "taken by restitution below one, since the start"),
        real("friction", "J", "taken by friction"),
        real("damping", "J", "taken by damping"),
        real("jam", "J", "taken by jams"),
        real("stabilization", "J", "spent on pulling bodies back to where they belong"),
        real("integrator", "J", "lost by the integrator; negative if it gained"),
        real("driven", "J", "given by scripted bodies"),
        real("injected", "J", "given by forces and impulses of the scene"),
        real("distant", "J", "given to distant contacts, out of what restitution and damping took"),
        later("vibrational", "J", "in the vibrations of flexible bodies", 0.0),
    ],
};

/// How flexible bodies vibrate: the modes that take part in contact, once per frame. There are no files where there are no rows.
pub(crate) static VIBRATION: Layout = Layout {
    name: "vibration",
    wholes: &[
        STEP,
        whole("body", Whole::Short, "number of the body in run.json"),
        whole("mode", Whole::Short, "number of the mode in the body's object, from 0"),
    ],
    reals: &[
        TIME,
        real("q", "kg^½ m", "coordinate of the mode, whose shape is mass-normalized"),
        real("rate", "kg^½ m/s", "its rate"),
    ],
};

/// The tables of a recording; each segment has a file of each, the last only where bodies vibrate.
pub(crate) static TABLES: [&Layout; 4] = [&MOTION, &CONTACTS, &LEDGER, &VIBRATION];

/// Impulses that another engine found.
pub(crate) static IMPULSES: Layout = Layout {
    name: "impulses",
    wholes: &[whole("body", Whole::Short, "number of the object, from zero")],
    reals: &[
        real("time", "s", "when the impulse began"),
        real("span", "s", "how long it lasted"),
        real("x", "m", "where, in the axes of the object"),
        real("y", "m", "where"),
        real("z", "m", "where"),
        real("px", "N s", "impulse on the object, in its axes"),
        real("py", "N s", "impulse"),
        real("pz", "N s", "impulse"),
    ],
};

/// Rows in memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Table {
    wholes: Vec<u64>,
    reals: Vec<f64>,
}

impl Table {
    pub(crate) fn with_rows(layout: &Layout, rows: usize) -> Table {
        Table { wholes: vec![0; rows * layout.wholes.len()], reals: vec![0.0; rows * layout.reals.len()] }
    }

    /// Whether all numbers are numbers; those of a column that the file lacks may stand for nothing.
    pub(crate) fn finite(&self, layout: &Layout) -> Result<(), String> {
        for (column, spec) in layout.reals.iter().enumerate() {
            let allowed = |x: f64| x.is_finite() || spec.missing.is_some_and(f64::is_nan);
            if let Some(row) = self.reals(layout, column).position(|x| !allowed(x)) {
                return Err(format!("row {row} of its column '{}' is no finite number", spec.name));
            }
        }
        Ok(())
    }

    pub(crate) fn push(&mut self, wholes: &[u64], reals: &[f64]) {
        self.wholes.extend_from_slice(wholes);
        self.reals.extend_from_slice(reals);
    }

    pub(crate) fn clear(&mut self) {
        self.wholes.clear();
        self.reals.clear();
    }

    pub(crate) fn row_count(&self, layout: &Layout) -> usize {
        self.wholes.len() / layout.wholes.len()
    }

    pub(crate) fn rows(&self, layout: &Layout) -> impl Iterator<Item = (&[u64], &[f64])> {
        self.wholes.chunks_exact(layout.wholes.len()).zip(self.reals.chunks_exact(layout.reals.len()))
    }

    /// A column of whole numbers, by its place among them.
    pub(crate) fn wholes(&self, layout: &Layout, column: usize) -> impl Iterator<Item = u64> {
        self.wholes.chunks_exact(layout.wholes.len()).map(move |row| row[column])
    }

    /// A column of real numbers, by its place among them.
    pub(crate) fn reals(&self, layout: &Layout, column: usize) -> impl Iterator<Item = f64> {
        self.reals.chunks_exact(layout.reals.len()).map(move |row| row[column])
    }

    pub(crate) fn set_wholes(
        &mut self,
        layout: &Layout,
        column: usize,
        from: usize,
        values: impl Iterator<Item = u64>,
    ) {
        let rows = self.wholes.chunks_exact_mut(layout.wholes.len()).skip(from);
        rows.zip(values).for_each(|(row, value)| row[column] = value);
    }

    pub(crate) fn set_reals(&mut self, layout: &Layout, column: usize, from: usize, values: impl Iterator<Item = f64>) {
        let rows = self.reals.chunks_exact_mut(layout.reals.len()).skip(from);
        rows.zip(values).for_each(|(row, value)| row[column] = value);
    }
}
