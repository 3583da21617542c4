//! Bodies whose vibration is known without a computer, and what Carom finds for them.
//!
//! The list serves the test `references` and the command `carom reproduce modes`. Every known mode says how many
//! lie below it, so that a mode too many or too few is as wrong as a frequency that is off.

mod lamb;

use std::f64::consts::{PI, SQRT_2, TAU};
use std::time::Instant;

use carom_modal::{ModalError, ModalParams, ModalReport, Place, Wanted, modes_of};
use carom_object::{Damping, Material};
use carom_shape::{Body, ImportOptions, Profile, Shape, ShapeError, body_from_mesh, read_obj, write_obj};
use glam::{DQuat, DVec3};

use lamb::{spheroidal, torsional};

/// Largest relative error of a frequency.
pub const TOLERANCE: f64 = 0.005;
/// Largest relative distance within a group of equal frequencies.
pub const SPLIT: f64 = 0.001;

/// A body with known modes.
pub struct Reference {
    /// What it is.
    pub name: &'static str,
    /// Its form.
    pub shape: Shape,
    /// A point of the face where it is clamped, the direction out of the body there, and the radius of the face.
    pub clamped: Option<(DVec3, DVec3, f64)>,
    /// In what the modes are quoted.
    pub unit: Unit,
    /// The modes.
    pub modes: Vec<KnownMode>,
    /// Where the numbers are from, and how far they hold.
    pub source: &'static str,
}

/// A known mode, or several of one frequency.
#[derive(Clone, Debug)]
pub struct KnownMode {
    /// What moves.
    pub name: String,
    /// How many elastic modes lie below.
    pub below: usize,
    /// How many have this frequency.
    pub count: usize,
    /// In the reference's unit.
    pub value: f64,
}

/// A number without dimension that stands for a frequency: (factor · f)^power.
#[derive(Clone, Copy, Debug)]
pub struct Unit {
    /// As printed.
    pub name: &'static str,
    /// Per Hz.
    pub factor: f64,
    /// One, except for wave numbers.
    pub power: f64,
}

impl Unit {
    const HERTZ: Unit = Unit { name: "Hz", factor: 1.0, power: 1.0 };

    fn linear(name: &'static str, factor: f64) -> Unit {
        Unit { name, factor: TAU * factor, power: 1.0 }
    }

    /// The number for a frequency in Hz.
    pub fn of_hertz(&self, frequency: f64) -> f64 {
        (self.factor * frequency).powf(self.power)
    }

    /// The frequency in Hz for a number.
    pub fn to_hertz(&self, value: f64) -> f64 {
        value.powf(1.0 / self.power) / self.factor
    }
}

/// How the body comes to Carom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// As a shape along the axes.
    Drawn,
    /// Turned by 17° about (1, 2, 3) and moved.
    Turned,
    /// Turned, its surface written as OBJ and read again.
    Obj,
}

impl Variant {
    /// All of them.
    pub const ALL: [Variant; 3] = [Variant::Drawn, Variant::Turned, Variant::Obj];

    /// As printed.
    pub fn name(self) -> &'static str {
        match self {
            Variant::Drawn => "drawn",
            Variant::Turned => "turned",
            Variant::Obj => "OBJ",
        }
    }
}

/// A known mode beside what was found.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The known mode.
    pub known: KnownMode,
    /// The frequencies found for it, as numbers in the reference's unit.
    pub found: Vec<f64>,
    /// The largest relative error among their frequencies, signed.
    pub error: f64,
    /// How far they are apart, relative.
    pub split: f64,
}

impl Comparison {
    /// Whether it is as close as promised.
    pub fn holds(&self) -> bool {
        self.error.abs() <= TOLERANCE && self.split <= SPLIT
    }
}

/// What Carom found for a reference.
pub struct Outcome {
    /// One entry per known mode.
    pub comparisons: Vec<Comparison>,
    /// What the analysis did.
    pub report: ModalReport,
    /// Seconds, from the shape to the modes.
    pub seconds: f64,
}

