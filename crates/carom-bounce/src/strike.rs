//! One strike followed through time: Algorithm 1 of *Bounce*, for a body on a rigid plane (§3) or two bodies (§5.1).
//!
//! From first touch until no vibration can bring the points together again (Eq. 8) contact comes and goes. Restitution
//! is the rigid normal velocity after the last impulse over that before the first.

use std::array;

use glam::{DMat3, DQuat, DVec3};

use crate::impulse::breaking_impulse;
use crate::moving::{Flights, Moving};
use crate::params::Clock;
use crate::{BounceError, Impulse, Method, Params, Site, fast};

/// Gap that counts as none between micro-collisions, as a share of the way of approach in one step.
pub(crate) const HAIRLINE: f64 = 0.1;

/// What came of a strike.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Strike {
    /// Coefficient of restitution, times the attenuation. From 0 to 1, up to the error of the time step.
    pub restitution: f64,
    /// Seconds from first touch to last.
    pub contact_time: f64,
    /// How many times the points touched: runs of steps with an impulse, where gaps of less than a tenth of the way of
    /// approach in a step do not count.
    pub micro_collisions: u32,
    /// Time steps taken.
    pub steps: u32,
    /// Vibration that is left at the end, in joules.
    pub modal_energy: f64,
    /// Whether the analysis was given up at its longest time, while another touch could not be excluded.
    pub timed_out: bool,
}

impl Strike {
    /// Refuses what came of numbers too large or too small for arithmetic.
    pub(crate) fn check(&self) -> Result<(), BounceError> {
        match self.restitution.is_finite() && self.modal_energy.is_finite() {
            true => Ok(()),
            false => Err(BounceError::Overflow { steps: self.steps }),
        }
    }
}

/// A strike through time (Fig. 8): one entry per step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Seconds since first touch.
    pub time: Vec<f64>,
    /// Gap C(x) between the points in metres.
    pub gap: Vec<f64>,
    /// Normal velocity of the rigid motion in m/s after the step's impulse; negative while approaching.
    pub rigid_velocity: Vec<f64>,
    /// Normal impulse of the step in N s.
    pub impulse: Vec<f64>,
    /// Energy of rigid motion and vibration in joules after the step's impulse.
    pub energy: Vec<f64>,
}

/// Strikes a body against a rigid plane.
///
/// With [`Method::Fast`] the result has the same bits as that of [`strike_all`](crate::strike_all).
pub fn strike(site: &Site, params: &Params) -> Result<Strike, BounceError> {
    if params.effective_method() == Method::Fast {
        site.check()?;
        params.check()?;
        return fast::Body::new(site, params)?.strike(site, carom_simd::SimdLevel::current());
    }
    strike_on_plane(site, params, None)
}

/// As [`strike`], with its course through time. [`Method::Fast`] gives way to [`Method::Exact`].
pub fn strike_series(site: &Site, params: &Params) -> Result<(Strike, Series), BounceError> {
    let mut series = Series::default();
    let strike = strike_on_plane(site, params, Some(&mut series))?;
    Ok((strike, series))
}

/// Strikes two bodies against each other, point on point.
///
/// The second body is turned so that its normal opposes that of the first, by the smallest such turn; about the normal
/// it may be turned beforehand by [`Site::turned`], which matters with friction only. The centres of mass approach
/// along the normal at [`Params::speed`], with no total momentum. [`Method::Fast`] gives way to [`Method::Exact`].
///
/// ```
/// # use carom_bounce::{Params, Site, strike, strike_pair};
/// # use glam::{DMat3, DVec3};
/// # let (shape, normal) = (1.5 * DVec3::X, DVec3::X);
/// # let site = Site { arm: normal, normal, mass: 1.0, inertia: DMat3::IDENTITY, angular_frequencies: vec![900.0], shapes: vec![shape] };
/// // A body that meets its own mirror image bounces as from a wall (Fig. 13).
/// let pair = strike_pair(&site, &site, &Params { speed: 2.0, ..Params::default() })?;
/// let wall = strike(&site, &Params::default())?;
/// assert!((pair.restitution - wall.restitution).abs() < 1e-12);
/// # Ok::<(), carom_bounce::BounceError>(())
/// ```
pub fn strike_pair(first: &Site, second: &Site, params: &Params) -> Result<Strike, BounceError> {
    strike_two(first, second, params, None)
}

