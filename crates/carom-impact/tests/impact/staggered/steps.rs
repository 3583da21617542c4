//! Many steps in a row: rest without noise, the same active contacts, no new memory, few iterations.

use carom_impact::{FlexibleStaggered, Grip, InverseMass, Place, StaggeredParams, StaggeredReport, Touch, WORLD};
use carom_testing::allocations;

use super::{UP, row};
use crate::random::Random;

const STEP: f64 = 1e-4;
const WEIGHT: f64 = 9.81 * STEP;
const POINTS: usize = 24;
const MODES: usize = 10;

/// A ring of 0.4 kg with modes lies on 24 points of a slope.
struct Ring {
    staggered: FlexibleStaggered,
    arms: Vec<[f64; 3]>,
    shapes: Vec<[[f64; MODES]; 3]>,
    velocity: [f64; 6],
    modal: [f64; MODES],
    touches: Vec<Touch>,
    inverse: [f64; 6],
    friction: f64,
    slope: f64,
}

impl Ring {
    fn new(friction: f64, slope: f64) -> Ring {
        let random = &mut Random(2);
        let at = |k: usize| std::f64::consts::TAU * k as f64 / POINTS as f64;
        Ring {
            staggered: FlexibleStaggered::default(),
            arms: (0..POINTS).map(|k| [0.1 * at(k).cos(), -0.02, 0.1 * at(k).sin()]).collect(),
            shapes: (0..POINTS).map(|_| [[(); MODES]; 3].map(|d| d.map(|()| random.between(-0.3, 0.3)))).collect(),
            velocity: [0.0; 6],
            modal: [0.0; MODES],
            touches: vec![Touch { sliding_friction: friction, ..Touch::default() }; POINTS],
            inverse: [2.5, 2.5, 2.5, 500.0, 250.0, 500.0],
            friction,
            slope,
        }
    }

    /// One step; modes are as stiff as their steps are long, so that they come back to rest at once.
    fn step(&mut self) -> StaggeredReport {
        let (sin, cos) = self.slope.sin_cos();
        self.velocity[0] += sin * WEIGHT;
        self.velocity[1] -= cos * WEIGHT;
        let Ring { staggered, velocity, modal, inverse, .. } = self;
        staggered.clear();
        staggered.add_body(&InverseMass::Diagonal(*inverse), velocity, &[0.7; MODES], modal).unwrap();
        let directions = [UP, [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
        for ((arm, shapes), touch) in self.arms.iter().zip(&self.shapes).zip(&self.touches) {
            let pair = |k: usize| [Place { rigid: row(directions[k], *arm), modal: &shapes[k] }, Place::default()];
            staggered.add_contact([0, WORLD], pair(0), &[pair(1), pair(2)], self.friction, *touch).unwrap();
        }
        let report = staggered.solve(&StaggeredParams::default());
        self.touches.copy_from_slice(staggered.touches());
        for (arm, touch) in self.arms.iter().zip(&self.touches) {
            for k in 0..3 {
                let row = row(directions[k], *arm);
                (0..6).for_each(|j| velocity[j] += touch.impulse[k] * inverse[j] * row[j]);
            }
        }
        report
    }
}

#[test]
fn a_ring_at_rest_is_silent_and_takes_no_new_memory() {
    let mut ring = Ring::new(0.5, 0.3);
    for _ in 0..20 {
        ring.step();
    }
    let (start, before) = (ring.touches.clone(), allocations());
    let mut effort = (0, 0, 0);
    for _ in 0..1000 {
        let report = ring.step();
        effort = (effort.0 + report.passes, effort.1 + report.newton_steps, effort.2 + report.fallbacks);
        let sum = |k: usize| ring.touches.iter().map(|touch| touch.impulse[k]).sum::<f64>();
        let expected = [0.4 * WEIGHT * 0.3f64.cos(), -0.4 * WEIGHT * 0.3f64.sin(), 0.0];
        for k in 0..3 {
            assert!((sum(k) - expected[k]).abs() < 1e-8 * 0.4 * WEIGHT, "{} {}", sum(k), expected[k]);
        }
        for (touch, start) in ring.touches.iter().zip(&start) {
            assert_eq!(touch.grip, start.grip);
            (0..3).for_each(|k| assert!((touch.impulse[k] - start.impulse[k]).abs() < 1e-6 * 0.4 * WEIGHT));
        }
    }
    assert_eq!(allocations() - before, 0);
    // Nothing is left to do but to see that all is as it was.
    assert!(effort.0 == 0 && effort.1 <= 1000 && effort.2 == 0, "{effort:?}");
    assert!(ring.velocity.iter().all(|v| v.abs() < 1e-8 * WEIGHT), "{:?}", ring.velocity);
}

#[test]
fn a_ring_that_slides_takes_a_few_newton_steps_and_no_pass() {
    let slope = 0.6f64;
    let mut ring = Ring::new(0.3, slope);
    let mut effort = (0, 0);
    let settled = 50;
    for step in 0..200 {
        let report = ring.step();
        assert_eq!(report.fallbacks, 0);
        if step >= settled {
            effort = (effort.0 + report.passes, effort.1 + report.newton_steps);
        }
    }
    let expected = 200.0 * WEIGHT * (slope.sin() - 0.3 * slope.cos());
    assert!((ring.velocity[0] - expected).abs() < 1e-6 * expected, "{} {expected}", ring.velocity[0]);
    assert!(ring.touches.iter().all(|touch| touch.grip != Grip::Stick));
    assert!(effort.0 <= 15 && effort.1 <= 3 * 150, "{effort:?}");
}
