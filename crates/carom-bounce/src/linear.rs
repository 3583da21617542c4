//! Many strikes of one body at once, with its attitude frozen while it touches.
//!
//! Then only the normal direction is left. With aᵢ = n·Uᵢ the gap is s + Σ Qᵢ, where s is the rigid displacement and
//! Qᵢ = aᵢqᵢ flies exactly. In steps of h, a flight with trace τ and determinant δ obeys
//! Q″ = τQ′ − δQ, here as a recurrence of the difference D = Q′ − Q, which loses no digits of slow modes:
//! D′ = δD − κQ′ with κ = 1 + δ − τ. An impulse λ at the beginning of a step adds λaᵢ²·∂q/∂q̇ to D′, and is such that a
//! gap that would be negative at the end of the step is zero. That is second order in h (see [`Method::Exact`]).
//!
//! [`Method::Exact`]: crate::Method::Exact

use crate::lanes::{LaneTask, Lanes};
use crate::oscillator::Flight;
use crate::params::Clock;
use crate::{BounceError, Params, Site, Strike};

/// Steps between two looks at whether a strike is over.
const BLOCK: u32 = 16;

/// One mode of the body, the same for all strikes.
#[derive(Clone, Copy, Default)]
struct Mode {
    delta: f64,
    kappa: f64,
    /// ∂q/∂q̇ over a step.
    flight: f64,
    /// 1 − ∂q/∂q over a step, and 1/(ω ∂q/∂q̇): what turns Q and D into a velocity over ω.
    lag: f64,
    rate: f64,
    omega: f64,
}

/// What all strikes of a body share.
pub(crate) struct Linear {
    modes: Vec<Mode>,
    clock: Clock,
    speed: f64,
    attenuation: f64,
}

/// Strikes that wait: how the modes move along the normal, and how the rigid body answers.
pub(crate) struct Queue {
    count: usize,
    /// aᵢ of every strike, one strike after the other.
    normal_shapes: Vec<f64>,
    /// Normal velocity that a unit impulse gives to the rigid point, of every strike.
    mobilities: Vec<f64>,
}

impl Linear {
    /// For a body given by any of its sites, and settings, both checked.
    pub fn new(site: &Site, params: &Params) -> Result<Linear, BounceError> {
        let clock = params.clock([site].into_iter())?;
        let mode = |&omega: &f64| {
            let Flight { qq, qv, vq, vv } = Flight::new(omega, params.damping, clock.step);
            let delta = qq * vv - qv * vq;
            // Without damping δ is one and κ = 4 sin²(ωh/2), without cancellation.
            let undamped = params.damping == 0.0;
            let delta = if undamped { 1.0 } else { delta };
            let kappa = if undamped { 4.0 * (0.5 * omega * clock.step).sin().powi(2) } else { 1.0 + delta - qq - vv };
            let lag = if undamped { 0.5 * kappa } else { 1.0 - qq };
            Mode { delta, kappa, flight: qv, lag, rate: 1.0 / (omega * qv), omega }
        };
        let modes = site.angular_frequencies.iter().map(mode).collect();
        Ok(Linear { modes, clock, speed: params.speed, attenuation: params.attenuation })
    }

    /// All strikes of a queue, in its order. A strike has the same bits whatever runs beside it.
    pub fn run(&self, queue: &Queue, lanes: Lanes) -> Vec<Strike> {
        lanes.run(Run { linear: self, queue })
    }
}

impl Queue {
    /// An empty queue for so many strikes.
    pub fn with_capacity(strikes: usize, modes: usize) -> Queue {
        Queue { count: 0, normal_shapes: Vec::with_capacity(strikes * modes), mobilities: Vec::with_capacity(strikes) }
    }

    /// Adds a strike.
    pub fn push(&mut self, site: &Site, inverse_inertia: &glam::DMat3) {
        let lever = site.arm.cross(site.normal);
        self.count += 1;
        self.mobilities.push(1.0 / site.mass + lever.dot(*inverse_inertia * lever));
        self.normal_shapes.extend(site.shapes.iter().map(|shape| shape.dot(site.normal)));
    }
}

/// One strike alone.
pub(crate) fn strike_one(site: &Site, params: &Params, lanes: Lanes) -> Result<Strike, BounceError> {
    let linear = Linear::new(site, params)?;
    let mut queue = Queue::with_capacity(1, site.shapes.len());
    queue.push(site, &site.inertia.inverse());
    Ok(linear.run(&queue, lanes)[0])
}

