//! One number of several strikes side by side, and its arithmetic in the instructions of a [`Simd`].

use pulp::{Simd, bytemuck};

/// As many numbers as fit in two vectors: the latency of one hides behind the other.
#[derive(Clone, Copy)]
pub(crate) struct Pack<S: Simd>([S::f64s; 2]);

impl<S: Simd> Pack<S> {
    /// How many numbers there are.
    pub const WIDTH: usize = 2 * S::F64_LANES;

    /// The numbers.
    #[inline(always)]
    pub fn lanes(&self) -> &[f64] {
        bytemuck::cast_slice(&self.0)
    }

    /// The numbers, to be changed.
    #[inline(always)]
    pub fn lanes_mut(&mut self) -> &mut [f64] {
        bytemuck::cast_slice_mut(&mut self.0)
    }
}

/// Arithmetic of packs, lane by lane: what stands beside a number never changes its result.
#[derive(Clone, Copy)]
pub(crate) struct Arithmetic<S: Simd>(pub S);

impl<S: Simd> Arithmetic<S> {
    /// The same number in all lanes.
    #[inline(always)]
    pub fn splat(self, number: f64) -> Pack<S> {
        Pack([self.0.splat_f64s(number); 2])
    }

    /// a + b
    #[inline(always)]
    pub fn add(self, a: Pack<S>, b: Pack<S>) -> Pack<S> {
        Pack([self.0.add_f64s(a.0[0], b.0[0]), self.0.add_f64s(a.0[1], b.0[1])])
    }

    /// a − b
    #[inline(always)]
    pub fn sub(self, a: Pack<S>, b: Pack<S>) -> Pack<S> {
        Pack([self.0.sub_f64s(a.0[0], b.0[0]), self.0.sub_f64s(a.0[1], b.0[1])])
    }

    /// a·b
    #[inline(always)]
    pub fn mul(self, a: Pack<S>, b: Pack<S>) -> Pack<S> {
        Pack([self.0.mul_f64s(a.0[0], b.0[0]), self.0.mul_f64s(a.0[1], b.0[1])])
    }

    /// a·b + c, rounded once where one instruction does it.
    #[inline(always)]
    pub fn mul_add(self, a: Pack<S>, b: Pack<S>, c: Pack<S>) -> Pack<S> {
        Pack([self.0.mul_add_e_f64s(a.0[0], b.0[0], c.0[0]), self.0.mul_add_e_f64s(a.0[1], b.0[1], c.0[1])])
    }

    /// √a
    #[inline(always)]
    pub fn sqrt(self, a: Pack<S>) -> Pack<S> {
        Pack([self.0.sqrt_f64s(a.0[0]), self.0.sqrt_f64s(a.0[1])])
    }

    /// |a|
    #[inline(always)]
    pub fn abs(self, a: Pack<S>) -> Pack<S> {
        Pack([self.0.abs_f64s(a.0[0]), self.0.abs_f64s(a.0[1])])
    }

    /// `yes` where a > b, `no` elsewhere.
    #[inline(always)]
    pub fn if_greater(self, a: Pack<S>, b: Pack<S>, yes: Pack<S>, no: Pack<S>) -> Pack<S> {
        let simd = self.0;
        let choose = |k: usize| simd.select_f64s(simd.greater_than_f64s(a.0[k], b.0[k]), yes.0[k], no.0[k]);
        Pack([choose(0), choose(1)])
    }
}
