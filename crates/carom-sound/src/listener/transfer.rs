//! From the vibration of a surface to the pressure around it.
//!
//! A [`Transfer`] tells the complex pressure of each mode for a unit of its velocity. A baked [`Radiation`] is one. [`FreeField`] serves where none was baked: every patch
//! of the surface radiates as a simple source in free air, which the body itself does not shade.

use std::collections::BTreeMap;
use std::f64::consts::PI;

use carom_object::{Complex64, ModalModel, Radiation};
use glam::DVec3;

use crate::synthesis::{AIR_DENSITY, SPEED_OF_SOUND};
use crate::wave::{Work, in_vectors, sine_and_cosine};

/// Acoustic transfer of the modes of a body.
pub trait Transfer: Sync {
    /// Pressure in Pa at a point in the axes of the model for a mode that rings with velocity q̇ = 1 √kg m/s: real and imaginary part, with the
    /// time factor exp(+iωt).
    fn transfer(&self, mode: usize, point: DVec3) -> (f64, f64);

    /// The same of the lowest modes at one point.
    fn transfers(&self, modes: usize, point: DVec3) -> Vec<(f64, f64)> {
        (0..modes).map(|mode| self.transfer(mode, point)).collect()
    }
}

impl Transfer for Radiation {
    fn transfer(&self, mode: usize, point: DVec3) -> (f64, f64) {
        let pressure = Radiation::transfer(self, mode, point);
        (pressure.re, pressure.im)
    }

    fn transfers(&self, modes: usize, point: DVec3) -> Vec<(f64, f64)> {
        let mut pressures = vec![Complex64::ZERO; self.mode_count()];
        // Directions are those of all modes: their harmonics are found once.
        Radiation::transfers(self, point, &mut pressures, &mut Vec::new());
        pressures.resize(modes, Complex64::ZERO);
        pressures.into_iter().map(|pressure| (pressure.re, pressure.im)).collect()
    }
}

/// Patches of a surface, each a simple source.
#[derive(Clone, Debug)]
pub struct FreeField {
    centres: Vec<DVec3>,
    omegas: Vec<f64>,
    /// Volume velocity of each patch in each mode, m³/s: `flows[mode * patches + patch]`.
    flows: Vec<f64>,
}

/// Patches along the longest side of a body.
const PATCHES: f64 = 6.0;

impl FreeField {
    /// Divides the surface into patches that are small against the body and whose parts face about the same way.
    pub fn new(model: &ModalModel) -> FreeField {
        let bounds = model.surface.bounds();
        let cell = bounds.size().max_element() / PATCHES;
        let mut patches: BTreeMap<([i64; 3], [bool; 3]), Vec<usize>> = BTreeMap::new();
        for triangle in 0..model.surface.triangles.len() {
            let [a, b, c] = model.surface.corners(triangle);
            let place = ((a + b + c) / 3.0 - bounds.min) / cell.max(f64::MIN_POSITIVE);
            let normal = model.surface.area_vector(triangle);
            let key = (place.to_array().map(|x| x as i64), normal.to_array().map(|x| x > 0.0));
            patches.entry(key).or_default().push(triangle);
        }
        let weigh = |triangles: &Vec<usize>| {
            let areas = triangles.iter().map(|&t| model.surface.area_vector(t).length());
            let whole: f64 = areas.clone().sum();
            let middle = |t: usize| model.surface.corners(t).into_iter().sum::<DVec3>() / 3.0;
            triangles.iter().zip(areas).map(|(&t, area)| area * middle(t)).sum::<DVec3>() / whole
        };
        let centres = patches.values().map(weigh).collect();
        let flow = |mode: usize, triangles: &Vec<usize>| -> f64 {
            let of_triangle = |&t: &usize| {
                let corners = model.surface.triangles[t].map(|vertex| model.shape_at_vertex(mode, vertex as usize));
                corners.into_iter().sum::<DVec3>().dot(model.surface.area_vector(t)) / 3.0
            };
            triangles.iter().map(of_triangle).sum()
        };
        let modes = 0..model.mode_count();
        let flows = modes.clone().flat_map(|mode| patches.values().map(move |t| flow(mode, t))).collect();
        FreeField { centres, omegas: modes.map(|mode| model.angular_frequency(mode)).collect(), flows }
    }
}

impl Transfer for FreeField {
    fn transfer(&self, mode: usize, point: DVec3) -> (f64, f64) {
        self.sum(mode, &self.ways(point))
    }

    fn transfers(&self, modes: usize, point: DVec3) -> Vec<(f64, f64)> {
        let ways = self.ways(point);
        (0..modes).map(|mode| self.sum(mode, &ways)).collect()
    }
}

impl FreeField {
    /// How far it is from each patch to a point, m, and one over that.
    fn ways(&self, point: DVec3) -> [Vec<f64>; 2] {
        let lengths: Vec<f64> = self.centres.iter().map(|centre| centre.distance(point).max(1e-3)).collect();
        let inverse = lengths.iter().map(|length| 1.0 / length).collect();
        [lengths, inverse]
    }

    /// p = iωρ Σ Q exp(−ikr)/(4πr).
    fn sum(&self, mode: usize, [lengths, inverse]: &[Vec<f64>; 2]) -> (f64, f64) {
        let omega = self.omegas[mode];
        let flows = &self.flows[mode * lengths.len()..][..lengths.len()];
        let (re, im) = in_vectors(Waves { wave_number: omega / SPEED_OF_SOUND, flows, lengths, inverse });
        let strength = omega * AIR_DENSITY / (4.0 * PI);
        (strength * re, strength * im)
    }
}

/// Partial sums, side by side in vectors: the compiler may not reorder a sum, so that its order is written out.
const LANES: usize = 8;

/// Σ Q sin(kr)/r and Σ Q cos(kr)/r.
struct Waves<'a> {
    wave_number: f64,
    flows: &'a [f64],
    lengths: &'a [f64],
    inverse: &'a [f64],
}

impl Work for Waves<'_> {
    type Output = (f64, f64);

    #[inline(always)]
    fn run(self) -> (f64, f64) {
        let Waves { wave_number, flows, lengths, inverse } = self;
        let (mut re, mut im) = ([0.0; LANES], [0.0; LANES]);
        let (flows, lengths, inverse) =
            (flows.as_chunks::<LANES>(), lengths.as_chunks::<LANES>(), inverse.as_chunks::<LANES>());
        for ((flows, lengths), inverse) in flows.0.iter().zip(lengths.0).zip(inverse.0) {
            for lane in 0..LANES {
                let (sine, cosine) = sine_and_cosine(wave_number * lengths[lane]);
                re[lane] += flows[lane] * inverse[lane] * sine;
                im[lane] += flows[lane] * inverse[lane] * cosine;
            }
        }
        for (lane, ((flow, length), inverse)) in flows.1.iter().zip(lengths.1).zip(inverse.1).enumerate() {
            let (sine, cosine) = sine_and_cosine(wave_number * length);
            re[lane] += flow * inverse * sine;
            im[lane] += flow * inverse * cosine;
        }
        (re.iter().sum(), im.iter().sum())
    }
}
