//! Which instructions the fast method runs on: chosen when the program runs, so that one binary serves every machine.

use std::fmt;

use pulp::{Scalar, Simd, WithSimd};

/// A set of instructions for many strikes at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lanes {
    /// What every machine of the architecture has: plain code that the compiler may pair up.
    Baseline,
    /// Vectors of 128 bits, on 64-bit ARM.
    Neon,
    /// Vectors of 256 bits, with AVX2 and FMA.
    Avx2,
    /// Vectors of 512 bits, with AVX-512.
    Avx512,
}

impl Lanes {
    const ALL: [Lanes; 4] = [Lanes::Baseline, Lanes::Neon, Lanes::Avx2, Lanes::Avx512];

    /// What this machine has, narrowest first.
    pub fn available() -> Vec<Lanes> {
        Lanes::ALL.into_iter().filter(|lanes| lanes.try_run(Nothing).is_ok()).collect()
    }

    /// The widest of this machine.
    pub fn widest() -> Lanes {
        Lanes::available().pop().unwrap_or(Lanes::Baseline)
    }

    /// Strikes that run side by side: two vectors of them, so that the latency of one hides behind the other.
    pub fn strikes(self) -> usize {
        match self {
            Lanes::Baseline => 2,
            Lanes::Neon => 4,
            Lanes::Avx2 => 8,
            Lanes::Avx512 => 16,
        }
    }

    /// Runs a task compiled for these instructions; for the baseline if the machine has not got them.
    pub(crate) fn run<T: WithSimd>(self, task: T) -> T::Output {
        self.try_run(task).unwrap_or_else(|task| Scalar.vectorize(task))
    }

    /// Gives the task back if the machine has not got the instructions.
    fn try_run<T: WithSimd>(self, task: T) -> Result<T::Output, T> {
        match self {
            Lanes::Baseline => Ok(Scalar.vectorize(task)),
            #[cfg(target_arch = "aarch64")]
            Lanes::Neon => run_if(pulp::aarch64::Neon::try_new(), task),
            #[cfg(target_arch = "x86_64")]
            Lanes::Avx2 => run_if(pulp::x86::V3::try_new(), task),
            #[cfg(target_arch = "x86_64")]
            Lanes::Avx512 => run_if(pulp::x86::V4::try_new(), task),
            _ => Err(task),
        }
    }
}

impl fmt::Display for Lanes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Lanes::Baseline => "baseline",
            Lanes::Neon => "NEON",
            Lanes::Avx2 => "AVX2",
            Lanes::Avx512 => "AVX-512",
        })
    }
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
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

    fn with_simd<S: Simd>(self, _: S) {}
}
