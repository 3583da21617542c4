//! The sound field of all modes of a body.
//!
//! Modes are solved one after the other, those of one pitch together, on panels that suit their wavelength. Each is
//! solved a second time with half as many panels: the difference estimates the error, because panels converge as their
//! area.

use std::collections::BTreeMap;
use std::ops::{Range, Sub};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use carom_object::{ModalModel, Radiation};
use carom_shape::{Bvh, TriMesh, wall_thickness};
use glam::DVec3;
use num_complex::Complex64;

use super::RadiationError;
use super::dense::{BLOCK, BlockInverse, gmres};
use super::multipoles::{Boundary, Sphere, enough};
use super::operator::{Operator, System};
use super::panels::Panels;

/// Modes whose frequencies differ by less than this share are solved together.
const SAME_PITCH: f64 = 2e-4;
/// Relative residual of the linear solves, that of those which only estimate the error, and the longest.
pub(crate) const TOLERANCE: f64 = 1e-3;
const ROUGH_TOLERANCE: f64 = 5e-3;
const MOST_ITERATIONS: usize = 400;
/// Share of the pressure on the sphere that is cut off at the end of a series.
const CUT: f64 = 5e-3;
/// What panels cover on average, in units of their size squared.
const PANEL_AREA: f64 = 1.33;
/// Radius of the sphere outside which multipoles are used, to that of the body.
const CLEARANCE: f64 = 1.25;

/// How radiation is computed.
#[derive(Clone, Debug, PartialEq)]
pub struct RadiationParams {
    /// Modes above this frequency are silent, Hz.
    pub up_to: f64,
    /// Panels along a wavelength.
    pub panels_per_wavelength: f64,
    /// At least about as many panels, for the form of the body.
    pub least_panels: usize,
    /// At most about as many panels: time and memory grow as their square.
    pub most_panels: usize,
    /// Speed of sound, m/s.
    pub speed_of_sound: f64,
    /// Density of the air, kg/m³.
    pub air_density: f64,
}

impl Default for RadiationParams {
    fn default() -> RadiationParams {
        RadiationParams {
            up_to: 20e3,
            panels_per_wavelength: 6.0,
            least_panels: 1500,
            most_panels: 4500,
            speed_of_sound: 343.0,
            air_density: 1.2,
        }
    }
}

/// What computing radiation did and cost.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RadiationReport {
    /// The largest number of panels.
    pub panels: usize,
    /// Iterations of all linear solves.
    pub iterations: usize,
    /// The largest relative residual that a solve left, apart from those which only estimate the error.
    pub residual: f64,
    /// Seconds.
    pub seconds: f64,
}

