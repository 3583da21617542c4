//! Quadratic and cubic forms in three variables, and their harmonic parts: what multipole expansions are made of.

use std::ops::{Add, AddAssign};

use glam::DVec3;

/// A homogeneous polynomial of degree two: coefficients of xx, yy, zz, xy, yz, zx.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Quadratic([f64; 6]);

/// A homogeneous polynomial of degree three: coefficients of xxx, yyy, zzz, xxy, xxz, yyx, yyz, zzx, zzy, xyz.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Cubic([f64; 10]);

impl Quadratic {
    /// r ↦ (a·r)(b·r).
    pub(crate) fn product(a: DVec3, b: DVec3) -> Quadratic {
        let mixed = |i: usize, j: usize| a[i] * b[j] + a[j] * b[i];
        Quadratic([a.x * b.x, a.y * b.y, a.z * b.z, mixed(0, 1), mixed(1, 2), mixed(2, 0)])
    }

    pub(crate) fn scaled(self, factor: f64) -> Quadratic {
        Quadratic(self.0.map(|c| factor * c))
    }

    /// r ↦ q(r)(a·r).
    pub(crate) fn times(&self, a: DVec3) -> Cubic {
        let [xx, yy, zz, xy, yz, zx] = self.0;
        Cubic([
            xx * a.x,
            yy * a.y,
            zz * a.z,
            xx * a.y + xy * a.x,
            xx * a.z + zx * a.x,
            yy * a.x + xy * a.y,
            yy * a.z + yz * a.y,
            zz * a.x + zx * a.z,
            zz * a.y + yz * a.z,
            xy * a.z + yz * a.x + zx * a.y,
        ])
    }

    /// The form less the multiple of r² that leaves its Laplacian zero.
    pub(crate) fn harmonic(&self) -> Quadratic {
        let [xx, yy, zz, xy, yz, zx] = self.0;
        let third = (xx + yy + zz) / 3.0;
        Quadratic([xx - third, yy - third, zz - third, xy, yz, zx])
    }

    #[inline]
    pub(crate) fn at(&self, r: DVec3) -> f64 {
        let [xx, yy, zz, xy, yz, zx] = self.0;
        r.x * (xx * r.x + xy * r.y) + r.y * (yy * r.y + yz * r.z) + r.z * (zz * r.z + zx * r.x)
    }
}

impl Cubic {
    pub(crate) fn scaled(self, factor: f64) -> Cubic {
        Cubic(self.0.map(|c| factor * c))
    }

    /// The form less the linear multiple of r² that leaves its Laplacian zero.
    pub(crate) fn harmonic(&self) -> Cubic {
        let [xxx, yyy, zzz, xxy, xxz, yyx, yyz, zzx, zzy, _] = self.0;
        let laplacian = 2.0 * DVec3::new(3.0 * xxx + yyx + zzx, 3.0 * yyy + xxy + zzy, 3.0 * zzz + xxz + yyz);
        let square = Quadratic([1.0, 1.0, 1.0, 0.0, 0.0, 0.0]);
        *self + square.times(laplacian / -10.0)
    }

    #[inline]
    pub(crate) fn at(&self, r: DVec3) -> f64 {
        let [xxx, yyy, zzz, xxy, xxz, yyx, yyz, zzx, zzy, xyz] = self.0;
        r.x * r.x * (xxx * r.x + xxy * r.y + xxz * r.z)
            + r.y * r.y * (yyx * r.x + yyy * r.y + yyz * r.z)
            + r.z * r.z * (zzx * r.x + zzy * r.y + zzz * r.z)
            + xyz * r.x * r.y * r.z
    }
}

impl AddAssign for Quadratic {
    fn add_assign(&mut self, other: Quadratic) {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a += b);
    }
}

impl Add for Cubic {
    type Output = Cubic;

    fn add(mut self, other: Cubic) -> Cubic {
        self += other;
        self
    }
}

impl AddAssign for Cubic {
    fn add_assign(&mut self, other: Cubic) {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a += b);
    }
}
