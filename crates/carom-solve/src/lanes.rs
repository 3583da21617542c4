//! Code for the registers that the processor turns out to have when the program runs.

/// A task that is compiled once for each kind of registers. All of it must be inlined to become such code.
pub(crate) trait Task {
    type Output;

    /// `FUSED` tells whether the processor multiplies and adds in one instruction; see [`multiply_add`].
    fn run<const FUSED: bool>(self) -> Self::Output;
}

/// Runs a task with the widest registers there are.
#[inline(always)]
pub(crate) fn in_lanes<T: Task>(task: T) -> T::Output {
    struct Chosen<T>(T);
    impl<T: Task> pulp::WithSimd for Chosen<T> {
        type Output = T::Output;
        #[inline(always)]
        fn with_simd<S: pulp::Simd>(self, _: S) -> T::Output {
            if !S::IS_SCALAR && cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) {
                self.0.run::<true>()
            } else {
                self.0.run::<false>()
            }
        }
    }
    pulp::Arch::new().dispatch(Chosen(task))
}

/// a b + c, rounded once if that is one instruction. Where it is not, a library would do it ten times slower than two roundings.
#[inline(always)]
pub(crate) fn multiply_add<const FUSED: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FUSED { a.mul_add(b, c) } else { a * b + c }
}
