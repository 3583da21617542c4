//! Restitution, a coefficient for each contact, as an average over layers.
//!
//! v⁺ = ∫₀¹ H(s) ds, where H(s) is the impact in which contacts with cᵢ ≥ s are elastic and the others inelastic. The
//! integral is a sum over the distinct coefficients. One coefficient for all gives the interpolation of Reflections §5, one
//! contact gives Newton's law. Each layer is admissible, pushes only, and gains no energy; so does their average,
//! because admissible velocities and impulses form convex cones and energy is convex.

use carom_solve::Columns;

use crate::island::Island;
use crate::reflections::{Course, Reflector};

/// Memory for layers.
#[derive(Debug, Default)]
pub(crate) struct Layers<C> {
    pub reflector: Reflector<C>,
    pub impulses: Vec<f64>,
    after: Vec<f64>,
    levels: Vec<Level>,
    distinct: Vec<f64>,
}

/// Coefficients that are treated as one.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Level {
    /// The least of them.
    from: f64,
    /// Their mean.
    coefficient: f64,
}

impl<C: Columns> Layers<C> {
    /// Resolves an island with the restitution of its contacts, in at most `most` layers above
    /// the inelastic one; leaves the sum in `impulses`.
    pub fn run(&mut self, island: &Island<C>, most: usize) -> Course {
        let mut levels = std::mem::take(&mut self.levels);
        find_levels(&island.restitution, most, &mut self.distinct, &mut levels);
        self.impulses.clear();
        self.impulses.resize(island.len(), 0.0);
        let mut course = Course::default();
        let mut below = 0.0;
        for &Level { from, coefficient } in &levels {
            course.add(self.add_layer(island, from, coefficient - below), coefficient - below);
            below = coefficient;
        }
        if below < 1.0 {
            course.add(self.add_layer(island, f64::INFINITY, 1.0 - below), 1.0 - below);
        }
        self.levels = levels;
        self.finish(island, &mut course);
        course
    }

    /// Stops what still approaches. In a cascade between light and heavy bodies speeds may have been thousands of times
    /// what they are in the end, and so may be the round-off that they left.
    fn finish(&mut self, island: &Island<C>, course: &mut Course) {
        self.after.clone_from(&island.before);
        for (i, &impulse) in self.impulses.iter().enumerate() {
            island.normals.add_scaled(i, impulse, &mut self.after);
        }
        let rests = |i: usize| {
            let opening = island.opening(i, &self.after);
            if island.joint[i] { opening == 0.0 } else { opening >= 0.0 }
        };
        if (0..island.len()).all(rests) {
            return;
        }
        let solves = course.solves;
        let mut last = self.reflector.run(island, &self.after, |_| false);
        // What a jam has left approaching is the jam's.
        last.jam = if course.jammed > 0 { last.lost } else { 0.0 };
        course.add(last, 1.0);
        if course.solves > solves {
            self.impulses.iter_mut().zip(&self.reflector.impulses).for_each(|(sum, impulse)| *sum += impulse);
        }
    }

    /// Adds the impulses of the impact in which contacts from a level up are elastic.
    fn add_layer(&mut self, island: &Island<C>, level: f64, weight: f64) -> Course {
        let course = self.reflector.run(island, &island.before, |i| island.restitution[i] >= level);
        for (sum, impulse) in self.impulses.iter_mut().zip(&self.reflector.impulses) {
            *sum += weight * impulse;
        }
        course
    }
}

impl Course {
    /// Adds the course of a layer that counts by a weight.
    pub fn add(&mut self, layer: Course, weight: f64) {
        self.solves += layer.solves;
        self.rounds += layer.rounds;
        self.interior_points += layer.interior_points;
        self.factorizations += layer.factorizations;
        self.examined += layer.examined;
        self.residual = self.residual.max(layer.residual);
        self.lost += weight * layer.lost;
        self.jam += weight * layer.jam;
        self.jammed = self.jammed.max(layer.jammed);
        self.squeezed |= layer.squeezed;
    }
}

/// The distinct positive coefficients, ascending. If there are too many, those in equal parts of their range are treated as one.
fn find_levels(restitution: &[f64], most: usize, distinct: &mut Vec<f64>, levels: &mut Vec<Level>) {
    distinct.clear();
    // Mostly all are the same, or many in a row.
    for &c in restitution.iter().filter(|&&c| c > 0.0) {
        if distinct.last() != Some(&c) {
            distinct.push(c);
        }
    }
    distinct.sort_by(f64::total_cmp);
    distinct.dedup();
    levels.clear();
    if distinct.len() <= most {
        levels.extend(distinct.iter().map(|&c| Level { from: c, coefficient: c }));
        return;
    }
    let (Some(&least), Some(&greatest), 1..) = (distinct.first(), distinct.last(), most) else { return };
    let part = |c: f64| (((c - least) / (greatest - least) * most as f64) as usize).min(most - 1);
    for group in distinct.chunk_by(|&a, &b| part(a) == part(b)) {
        levels.push(Level { from: group[0], coefficient: group.iter().sum::<f64>() / group.len() as f64 });
    }
}
