//! Forces in time: a blow at an instant, a steady push, or the half sine of an elastic impact.
//!
//! Within one sample a force is told by its moments: the impulses at six fixed instants that have the same effect on any
//! course of time that a polynomial of fifth degree follows. Over a sample, a mode of 20 kHz at 44.1 kHz is such a course within
//! 8e-4, slower ones far better, so a force acts when it acts, not at the next sample, and excites each mode as it should.

use std::f64::consts::PI;

/// Instants within a sample at which impulses stand for a force.
pub const NODES: usize = 6;

/// Those instants, as parts of the sample: Chebyshev's with both ends, so that a blow at a sample is exact.
pub fn nodes() -> [f64; NODES] {
    std::array::from_fn(|i| 0.5 - 0.5 * (PI * i as f64 / (NODES - 1) as f64).cos())
}

/// How a force runs in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Course {
    /// The same all the time.
    Steady,
    /// Half a sine: rises and falls as the force between elastic bodies that meet and part.
    HalfSine,
}

/// A force within a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Force {
    /// The same all the time, 1/s.
    Steady(f64),
    /// Impulses at [`nodes`].
    Moments([f64; NODES]),
}

/// A force in time whose impulse is one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pulse {
    /// When it begins, s.
    pub start: f64,
    /// How long it lasts, s; zero is a blow.
    pub span: f64,
    /// How it runs.
    pub course: Course,
}

impl Pulse {
    /// A blow at an instant.
    pub fn blow(time: f64) -> Pulse {
        Pulse { start: time, span: 0.0, course: Course::Steady }
    }

    /// When it is over, s.
    pub fn end(&self) -> f64 {
        self.start + self.span
    }

    /// The force at a time, 1/s.
    pub fn force(&self, time: f64) -> f64 {
        let share = (time - self.start) / self.span;
        match self.course {
            _ if !(0.0..=1.0).contains(&share) => 0.0,
            Course::Steady => 1.0 / self.span,
            Course::HalfSine => 0.5 * PI * (PI * share).sin() / self.span,
        }
    }

    /// What acts between two times, the first excluded.
    pub fn within(&self, from: f64, to: f64) -> Option<Force> {
        let whole = self.course == Course::Steady && self.start <= from && self.end() >= to && self.span > 0.0;
        if whole { Some(Force::Steady(1.0 / self.span)) } else { self.moments(from, to).map(Force::Moments) }
    }

    /// Moments of the force between two times, the first excluded: the impulses at [`nodes`] that stand for it.
    pub fn moments(&self, from: f64, to: f64) -> Option<[f64; NODES]> {
        let length = to - from;
        let mut moments = [0.0; NODES];
        if self.span <= 1e-9 * length {
            if !(self.start > from && self.start <= to) {
                return None;
            }
            add(&mut moments, ((self.start - from) / length).clamp(0.0, 1.0), 1.0);
            return Some(moments);
        }
        let (first, last) = (self.start.max(from), self.end().min(to));
        if first >= last {
            return None;
        }
        for (at, weight) in GAUSS {
            let time = first + at * (last - first);
            add(&mut moments, (time - from) / length, weight * (last - first) * self.force(time));
        }
        Some(moments)
    }
}

/// Points and weights on [0, 1] that integrate polynomials up to degree nine.
const GAUSS: [(f64, f64); 5] = [
    (0.046_910_077_030_668, 0.118_463_442_528_094_54),
    (0.230_765_344_947_158_45, 0.239_314_335_249_683_24),
    (0.5, 0.284_444_444_444_444_45),
    (0.769_234_655_052_841_6, 0.239_314_335_249_683_24),
    (0.953_089_922_969_332, 0.118_463_442_528_094_54),
];

/// Adds an impulse at a part of the sample: Lagrange's polynomials of the nodes there.
fn add(moments: &mut [f64; NODES], at: f64, impulse: f64) {
    let nodes = nodes();
    for i in 0..NODES {
        let others = (0..NODES).filter(|&j| j != i);
        moments[i] += impulse * others.map(|j| (at - nodes[j]) / (nodes[i] - nodes[j])).product::<f64>();
    }
}

/// How long two elastic bodies touch when they meet, s (H. Hertz, 1881).
///
/// `mass` m of the pair in kg, 1/m = 1/m₁ + 1/m₂ as felt at the contact; `radius` R in m, 1/R = 1/R₁ + 1/R₂;
/// `modulus` E in Pa, 1/E = (1 − ν₁²)/E₁ + (1 − ν₂²)/E₂; `speed` in m/s: T = 2.868 (m²/(R E² v))^⅕.
///
/// ```
/// // Two steel balls of 25 mm that meet at 1 m/s touch for 77 µs.
/// let (ball, steel) = (4.0 / 3.0 * std::f64::consts::PI * 0.0125f64.powi(3) * 7850.0, 2e11 / (1.0 - 0.29f64.powi(2)));
/// let time = carom_sound::synthesis::contact_time(ball / 2.0, 0.0125 / 2.0, steel / 2.0, 1.0);
/// assert!((time - 76.9e-6).abs() < 0.1e-6);
/// ```
pub fn contact_time(mass: f64, radius: f64, modulus: f64, speed: f64) -> f64 {
    2.868_265_1 * (mass * mass / (radius * modulus * modulus * speed)).powf(0.2)
}
