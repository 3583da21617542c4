//! A scene as it is meant: everything read, defaults filled in, nothing built yet.

use std::sync::Arc;

use carom_modal::{Place as HoldPlace, Wanted};
use carom_object::{Combiner, Interpolation, Material, Object};
use carom_shape::ImportOptions;
use carom_world::{Attenuation, Delivery, Detection, EnergyGuard, Integrator, Resistance, Response, SurfacePair};
use glam::DVec3;

use super::copies::CopyPlan;
use super::fields::Turn;
use super::files::SceneFile;
use super::mistake::Place;
use crate::Source;

/// A whole scene.
#[derive(Debug)]
pub(super) struct Plan {
    pub name: String,
    pub about: String,
    pub watch: String,
    pub reproduces: Option<String>,
    pub dimension: usize,
    pub duration: f64,
    pub step: f64,
    pub integrator: Integrator,
    pub detection: Detection,
    pub gravity: DVec3,
    pub response: Response,
    pub resting_speed: Option<f64>,
    pub slop: Option<f64>,
    pub most_overlap: Option<f64>,
    pub energy_guard: EnergyGuard,
    pub restitution_rule: Combiner,
    pub friction_rule: Combiner,
    pub bodies: Vec<BodyPlan>,
    pub joints: Vec<JointPlan>,
    pub loads: Vec<LoadPlan>,
    pub pairs: Vec<SurfacePair>,
    pub record: Record,
    /// Hashes of all files that the scene names.
    pub files: Vec<String>,
    /// Copies of them, for recordings.
    pub copies: Vec<SceneFile>,
}

/// What a run keeps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Record {
    /// Frames in a second of the scene.
    pub fps: f64,
    /// Whether contacts are recorded.
    pub contacts: bool,
    /// Whether plots are drawn.
    pub plots: bool,
    /// Whether an animation is written.
    pub gltf: bool,
}

/// A body, or many that differ by name and place only.
#[derive(Debug)]
pub(super) struct BodyPlan {
    pub name: String,
    /// Where it stands in the scene.
    pub place: Place,
    /// As in `body.ball`.
    pub path: String,
    pub form: Form,
    /// The same for bodies of the same form.
    pub form_key: String,
    pub collision: Collision,
    pub material: Material,
    pub density: f64,
    pub mass: Option<f64>,
    pub inertia: Option<Vec<f64>>,
    pub position: DVec3,
    pub turn: Turn,
    pub velocity: DVec3,
    /// rad/s.
    pub spin: DVec3,
    pub motion: MotionPlan,
    pub bounce: Bounce,
    pub friction: f64,
    pub static_friction: Option<f64>,
    pub surface: String,
    pub resistance: Resistance,
    pub distant: Option<DistantPlan>,
    pub vibration: Option<VibrationPlan>,
    pub colour: Option<[u8; 3]>,
    /// All that it stands for.
    pub copies: Vec<CopyPlan>,
}

/// What a body looks like.
#[derive(Clone, Debug)]
pub(super) enum Form {
    Disc {
        radius: f64,
    },
    Rectangle {
        size: DVec3,
    },
    Polygon {
        points: Vec<DVec3>,
    },
    /// Half-plane or half-space.
    Half {
        normal: DVec3,
    },
    Drum {
        radius: f64,
        axis: DVec3,
    },
    Source {
        source: Box<Source>,
        import: ImportOptions,
        edge: Option<f64>,
    },
    Object {
        object: Arc<Object>,
    },
}

impl Form {
    /// Whether it has no end, so that nothing can move it.
    pub fn endless(&self) -> bool {
        matches!(self, Form::Half { .. } | Form::Drum { .. })
    }

    /// What to call it in a summary.
    pub fn kind(&self) -> String {
        match self {
            Form::Disc { .. } => "disc".into(),
            Form::Rectangle { .. } => "box".into(),
            Form::Polygon { .. } => "polygon".into(),
            Form::Half { .. } => "half-space".into(),
            Form::Drum { .. } => "drum".into(),
            Form::Source { source, .. } => source.name.clone(),
            Form::Object { object } => object.modal.name.clone(),
        }
    }
}

/// What others collide with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Collision {
    Exact,
    Hull,
    Box,
    Sphere,
}

/// Who moves a body.
#[derive(Clone, Debug)]
pub(super) enum MotionPlan {
    Dynamic,
    Fixed,
    /// Phase in rad.
    Sine {
        amplitude: DVec3,
        frequency: f64,
        phase: f64,
    },
    Keyframes(Vec<(f64, DVec3, Turn)>),
    Belt(DVec3),
}

/// How bouncy a body is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Bounce {
    Constant(f64),
    Map { modes: usize, attenuation: f64, interpolation: Interpolation },
}

/// How a body vibrates while it touches others.
#[derive(Clone, Debug)]
pub(super) struct VibrationPlan {
    pub wanted: Wanted,
    pub hold: Vec<HoldPlace>,
}

impl VibrationPlan {
    /// How many modes of a model are wanted.
    pub fn count(&self, frequencies: &[f64]) -> usize {
        match self.wanted {
            Wanted::Lowest(modes) => modes.min(frequencies.len()),
            Wanted::UpTo(highest) => frequencies.iter().take_while(|frequency| **frequency <= highest).count(),
        }
    }
}

/// How a body passes blows on.
#[derive(Clone, Debug)]
pub(super) struct DistantPlan {
    pub modes: usize,
    pub hold: Vec<HoldPlace>,
    pub threshold: f64,
    pub calm: f64,
    pub delivery: Delivery,
    pub kind: DistantKind,
}

/// What passes them on.
#[derive(Clone, Copy, Debug)]
pub(super) enum DistantKind {
    Modal { running: bool },
    Waves { amplitude: AmplitudePlan, straight: bool, attenuation: Attenuation },
}

/// How far a unit impulse moves the place that it strikes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum AmplitudePlan {
    Number(f64),
    Places,
    Mean,
}

impl DistantPlan {
    /// Whether the body's modes have to be known.
    pub fn needs_modes(&self) -> bool {
        !matches!(self.kind, DistantKind::Waves { amplitude: AmplitudePlan::Number(_), straight: true, .. })
    }
}

#[derive(Debug)]
pub(super) struct JointPlan {
    pub name: String,
    pub place: Place,
    pub bodies: [Option<String>; 2],
    pub kind: JointForm,
    pub repair: f64,
    pub compliance: f64,
    pub collide: bool,
}

/// Kinds of joints, in either space.
#[derive(Clone, Debug)]
pub(super) enum JointForm {
    Distance { anchors: [DVec3; 2] },
    Ball { anchor: DVec3 },
    Hinge { anchor: DVec3, axis: DVec3 },
    Slider { anchor: DVec3, axis: DVec3 },
    Fixed { anchor: DVec3 },
    Wire { points: Vec<DVec3>, closed: bool },
}

#[derive(Debug)]
pub(super) struct LoadPlan {
    pub name: String,
    pub place: Place,
    pub body: String,
    /// From the shape's origin; the centre of mass if not given.
    pub at: Option<DVec3>,
    pub push: PushPlan,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum PushPlan {
    Force { force: DVec3, torque: DVec3, from: f64, until: f64 },
    Impulse { impulse: DVec3, turn: DVec3, time: f64 },
}
