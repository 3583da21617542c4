//! A body as the world keeps it: what does not change from step to step, and the checks that it passed.

use std::sync::Arc;

use carom_contact::{Pose as _, Vector as _};
use carom_impact::InverseMass;

use crate::limits::{MAX_MAGNITUDE, MAX_MASS, MIN_MASS, MIN_RADIUS};
use crate::{BodyDefinition, Bounciness, Dynamics, Motion, Resistance, Script, WorldError};

/// A body, but for its name, where it is and how it moves. Small: every part of a step reads those of all bodies.
#[derive(Debug, Clone)]
pub(crate) struct Body<G: Dynamics<W>, const W: usize> {
    pub drive: Drive<G>,
    pub shape: Arc<G::Shape>,
    pub mass: f64,
    pub inertia: G::Inertia,
    pub bounciness: Bounciness,
    pub friction: f64,
    pub static_friction: f64,
    pub resistance: Resistance,
    /// Number of its surface in the table of pairs.
    pub surface: usize,
    /// Of its shape; infinite for half-planes and the like.
    pub radius: f64,
    /// Whether contacts cannot turn it unless they rub.
    pub is_ball: bool,
}

/// Who moves a body. Boxed: few bodies follow a script, and the others should not have to leave room for one.
#[derive(Debug, Clone)]
pub(crate) enum Drive<G: carom_contact::Geometry> {
    Dynamic,
    Fixed,
    Scripted(Box<Scripted<G>>),
}

/// A script, and the pose that it starts from.
#[derive(Debug, Clone)]
pub(crate) struct Scripted<G: carom_contact::Geometry> {
    pub script: Script<G>,
    start: G::Pose,
}

impl<G: carom_contact::Geometry> Scripted<G> {
    /// Where the body is at a time.
    pub fn pose<const W: usize>(&self, time: f64) -> G::Pose
    where
        G: Dynamics<W>,
    {
        self.script.pose(&self.start, time)
    }

    /// The velocity that takes it from its pose at one time to that at another.
    pub fn velocity<const W: usize>(&self, from: f64, until: f64) -> [f64; W]
    where
        G: Dynamics<W>,
    {
        self.script.velocity(&self.start, from, until)
    }
}

impl<G: carom_contact::Geometry> Drive<G> {
    fn new(definition: &BodyDefinition<G>) -> Self {
        match &definition.motion {
            Motion::Dynamic => Drive::Dynamic,
            Motion::Fixed => Drive::Fixed,
            Motion::Scripted(script) => {
                Drive::Scripted(Box::new(Scripted { script: script.clone(), start: definition.pose }))
            }
        }
    }

    /// Whether it never leaves its place. A belt's surface moves along itself.
    #[inline]
    pub fn stays(&self) -> bool {
        match self {
            Drive::Dynamic => false,
            Drive::Fixed => true,
            Drive::Scripted(scripted) => matches!(scripted.script, Script::Belt(_)),
        }
    }
}

impl<G: Dynamics<W>, const W: usize> Body<G, W> {
    /// Checks a definition.
    pub fn new(definition: &BodyDefinition<G>, surface: usize) -> Result<Self, WorldError> {
        check(definition)?;
        Ok(Body {
            drive: Drive::new(definition),
            shape: definition.shape.clone(),
            mass: definition.mass,
            inertia: definition.inertia,
            bounciness: definition.bounciness.clone(),
            friction: definition.friction,
            static_friction: definition.static_friction.unwrap_or(definition.friction),
            resistance: definition.resistance,
            surface,
            radius: G::radius(&definition.shape),
            is_ball: G::is_ball(&definition.shape),
        })
    }

    /// Whether forces and impulses move it.
    #[inline]
    pub fn is_dynamic(&self) -> bool {
        matches!(self.drive, Drive::Dynamic)
    }

    /// How it answers to impulses.
    #[inline]
    pub fn inverse_mass(&self, pose: &G::Pose) -> InverseMass<W> {
        if self.is_dynamic() { G::inverse_mass(self.mass, &self.inertia, pose) } else { InverseMass::Fixed }
    }

    /// Its energy of motion; none if nothing moves it, for then its motion costs nobody anything.
    #[inline]
    pub fn kinetic(&self, pose: &G::Pose, velocity: &[f64; W]) -> f64 {
        if !self.is_dynamic() {
            return 0.0;
        }
        let momentum = G::momentum(self.mass, &self.inertia, pose, velocity);
        0.5 * (0..W).map(|k| momentum[k] * velocity[k]).sum::<f64>()
    }

