//! Staggered projections among flexible bodies: six coordinates of the rigid motion, and as many modal ones as a body has.
//!
//! Bodies and contacts are handed over one by one, so that an engine keeps its rows wherever it has them and a step takes no new
//! memory.

use carom_solve::RaggedColumns;

use super::group::Stagger;
use super::{StaggeredParams, StaggeredReport, Touch, check_touch};
use crate::check::{check_coefficients, check_velocity};
use crate::mass::{Factor, root};
use crate::{ImpactError, InverseMass, WORLD};

/// A place on a body along a direction: how its velocity there depends on the body's coordinates.
#[derive(Debug, Clone, Copy, Default)]
pub struct Place<'a> {
    /// Of the rigid motion.
    pub rigid: [f64; 6],
    /// Of the modes: their shapes along the direction. Modes behind the last are not moved.
    pub modal: &'a [f64],
}

/// A body in coordinates of unit mass.
#[derive(Debug, Clone, Copy)]
struct Body {
    rigid: Factor<6>,
    /// Where the square roots of its modes' inverse masses begin, and how many they are.
    modes: (usize, usize),
    velocity: [f64; 6],
}

/// Staggered projections for flexible bodies, as [`Staggered`](super::Staggered) is for rigid ones, with the memory that is kept.
///
/// Velocities may be mean ones over a step of length h that moves modes exactly: a mode then answers to an impulse at the start of
/// the step with e^(−ξωh) sin(ω_d h)/(ω_d h) in place of one, which is its inverse mass here, and −gap/h as target closes gaps
/// at the end of the step.
///
/// ```
/// use carom_impact::{FlexibleStaggered, InverseMass, Place, StaggeredParams, Touch, WORLD};
/// // A ball of 1 kg hits a clamped plate at 3 m/s, where its one mode has the amplitude 1.
/// let mut staggered = FlexibleStaggered::default();
/// staggered.clear();
/// let ball = staggered.add_body(&InverseMass::of_mass(1.0), &[0.0, -3.0, 0.0, 0.0, 0.0, 0.0], &[], &[])?;
/// let plate = staggered.add_body(&InverseMass::Fixed, &[0.0; 6], &[1.0], &[0.0])?;
/// let up = Place { rigid: [0.0, 1.0, 0.0, 0.0, 0.0, 0.0], modal: &[] };
/// let down = Place { rigid: [0.0, -1.0, 0.0, 0.0, 0.0, 0.0], modal: &[-1.0] };
/// staggered.add_contact([ball, plate], [up, down], &[], 0.0, Touch::default())?;
/// staggered.solve(&StaggeredParams::default());
/// assert!((staggered.touches()[0].impulse[0] - 1.5).abs() < 1e-15);
/// # Ok::<(), carom_impact::ImpactError>(())
/// ```
#[derive(Debug, Default)]
pub struct FlexibleStaggered {
    bodies: Vec<Body>,
    roots: Vec<f64>,
    widths: Vec<usize>,
    touches: Vec<Touch>,
    stagger: Stagger<RaggedColumns>,
    laid: bool,
}

impl FlexibleStaggered {
    /// Forgets bodies and contacts, and keeps the memory.
    pub fn clear(&mut self) {
        self.bodies.clear();
        self.roots.clear();
        self.widths.clear();
        self.touches.clear();
        self.laid = false;
        let rows = &mut self.stagger.rows;
        rows.before.clear();
        rows.order.clear();
        rows.clear_numbers();
        rows.joints = 0;
    }