struct Run<'a> {
    linear: &'a Linear,
    queue: &'a Queue,
}

/// One mode in all lanes.
#[derive(Clone, Copy)]
struct Wave<const WIDTH: usize> {
    /// Q at this step.
    place: [f64; WIDTH],
    /// D of the coming step, without its impulse.
    change: [f64; WIDTH],
    /// What the impulse adds to D, per metre of gap that it closes.
    answer: [f64; WIDTH],
}

/// The rigid motion in all lanes, and the book of the strike.
struct Rigid<const WIDTH: usize> {
    /// Rigid displacement along the normal.
    place: [f64; WIDTH],
    /// Displacement in the coming step, without its impulse.
    change: [f64; WIDTH],
    /// What the impulse adds to it, per metre of gap that it closes.
    answer: [f64; WIDTH],
    /// Gap to close in the coming step: the impulse, up to a factor.
    closing: [f64; WIDTH],
    /// Whether there was an impulse in the last step, as a number.
    touching: [f64; WIDTH],
    steps: [f64; WIDTH],
    last_touch: [f64; WIDTH],
    collisions: [f64; WIDTH],
}

impl LaneTask for Run<'_> {
    type Output = Vec<Strike>;

    #[inline(always)]
    fn run<const WIDTH: usize, const FUSED: bool>(self) -> Vec<Strike> {
        let Run { linear, queue } = self;
        let count = linear.modes.len();
        // An even number of modes, for two sums at a time; the odd one does nothing.
        let mut modes = linear.modes.clone();
        modes.resize(count.next_multiple_of(2), Mode::default());
        let zero = [0.0; WIDTH];
        let mut waves = vec![Wave { place: zero, change: zero, answer: zero }; modes.len()];
        let mut rigid = Rigid {
            place: zero,
            change: zero,
            answer: zero,
            closing: zero,
            touching: zero,
            steps: zero,
            last_touch: zero,
            collisions: zero,
        };
        let mut strikes = vec![Strike::default(); queue.count];
        let mut owner = [None; WIDTH];
        let (mut next, mut busy) = (0, 0);
        for lane in 0..WIDTH {
            if next < queue.count {
                linear.load(queue, next, lane, &mut waves, &mut rigid);
                owner[lane] = Some(next);
                (next, busy) = (next + 1, busy + 1);
            }
        }
        let most_steps = f64::from(linear.clock.most_steps);
        while busy > 0 {
            for _ in 0..BLOCK.min(linear.clock.most_steps) {
                step::<WIDTH, FUSED>(&modes, &mut waves, &mut rigid);
            }
            let reach = reach(&modes, &waves);
            for lane in 0..WIDTH {
                let Some(strike) = owner[lane] else { continue };
                let gone = rigid.closing[lane] == 0.0 && rigid.change[lane] >= 0.0 && rigid.place[lane] > reach[lane];
                if gone || rigid.steps[lane] >= most_steps {
                    strikes[strike] = linear.unload(queue, strike, lane, &waves, &rigid, !gone);
                    owner[lane] = None;
                    busy -= 1;
                    if next < queue.count {
                        linear.load(queue, next, lane, &mut waves, &mut rigid);
                        owner[lane] = Some(next);
                        (next, busy) = (next + 1, busy + 1);
                    }
                }
            }
        }
        strikes
    }
}

impl Linear {
    /// Puts a strike in a lane, at first touch.
    #[inline(always)]
    fn load<const WIDTH: usize>(
        &self,
        queue: &Queue,
        strike: usize,
        lane: usize,
        waves: &mut [Wave<WIDTH>],
        rigid: &mut Rigid<WIDTH>,
    ) {
        let count = self.modes.len();
        let shapes = &queue.normal_shapes[strike * count..][..count];
        let rigid_answer = queue.mobilities[strike] * self.clock.step;
        let answers = self.modes.iter().zip(shapes).map(|(mode, shape)| mode.flight * shape * shape);
        let whole = answers.clone().fold(rigid_answer, |sum, answer| sum + answer);
        for (wave, answer) in waves.iter_mut().zip(answers) {
            wave.place[lane] = 0.0;
            wave.change[lane] = 0.0;
            wave.answer[lane] = answer / whole;
        }
        let way = self.speed * self.clock.step;
        rigid.place[lane] = 0.0;
        rigid.change[lane] = -way;
        rigid.answer[lane] = rigid_answer / whole;
        rigid.closing[lane] = way;
        rigid.touching[lane] = 0.0;
        rigid.steps[lane] = 0.0;
        rigid.last_touch[lane] = 0.0;
        rigid.collisions[lane] = 0.0;
    }