    /// How far a point of it can get in some time at this velocity.
    #[inline]
    pub fn travel(&self, velocity: &[f64; W], time: f64) -> f64 {
        let (linear, spin) = G::split(velocity);
        let turning = <G::Pose as carom_contact::Pose>::spin_speed(spin);
        let tip = if turning > 0.0 { turning * self.radius } else { 0.0 };
        (linear.length() + tip) * time
    }
}

fn check<G: Dynamics<W>, const W: usize>(body: &BodyDefinition<G>) -> Result<(), WorldError> {
    let bad =
        |quantity, value, expected| Err(WorldError::BadBody { body: body.name.clone(), quantity, value, expected });
    if matches!(body.motion, Motion::Dynamic) {
        if !(body.mass > 0.0 && body.mass.is_finite()) {
            return bad("the mass", body.mass, "positive and finite");
        }
        if !(MIN_MASS..=MAX_MASS).contains(&body.mass) {
            return bad("the mass", body.mass, "from 1e-24 to 1e24 kg");
        }
        let pivot = G::least_pivot(&body.inertia);
        if !(pivot > 0.0 && pivot.is_finite()) {
            return bad("the inertia", pivot, "positive definite and finite");
        }
        if !G::radius(&body.shape).is_finite() {
            return bad("the radius of its shape", f64::INFINITY, "finite, unless the body is fixed or scripted");
        }
        if !(MIN_RADIUS..MAX_MAGNITUDE).contains(&G::radius(&body.shape)) {
            return bad("the radius of its shape", G::radius(&body.shape), "from 1e-9 to 1e9 m");
        }
    }
    let mut numbers = Vec::new();
    G::save_pose(&body.pose, &mut numbers);
    if let Some(&value) = numbers.iter().find(|x| !x.is_finite()) {
        return bad("a number of the pose", value, "finite");
    }
    if let Some(&value) = G::join(body.velocity, body.spin).iter().find(|x| !x.is_finite()) {
        return bad("a number of the velocity or the spin", value, "finite");
    }
    for (quantity, value, expected) in magnitudes::<G, W>(&body.pose, body.velocity, body.spin) {
        if value >= MAX_MAGNITUDE {
            return bad(quantity, value, expected);
        }
    }
    if let Bounciness::Constant(value) = body.bounciness
        && !(0.0..=1.0).contains(&value)
    {
        return bad("the restitution", value, "between 0 and 1");
    }
    for (quantity, value) in [
        ("the friction", body.friction),
        ("the static friction", body.static_friction.unwrap_or(body.friction)),
        ("the resistance to motion", body.resistance.linear),
        ("the resistance to spin", body.resistance.angular),
    ] {
        if !(value >= 0.0 && value.is_finite()) {
            return bad(quantity, value, "zero or more, and finite");
        }
    }
    if let Motion::Scripted(script) = &body.motion {
        check_script::<G, W>(script).or_else(|(quantity, value, expected)| bad(quantity, value, expected))?;
    }
    Ok(())
}

/// What must not be beyond [`MAX_MAGNITUDE`], with what is said if it is.
fn magnitudes<G: Dynamics<W>, const W: usize>(
    pose: &G::Pose,
    velocity: G::Vector,
    spin: G::Spin,
) -> [(&'static str, f64, &'static str); 3] {
    // The largest part: a length would overflow before it is compared.
    let largest = |numbers: [f64; 3]| numbers.into_iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    [
        ("its coordinate", largest(pose.position().in_space().to_array()), "below 1e9 m"),
        ("its speed", largest(velocity.in_space().to_array()), "below 1e9 m/s"),
        ("its spin", largest(G::spin_in_space(spin).to_array()), "below 1e9 rad/s"),
    ]
}

fn check_script<G: Dynamics<W>, const W: usize>(script: &Script<G>) -> Result<(), (&'static str, f64, &'static str)> {
    match script {
        Script::Sine { amplitude, frequency, phase } => {
            for (quantity, value) in [
                ("the size of the amplitude", amplitude.length()),
                ("the frequency", *frequency),
                ("the phase", *phase),
            ] {
                if !value.is_finite() {
                    return Err((quantity, value, "finite"));
                }
            }
        }
        Script::Keyframes(frames) => {
            if frames.is_empty() {
                return Err(("the number of keyframes", 0.0, "one or more"));
            }
            for (i, (time, pose)) in frames.iter().enumerate() {
                if !time.is_finite() || (i > 0 && *time <= frames[i - 1].0) {
                    return Err(("a keyframe's time", *time, "finite and later than the one before"));
                }
                if !pose.position().is_finite() {
                    return Err(("the position of a keyframe", f64::NAN, "finite"));
                }
            }
        }
        Script::Belt(velocity) if !velocity.is_finite() => {
            return Err(("the speed of the belt", velocity.length(), "finite"));
        }
        Script::Belt(_) => {}
    }
    Ok(())
}
