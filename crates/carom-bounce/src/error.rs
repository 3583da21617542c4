//! What can be wrong with a strike.

use glam::DVec3;

/// Why a strike was refused. Each message names the thing at fault.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BounceError {
    /// A held body does not fly.
    #[error("'{body}' is held; only a free body can bounce: bake it without holding it")]
    Held {
        /// Its name.
        body: String,
    },
    /// The model's arrays do not fit together.
    #[error("'{body}' has {found} mode shapes on its surface, expected {expected}")]
    ShapeCount {
        /// Its name.
        body: String,
        /// How many there are.
        found: usize,
        /// Modes times vertices.
        expected: usize,
    },
    /// A triangle that the surface does not have.
    #[error("there is no triangle {triangle}: the surface has {triangles}")]
    NoTriangle {
        /// Zero-based index.
        triangle: usize,
        /// How many there are.
        triangles: usize,
    },
    /// Weights that name no point of a triangle.
    #[error("barycentric weights {weights} name no point of the triangle: expected three from 0 to 1 that add up to 1")]
    Barycentric {
        /// The weights.
        weights: DVec3,
    },
    /// A direction of no length, or of numbers that are not finite.
    #[error("the normal {normal} is no direction")]
    Normal {
        /// The vector given.
        normal: DVec3,
    },
    /// The point is not on the body.
    #[error("the point {point} is {distance:.3e} m off the surface, more than the {tolerance:.3e} m that are let pass")]
    OffSurface {
        /// The point given.
        point: DVec3,
        /// Distance from the nearest point of the surface in metres; infinite when there is no surface.
        distance: f64,
        /// What would have been accepted.
        tolerance: f64,
    },
    /// A body that no body is.
    #[error("{quantity} is {value}, expected {expected}")]
    Body {
        /// Which quantity.
        quantity: &'static str,
        /// What was given.
        value: String,
        /// What would be accepted.
        expected: &'static str,
    },
    /// A mode that no body has.
    #[error("mode {mode} has {problem}")]
    Mode {
        /// Zero-based index.
        mode: usize,
        /// What is wrong with it.
        problem: String,
    },
    /// A setting outside its range.
    #[error("{name} is {value}, expected {expected}")]
    Parameter {
        /// Its name in [`Params`](crate::Params).
        name: &'static str,
        /// What was given.
        value: f64,
        /// What would be accepted.
        expected: &'static str,
    },
    /// The step does not resolve the fastest mode.
    #[error(
        "the time step of {step:.3e} s is too long for the fastest mode of {angular_frequency:.3e} rad/s: \
         expected at most {longest:.3e} s"
    )]
    StepTooLong {
        /// The step in seconds.
        step: f64,
        /// The largest angular frequency.
        angular_frequency: f64,
        /// The longest step that is stable.
        longest: f64,
    },
    /// The step is so short that the time of the analysis cannot be counted in steps.
    #[error("{seconds:.3e} s in steps of {step:.3e} s are more than {most} steps")]
    TooManySteps {
        /// The longest time of the analysis.
        seconds: f64,
        /// The step in seconds.
        step: f64,
        /// The largest number of steps.
        most: u32,
    },
    /// The points move apart from the beginning.
    #[error("the points do not approach: their normal velocity is {velocity} m/s, expected a negative one")]
    NotApproaching {
        /// Relative normal velocity before contact.
        velocity: f64,
    },
    /// Numbers too large or too small for arithmetic.
    #[error(
        "the numbers of the strike are not finite after {steps} steps: masses, shapes or frequencies are out of proportion"
    )]
    Overflow {
        /// Steps taken.
        steps: u32,
    },
    /// One of many places was refused.
    #[error("place {index}: {source}")]
    Place {
        /// Zero-based index.
        index: usize,
        /// What is wrong with it.
        source: Box<BounceError>,
    },
    /// The caller asked to stop.
    #[error("stopped")]
    Stopped,
}
