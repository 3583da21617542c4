//! The vector instructions that Carom runs on, chosen once per process, here and nowhere else.
//!
//! The default is the widest level of the processor. The environment variable `CAROM_SIMD` forces a narrower one, to compare results
//! across processors on a single machine. Worlds give the same bits on every level.

#![forbid(unsafe_code)]

use std::ffi::OsStr;
use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

use pulp::{Scalar, Simd, WithSimd};

/// The environment variable that forces a level: `baseline`, `avx2` or `avx512` on x86-64, `baseline` or `neon` on 64-bit ARM.
pub const VARIABLE: &str = "CAROM_SIMD";

/// A set of vector instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SimdLevel {
    /// Instructions that every processor of the architecture has.
    Baseline,
    /// Vectors of 128 bits, on 64-bit ARM.
    Neon,
    /// Vectors of 256 bits, with AVX2 and FMA.
    Avx2,
    /// Vectors of 512 bits, with AVX-512.
    Avx512,
}

/// A wrong value of [`VARIABLE`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SimdError {
    /// No level has this name.
    #[error("{VARIABLE}={value} is not a level of instructions; choose one of {}", names(&SimdLevel::available()))]
    Unknown {
        /// The value.
        value: String,
    },
    /// The processor lacks this level.
    #[error("{VARIABLE}={level}: this processor lacks these instructions; it has {}", names(&SimdLevel::available()))]
    Missing {
        /// The level.
        level: SimdLevel,
    },
}

impl SimdLevel {
    /// The levels of this architecture, narrowest first; a processor may lack some.
    pub const ARCHITECTURE: &[SimdLevel] = if cfg!(target_arch = "x86_64") {
        &[SimdLevel::Baseline, SimdLevel::Avx2, SimdLevel::Avx512]
    } else if cfg!(target_arch = "aarch64") {
        &[SimdLevel::Baseline, SimdLevel::Neon]
    } else {
        &[SimdLevel::Baseline]
    };

    const ALL: [SimdLevel; 4] = [SimdLevel::Baseline, SimdLevel::Neon, SimdLevel::Avx2, SimdLevel::Avx512];

    /// The levels of this processor, narrowest first.
    pub fn available() -> Vec<SimdLevel> {
        SimdLevel::ARCHITECTURE.iter().copied().filter(|level| level.is_available()).collect()
    }

    /// Whether this processor has the level.
    pub fn is_available(self) -> bool {
        self.try_run(Nothing).is_ok()
    }

    /// The widest level of this processor.
    pub fn widest() -> SimdLevel {
        SimdLevel::available().pop().unwrap_or(SimdLevel::Baseline)
    }

    /// The level that [`VARIABLE`] asks for, if it is set.
    ///
    /// A program should call this at its start and report the error; the library itself ignores a wrong value.
    pub fn requested() -> Result<Option<SimdLevel>, SimdError> {
        std::env::var_os(VARIABLE).map_or(Ok(None), |value| SimdLevel::from_variable(&value))
    }

    /// An empty value asks for nothing.
    fn from_variable(value: &OsStr) -> Result<Option<SimdLevel>, SimdError> {
        if value.is_empty() {
            return Ok(None);
        }
        let level: SimdLevel = value.to_string_lossy().parse()?;
        if level.is_available() { Ok(Some(level)) } else { Err(SimdError::Missing { level }) }
    }

    /// The level that this process uses: the requested one, else the widest. It does not change after the first call.
    #[inline]
    pub fn current() -> SimdLevel {
        static CURRENT: OnceLock<SimdLevel> = OnceLock::new();
        *CURRENT.get_or_init(|| SimdLevel::requested().ok().flatten().unwrap_or_else(SimdLevel::widest))
    }

