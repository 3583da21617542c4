//! Many strikes of one body at once: frictionless breaking contact, with exact flights of the modes.
//!
//! Only the normal direction matters. With n in body axes, aᵢ = n·Uᵢ, the gap is s + Σ aᵢqᵢ, where s belongs to the
//! rigid motion. In steps of h, a flight with trace τ and determinant δ obeys q″ = τq′ − δq, here as a recurrence of
//! the difference d = q′ − q, which loses no digits of slow modes: d′ = δd − κq′ with κ = 1 + δ − τ. An impulse λ at the
//! beginning of a step adds λaᵢ ∂q/∂q̇ to d′, and is such that a gap that would be negative at the end of the step is
//! zero; second order in h. Modes are scaled by the root of ∂q/∂q̇, so that aᵢ serves both ways.
//!
//! The body turns little while it touches: n and the lever arm are brought up to date once in a block of steps.

use std::array;

use carom_simd::SimdLevel;
use glam::{DMat3, DVec3};
use pulp::{Simd, WithSimd};

use crate::oscillator::Flight;
use crate::pack::{Arithmetic, Pack};
use crate::params::Clock;
use crate::strike::HAIRLINE;
use crate::{BounceError, Params, Site, Strike};

/// Steps between two looks at the body's attitude and at whether a strike is over.
const BLOCK: u32 = 16;

/// What all strikes of a body share.
pub(crate) struct Body {
    modes: Vec<Mode>,
    clock: Clock,
    mass: f64,
    inertia: DMat3,
    inverse_inertia: DMat3,
    speed: f64,
    spin: DVec3,
    attenuation: f64,
}

/// One mode of a body.
#[derive(Clone, Copy, Default)]
struct Mode {
    delta: f64,
    kappa: f64,
    /// √(∂q/∂q̇) over a step.
    scale: f64,
    /// 1 − ∂q/∂q over a step, and 1/(ω ∂q/∂q̇): what turns q and d into a velocity over ω.
    lag: f64,
    rate: f64,
    omega: f64,
}

impl Mode {
    fn new(omega: f64, damping: f64, step: f64) -> Mode {
        let Flight { qq, qv, vq, vv } = Flight::new(omega, damping, step);
        let (delta, kappa) = match damping == 0.0 {
            // Without damping nothing needs to cancel.
            true => (1.0, 4.0 * (0.5 * omega * step).sin().powi(2)),
            false => (qq * vv - qv * vq, 1.0 + (qq * vv - qv * vq) - qq - vv),
        };
        let lag = if damping == 0.0 { 0.5 * kappa } else { 1.0 - qq };
        Mode { delta, kappa, scale: qv.sqrt(), lag, rate: 1.0 / (omega * qv), omega }
    }
}

/// Strikes that wait.
#[derive(Default)]
pub(crate) struct Queue {
    arms: Vec<DVec3>,
    normals: Vec<DVec3>,
    /// Mode shapes of every strike, one strike after the other.
    shapes: Vec<DVec3>,
}

impl Body {
    /// The body of a site, and settings, both checked.
    pub fn new(site: &Site, params: &Params) -> Result<Body, BounceError> {
        let clock = params.clock([site].into_iter())?;
        let mode = |&omega: &f64| Mode::new(omega, params.damping, clock.step);
        Ok(Body {
            modes: site.angular_frequencies.iter().map(mode).collect(),
            clock,
            mass: site.mass,
            inertia: site.inertia,
            inverse_inertia: site.inertia.inverse(),
            speed: params.speed,
            spin: params.spin,
            attenuation: params.attenuation,
        })
    }

    /// Adds a strike to a queue, unless the point does not approach.
    pub fn enqueue(&self, site: &Site, queue: &mut Queue) -> Result<(), BounceError> {
        let velocity = self.approach(site.arm, -site.normal);
        if velocity >= 0.0 {
            return Err(BounceError::NotApproaching { velocity });
        }
        queue.arms.push(site.arm);
        queue.normals.push(-site.normal);
        queue.shapes.extend_from_slice(&site.shapes);
        Ok(())
    }

    /// All strikes of a queue, in its order. A strike has the same bits whatever runs beside it.
    pub fn strike_all(&self, queue: &Queue, level: SimdLevel) -> Vec<Strike> {
        level.run(Run { body: self, queue })
    }

    /// One strike alone.
    pub fn strike(&self, site: &Site, level: SimdLevel) -> Result<Strike, BounceError> {
        let mut queue = Queue::default();
        self.enqueue(site, &mut queue)?;
        let strike = self.strike_all(&queue, level)[0];
        strike.check()?;
        Ok(strike)
    }

