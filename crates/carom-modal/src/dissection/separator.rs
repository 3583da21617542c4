//! Multilevel vertex separators: a small graph is divided in many ways, and the best division is refined from level to level.

use rayon::prelude::*;

use super::PARALLEL;
use super::coarsen::coarser;
use super::graph::Graph;
use super::levels::lightest_level;
use super::random::SplitMix64;
use super::refine::{Refiner, Separation};

/// Coarsening ends with this many vertices.
const COARSEST: usize = 100;

/// Vertices from which separators are grown in the coarsest graph.
const GROWINGS: usize = 3;

/// A graph of more vertices than this is coarsened to a quarter of them, and the separator of that is the best of several trials.
const TRIALS_ABOVE: usize = 500;
const TRIAL_COARSENING: usize = 4;

/// Large graphs are tried more often: their separators decide the cost of the factor.
fn trials(graph: &Graph) -> usize {
    if graph.len() > TRIALS_ABOVE { (graph.len() / 800).clamp(5, 20) } else { 1 }
}

/// Roots of level sets, in graphs of more vertices than `LEVEL_SETS_ABOVE`.
const ROOTS: usize = 10;
const LEVEL_SETS_ABOVE: usize = 200;

/// Divides a connected graph by the best separator that is found.
pub fn separate(graph: &Graph, random: &mut SplitMix64) -> Separation {
    let mut best = multilevel(graph, random, trials(graph));
    if graph.len() > LEVEL_SETS_ABOVE {
        let roots: Vec<u32> = (0..ROOTS).map(|_| random.below(graph.len()) as u32).collect();
        if let Some(mut found) = lightest_level(graph, &roots) {
            Refiner::new(graph).refine(&mut found);
            best = better(best, found);
        }
    }
    best
}

/// The better of two separations, the first if they are equally good.
fn better(first: Separation, second: Separation) -> Separation {
    if second.score() < first.score() { second } else { first }
}

/// Coarsens a graph, divides the coarsest by the best of several trials, and refines the division on the way back.
fn multilevel(graph: &Graph, random: &mut SplitMix64, trials: usize) -> Separation {
    let target = if trials > 1 { COARSEST.max(graph.len() / TRIAL_COARSENING) } else { COARSEST };
    let max_weight = (3 * graph.total_weight() / (2 * target as i64)).max(1);
    let mut levels: Vec<(Graph, Vec<u32>)> = Vec::new();
    loop {
        let fine = levels.last().map_or(graph, |(graph, _)| graph);
        if fine.len() <= target {
            break;
        }
        let (coarse, group) = coarser(fine, max_weight, random);
        // Graphs like stars have few pairs to match.
        if 20 * coarse.len() > 19 * fine.len() {
            break;
        }
        levels.push((coarse, group));
    }
    let coarsest = levels.last().map_or(graph, |(graph, _)| graph);
    let mut separation = if trials > 1 { best_of(coarsest, random, trials) } else { grown(coarsest, random) };
    for level in (0..levels.len()).rev() {
        let fine = if level == 0 { graph } else { &levels[level - 1].0 };
        separation = separation.projected(&levels[level].1);
        Refiner::new(fine).refine(&mut separation);
    }
    separation
}

/// The best separator of several trials with different random numbers, the first among equally good ones.
fn best_of(graph: &Graph, random: &mut SplitMix64, trials: usize) -> Separation {
    let seeds: Vec<u64> = (0..trials).map(|_| random.next()).collect();
    let trial = |&seed: &u64| multilevel(graph, &mut SplitMix64::new(seed), 1);
    let found: Vec<Separation> = if graph.len() * TRIAL_COARSENING >= PARALLEL {
        seeds.par_iter().map(trial).collect()
    } else {
        seeds.iter().map(trial).collect()
    };
    found.into_iter().reduce(better).unwrap_or_else(|| grown(graph, random))
}

/// The best of several separators that were grown from single vertices.
fn grown(graph: &Graph, random: &mut SplitMix64) -> Separation {
    let mut refiner = Refiner::new(graph);
    let mut trial = || {
        let mut separation = refiner.grow(random.below(graph.len()) as u32);
        refiner.refine(&mut separation);
        separation
    };
    let first = trial();
    (1..GROWINGS).fold(first, |best, _| better(best, trial()))
}