    /// The value of [`VARIABLE`] that forces this level.
    pub fn name(self) -> &'static str {
        match self {
            SimdLevel::Baseline => "baseline",
            SimdLevel::Neon => "neon",
            SimdLevel::Avx2 => "avx2",
            SimdLevel::Avx512 => "avx512",
        }
    }

    /// Runs a task that is compiled for these instructions, or for the baseline if the processor lacks them.
    #[inline(always)]
    pub fn run<T: WithSimd>(self, task: T) -> T::Output {
        self.try_run(task).unwrap_or_else(|task| Scalar.vectorize(task))
    }

    /// Returns the task if the processor lacks the instructions.
    #[inline(always)]
    fn try_run<T: WithSimd>(self, task: T) -> Result<T::Output, T> {
        match self {
            SimdLevel::Baseline => Ok(Scalar.vectorize(task)),
            #[cfg(target_arch = "aarch64")]
            SimdLevel::Neon => run_if(pulp::aarch64::Neon::try_new(), task),
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx2 => run_if(pulp::x86::V3::try_new(), task),
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx512 => run_if(pulp::x86::V4::try_new(), task),
            _ => Err(task),
        }
    }
}

/// Runs a task on the current level. All that it calls must be inlined to be compiled for it.
#[inline(always)]
pub fn dispatch<T: WithSimd>(task: T) -> T::Output {
    SimdLevel::current().run(task)
}

impl fmt::Display for SimdLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for SimdLevel {
    type Err = SimdError;

    fn from_str(text: &str) -> Result<SimdLevel, SimdError> {
        let found = SimdLevel::ALL.into_iter().find(|level| level.name() == text);
        found.ok_or_else(|| SimdError::Unknown { value: text.into() })
    }
}

fn names(levels: &[SimdLevel]) -> String {
    levels.iter().map(|level| level.name()).collect::<Vec<_>>().join(", ")
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline(always)]
fn run_if<S: Simd, T: WithSimd>(simd: Option<S>, task: T) -> Result<T::Output, T> {
    match simd {
        Some(simd) => Ok(simd.vectorize(task)),
        None => Err(task),
    }
}

/// A task that only finds out whether the instructions are there.
struct Nothing;

impl WithSimd for Nothing {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of 64-bit numbers in a register.
    struct Width;

    impl WithSimd for Width {
        type Output = usize;

        #[inline(always)]
        fn with_simd<S: Simd>(self, _: S) -> usize {
            S::F64_LANES
        }
    }

    #[test]
    fn every_level_runs_in_its_own_registers_and_missing_levels_at_the_baseline() {
        let width = |level: SimdLevel| match level {
            _ if !level.is_available() => 1,
            SimdLevel::Baseline => 1,
            SimdLevel::Neon => 2,
            SimdLevel::Avx2 => 4,
            SimdLevel::Avx512 => 8,
        };
        for level in SimdLevel::ALL {
            assert_eq!(level.run(Width), width(level), "{level}");
        }
        assert_eq!(SimdLevel::available()[0], SimdLevel::Baseline);
        assert!(SimdLevel::current().is_available());
        assert_eq!(dispatch(Width), width(SimdLevel::current()));
    }

    #[test]
    fn values_of_the_variable_are_levels_of_this_processor_or_errors() {
        for level in SimdLevel::ALL {
            let found = SimdLevel::from_variable(level.name().as_ref());
            let expected = if level.is_available() { Ok(Some(level)) } else { Err(SimdError::Missing { level }) };
            assert_eq!(found, expected);
        }
        let error = SimdLevel::from_variable("sse9".as_ref()).unwrap_err().to_string();
        assert!(error.starts_with("CAROM_SIMD=sse9 is not a level of instructions; choose one of baseline"), "{error}");
        assert_eq!(SimdLevel::from_variable("".as_ref()), Ok(None));
        let foreign = if cfg!(target_arch = "aarch64") { SimdLevel::Avx2 } else { SimdLevel::Neon };
        let error = SimdLevel::from_variable(foreign.name().as_ref()).unwrap_err().to_string();
        assert!(error.contains("lacks these instructions; it has baseline"), "{error}");
    }
}