/// As [`strike_pair`], with its course through time.
pub fn strike_pair_series(first: &Site, second: &Site, params: &Params) -> Result<(Strike, Series), BounceError> {
    let mut series = Series::default();
    let strike = strike_two(first, second, params, Some(&mut series))?;
    Ok((strike, series))
}

fn strike_on_plane(site: &Site, params: &Params, series: Option<&mut Series>) -> Result<Strike, BounceError> {
    site.check()?;
    params.check()?;
    let clock = params.clock([site].into_iter())?;
    let body = Moving::new(site, params.speed * site.normal, params.spin);
    Contact { bodies: [body], normal: -site.normal, params }.run(clock, series)
}

fn strike_two(
    first: &Site,
    second: &Site,
    params: &Params,
    series: Option<&mut Series>,
) -> Result<Strike, BounceError> {
    first.check()?;
    second.check()?;
    params.check()?;
    let clock = params.clock([first, second].into_iter())?;
    let second = second.turned(DQuat::from_rotation_arc(second.normal, -first.normal));
    let share = second.mass / (first.mass + second.mass);
    let bodies = [
        Moving::new(first, share * params.speed * first.normal, params.spin),
        Moving::new(&second, (share - 1.0) * params.speed * first.normal, DVec3::ZERO),
    ];
    Contact { bodies, normal: -first.normal, params }.run(clock, series)
}

/// One body over a plane, or a first body over a second. Displacements and velocities are of the first point relative
/// to the second or to the plane; the normal points from the second to the first, so a negative gap is a penetration.
struct Contact<'a, const N: usize> {
    bodies: [Moving<'a>; N],
    normal: DVec3,
    params: &'a Params,
}

impl<'a, const N: usize> Contact<'a, N> {
    fn run(mut self, clock: Clock, mut series: Option<&mut Series>) -> Result<Strike, BounceError> {
        let (normal, Clock { step, most_steps }) = (self.normal, clock);
        let flights = match self.params.method {
            Method::Printed => None,
            _ => Some(array::from_fn(|i| self.bodies[i].flights(self.params.damping, step))),
        };
        let approach = normal.dot(self.relative(Moving::rigid_velocity));
        if approach >= 0.0 {
            return Err(BounceError::NotApproaching { velocity: approach });
        }
        let mut strike = Strike { timed_out: true, ..Strike::default() };
        // Points that lie on each other may seem apart for a step, by round-off; that is no new collision.
        let hairline = HAIRLINE * self.params.speed * step;
        let (mut departure, mut touching) = (approach, false);
        while strike.steps < most_steps {
            let gap = normal.dot(self.relative(Moving::displacement));
            if !gap.is_finite() {
                return Err(BounceError::Overflow { steps: strike.steps });
            }
            let impulse = match &flights {
                None => self.printed_impulse(gap, step),
                Some(flights) => self.exact_impulse(gap, flights, step),
            };
            if let Some(impulse) = impulse {
                self.push(impulse);
                departure = normal.dot(self.relative(Moving::rigid_velocity));
            }
            if let Some(series) = series.as_deref_mut() {
                series.time.push(f64::from(strike.steps) * step);
                series.gap.push(gap);
                series.rigid_velocity.push(normal.dot(self.relative(Moving::rigid_velocity)));
                series.impulse.push(impulse.map_or(0.0, |impulse| normal.dot(impulse)));
                series.energy.push(self.bodies.iter().map(|body| body.rigid_energy() + body.modal_energy()).sum());
            }
            match &flights {
                None => self.bodies.iter_mut().for_each(|body| body.drift(step)),
                Some(flights) => self.bodies.iter_mut().zip(flights).for_each(|(body, flight)| body.fly(flight)),
            }
            strike.steps += 1;
            if impulse.is_some() {
                strike.micro_collisions += u32::from(!touching);
                strike.contact_time = f64::from(strike.steps) * step;
            } else if self.out_of_reach() {
                strike.timed_out = false;
                break;
            }
            touching = impulse.is_some() || (touching && gap <= hairline);
        }
        // Without modes one impulse is all there is.
        strike.timed_out &= self.bodies.iter().any(Moving::vibrates);
        strike.restitution = self.params.attenuation * (-departure / approach);
        strike.modal_energy = self.bodies.iter().map(Moving::modal_energy).fold(0.0, |sum, energy| sum + energy);
        strike.check()?;
        Ok(strike)
    }

