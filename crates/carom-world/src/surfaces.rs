//! What two surfaces do with each other: restitution from a table, constants or bounce maps, friction from a table or constants.

use std::collections::BTreeMap;

use carom_contact::{Pose as _, Touch, Vector as _};
use carom_object::Combiner;

use crate::body::Body;
use crate::{Bounciness, Dynamics, SurfacePair, WorldError};

/// The surfaces of a world by number, and the pairs that have values of their own.
#[derive(Debug, Clone, Default)]
pub(crate) struct Surfaces {
    numbers: BTreeMap<String, usize>,
    /// By the two numbers, the smaller first: restitution and friction.
    pairs: BTreeMap<(usize, usize), (Option<f64>, Option<f64>)>,
    restitution_rule: Combiner,
    friction_rule: Combiner,
}

impl Surfaces {
    pub fn new(restitution_rule: Combiner, friction_rule: Combiner) -> Self {
        Surfaces { restitution_rule, friction_rule, ..Surfaces::default() }
    }

    /// The number of a surface.
    pub fn number(&mut self, name: &str) -> usize {
        let next = self.numbers.len();
        *self.numbers.entry(name.into()).or_insert(next)
    }

    /// Adds a pair; a later one replaces an earlier one.
    pub fn add(&mut self, pair: &SurfacePair) -> Result<(), WorldError> {
        if let Some(value) = pair.restitution.filter(|e| !(0.0..=1.0).contains(e)) {
            let quantity = "the restitution of a pair of surfaces";
            return Err(WorldError::BadParameter { quantity, value, expected: "between 0 and 1" });
        }
        if let Some(value) = pair.friction.filter(|mu| !(*mu >= 0.0 && mu.is_finite())) {
            let quantity = "the friction of a pair of surfaces";
            return Err(WorldError::BadParameter { quantity, value, expected: "zero or more, and finite" });
        }
        let [a, b] = [self.number(&pair.surfaces[0]), self.number(&pair.surfaces[1])];
        self.pairs.insert((a.min(b), a.max(b)), (pair.restitution, pair.friction));
        Ok(())
    }

    /// Restitution and friction of two bodies where they touch.
    pub fn meet<G: Dynamics<W>, const W: usize>(
        &self,
        bodies: [&Body<G, W>; 2],
        poses: [&G::Pose; 2],
        touch: &Touch<G::Vector>,
    ) -> (f64, f64) {
        let [a, b] = bodies.map(|body| body.surface);
        let own = if self.pairs.is_empty() { None } else { self.pairs.get(&(a.min(b), a.max(b))) };
        let (restitution, friction) = own.copied().unwrap_or_default();
        let restitution = restitution.unwrap_or_else(|| {
            // The normal points to the first body: out of the second, into the first.
            let first = bounciness(bodies[0], poses[0], touch, -1.0);
            let second = bounciness(bodies[1], poses[1], touch, 1.0);
            self.restitution_rule.combine(first, second)
        });
        let friction = friction.unwrap_or_else(|| combine(self.friction_rule, bodies[0].friction, bodies[1].friction));
        (restitution, friction)
    }
}

impl Surfaces {
    /// Friction of two bodies that do not slide on each other; never less than if they do, which is `sliding`.
    pub fn hold<G: Dynamics<W>, const W: usize>(&self, bodies: [&Body<G, W>; 2], sliding: f64) -> f64 {
        let [a, b] = bodies.map(|body| body.surface);
        match self.pairs.get(&(a.min(b), a.max(b))) {
            Some((_, Some(_))) => sliding,
            _ => combine(self.friction_rule, bodies[0].static_friction, bodies[1].static_friction).max(sliding),
        }
    }
}

/// Rules know [0, 1]; friction may be more, and all rules for it are of degree one.
fn combine(rule: Combiner, a: f64, b: f64) -> f64 {
    let scale = a.max(b).max(1.0);
    scale * rule.combine(a / scale, b / scale)
}

fn bounciness<G: Dynamics<W>, const W: usize>(
    body: &Body<G, W>,
    pose: &G::Pose,
    touch: &Touch<G::Vector>,
    outward: f64,
) -> f64 {
    match &body.bounciness {
        Bounciness::Constant(value) => *value,
        Bounciness::Map(map) => {
            let point = pose.local(touch.point).in_space() - map.offset;
            let normal = pose.turn_back(touch.normal).in_space() * outward;
            map.lookup.near(&map.hierarchy, point, normal, map.interpolation).unwrap_or(0.0)
        }
    }
}
