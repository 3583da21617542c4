//! Four or eight numbers at a time, in the registers that the processor turns out to have when the program runs.
//!
//! Each number is computed by the same operations in the same order, however many stand in a register: results have the same bits.

use carom_simd::SimdLevel;

/// Numbers side by side.
pub(crate) const LANES: usize = 4;

/// Four numbers in memory.
pub(crate) type Lane = [f64; LANES];

/// Eight numbers in memory.
pub(crate) type WideLane = [f64; 2 * LANES];

/// What the processor does with four numbers at a time.
pub(crate) trait Registers: Copy {
    type Four: Copy;
    type Eight: Copy;
    /// Whether eight numbers fit into one register.
    const IS_WIDE: bool;

    fn load(self, lane: &Lane) -> Self::Four;
    fn store(self, four: Self::Four) -> Lane;
    fn splat(self, value: f64) -> Self::Four;
    fn add(self, a: Self::Four, b: Self::Four) -> Self::Four;
    fn multiply(self, a: Self::Four, b: Self::Four) -> Self::Four;
    /// a b + c, rounded once.
    fn multiply_add(self, a: Self::Four, b: Self::Four, c: Self::Four) -> Self::Four;
    /// c − a b, rounded once.
    fn subtract_product(self, c: Self::Four, a: Self::Four, b: Self::Four) -> Self::Four;
    /// c − a b of single numbers, rounded once.
    fn subtract(self, c: f64, a: f64, b: f64) -> f64;
    fn load_eight(self, lane: &WideLane) -> Self::Eight;
    fn store_eight(self, eight: Self::Eight) -> WideLane;
    /// c − a b with the same b for all eight numbers.
    fn subtract_multiple(self, c: Self::Eight, a: Self::Eight, b: f64) -> Self::Eight;
}

/// A task that is compiled once for each kind of registers. All of it must be inlined to become such code.
pub(crate) trait Task {
    type Output;

    fn run<R: Registers>(self, registers: R) -> Self::Output;
}

/// Runs a task with the registers of the current level of instructions.
#[inline(always)]
pub(crate) fn in_lanes<T: Task>(task: T) -> T::Output {
    #[cfg(target_arch = "x86_64")]
    {
        let level = SimdLevel::current();
        if level == SimdLevel::Avx512
            && let Some(newest) = pulp::x86::V4::try_new()
        {
            return newest.vectorize(Chosen(task, newest));
        }
        if level == SimdLevel::Avx2
            && let Some(fused) = pulp::x86::V3::try_new()
        {
            return fused.vectorize(Chosen(task, fused));
        }
    }
    task.run(Plain)
}

#[cfg(target_arch = "x86_64")]
struct Chosen<T, R>(T, R);

#[cfg(target_arch = "x86_64")]
impl<T: Task, R: Registers> pulp::NullaryFnOnce for Chosen<T, R> {
    type Output = T::Output;
    #[inline(always)]
    fn call(self) -> T::Output {
        self.0.run(self.1)
    }
}

#[cfg(target_arch = "x86_64")]
impl Registers for pulp::x86::V3 {
    type Four = pulp::f64x4;
    type Eight = [pulp::f64x4; 2];
    const IS_WIDE: bool = false;

    #[inline(always)]
    fn load(self, lane: &Lane) -> pulp::f64x4 {
        pulp::cast(*lane)
    }
    #[inline(always)]
    fn store(self, four: pulp::f64x4) -> Lane {
        pulp::cast(four)
    }
    #[inline(always)]
    fn splat(self, value: f64) -> pulp::f64x4 {
        self.splat_f64x4(value)
    }
    #[inline(always)]
    fn add(self, a: pulp::f64x4, b: pulp::f64x4) -> pulp::f64x4 {
        self.add_f64x4(a, b)
    }
    #[inline(always)]
    fn multiply(self, a: pulp::f64x4, b: pulp::f64x4) -> pulp::f64x4 {
        self.mul_f64x4(a, b)
    }
    #[inline(always)]
    fn multiply_add(self, a: pulp::f64x4, b: pulp::f64x4, c: pulp::f64x4) -> pulp::f64x4 {
        self.mul_add_f64x4(a, b, c)
    }
    #[inline(always)]
    fn subtract_product(self, c: pulp::f64x4, a: pulp::f64x4, b: pulp::f64x4) -> pulp::f64x4 {
        self.negate_mul_add_f64x4(a, b, c)
    }
    #[inline(always)]
    fn subtract(self, c: f64, a: f64, b: f64) -> f64 {
        (-a).mul_add(b, c)
    }
    #[inline(always)]
    fn load_eight(self, lane: &WideLane) -> [pulp::f64x4; 2] {
        pulp::cast(*lane)
    }
    #[inline(always)]
    fn store_eight(self, eight: [pulp::f64x4; 2]) -> WideLane {
        pulp::cast(eight)
    }
    #[inline(always)]
    fn subtract_multiple(self, c: [pulp::f64x4; 2], a: [pulp::f64x4; 2], b: f64) -> [pulp::f64x4; 2] {
        let b = self.splat_f64x4(b);
        [self.negate_mul_add_f64x4(a[0], b, c[0]), self.negate_mul_add_f64x4(a[1], b, c[1])]
    }
}