    /// What a vector of the first point is relative to the second.
    fn relative(&self, of: impl Fn(&Moving<'a>) -> DVec3) -> DVec3 {
        let mut bodies = self.bodies.iter();
        let first = bodies.next().map_or(DVec3::ZERO, &of);
        bodies.fold(first, |sum, body| sum - of(body))
    }

    /// Velocities a step later, and the impulse that they ask for where the points touch (§3.3).
    fn printed_impulse(&mut self, gap: f64, step: f64) -> Option<DVec3> {
        self.bodies.iter_mut().for_each(|body| body.predict(step, self.params.damping));
        if gap <= 0.0 { self.impulse_on_velocity() } else { None }
    }

    /// Elastic: reflects the velocity where the points touch. Breaking: the gap at the end of the coming flight is to
    /// be zero, if it were negative without impulse. In the latter case velocities and mobilities are means over the flight.
    fn exact_impulse(&self, gap: f64, flights: &[Flights; N], step: f64) -> Option<DVec3> {
        if self.params.impulse == Impulse::Elastic {
            return if gap <= 0.0 { self.impulse_on_velocity() } else { None };
        }
        let ends: [DVec3; N] = array::from_fn(|i| self.bodies[i].displacement_after(&flights[i]));
        let end = ends[1..].iter().fold(ends[0], |sum, end| sum - end);
        let end_gap = self.normal.dot(end);
        if end_gap >= 0.0 {
            return None;
        }
        let way = end - self.relative(Moving::displacement);
        let velocity = (way + (end_gap - self.normal.dot(way)) * self.normal) / step;
        let mobility = self.mobility(|i, body| body.mean_mobility(&flights[i]));
        Some(breaking_impulse(&mobility, velocity, self.normal, self.params.friction))
    }

    fn impulse_on_velocity(&self) -> Option<DVec3> {
        let velocity = self.relative(Moving::point_velocity);
        if self.normal.dot(velocity) >= 0.0 {
            return None;
        }
        let mobility = self.mobility(|_, body| body.mobility());
        let impulse = breaking_impulse(&mobility, velocity, self.normal, self.params.friction);
        Some(match self.params.impulse {
            Impulse::Breaking => impulse,
            Impulse::Elastic => 2.0 * impulse,
        })
    }

    fn mobility(&self, of: impl Fn(usize, &Moving<'a>) -> DMat3) -> DMat3 {
        self.bodies.iter().enumerate().fold(DMat3::ZERO, |sum, (i, body)| sum + of(i, body))
    }

    fn push(&mut self, impulse: DVec3) {
        for (i, body) in self.bodies.iter_mut().enumerate() {
            body.push(if i == 0 { impulse } else { -impulse });
        }
    }

    /// Whether vibrations can no longer bring the points together (Fig. 7), and the rigid motion does not either.
    fn out_of_reach(&self) -> bool {
        let gap = self.normal.dot(self.relative(Moving::rigid_displacement));
        gap > 0.0
            && self.normal.dot(self.relative(Moving::rigid_velocity)) >= 0.0
            && self.bodies.iter().fold(0.0, |reach, body| body.extend_reach(reach, gap)) < gap
    }
}
