//! How far vibrations move the places where bodies rest (*Distant*, Eq. 11).

use glam::DVec3;

use super::lattice::Lattice;
use super::surface::VibratingSurface;

/// Contacts that are summed over side by side: one after the other each addition would wait for the last.
const LANES: usize = 16;

/// The modes at places where bodies rest.
#[derive(Debug)]
pub(crate) struct Readings {
    modes: usize,
    /// x of all modes, then y, then z.
    shapes: Lattice<Box<[f64]>>,
}

impl Readings {
    pub fn new(surface: &VibratingSurface) -> Readings {
        let extent = surface.model().surface.bounds().size().max_element();
        Readings { modes: surface.modes(), shapes: Lattice::new(extent) }
    }

    /// Reads the modes at a place, unless that has been done.
    pub fn read(&mut self, surface: &VibratingSurface, point: DVec3) -> &[f64] {
        let modes = self.modes;
        self.shapes.find(point, |place| {
            let mut shapes = Vec::with_capacity(3 * modes);
            surface.push_rows(place, DVec3::AXES, modes, &mut shapes);
            shapes.into()
        })
    }

    /// The largest displacement along the normals at these points that the samples of the modes show.
    pub fn peaks(&mut self, surface: &VibratingSurface, contacts: &[(DVec3, DVec3)], samples: &[f64]) -> Vec<f64> {
        let modes = self.modes;
        let mut peaks = Vec::with_capacity(contacts.len());
        let mut rows = vec![[0.0; LANES]; modes];
        for group in contacts.chunks(LANES) {
            for (lane, &(point, normal)) in group.iter().enumerate() {
                let (x, yz) = self.read(surface, point).split_at(modes);
                let (y, z) = yz.split_at(modes);
                for (((row, x), y), z) in rows.iter_mut().zip(x).zip(y).zip(z) {
                    row[lane] = normal.x * x + normal.y * y + normal.z * z;
                }
            }
            let most = pulp::Arch::new().dispatch(Most { rows: &rows, samples });
            peaks.extend_from_slice(&most[..group.len()]);
        }
        peaks
    }
}

/// The largest of |row · sample| over the samples, in each lane.
struct Most<'a> {
    rows: &'a [[f64; LANES]],
    samples: &'a [f64],
}

impl pulp::WithSimd for Most<'_> {
    type Output = [f64; LANES];

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> [f64; LANES] {
        let mut most = [0.0f64; LANES];
        for sample in self.samples.chunks_exact(self.rows.len().max(1)) {
            let mut sums = [0.0; LANES];
            for (row, q) in self.rows.iter().zip(sample) {
                for lane in 0..LANES {
                    sums[lane] += row[lane] * q;
                }
            }
            for lane in 0..LANES {
                most[lane] = most[lane].max(sums[lane].abs());
            }
        }
        most
    }
}