    /// Rigid normal velocity at first touch.
    fn approach(&self, arm: DVec3, normal: DVec3) -> f64 {
        normal.dot(self.spin.cross(arm)) - self.speed
    }
}

/// One mode in all lanes.
#[derive(Clone, Copy)]
struct Wave<S: Simd> {
    /// Coordinate at this step.
    place: Pack<S>,
    /// Its change in the coming step, without the impulse.
    change: Pack<S>,
    /// n·U: what an impulse adds to the change, and what the coordinate adds to the gap.
    normal_shape: Pack<S>,
    /// U.
    shape: [Pack<S>; 3],
}

/// What the steps of a block need of the rigid motion, in all lanes.
#[derive(Clone, Copy)]
struct Rigid<S: Simd> {
    /// Displacement along the normal.
    place: Pack<S>,
    /// Displacement in the coming step, without the impulse.
    change: Pack<S>,
    /// What a unit impulse adds to it.
    answer: Pack<S>,
    /// Impulse of the coming step.
    impulse: Pack<S>,
    /// Gap at the end of the coming step, without the impulse.
    gap: Pack<S>,
    /// Impulse that closes a gap of one metre in a step.
    closing: Pack<S>,
    /// Change after the last impulse.
    departure: Pack<S>,
    /// Whether the points have lain on each other since the last impulse, as a number.
    touching: Pack<S>,
    steps: Pack<S>,
    last_touch: Pack<S>,
    collisions: Pack<S>,
}

/// Rigid motion of one lane between blocks, in body axes.
#[derive(Clone, Copy, Default)]
struct Attitude {
    /// Which strike is in the lane.
    strike: Option<usize>,
    arm: DVec3,
    first_normal: DVec3,
    normal: DVec3,
    /// Displacement and velocity of the centre of mass along the normal.
    shift: f64,
    velocity: f64,
    spin: DVec3,
    /// I⁻¹ (arm × n) with the arm of the bent body: spin that a unit impulse gives.
    turning: DVec3,
    /// Rigid place and change at the beginning of the block, and what a unit impulse adds to the latter.
    place: f64,
    change: f64,
    answer: f64,
}

struct Run<'a> {
    body: &'a Body,
    queue: &'a Queue,
}

impl WithSimd for Run<'_> {
    type Output = Vec<Strike>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Vec<Strike> {
        let mut group = Group::new(self.body, self.queue, simd);
        let count = self.queue.arms.len();
        let mut strikes = vec![Strike::default(); count];
        let mut next = 0;
        loop {
            for lane in 0..Pack::<S>::WIDTH {
                if group.attitudes[lane].strike.is_none() && next < count {
                    group.load(next, lane);
                    next += 1;
                }
            }
            if group.attitudes.iter().all(|attitude| attitude.strike.is_none()) {
                return strikes;
            }
            group.begin_block();
            for _ in 0..group.block {
                group.step();
            }
            group.end_block();
            let reach = group.reach();
            for lane in 0..Pack::<S>::WIDTH {
                let Some(strike) = group.attitudes[lane].strike else { continue };
                let gone = group.leaves(lane) && group.rigid.place.lanes()[lane] > reach.lanes()[lane];
                let capped = group.rigid.steps.lanes()[lane] >= f64::from(self.body.clock.most_steps);
                // A gap that is no number stays none; the caller sees it in the result.
                if gone || capped || !group.rigid.gap.lanes()[lane].is_finite() {
                    strikes[strike] = group.unload(lane, !gone);
                }
            }
        }
    }
}

/// As many strikes as there are lanes. An empty lane goes on with numbers that nobody reads.
struct Group<'a, S: Simd> {
    body: &'a Body,
    queue: &'a Queue,
    arithmetic: Arithmetic<S>,
    /// The body's modes, and one that does nothing if their number is odd, for two sums at a time.
    modes: Vec<Mode>,
    /// Steps in a block.
    block: u32,
    waves: Vec<Wave<S>>,
    rigid: Rigid<S>,
    attitudes: Vec<Attitude>,
}

impl<'a, S: Simd> Group<'a, S> {
    #[inline(always)]
    fn new(body: &'a Body, queue: &'a Queue, simd: S) -> Self {
        let mut modes = body.modes.clone();
        modes.resize(modes.len().next_multiple_of(2), Mode::default());
        let arithmetic = Arithmetic(simd);
        let zero = arithmetic.splat(0.0);
        let wave = Wave { place: zero, change: zero, normal_shape: zero, shape: [zero; 3] };
        let rigid = Rigid {
            place: zero,
            change: zero,
            answer: zero,
            impulse: zero,
            gap: zero,
            closing: zero,
            departure: zero,
            touching: zero,
            steps: zero,
            last_touch: zero,
            collisions: zero,
        };
        let waves = vec![wave; modes.len()];
        let attitudes = vec![Attitude::default(); Pack::<S>::WIDTH];
        let block = BLOCK.min(body.clock.most_steps);
        Group { body, queue, arithmetic, modes, block, waves, rigid, attitudes }
    }