    /// Adds a body: its inverse mass and velocity, and those of its modes. Returns its number. All bodies come before the contacts.
    pub fn add_body(
        &mut self,
        rigid: &InverseMass<6>,
        velocity: &[f64; 6],
        modal: &[f64],
        modal_velocity: &[f64],
    ) -> Result<u32, ImpactError> {
        let number = self.bodies.len();
        if modal_velocity.len() != modal.len() {
            let (found, expected) = (modal_velocity.len(), modal.len());
            return Err(ImpactError::Count { what: "modal velocities", found, expected });
        }
        check_velocity(number, velocity)?;
        check_velocity(number, modal_velocity)?;
        let body = Body { rigid: rigid.factor(number)?, modes: (self.roots.len(), modal.len()), velocity: *velocity };
        let before = &mut self.stagger.rows.before;
        before.extend_from_slice(&body.rigid.solve(velocity));
        for (&inverse, velocity) in modal.iter().zip(modal_velocity) {
            let root = root(number, inverse)?;
            self.roots.push(root);
            before.push(velocity / root);
        }
        self.bodies.push(body);
        self.widths.push(6 + modal.len());
        Ok(number as u32)
    }

    /// Adds a contact between two bodies, of which one may be [`WORLD`]: the places along its normal, along up to two tangents, and
    /// friction at rest. Sums run in the order of adding.
    pub fn add_contact(
        &mut self,
        bodies: [u32; 2],
        normal: [Place<'_>; 2],
        tangents: &[[Place<'_>; 2]],
        friction: f64,
        touch: Touch,
    ) -> Result<(), ImpactError> {
        let contact = self.touches.len();
        for body in bodies {
            if body != WORLD && body as usize >= self.bodies.len() {
                return Err(ImpactError::NoSuchBody { contact, body, bodies: self.bodies.len() });
            }
        }
        if bodies[0] == bodies[1] {
            return Err(ImpactError::SelfContact { contact, body: bodies[0] });
        }
        if tangents.len() > 2 {
            return Err(ImpactError::TooManyTangents { contact });
        }
        check_coefficients(contact, 0.0, friction)?;
        check_touch(contact, &touch, friction)?;
        if !self.laid {
            self.stagger.rows.columns.reset(self.widths.iter().copied());
            self.laid = true;
        }
        self.touches.push(touch);
        if !bodies.iter().any(|&body| self.moves(body)) {
            // Nothing that it could change.
            return Ok(());
        }
        let place = self.stagger.rows.order.len();
        self.stagger.rows.order.push(contact as u32);
        self.stagger.rows.starts.push(self.stagger.rows.drift.len() as u32);
        self.stagger.rows.friction.push(friction);
        self.push(bodies, &normal);
        for tangent in tangents.iter().filter(|_| friction > 0.0) {
            self.push(bodies, tangent);
        }
        self.stagger.rows.level(place);
        Ok(())
    }

    /// Solves for all contacts; [`FlexibleStaggered::touches`] has the impulses then.
    pub fn solve(&mut self, params: &StaggeredParams) -> StaggeredReport {
        if !self.laid {
            self.stagger.rows.columns.reset(self.widths.iter().copied());
        }
        let rows = &mut self.stagger.rows;
        rows.starts.push(rows.drift.len() as u32);
        let report = self.stagger.solve(0, &mut self.touches, params);
        self.stagger.rows.starts.pop();
        report
    }

    /// The contacts, in the order of adding: after a solve, with what they did.
    pub fn touches(&self) -> &[Touch] {
        &self.touches
    }

    fn moves(&self, body: u32) -> bool {
        self.bodies.get(body as usize).is_some_and(|body| body.rigid.moves() || body.modes.1 > 0)
    }

    /// Appends a row in coordinates of unit mass.
    fn push(&mut self, pair: [u32; 2], places: &[Place<'_>; 2]) {
        let mut drift = 0.0;
        for (side, place) in places.iter().enumerate() {
            let white = &mut self.stagger.rows.white[side];
            white.clear();
            let Some(body) = self.bodies.get(pair[side] as usize) else { continue };
            if !body.rigid.moves() {
                drift += place.rigid.iter().zip(&body.velocity).map(|(g, v)| g * v).sum::<f64>();
            }
            let (first, count) = body.modes;
            if body.rigid.moves() || count > 0 {
                white.extend_from_slice(&body.rigid.transposed_times(&place.rigid));
                white.extend(self.roots[first..][..count].iter().zip(place.modal).map(|(root, shape)| root * shape));
                white.resize(6 + count, 0.0);
            }
        }
        self.stagger.rows.push_white(pair, drift);
    }
}
