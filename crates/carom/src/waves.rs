//! How waves fade along a body, found by striking it: a finite-element run for every blow (*Distant*, Fig. 10).
//!
//! What is left of a wave at a place is the fastest that the place moves along its normal, over the fastest that the struck place does.

use carom_modal::{HeatGeodesics, ModalError, ModalParams, Transient};
use carom_object::Material;
use carom_shape::{Body, SurfaceDistances, TriMesh};
use carom_world::FadedWave;

use crate::bake::Step;

/// Of what the struck place does, less than this is a place that is held.
const STILL: f64 = 1e-9;
/// A blow is followed until shear waves could have crossed the body so often: bending waves are slower.
const CROSSINGS: f64 = 10.0;
/// Fractional parts of the golden ratio and of the square root of two: their multiples spread evenly, and not together.
const STRIDES: [f64; 2] = [0.618_033_988_749_894_9, std::f64::consts::SQRT_2 - 1.0];

/// Where and how long a body is struck.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WaveParams {
    /// Places that are struck.
    pub impacts: usize,
    /// Places at which every blow is read.
    pub readings: usize,
    /// The step, s; shear waves cross a cell in it unless given.
    pub step: Option<f64>,
    /// How long a blow is followed, s; until shear waves have crossed the body ten times unless given.
    pub span: Option<f64>,
}

impl Default for WaveParams {
    fn default() -> Self {
        WaveParams { impacts: 16, readings: 60, step: None, span: None }
    }
}

/// What was found of waves.
#[derive(Debug, Clone, PartialEq)]
pub struct WaveRun {
    /// What is left of them.
    pub waves: Vec<FadedWave>,
    /// Unknowns of the body.
    pub unknowns: usize,
    /// The step, s.
    pub step: f64,
    /// How long each blow was followed, s.
    pub span: f64,
}

/// Strikes a body along its normals at places spread evenly over its surface, and reads every blow at others.
pub fn faded_waves(
    body: &Body,
    material: &Material,
    modal: &ModalParams,
    params: &WaveParams,
    progress: &(dyn Fn(Step, f64) + Sync),
) -> Result<WaveRun, ModalError> {
    let transient = Transient::new(body, material, modal, &|stage, share| progress(Step::Modes(stage), share))?;
    let step = params.step.unwrap_or_else(|| transient.natural_step());
    let span = params.span.unwrap_or_else(|| CROSSINGS * transient.crossing());
    let struck = spread(&body.surface, params.impacts, STRIDES[0]);
    let mut places = spread(&body.surface, params.readings, STRIDES[1]);
    places.extend(&struck);
    let speeds = transient.fastest(&struck, &places, [step, span], &|share| progress(Step::Waves, share))?;
    let distances = HeatGeodesics::new(&body.surface)?.distances_from(&struck);
    let mut waves = Vec::new();
    for (blow, (speeds, distances)) in speeds.iter().zip(&distances).enumerate() {
        let here = speeds[params.readings + blow];
        for (&place, speed) in places.iter().zip(speeds) {
            let (distance, share) = (distances[place as usize], speed / here);
            if distance > 0.0 && distance.is_finite() && share > STILL {
                waves.push(FadedWave { distance, share });
            }
        }
    }
    Ok(WaveRun { waves, unknowns: transient.unknowns(), step, span })
}

/// Vertices spread evenly over the area of a surface, the same every time.
fn spread(surface: &TriMesh, count: usize, stride: f64) -> Vec<u32> {
    let mut area = 0.0;
    let add = |triangle: usize| {
        area += surface.area_vector(triangle).length();
        area
    };
    let areas: Vec<f64> = (0..surface.triangles.len()).map(add).collect();
    let place = |k: usize| {
        let aim = ((k + 1) as f64 * stride).fract() * areas[areas.len() - 1];
        let triangle = areas.partition_point(|&sum| sum <= aim).min(areas.len() - 1);
        surface.triangles[triangle][k % 3]
    };
    if areas.is_empty() { Vec::new() } else { (0..count).map(place).collect() }
}
