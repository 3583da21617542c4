//! How far vibrations move the places where bodies rest (*Distant*, Eq. 11).

use glam::DVec3;

use super::lattice::Lattice;
use super::surface::VibratingSurface;

/// Places are told apart to this part of the body's extent.
const GRAIN: f64 = 1.0 / (1 << 20) as f64;
/// Normals are told apart to this angle.
const TILT: f64 = 1.0 / (1 << 15) as f64;
/// Samples that are summed over side by side.
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
}

impl Readings {
    pub fn new(surface: &VibratingSurface) -> Readings {
        let grain = GRAIN * surface.model().surface.bounds().size().max_element();
        let places = Lattice::new([grain, grain, grain, TILT, TILT, TILT]);
        Readings { modes: surface.modes(), places, rows: Vec::new(), read: Vec::new() }
    }

    /// Reads the modes at a place, unless that has been done.
    pub fn read(&mut self, surface: &VibratingSurface, point: DVec3, normal: DVec3) -> &[f32] {
        if self.places.forgets() {
            self.rows.clear();
        }
        let (number, [x, y, z, p, q, r]) =
            self.places.number([point.x, point.y, point.z, normal.x, normal.y, normal.z]);
        let first = number * self.modes;
        if first == self.rows.len() {
            self.read.clear();
            surface.push_row(DVec3::new(x, y, z), DVec3::new(p, q, r), &mut self.read);
            self.rows.extend(self.read.iter().map(|&x| x as f32));
        }
        &self.rows[first..first + self.modes]
    }

    /// The largest displacement along the normals at these points that the samples of the modes show.
    pub fn peaks(&mut self, surface: &VibratingSurface, contacts: &[(DVec3, DVec3)], samples: &[f64]) -> Vec<f64> {
        let modes = self.modes.max(1);
        let groups = (samples.len() / modes).div_ceil(LANES);
        let mut turned = vec![[0.0; LANES]; groups * modes];
        for (k, sample) in samples.chunks_exact(modes).enumerate() {
            for (mode, &q) in sample.iter().enumerate() {
                turned[k / LANES * modes + mode][k % LANES] = q;
            }
        }
        let arch = pulp::Arch::new();
        let peak = |&(point, normal): &(DVec3, DVec3)| {
            arch.dispatch(Most { row: self.read(surface, point, normal), samples: &turned })
        };
        contacts.iter().map(peak).collect()
    }
}

/// The largest of |n·Uq| over the samples q.
struct Most<'a> {
    /// n·U.
    row: &'a [f32],
    /// Groups of samples, mode by mode.
    samples: &'a [[f64; LANES]],
}

impl pulp::WithSimd for Most<'_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> f64 {
        let mut most = [0.0f64; LANES];
        for group in self.samples.chunks_exact(self.row.len().max(1)) {
            let mut sums = [0.0; LANES];
            for (&row, sample) in self.row.iter().zip(group) {
                for lane in 0..LANES {
                    sums[lane] += f64::from(row) * sample[lane];
                }
            }
            for lane in 0..LANES {
                most[lane] = most[lane].max(sums[lane].abs());
            }
        }
        most.into_iter().fold(0.0, f64::max)
    }
}