/// Computes the sound field of every audible mode of a body.
///
/// `progress` is told the share that is done; once `stop` is set the work ends soon with [`RadiationError::Stopped`].
///
/// ```
/// use std::sync::atomic::AtomicBool;
/// use carom_modal::{ModalParams, Wanted, material, modes_of};
/// use carom_sound::radiation::{RadiationParams, radiate};
/// use glam::DVec3;
///
/// let bar = carom_shape::named("bar", &Default::default())?.body("bar", None)?;
/// let params = ModalParams { wanted: Wanted::Lowest(1), ..ModalParams::default() };
/// let (model, _) = modes_of(&bar, material("steel").unwrap(), &params, &|_, _| {})?;
/// let params = RadiationParams { least_panels: 400, ..RadiationParams::default() };
/// let (radiation, _) = radiate(&model, &params, &|_| {}, &AtomicBool::new(false))?;
/// // At twice the distance half as loud.
/// let [near, far] = [2.0, 4.0].map(|r| radiation.transfer(0, r * DVec3::ONE).norm());
/// assert!((near / far - 2.0).abs() < 0.05, "{}", near / far);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn radiate(
    model: &ModalModel,
    params: &RadiationParams,
    progress: &dyn Fn(f64),
    stop: &AtomicBool,
) -> Result<(Radiation, RadiationReport), RadiationError> {
    params.validate()?;
    let clock = Instant::now();
    let surface = &model.surface;
    let area = surface.area();
    if !(area > 0.0 && area.is_finite()) {
        return Err(RadiationError::NoSurface { area });
    }
    let (centre, body) = enclosing_sphere(surface);
    let wall = typical_wall(surface);
    let heard = model.frequencies.partition_point(|&frequency| frequency <= params.up_to);
    let frequencies = &model.frequencies[..heard];
    let wave_number = |frequency: f64| std::f64::consts::TAU * frequency / params.speed_of_sound;
    let mut radiation = Radiation {
        centre,
        radius: CLEARANCE * body,
        speed_of_sound: params.speed_of_sound,
        air_density: params.air_density,
        wave_numbers: frequencies.iter().map(|&frequency| wave_number(frequency)).collect(),
        starts: vec![0],
        coefficients: Vec::new(),
        errors: Vec::new(),
    };
    let mut report = RadiationReport::default();
    let mut levels = Levels { surface, area, kept: BTreeMap::new() };
    let panels = |mode: usize| params.panels(frequencies[mode], area);
    let cost = |mode: usize| (panels(mode) as f64).powi(2);
    let total: f64 = (0..heard).map(cost).sum();
    let mut done = 0.0;
    let mut first = 0;
    while first < heard {
        if stop.load(Ordering::Relaxed) {
            return Err(RadiationError::Stopped { done: first, total: heard });
        }
        let same = frequencies[first..].partition_point(|&f| f <= frequencies[first] * (1.0 + SAME_PITCH));
        let group = first..first + same;
        let sphere = Sphere { centre, radius: radiation.radius, body, wave_number: radiation.wave_numbers[first] };
        let [few, many] = levels.pair(panels(first) / 2, panels(first));
        let solved = |operator, tolerance| multipoles(model, group.clone(), operator, &sphere, wall, tolerance, params);
        let ((rough, rough_effort), (fine, effort)) =
            rayon::join(|| solved(few, ROUGH_TOLERANCE), || solved(many, TOLERANCE));
        let [few, many] = [few, many].map(|operator| operator.panels.len());
        report.panels = report.panels.max(many);
        report.iterations += rough_effort.iterations + effort.iterations;
        report.residual = report.residual.max(effort.residual);
        for (coefficients, rough) in fine.iter().zip(&rough) {
            let degree = enough(coefficients, CUT);
            let kept = &coefficients[..(degree + 1) * (degree + 1)];
            // With an error in proportion to the area of panels, this is what is left of the difference.
            let left = (many as f64 / few as f64 - 1.0).recip();
            let off = left * far_difference(&sphere, coefficients, rough) + CUT + effort.residual;
            radiation.errors.push((20.0 * (1.0 + off).log10()) as f32);
            radiation.coefficients.extend(kept.iter().map(|c| [c.re as f32, c.im as f32]));
            radiation.starts.push(radiation.coefficients.len() as u32);
        }
        done += group.clone().map(cost).sum::<f64>();
        progress(done / total);
        first = group.end;
    }
    report.seconds = clock.elapsed().as_secs_f64();
    Ok((radiation, report))
}

impl RadiationParams {
    fn validate(&self) -> Result<(), RadiationError> {
        let RadiationParams { up_to, panels_per_wavelength, least_panels, most_panels, speed_of_sound, air_density } =
            self;
        let (least, most) = (*least_panels as f64, *most_panels as f64);
        for (name, value, range) in [
            ("up_to", *up_to, 0.0..=f64::MAX),
            ("panels_per_wavelength", *panels_per_wavelength, 1.0..=100.0),
            ("least_panels", least, 20.0..=most),
            ("most_panels", most, 20.0..=50_000.0),
            ("speed_of_sound", *speed_of_sound, 1.0..=100_000.0),
            ("air_density", *air_density, 1e-6..=100_000.0),
        ] {
            if !range.contains(&value) {
                let expected = format!("{} to {}", range.start(), range.end());
                return Err(RadiationError::BadParameter { name, value, expected });
            }
        }
        Ok(())
    }

    /// About how many panels suit a frequency: the least number, twice, four times that, and so on, or the most.
    fn panels(&self, frequency: f64, area: f64) -> usize {
        let wavelength = self.speed_of_sound / frequency;
        let wanted = area * (self.panels_per_wavelength / wavelength).powi(2);
        // A little less than what is wanted serves as well.
        let doublings = (wanted / self.least_panels as f64).log2().sub(0.2).ceil().max(0.0);
        (self.least_panels as f64 * doublings.exp2()).min(self.most_panels as f64) as usize
    }
}

/// Panels and their static integrals, by about how many they are; those for lower frequencies are dropped on the way up.
struct Levels<'a> {
    surface: &'a TriMesh,
    area: f64,
    kept: BTreeMap<usize, Operator>,
}

