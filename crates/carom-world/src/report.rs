//! What a world tells at the end of a step, the same for the plane, which lies at z = 0, and for space.

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
