//! How loud each mode is where: acoustic transfer as run-time data.
//!
//! Around a body that vibrates at one frequency the pressure is a series of multipoles, p = Σ c_nm h_n(kr)/h_n(kR) Y_nm,
//! exact outside the sphere of radius R around it. Coefficients are pressures on that sphere; time goes as exp(+iωt).

use glam::DVec3;
use num_complex::Complex64;

use crate::harmonics::{HIGHEST_DEGREE, hankel_quotients, spherical_harmonics};
use crate::object::{finite, invalid};
use crate::{ModalModel, ObjectError};

/// The sound field of every audible mode.
///
/// ```
/// # use carom_object::Radiation;
/// # use glam::DVec3;
/// // A mode that only breathes: at ten times the distance a tenth of the pressure, the phase behind by k times the way.
/// let radiation = Radiation {
///     centre: DVec3::ZERO, radius: 0.1, speed_of_sound: 343.0, air_density: 1.2,
///     wave_numbers: vec![2.0], starts: vec![0, 1], coefficients: vec![[3.5, 0.0]], errors: vec![0.0],
/// };
/// let [near, far] = [0.1, 1.0].map(|x| radiation.transfer(0, DVec3::X * x));
/// assert!((near.norm() / far.norm() - 10.0).abs() < 1e-12);
/// assert!(((near / far).arg() - 2.0 * 0.9).abs() < 1e-12);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Radiation {
    /// The middle of the series, in the body's frame, m.
    pub centre: DVec3,
    /// The series holds outside the sphere of this radius about the centre, m.
    pub radius: f64,
    /// Speed of sound, m/s.
    pub speed_of_sound: f64,
    /// Density of the air, kg/m³.
    pub air_density: f64,
    /// Angular frequency over speed of sound, of each mode that is heard, 1/m. These are the lowest modes of the body;
    /// those above are silent.
    pub wave_numbers: Vec<f64>,
    /// Coefficients of mode j are `starts[j]..starts[j + 1]`: a square number of them.
    pub starts: Vec<u32>,
    /// Pressure on the sphere in Pa per unit of modal velocity (√kg m/s), as real and imaginary part, for each spherical
    /// harmonic in the order of [`spherical_harmonics`](crate::spherical_harmonics).
    pub coefficients: Vec<[f32; 2]>,
    /// About how far off each mode is, in dB: from the same computation with half as many panels, and from the end of the
    /// series.
    pub errors: Vec<f32>,
}

impl Radiation {
    /// Number of modes that are heard.
    pub fn mode_count(&self) -> usize {
        self.wave_numbers.len()
    }

    /// The highest degree of a mode's series.
    pub fn degree(&self, mode: usize) -> usize {
        let terms = self.starts[mode + 1] - self.starts[mode];
        (terms.isqrt() as usize).saturating_sub(1)
    }

    /// Pressure in Pa per unit of modal velocity at a point in the body's frame, at the frequency of the mode.
    ///
    /// With time as exp(+iωt), a mode that rings with q(t) sounds p(t) = Re(P)·q̇ − Im(P)·ω·q. Points inside the sphere
    /// hear what is heard on it in their direction. A mode that is not heard gives zero.
    pub fn transfer(&self, mode: usize, point: DVec3) -> Complex64 {
        if mode >= self.mode_count() {
            return Complex64::ZERO;
        }
        let (direction, distance) = self.seen_from(point);
        let mut harmonics = Vec::new();
        spherical_harmonics(self.degree(mode), direction, &mut harmonics);
        self.sum(mode, distance, &harmonics)
    }

    /// The transfer of all modes to one point, as many as `pressures` has places for: faster than one by one. `scratch`
    /// may be anything.
    pub fn transfers(&self, point: DVec3, pressures: &mut [Complex64], scratch: &mut Vec<f64>) {
        let (direction, distance) = self.seen_from(point);
        let heard = self.mode_count().min(pressures.len());
        let degree = (0..heard).map(|mode| self.degree(mode)).max().unwrap_or(0);
        spherical_harmonics(degree, direction, scratch);
        for (mode, pressure) in pressures.iter_mut().enumerate() {
            *pressure = if mode < heard { self.sum(mode, distance, scratch) } else { Complex64::ZERO };
        }
    }