#[cfg(target_arch = "x86_64")]
impl Registers for pulp::x86::V4 {
    type Four = pulp::f64x4;
    type Eight = pulp::f64x8;
    const IS_WIDE: bool = true;

    #[inline(always)]
    fn load(self, lane: &Lane) -> pulp::f64x4 {
        pulp::cast(*lane)
    }
    #[inline(always)]
    fn store(self, four: pulp::f64x4) -> Lane {
        pulp::cast(four)
    }
    #[inline(always)]
    fn splat(self, value: f64) -> pulp::f64x4 {
        self.splat_f64x4(value)
    }
    #[inline(always)]
    fn add(self, a: pulp::f64x4, b: pulp::f64x4) -> pulp::f64x4 {
        self.add_f64x4(a, b)
    }
    #[inline(always)]
    fn multiply(self, a: pulp::f64x4, b: pulp::f64x4) -> pulp::f64x4 {
        self.mul_f64x4(a, b)
    }
    #[inline(always)]
    fn multiply_add(self, a: pulp::f64x4, b: pulp::f64x4, c: pulp::f64x4) -> pulp::f64x4 {
        self.mul_add_f64x4(a, b, c)
    }
    #[inline(always)]
    fn subtract_product(self, c: pulp::f64x4, a: pulp::f64x4, b: pulp::f64x4) -> pulp::f64x4 {
        self.negate_mul_add_f64x4(a, b, c)
    }
    #[inline(always)]
    fn subtract(self, c: f64, a: f64, b: f64) -> f64 {
        (-a).mul_add(b, c)
    }
    #[inline(always)]
    fn load_eight(self, lane: &WideLane) -> pulp::f64x8 {
        pulp::cast(*lane)
    }
    #[inline(always)]
    fn store_eight(self, eight: pulp::f64x8) -> WideLane {
        pulp::cast(eight)
    }
    #[inline(always)]
    fn subtract_multiple(self, c: pulp::f64x8, a: pulp::f64x8, b: f64) -> pulp::f64x8 {
        self.negate_mul_add_f64x8(a, self.splat_f64x8(b), c)
    }
}

/// Numbers one by one, as far as the compiler does not know better. Products and sums are fused here too, in software where the processor
/// lacks the instruction: that is slower, but every processor gives the same bits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plain;

impl Registers for Plain {
    type Four = Lane;
    type Eight = WideLane;
    const IS_WIDE: bool = false;

    #[inline(always)]
    fn load(self, lane: &Lane) -> Lane {
        *lane
    }
    #[inline(always)]
    fn store(self, four: Lane) -> Lane {
        four
    }
    #[inline(always)]
    fn splat(self, value: f64) -> Lane {
        [value; LANES]
    }
    #[inline(always)]
    fn add(self, a: Lane, b: Lane) -> Lane {
        std::array::from_fn(|k| a[k] + b[k])
    }
    #[inline(always)]
    fn multiply(self, a: Lane, b: Lane) -> Lane {
        std::array::from_fn(|k| a[k] * b[k])
    }
    #[inline(always)]
    fn multiply_add(self, a: Lane, b: Lane, c: Lane) -> Lane {
        std::array::from_fn(|k| a[k].mul_add(b[k], c[k]))
    }
    #[inline(always)]
    fn subtract_product(self, c: Lane, a: Lane, b: Lane) -> Lane {
        std::array::from_fn(|k| self.subtract(c[k], a[k], b[k]))
    }
    #[inline(always)]
    fn subtract(self, c: f64, a: f64, b: f64) -> f64 {
        (-a).mul_add(b, c)
    }
    #[inline(always)]
    fn load_eight(self, lane: &WideLane) -> WideLane {
        *lane
    }
    #[inline(always)]
    fn store_eight(self, eight: WideLane) -> WideLane {
        eight
    }
    #[inline(always)]
    fn subtract_multiple(self, c: WideLane, a: WideLane, b: f64) -> WideLane {
        std::array::from_fn(|k| self.subtract(c[k], a[k], b))
    }
}
