//! What a world tells at the end of a step, the same for the plane, which lies at z = 0, and for space.

use std::time::Instant;

/// Where bodies are and how they move, in the order of their names.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Frame {
    /// Of the centres of mass, m.
    pub positions: Vec<[f64; 3]>,
    /// Quaternions x, y, z, w.
    pub rotations: Vec<[f64; 4]>,
    /// m/s.
    pub velocities: Vec<[f64; 3]>,
    /// rad/s.
    pub spins: Vec<[f64; 3]>,
}

/// A contact in the last step.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ContactEvent {
    /// Places of the two bodies in the order of names.
    pub bodies: [u32; 2],
    /// The same from step to step while the same features touch.
    pub feature: u64,
    /// Where, m.
    pub point: [f64; 3],
    /// Of length one, from the second body to the first.
    pub normal: [f64; 3],
    /// On the first body, N s.
    pub impulse: [f64; 3],
    /// Its part along the normal, N s.
    pub normal_impulse: f64,
    /// How fast the gap closed before the step's forces and impulses, m/s; zero if it did not.
    pub approach_speed: f64,
    /// How far apart at the start of the step, m; negative inside.
    pub gap: f64,
    /// The pair's restitution at this point.
    pub restitution: f64,
    /// Whether the bodies did not press on each other there in the step before.
    pub is_new: bool,
    /// When it began, or the start of the step if it had begun before, s.
    pub time: f64,
    /// When the interval began in which the impulse acted, s.
    pub start: f64,
    /// How long that interval is, s.
    pub span: f64,
}

/// What a stage of the response took, and how far it got.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct StageReport {
    /// Wall time, s.
    pub seconds: f64,
    /// Complementarity problems, sweeps, Newton steps or interior points.
    pub iterations: usize,
    /// The worst relative residual that was left.
    pub residual: f64,
}

impl StageReport {
    /// A stage that began then and ends now.
    pub(crate) fn since(begun: Instant, iterations: usize, residual: f64) -> StageReport {
        StageReport { seconds: begun.elapsed().as_secs_f64(), iterations, residual }
    }

    /// Adds another part of the same stage.
    pub fn add(&mut self, other: &StageReport) {
        self.seconds += other.seconds;
        self.iterations += other.iterations;
        self.residual = self.residual.max(other.residual);
    }
}

/// The stages of the response.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ResponseStages {
    /// Normal impulses of impacts.
    pub impact: StageReport,
    /// Friction of impacts.
    pub friction: StageReport,
    /// Resting contacts with friction, and joints together with them.
    pub resting: StageReport,
    /// Joints where nothing touches.
    pub joints: StageReport,
    /// Overlaps and joint errors that are corrected without giving speed.
    pub position_correction: StageReport,
}

impl ResponseStages {
    /// All stages by name.
    pub fn named(&self) -> [(&'static str, StageReport); 5] {
        [
            ("impact", self.impact),
            ("friction", self.friction),
            ("resting", self.resting),
            ("joints", self.joints),
            ("position_correction", self.position_correction),
        ]
    }

    /// Adds another part of a step, or another step.
    pub fn add(&mut self, other: &ResponseStages) {
        self.impact.add(&other.impact);
        self.friction.add(&other.friction);
        self.resting.add(&other.resting);
        self.joints.add(&other.joints);
        self.position_correction.add(&other.position_correction);
    }

    /// Iterations of all stages.
    pub fn iterations(&self) -> usize {
        self.named().iter().map(|(_, stage)| stage.iterations).sum()
    }

    /// The worst residual of all stages.
    pub fn residual(&self) -> f64 {
        self.named().iter().fold(0.0, |worst, (_, stage)| worst.max(stage.residual))
    }
}

/// What a step took.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct StepReport {
    /// The end of the step, s.
    pub time: f64,
    /// Points where bodies touch or might within the step.
    pub contacts: usize,
    /// Complementarity problems, sweeps or rounds of the response.
    pub rounds: usize,
    /// Contacts that would overlap at the end of the step, where the response is reflections.
    pub active: usize,
    /// Iterations of generalized reflections, of the group of contacts that took most.
    pub iterations: usize,
    /// Steps of interior points within the complementarity problems of reflections.
    pub interior_points: usize,
    /// Times that a matrix was factorized for those.
    pub factorizations: usize,
    /// The worst relative residual that the response left.
    pub residual: f64,
    /// The stages of the response: what each took, and how far it got.
    pub stages: ResponseStages,
    /// Distant contacts that blows were passed on to.
    pub shaken: usize,
    /// Parts into which the step was divided.
    pub parts: usize,
    /// Wall time of detection, s.
    pub detection_seconds: f64,
    /// Wall time of the response, s.
    pub response_seconds: f64,
    /// Of that, wall time of passing blows on, s; zero where nothing was passed on.
    pub distant_seconds: f64,
    /// Of that, wall time of finding how far distant contacts are moved, without the solve that moves them, s.
    pub shake_seconds: f64,
    /// Wall time of all else, s.
    pub motion_seconds: f64,
}