/// Why a reference could not be run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReferenceError {
    /// The body could not be made.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// The surface could not be written.
    #[error(transparent)]
    Write(#[from] std::io::Error),
    /// The analysis failed.
    #[error(transparent)]
    Modal(#[from] ModalError),
}

/// The material of all references.
pub fn reference_material() -> Material {
    Material {
        name: "reference steel".into(),
        density: 7850.0,
        young: 200e9,
        poisson: 0.3,
        damping: Damping::default(),
        source: "E = 200 GPa, ν = 0.3, ρ = 7850 kg/m³".into(),
    }
}

const AXIS: [f64; 3] = [1.0, 2.0, 3.0];
const ANGLE: f64 = 17.0;
const SHIFT: [f64; 3] = [0.31, -0.17, 0.23];

impl Reference {
    /// The body in one of its variants.
    pub fn body(&self, variant: Variant) -> Result<Body, ReferenceError> {
        if variant == Variant::Drawn {
            return Ok(self.shape.body(self.name, None)?);
        }
        let of = Box::new(self.shape.clone());
        let turned = Shape::Transform { of, translate: SHIFT, axis: AXIS, angle: ANGLE, scale: 1.0 };
        let body = turned.body(self.name, None)?;
        if variant == Variant::Turned {
            return Ok(body);
        }
        let mut text = Vec::new();
        write_obj(&body.surface, &mut text)?;
        Ok(body_from_mesh(self.name, read_obj(&text)?, &ImportOptions::default())?)
    }

    /// Computes the modes at the default resolution and compares.
    pub fn run(&self, variant: Variant) -> Result<Outcome, ReferenceError> {
        let clock = Instant::now();
        let body = self.body(variant)?;
        let highest = self.modes.iter().map(|m| m.below + m.count).max().unwrap_or(0);
        let params = ModalParams {
            wanted: Wanted::Lowest(highest),
            hold: self.held(variant).into_iter().collect(),
            ..ModalParams::default()
        };
        let (model, report) = modes_of(&body, &reference_material(), &params, &|_, _| {})?;
        let comparisons = self.modes.iter().map(|known| self.compare(known, &model.frequencies)).collect();
        Ok(Outcome { comparisons, report, seconds: clock.elapsed().as_secs_f64() })
    }

    fn compare(&self, known: &KnownMode, frequencies: &[f64]) -> Comparison {
        let group = &frequencies[known.below..known.below + known.count];
        let exact = self.unit.to_hertz(known.value);
        let errors = group.iter().map(|f| f / exact - 1.0);
        Comparison {
            known: known.clone(),
            found: group.iter().map(|&f| self.unit.of_hertz(f)).collect(),
            error: errors.max_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap_or(0.0),
            split: group[known.count - 1] / group[0] - 1.0,
        }
    }

    /// The clamped face as a place. A large ball whose border all but coincides with the face holds it whichever
    /// way it is turned, and no more than a ten-thousandth of its radius beyond it.
    fn held(&self, variant: Variant) -> Option<Place> {
        let (point, outwards, radius) = self.clamped?;
        let (point, outwards) = match variant {
            Variant::Drawn => (point, outwards),
            Variant::Turned | Variant::Obj => {
                let turn = DQuat::from_axis_angle(DVec3::from(AXIS).normalize(), ANGLE.to_radians());
                (turn * point + DVec3::from(SHIFT), turn * outwards)
            }
        };
        let distance = 5000.0 * radius;
        Some(Place::Ball { centre: point + distance * outwards, radius: distance.hypot(1.001 * radius) })
    }
}

fn known(name: impl Into<String>, below: usize, count: usize, value: f64) -> KnownMode {
    KnownMode { name: name.into(), below, count, value }
}

/// All references, the four that are promised first.
pub fn references() -> Vec<Reference> {
    vec![bar(), cube(), circular_plate(), cantilever(), sphere(), ring(), cylinder(), clamped_cylinder()]
}

fn bar() -> Reference {
    let bending = |order: usize, below, value| known(format!("bending {order}"), below, 2, value);
    Reference {
        name: "free bar",
        shape: Shape::Box { size: [0.2, 0.01, 0.01], rounding: 0.0 },
        clamped: None,
        unit: Unit::HERTZ,
        modes: vec![
            bending(1, 0, 1285.68),
            bending(2, 2, 3488.02),
            bending(3, 4, 6687.53),
            known("torsion", 6, 1, 7187.5),
            bending(4, 7, 10751.91),
            known("longitudinal", 9, 1, 12616.5),
        ],
        source: "given values for three-dimensional elasticity, bar of 0.2 × 0.01 × 0.01 m",
    }
}

fn cube() -> Reference {
    let size = 0.1;
    Reference {
        name: "free cube",
        shape: Shape::Box { size: [size; 3], rounding: 0.0 },
        clamped: None,
        unit: Unit::linear("ωL/c_t", size / reference_material().shear_speed()),
        modes: vec![
            known("1st pair", 0, 2, 2.85605),
            known("1st triplet", 2, 3, 3.84597),
            known("2nd triplet", 5, 3, 3.91125),
            // Lamé's modes: pure shear, no stress on any face; exact for every ν.
            known("Lamé", 8, 3, SQRT_2 * PI),
        ],
        source: "given values for three-dimensional elasticity at ν = 0.3; Lamé's modes in closed form",
    }
}

fn circular_plate() -> Reference {
    let Material { density, young, poisson, .. } = reference_material();
    let (radius, height) = (0.1_f64, 0.001_f64);
    let rigidity = young * height.powi(3) / (12.0 * (1.0 - poisson * poisson));
    Reference {
        name: "free plate",
        shape: Shape::Cylinder { radius, height },
        clamped: None,
        unit: Unit::linear("ωa²√(ρh/D)", radius * radius * (density * height / rigidity).sqrt()),
        modes: vec![
            known("2 diameters", 0, 2, 5.3583),
            known("1 circle", 2, 1, 9.0031),
            known("3 diameters", 3, 2, 12.4390),
            known("1 circle, 1 diameter", 5, 2, 20.4746),
        ],
        source: "Kirchhoff's thin plate at ν = 0.3, the limit of small h/a; here h/a = 0.01",
    }
}

fn cantilever() -> Reference {
    let Material { density, young, .. } = reference_material();
    let (length, side) = (0.3_f64, 0.005_f64);
    // βL = √(ω L² √(ρA/EI)), and I/A = side²/12.
    let factor = TAU * length * length * (12.0 * density / (young * side * side)).sqrt();
    let bending = |order: usize, value| known(format!("bending {order}"), 2 * order - 2, 2, value);
    Reference {
        name: "cantilever",
        shape: Shape::Box { size: [length, side, side], rounding: 0.0 },
        clamped: Some((DVec3::new(-0.5 * length, 0.0, 0.0), DVec3::NEG_X, side / SQRT_2)),
        unit: Unit { name: "βL", factor, power: 0.5 },
        modes: vec![bending(1, 1.875104), bending(2, 4.694091), bending(3, 7.854757)],
        source: "Euler and Bernoulli's slender beam; at L/t = 60 shear lowers the third frequency by 0.3 %",
    }
}

fn sphere() -> Reference {
    let radius = 0.05;
    let poisson = reference_material().poisson;
    Reference {
        name: "free sphere",
        shape: Shape::Sphere { radius },
        clamped: None,
        unit: Unit::linear("ωa/c_t", radius / reference_material().shear_speed()),
        modes: vec![
            known("torsional l=2", 0, 5, torsional(2)),
            known("spheroidal l=2", 5, 5, spheroidal(2, poisson)),
            known("spheroidal l=1", 10, 3, spheroidal(1, poisson)),
            known("torsional l=3", 13, 7, torsional(3)),
        ],
        source: "Lamb, On the vibrations of an elastic sphere (1881), exact",
    }
}

fn ring() -> Reference {
    let Material { density, young, .. } = reference_material();
    let (radius, thickness, width) = (0.1, 0.003, 0.006);
    let (inner, outer, half) = (radius - 0.5 * thickness, radius + 0.5 * thickness, 0.5 * width);
    let outline = vec![[inner, -half], [outer, -half], [outer, half], [inner, half]];
    // I/A = thickness²/12.
    let factor = radius * radius / thickness * (12.0 * density / young).sqrt();
    let in_plane = |n: f64| n * (n * n - 1.0) / (n * n + 1.0).sqrt();
    Reference {
        name: "free ring",
        shape: Shape::Revolve { profile: Profile { outline, holes: Vec::new() } },
        clamped: None,
        unit: Unit::linear("ωR²√(ρA/EI)", factor),
        modes: vec![known("in plane n=2", 0, 2, in_plane(2.0)), known("in plane n=3", 4, 2, in_plane(3.0))],
        source: "Hoppe's thin ring; at h/R = 0.03 shear and rotation lower n = 3 by 0.1 %",
    }
}

const CYLINDER: (f64, f64) = (0.01, 0.1);

fn cylinder() -> Reference {
    let Material { density, young, poisson, .. } = reference_material();
    let (radius, height) = CYLINDER;
    let shear_speed = reference_material().shear_speed();
    let love = 1.0 + 0.5 * (poisson * PI * radius / height).powi(2);
    let longitudinal = PI * (young / density).sqrt() / shear_speed / love.sqrt();
    Reference {
        name: "free cylinder",
        shape: Shape::Cylinder { radius, height },
        clamped: None,
        unit: Unit::linear("ωL/c_t", height / shear_speed),
        modes: vec![
            known("torsion 1", 2, 1, PI),
            known("longitudinal 1", 5, 1, longitudinal),
            known("torsion 2", 6, 1, 2.0 * PI),
        ],
        source: "torsion of a circular cylinder nπ, exact; longitudinal with Love's correction",
    }
}

fn clamped_cylinder() -> Reference {
    let (radius, height) = CYLINDER;
    Reference {
        name: "clamped cylinder",
        shape: Shape::Cylinder { radius, height },
        clamped: Some((DVec3::new(0.0, -0.5 * height, 0.0), DVec3::NEG_Y, radius)),
        unit: Unit::linear("ωL/c_t", height / reference_material().shear_speed()),
        modes: vec![known("torsion 1", 4, 1, 0.5 * PI), known("torsion 2", 8, 1, 1.5 * PI)],
        source: "torsion of a circular cylinder with one end held, (n − ½)π, exact",
    }
}

/// The pitch of the ruler of `ruler-twang`, steel, 1 mm thick and 31 cm long, that stands out by a length L, Hz.
///
/// It is a beam whose root turns a little: it lies between rail and thumb on two lines, s = 3 cm apart, and is held b further back, 1 cm
/// from its end, which resists with k = 4/s − (2/s)² / (4/s + 4/b) times EI. Its pitch is x²/2π · √(E/12ρ) · thickness / L² with
/// kL (1 + cos x cosh x) = x (sin x cosh x − cos x sinh x); for a stiff root x = 1.8751, and it goes with 1/L².
pub fn ruler_pitch(length: f64) -> f64 {
    const GRIP: f64 = 0.03;
    let back = 0.3 - length - GRIP;
    let root = 4.0 / GRIP - (2.0 / GRIP).powi(2) / (4.0 / GRIP + 4.0 / back);
    let gives = |x: f64| root * length * (1.0 + x.cos() * x.cosh()) - x * (x.sin() * x.cosh() - x.cos() * x.sinh());
    let (mut low, mut high) = (0.1, 1.8751);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if gives(middle) > 0.0 { low = middle } else { high = middle }
    }
    low * low / TAU * (200e9f64 / (12.0 * 7850.0)).sqrt() * 0.001 / (length * length)
}
