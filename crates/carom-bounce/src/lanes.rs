//! Which instructions run the linear problem: chosen when the program runs, so one binary serves every machine.

use std::fmt;

/// A set of instructions for many strikes at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lanes {
    /// One strike at a time.
    Scalar,
    /// Vectors of 128 bits, which every 64-bit processor has.
    Baseline,
    /// Vectors of 256 bits with fused multiplication and addition.
    Avx2,
    /// Vectors of 512 bits.
    Avx512,
}

impl Lanes {
    /// What this machine has, narrowest first.
    pub fn available() -> Vec<Lanes> {
        let mut lanes = vec![Lanes::Scalar, Lanes::Baseline];
        #[cfg(target_arch = "x86_64")]
        {
            if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
                lanes.push(Lanes::Avx2);
            }
            if std::arch::is_x86_feature_detected!("avx512f") {
                lanes.push(Lanes::Avx512);
            }
        }
        lanes
    }

    /// The widest of this machine.
    pub fn widest() -> Lanes {
        Lanes::available().pop().unwrap_or(Lanes::Baseline)
    }

    /// Numbers that one instruction works on.
    pub fn width(self) -> usize {
        match self {
            Lanes::Scalar => 1,
            Lanes::Baseline => 2,
            Lanes::Avx2 => 4,
            Lanes::Avx512 => 8,
        }
    }

    /// Runs a task, compiled for these instructions; for the widest below them where the machine has not got them.
    pub(crate) fn run<T: LaneTask>(self, task: T) -> T::Output {
        let lanes = if Lanes::available().contains(&self) { self } else { Lanes::widest() };
        match lanes {
            Lanes::Scalar => task.run::<1, false>(),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `available` has found the instructions on this machine.
            Lanes::Avx2 => unsafe { run_avx2(task) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Lanes::Avx512 => unsafe { run_avx512(task) },
            _ => task.run::<4, false>(),
        }
    }
}

impl fmt::Display for Lanes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Lanes::Scalar => "scalar",
            Lanes::Baseline => "128 bits",
            Lanes::Avx2 => "AVX2",
            Lanes::Avx512 => "AVX-512",
        })
    }
}

/// Work that is written once for any number of strikes at a time. `run` must be inlined always, so that it is
/// compiled with the instructions of its caller.
pub(crate) trait LaneTask {
    type Output;
    /// With so many strikes at a time. `FUSED` says that a·b + c is one instruction; where it is not, asking for it
    /// would call a library function.
    fn run<const WIDTH: usize, const FUSED: bool>(self) -> Self::Output;
}

// Two vectors at a time: the latency of one hides behind the other.

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn run_avx2<T: LaneTask>(task: T) -> T::Output {
    task.run::<8, true>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn run_avx512<T: LaneTask>(task: T) -> T::Output {
    task.run::<16, true>()
}
