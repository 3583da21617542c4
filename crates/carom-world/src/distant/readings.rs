//! How far vibrations move the places where bodies rest (*Distant*, Eq. 11).

use glam::DVec3;

use super::lattice::Lattice;
use super::surface::VibratingSurface;

/// Places are told apart to this part of the body's extent.
const GRAIN: f64 = 1.0 / (1 << 20) as f64;
/// Normals are told apart to this angle.
const TILT: f64 = 1.0 / (1 << 15) as f64;
/// Samples are filled up with silence to a multiple of this, which registers divide.
const LANES: usize = 8;

/// The modes at places where bodies rest, along the normals there.
#[derive(Debug)]
pub(crate) struct Readings {
    modes: usize,
    /// Points and normals.
    places: Lattice<6>,
    /// n·U of each place, to the precision that modes are kept with.
    rows: Vec<f32>,
    read: Vec<f64>,
    /// Where the rows of the contacts begin that are asked for.
    asked: Vec<usize>,
    /// Samples mode by mode.
    turned: Vec<f64>,
}

impl Readings {
    pub fn new(surface: &VibratingSurface) -> Readings {
        let grain = GRAIN * surface.model().surface.bounds().size().max_element();
        let places = Lattice::new([grain, grain, grain, TILT, TILT, TILT]);
        let (rows, read, asked, turned) = Default::default();
        Readings { modes: surface.modes(), places, rows, read, asked, turned }
    }

    /// Reads the modes at places, as far as that has not been done.
    pub fn read(&mut self, surface: &VibratingSurface, contacts: &[(DVec3, DVec3)]) {
        if self.places.forgets() {
            self.rows.clear();
        }
        self.asked.clear();
        for (point, normal) in contacts {
            let (number, [x, y, z, p, q, r]) =
                self.places.number([point.x, point.y, point.z, normal.x, normal.y, normal.z]);
            let first = number * self.modes;
            if first == self.rows.len() {
                self.read.clear();
                surface.push_row(DVec3::new(x, y, z), DVec3::new(p, q, r), &mut self.read);
                self.rows.extend(self.read.iter().map(|&x| x as f32));
            }
            self.asked.push(first);
        }
    }

    /// The largest displacement along the normals at these points that the samples of the modes show.
    pub fn peaks(&mut self, surface: &VibratingSurface, contacts: &[(DVec3, DVec3)], samples: &[f64]) -> Vec<f64> {
        self.read(surface, contacts);
        let modes = self.modes.max(1);
        let stride = (samples.len() / modes).next_multiple_of(LANES);
        self.turned.clear();
        self.turned.resize(modes * stride, 0.0);
        for (k, sample) in samples.chunks_exact(modes).enumerate() {
            for (mode, &q) in sample.iter().enumerate() {
                self.turned[mode * stride + k] = q;
            }
        }
        let Readings { rows, asked, turned, .. } = self;
        let mut peaks = vec![0.0; asked.len()];
        carom_simd::dispatch(Peaks { modes: self.modes, rows, asked, turned, stride, peaks: &mut peaks });
        peaks
    }
}

/// The largest of |n·Uq| over the samples q, for each row n·U.
struct Peaks<'a> {
    modes: usize,
    rows: &'a [f32],
    asked: &'a [usize],
    turned: &'a [f64],
    /// Samples of a mode.
    stride: usize,
    peaks: &'a mut [f64],
}

impl pulp::WithSimd for Peaks<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, simd: S) {
        let samples = S::as_simd_f64s(self.turned).0;
        let stride = self.stride / S::F64_LANES;
        for (peak, &first) in self.peaks.iter_mut().zip(self.asked) {
            let row = &self.rows[first..first + self.modes];
            let mut most = simd.splat_f64s(0.0);
            let mut next = 0;
            // Several sums at once, so that none waits for the one before.
            while next + 4 <= stride {
                most = simd.max_f64s(most, largest::<S, 4>(simd, row, samples, stride, next));
                next += 4;
            }
            while next < stride {
                most = simd.max_f64s(most, largest::<S, 1>(simd, row, samples, stride, next));
                next += 1;
            }
            *peak = simd.reduce_max_f64s(most);
        }
    }
}

/// The largest of the displacements in K registers of samples from the `next` one on, lane by lane.
#[inline(always)]
fn largest<S: pulp::Simd, const K: usize>(
    simd: S,
    row: &[f32],
    samples: &[S::f64s],
    stride: usize,
    next: usize,
) -> S::f64s {
    let mut sums = [simd.splat_f64s(0.0); K];
    for (&row, samples) in row.iter().zip(samples.chunks_exact(stride)) {
        let row = simd.splat_f64s(f64::from(row));
        let samples = &samples[next..next + K];
        for k in 0..K {
            sums[k] = simd.mul_add_f64s(row, samples[k], sums[k]);
        }
    }
    sums.into_iter().fold(simd.splat_f64s(0.0), |most, sum| simd.max_f64s(most, simd.abs_f64s(sum)))
}
