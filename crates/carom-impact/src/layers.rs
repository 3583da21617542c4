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
    levels: Vec<f64>,
}

impl<C: Columns> Layers<C> {
    /// Resolves an island with the restitution of its contacts, in at most `most` layers above
    /// the inelastic one; leaves the sum in `impulses`.
    pub fn run(&mut self, island: &Island<C>, most: usize) -> Course {
        let mut levels = std::mem::take(&mut self.levels);
        find_levels(&island.restitution, most, &mut levels);
        self.impulses.clear();
        self.impulses.resize(island.len(), 0.0);
        let mut course = Course::default();
        let mut below = 0.0;
        for &level in &levels {
            course.add(self.add_layer(island, level, level - below), level - below);
            below = level;
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
        let solves = course.solves;
        course.add(self.reflector.run(island, &self.after, |_| false), 1.0);
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
        self.residual = self.residual.max(layer.residual);
        self.jam += weight * layer.jam;
        self.jammed = self.jammed.max(layer.jammed);
        self.squeezed = self.squeezed.or(layer.squeezed);
    }
}

/// The distinct positive coefficients, ascending. If there are too many, evenly spread ones among them.
fn find_levels(restitution: &[f64], most: usize, levels: &mut Vec<f64>) {
    levels.clear();
    levels.extend(restitution.iter().filter(|&&c| c > 0.0));
    levels.sort_by(f64::total_cmp);
    levels.dedup();
    let count = levels.len();
    if count > most {
        // The integrand is a step function of s; its steps are sampled by the middle of equal groups.
        for k in 0..most {
            levels[k] = levels[(2 * k + 1) * count / (2 * most)];
        }
        levels.truncate(most);
    }
}