    /// Puts a strike in a lane, at first touch.
    #[inline(always)]
    fn load(&mut self, strike: usize, lane: usize) {
        let (body, normal) = (self.body, self.queue.normals[strike]);
        let shapes = &self.queue.shapes[strike * body.modes.len()..];
        for ((mode, wave), shape) in body.modes.iter().zip(&mut self.waves).zip(shapes) {
            wave.place.lanes_mut()[lane] = 0.0;
            wave.change.lanes_mut()[lane] = 0.0;
            for axis in 0..3 {
                wave.shape[axis].lanes_mut()[lane] = mode.scale * shape[axis];
            }
        }
        self.attitudes[lane] = Attitude {
            strike: Some(strike),
            arm: self.queue.arms[strike],
            first_normal: normal,
            normal,
            velocity: -body.speed,
            spin: body.spin,
            ..Attitude::default()
        };
        let Rigid { departure, touching, steps, last_touch, collisions, .. } = &mut self.rigid;
        for number in [departure, touching, steps, last_touch, collisions] {
            number.lanes_mut()[lane] = 0.0;
        }
    }

    /// Brings normal and lever arm up to date.
    #[inline(always)]
    fn begin_block(&mut self) {
        let on = self.arithmetic;
        let zero = on.splat(0.0);
        let mut normal = [zero; 3];
        for (lane, attitude) in self.attitudes.iter().enumerate() {
            for axis in 0..3 {
                normal[axis].lanes_mut()[lane] = attitude.normal[axis];
            }
        }
        let (mut bend, mut gap, mut modal_answer) = ([zero; 3], zero, zero);
        for wave in &mut self.waves {
            let Wave { place, change, shape, .. } = *wave;
            let [x, y, z] = shape;
            let along = on.mul_add(normal[0], x, on.mul_add(normal[1], y, on.mul(normal[2], z)));
            bend = array::from_fn(|axis| on.mul_add(shape[axis], place, bend[axis]));
            gap = on.mul_add(along, on.add(place, change), gap);
            modal_answer = on.mul_add(along, along, modal_answer);
            wave.normal_shape = along;
        }
        let (body, step, rigid) = (self.body, self.body.clock.step, &mut self.rigid);
        for (lane, attitude) in self.attitudes.iter_mut().enumerate() {
            let Attitude { arm, normal, .. } = *attitude;
            let lever = (arm + DVec3::from(bend.map(|axis| axis.lanes()[lane]))).cross(normal);
            attitude.turning = body.inverse_inertia * lever;
            attitude.place = attitude.shift + (normal - attitude.first_normal).dot(arm);
            attitude.change = step * (attitude.velocity + lever.dot(attitude.spin));
            attitude.answer = step * (1.0 / body.mass + lever.dot(attitude.turning));
            let gap = attitude.place + attitude.change + gap.lanes()[lane];
            let closing = 1.0 / (attitude.answer + modal_answer.lanes()[lane]);
            rigid.place.lanes_mut()[lane] = attitude.place;
            rigid.change.lanes_mut()[lane] = attitude.change;
            rigid.answer.lanes_mut()[lane] = attitude.answer;
            rigid.closing.lanes_mut()[lane] = closing;
            rigid.gap.lanes_mut()[lane] = gap;
            rigid.impulse.lanes_mut()[lane] = (-gap).max(0.0) * closing;
        }
    }

    /// One time step in all lanes.
    #[inline(always)]
    fn step(&mut self) {
        let (on, rigid) = (self.arithmetic, &mut self.rigid);
        let (zero, one) = (on.splat(0.0), on.splat(1.0));
        let impulse = rigid.impulse;
        let mut sums = [zero; 2];
        for (modes, waves) in self.modes.chunks_exact(2).zip(self.waves.chunks_exact_mut(2)) {
            for k in 0..2 {
                let (Mode { delta, kappa, .. }, Wave { place, change, normal_shape, .. }) = (modes[k], waves[k]);
                let change = on.mul_add(impulse, normal_shape, change);
                let place = on.add(place, change);
                let coming = on.mul_add(on.splat(-kappa), place, on.mul(on.splat(delta), change));
                sums[k] = on.mul_add(normal_shape, on.add(place, coming), sums[k]);
                (waves[k].place, waves[k].change) = (place, coming);
            }
        }
        let hairline = on.splat(HAIRLINE * self.body.speed * self.body.clock.step);
        rigid.change = on.mul_add(impulse, rigid.answer, rigid.change);
        rigid.place = on.add(rigid.place, rigid.change);
        rigid.steps = on.add(rigid.steps, one);
        rigid.departure = on.if_greater(impulse, zero, rigid.change, rigid.departure);
        rigid.last_touch = on.if_greater(impulse, zero, rigid.steps, rigid.last_touch);
        let begun = on.if_greater(impulse, zero, on.sub(one, rigid.touching), zero);
        rigid.collisions = on.add(rigid.collisions, begun);
        let lying = on.if_greater(rigid.gap, hairline, zero, rigid.touching);
        rigid.touching = on.if_greater(impulse, zero, one, lying);
        rigid.gap = on.add(on.add(rigid.place, rigid.change), on.add(sums[0], sums[1]));
        let closed = on.mul(on.sub(zero, rigid.gap), rigid.closing);
        rigid.impulse = on.if_greater(closed, zero, closed, zero);
    }