impl Levels<'_> {
    /// About so few and so many panels.
    fn pair(&mut self, few: usize, many: usize) -> [&Operator; 2] {
        self.kept.retain(|&count, _| count >= few);
        for count in [few, many] {
            let size = (self.area / (PANEL_AREA * count as f64)).sqrt();
            self.kept.entry(count).or_insert_with(|| Operator::new(Panels::new(self.surface, size)));
        }
        [few, many].map(|count| &self.kept[&count])
    }
}

/// What linear solves took and left.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Effort {
    pub iterations: usize,
    /// The largest residual, relative to the right side.
    pub residual: f64,
}

/// The multipoles of modes of one pitch.
fn multipoles(
    model: &ModalModel,
    modes: Range<usize>,
    operator: &Operator,
    sphere: &Sphere,
    wall: f64,
    tolerance: f64,
    params: &RadiationParams,
) -> (Vec<Vec<Complex64>>, Effort) {
    // ∂p/∂n = −iωρ v.
    let factor = Complex64::new(0.0, -sphere.wave_number * params.speed_of_sound * params.air_density);
    let slopes: Vec<Vec<Complex64>> = modes
        .map(|mode| {
            let velocity = operator.panels.normal_means(&model.surface, &|vertex| model.shape_at_vertex(mode, vertex));
            velocity.iter().map(|v| factor * v).collect()
        })
        .collect();
    let (fields, effort) = boundary_fields(operator, sphere, wall, slopes, tolerance);
    (sphere.coefficients(&operator.panels, &fields), effort)
}

/// The factor β of Burton and Miller's equation, for walls of about some thickness.
///
/// With β = i/k the solution is unique at every frequency, but errors of the real operators N and K then become false
/// damping, and the air in a vessel hardly resonates. With β < 0 energy is kept; but that equation fails where the inside of
/// a wall resonates with u + |β| ∂u/∂n = 0 at its faces, first at k² = 2/(|β| thickness). Below half of that β is real.
fn coupling(panel: f64, wall: f64, wave_number: f64) -> Complex64 {
    let length = panel.min(1.0 / wave_number);
    if wave_number.powi(2) * length * wall < 1.0 { Complex64::new(-length, 0.0) } else { Complex64::new(0.0, length) }
}

/// How thick the walls of a body are for the most part, m; as thick as can be if none are found.
pub(crate) fn typical_wall(surface: &TriMesh) -> f64 {
    wall_thickness(surface, &Bvh::new(surface), 2000).map_or(f64::INFINITY, |walls| walls.median)
}

/// Pressure on the surface for given normal derivatives.
pub(crate) fn boundary_fields(
    operator: &Operator,
    sphere: &Sphere,
    wall: f64,
    slopes: Vec<Vec<Complex64>>,
    tolerance: f64,
) -> (Vec<Boundary>, Effort) {
    let coupling = coupling(operator.panels.size, wall, sphere.wave_number);
    let System { matrix, right_sides } = operator.system(sphere.wave_number, coupling, &slopes);
    let nearly = BlockInverse::new(&matrix, BLOCK);
    let mut effort = Effort::default();
    let solved = right_sides.iter().zip(slopes).map(|(right, slope)| {
        let solved = gmres(&matrix, &nearly, right, tolerance, MOST_ITERATIONS);
        effort.iterations += solved.iterations;
        effort.residual = effort.residual.max(solved.residual);
        Boundary { pressure: solved.solution, slope }
    });
    (solved.collect(), effort)
}

/// The difference of two fields far away, relative to the first.
fn far_difference(sphere: &Sphere, field: &[Complex64], other: &[Complex64]) -> f64 {
    let (mut apart, mut whole) = (0.0, f64::MIN_POSITIVE);
    for (n, loudness) in (0..field.len().isqrt()).zip(sphere.loudness()) {
        for term in n * n..(n + 1) * (n + 1) {
            apart += loudness * (field[term] - other[term]).norm_sqr();
            whole += loudness * field[term].norm_sqr();
        }
    }
    (apart / whole).sqrt()
}

/// The middle of the box around a surface, and the distance of the vertex farthest from it.
fn enclosing_sphere(surface: &TriMesh) -> (DVec3, f64) {
    let centre = surface.bounds().centre();
    let used = surface.triangles.iter().flatten().map(|&vertex| surface.positions[vertex as usize]);
    (centre, used.map(|p| p.distance(centre)).fold(0.0, f64::max))
}