    /// Radiated power in W of a mode whose modal velocity has amplitude one, on average over a cycle.
    pub fn power(&self, mode: usize) -> f64 {
        let k = self.wave_numbers[mode];
        // |hₙ|² at the sphere, relative to that far away, 1/(kr)².
        let mut size = (k * self.radius).powi(-2);
        let mut quotients = hankel_quotients(k * self.radius);
        let mut sum = 0.0;
        for n in 0..=self.degree(mode) {
            let terms = &self.coefficients[self.starts[mode] as usize..][n * n..(n + 1) * (n + 1)];
            sum += terms.iter().flatten().map(|&x| f64::from(x).powi(2)).sum::<f64>() / size;
            size *= quotients.next().map_or(1.0, |quotient| quotient.norm_sqr());
        }
        sum / (2.0 * self.air_density * self.speed_of_sound * k * k)
    }

    /// Direction and distance of a point, outside the sphere or on it.
    fn seen_from(&self, point: DVec3) -> (DVec3, f64) {
        let away = point - self.centre;
        (away.try_normalize().unwrap_or(DVec3::Y), away.length().max(self.radius))
    }

    fn sum(&self, mode: usize, distance: f64, harmonics: &[f64]) -> Complex64 {
        let (k, degree) = (self.wave_numbers[mode], self.degree(mode));
        let terms = &self.coefficients[self.starts[mode] as usize..self.starts[mode + 1] as usize];
        let mut outward = hankel_quotients(k * distance).zip(hankel_quotients(k * self.radius));
        // h₀(kr)/h₀(kR).
        let mut wave = Complex64::from_polar(self.radius / distance, k * (self.radius - distance));
        let mut pressure = Complex64::ZERO;
        for n in 0..=degree {
            let range = n * n..(n + 1) * (n + 1);
            let (mut re, mut im) = (0.0, 0.0);
            for (&[a, b], y) in terms[range.clone()].iter().zip(&harmonics[range]) {
                re += f64::from(a) * y;
                im += f64::from(b) * y;
            }
            pressure += wave * Complex64::new(re, im);
            if let Some((here, there)) = outward.next() {
                wave *= here / there;
            }
        }
        pressure
    }

    /// Refuses numbers that no sound field has, and one that does not belong to the model.
    pub(crate) fn validate(&self, model: &ModalModel) -> Result<(), ObjectError> {
        finite("radiation.centre", self.centre.to_array().into_iter())?;
        for (section, number) in [
            ("radiation.radius", self.radius),
            ("radiation.speed_of_sound", self.speed_of_sound),
            ("radiation.air_density", self.air_density),
        ] {
            if !(number > 0.0 && number.is_finite()) {
                return invalid(section, format!("is {number}, expected a positive number"));
            }
        }
        let modes = self.mode_count();
        if modes > model.mode_count() {
            return invalid("radiation.wave_numbers", format!("has {modes} modes, the body {}", model.mode_count()));
        }
        if let Some(mode) = self.wave_numbers.iter().position(|k| !(*k > 0.0 && k.is_finite())) {
            return invalid("radiation.wave_numbers", format!("mode {mode} has {}", self.wave_numbers[mode]));
        }
        let ends = (self.starts.first(), self.starts.last().map(|&end| end as usize));
        if self.starts.len() != modes + 1 || ends != (Some(&0), Some(self.coefficients.len())) {
            let (found, terms) = (self.starts.len(), self.coefficients.len());
            return invalid(
                "radiation.starts",
                format!("has {found} entries, expected {} from 0 to {terms}", modes + 1),
            );
        }
        let square = |pair: &[u32]| {
            let terms = pair[1].checked_sub(pair[0]).map(|terms| (terms.isqrt(), terms));
            terms.is_some_and(|(root, terms)| root * root == terms && (1..=HIGHEST_DEGREE as u32 + 1).contains(&root))
        };
        if let Some(mode) = self.starts.windows(2).position(|pair| !square(pair)) {
            let (from, to) = (self.starts[mode], self.starts[mode + 1]);
            let problem = format!("mode {mode} has terms {from} to {to}, expected a square number up to degree 64");
            return invalid("radiation.starts", problem);
        }
        finite("radiation.coefficients", self.coefficients.iter().flatten().map(|&x| x.into()))?;
        if self.errors.len() != modes {
            return invalid("radiation.errors", format!("has {} entries, expected {modes}", self.errors.len()));
        }
        finite("radiation.errors", self.errors.iter().map(|&x| x.into()))
    }
}