    /// Translates and turns the bodies by what happened in the block.
    #[inline(always)]
    fn end_block(&mut self) {
        let (body, step, steps) = (self.body, self.body.clock.step, f64::from(self.block));
        for (lane, attitude) in self.attitudes.iter_mut().enumerate() {
            // The change grew by `answer` with every impulse: it tells their sum, and the place the sum of their sums.
            let (place, change) = (self.rigid.place.lanes()[lane], self.rigid.change.lanes()[lane]);
            let impulse = (change - attitude.change) / attitude.answer;
            let summed = (place - attitude.place - steps * attitude.change) / attitude.answer;
            attitude.shift += step * (steps * attitude.velocity + summed / body.mass);
            attitude.velocity += impulse / body.mass;
            let angle = step * (steps * attitude.spin + summed * attitude.turning);
            // The fixed normal, seen from the body, turns the other way. The angle is minute: two terms are enough.
            let across = angle.cross(attitude.normal);
            attitude.normal = (attitude.normal - across + 0.5 * angle.cross(across)).normalize();
            let gyroscopic = body.inverse_inertia * attitude.spin.cross(body.inertia * attitude.spin);
            attitude.spin += impulse * attitude.turning - steps * step * gyroscopic;
        }
    }

    /// Whether the rigid body in a lane is beyond the plane, and moves away from it untouched.
    #[inline(always)]
    fn leaves(&self, lane: usize) -> bool {
        let Rigid { place, change, impulse, .. } = &self.rigid;
        impulse.lanes()[lane] == 0.0 && change.lanes()[lane] >= 0.0 && place.lanes()[lane] > 0.0
    }

    /// How far vibrations can carry the points along the normal: Eq. 8 with |n·Uᵢ| instead of |Uᵢ|. Infinite if no lane
    /// asks.
    #[inline(always)]
    fn reach(&self) -> Pack<S> {
        let on = self.arithmetic;
        if !(0..Pack::<S>::WIDTH).any(|lane| self.leaves(lane)) {
            return on.splat(f64::INFINITY);
        }
        let mut reach = on.splat(0.0);
        for (mode, wave) in self.modes.iter().zip(&self.waves) {
            let rate = on.mul(on.mul_add(on.splat(mode.lag), wave.place, wave.change), on.splat(mode.rate));
            let amplitude = on.sqrt(on.mul_add(rate, rate, on.mul(wave.place, wave.place)));
            reach = on.mul_add(on.abs(wave.normal_shape), amplitude, reach);
        }
        reach
    }

    /// What came of the strike in a lane, which is empty then.
    #[inline(always)]
    fn unload(&mut self, lane: usize, timed_out: bool) -> Strike {
        let (body, rigid, attitude) = (self.body, &self.rigid, &mut self.attitudes[lane]);
        attitude.strike = None;
        let mut energy = 0.0;
        for (mode, wave) in body.modes.iter().zip(&self.waves) {
            let (place, change) = (wave.place.lanes()[lane], wave.change.lanes()[lane]);
            let rate = (change + mode.lag * place) * mode.rate;
            energy += 0.5 * (mode.omega * mode.scale).powi(2) * (place * place + rate * rate);
        }
        let approach = body.clock.step * body.approach(attitude.arm, attitude.first_normal);
        Strike {
            restitution: body.attenuation * (-rigid.departure.lanes()[lane] / approach),
            contact_time: rigid.last_touch.lanes()[lane] * body.clock.step,
            micro_collisions: rigid.collisions.lanes()[lane] as u32,
            steps: rigid.steps.lanes()[lane] as u32,
            modal_energy: energy,
            timed_out: timed_out && !body.modes.is_empty(),
        }
    }
}