    /// What came of the strike in a lane.
    #[inline(always)]
    fn unload<const WIDTH: usize>(
        &self,
        queue: &Queue,
        strike: usize,
        lane: usize,
        waves: &[Wave<WIDTH>],
        rigid: &Rigid<WIDTH>,
        timed_out: bool,
    ) -> Strike {
        let count = self.modes.len();
        let shapes = &queue.normal_shapes[strike * count..][..count];
        let mut energy = 0.0;
        for ((mode, wave), shape) in self.modes.iter().zip(waves).zip(shapes) {
            // A mode that does not move along the normal is never excited.
            if *shape != 0.0 {
                energy += 0.5 * mode.omega.powi(2) * mode.amplitude_squared(wave.place[lane], wave.change[lane])
                    / shape.powi(2);
            }
        }
        Strike {
            restitution: self.attenuation * (rigid.change[lane] / (self.speed * self.clock.step)),
            contact_time: rigid.last_touch[lane] * self.clock.step,
            micro_collisions: rigid.collisions[lane] as u32,
            steps: rigid.steps[lane] as u32,
            modal_energy: energy,
            timed_out: timed_out && count > 0,
        }
    }
}

impl Mode {
    /// Square of the amplitude with which Q goes on if nothing touches it.
    #[inline(always)]
    fn amplitude_squared(&self, place: f64, change: f64) -> f64 {
        let rate = (change + self.lag * place) * self.rate;
        place * place + rate * rate
    }
}

/// One time step in all lanes.
#[inline(always)]
fn step<const WIDTH: usize, const FUSED: bool>(modes: &[Mode], waves: &mut [Wave<WIDTH>], rigid: &mut Rigid<WIDTH>) {
    let closing = rigid.closing;
    let mut sums = [[0.0; WIDTH]; 2];
    for (modes, waves) in modes.chunks_exact(2).zip(waves.chunks_exact_mut(2)) {
        for k in 0..2 {
            let (Mode { delta, kappa, .. }, wave) = (&modes[k], &mut waves[k]);
            for l in 0..WIDTH {
                let change = fused::<FUSED>(closing[l], wave.answer[l], wave.change[l]);
                let place = wave.place[l] + change;
                let coming = fused::<FUSED>(-kappa, place, delta * change);
                wave.place[l] = place;
                wave.change[l] = coming;
                sums[k][l] += place + coming;
            }
        }
    }
    for l in 0..WIDTH {
        let touches = if closing[l] > 0.0 { 1.0 } else { 0.0 };
        rigid.steps[l] += 1.0;
        rigid.last_touch[l] = if closing[l] > 0.0 { rigid.steps[l] } else { rigid.last_touch[l] };
        rigid.collisions[l] += touches * (1.0 - rigid.touching[l]);
        rigid.touching[l] = touches;
        let change = fused::<FUSED>(closing[l], rigid.answer[l], rigid.change[l]);
        rigid.change[l] = change;
        rigid.place[l] += change;
        let gap = rigid.place[l] + change + (sums[0][l] + sums[1][l]);
        rigid.closing[l] = if gap < 0.0 { -gap } else { 0.0 };
    }
}

/// How far vibrations can carry the point along the normal: Eq. 8 with |n·Uᵢ| instead of |Uᵢ|, for the normal is frozen.
#[inline(always)]
fn reach<const WIDTH: usize>(modes: &[Mode], waves: &[Wave<WIDTH>]) -> [f64; WIDTH] {
    let mut reach = [0.0; WIDTH];
    for (mode, wave) in modes.iter().zip(waves) {
        for l in 0..WIDTH {
            reach[l] += mode.amplitude_squared(wave.place[l], wave.change[l]).sqrt();
        }
    }
    reach
}

/// a·b + c, in one instruction where there is one.
#[inline(always)]
fn fused<const FUSED: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FUSED { a.mul_add(b, c) } else { a * b + c }
}
