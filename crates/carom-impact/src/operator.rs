//! One island through the chosen operator, with its account of energy.

use carom_solve::{Columns, Problem, Solver};

use crate::island::Island;
use crate::layers::Layers;
use crate::pairwise::{gauss_seidel, jacobi};
use crate::{Effort, ImpactParams, Ledger, Operator};

/// What one island yields.
#[derive(Debug, Clone, Default)]
pub(crate) struct Yield {
    pub normal: Vec<f64>,
    pub ledger: Ledger,
    pub effort: Effort,
}

/// Memory for one thread.
#[derive(Debug, Default)]
pub(crate) struct Workspace<C> {
    layers: Layers<C>,
    solver: Solver<C>,
    w: Vec<f64>,
    linear: Vec<f64>,
}

impl<C: Columns> Workspace<C> {
    /// Resolves an island.
    pub fn resolve(&mut self, island: &Island<C>, params: &ImpactParams) -> Yield {
        let mut result = Yield::default();
        if let [restitution] = island.restitution[..] {
            // Alone, every operator gives Newton's law.
            let restitution = if params.operator == Operator::Inelastic { 0.0 } else { restitution };
            let opening = island.opening(0, &island.before);
            result.normal.push((-(1.0 + restitution) * opening / island.normals.product(0, 0)).max(0.0));
            result.effort.solves = usize::from(opening < 0.0);
        } else {
            self.normal_impulses(island, params, &mut result);
        }
        self.account(island, &mut result);
        result
    }

    fn normal_impulses(&mut self, island: &Island<C>, params: &ImpactParams, result: &mut Yield) {
        result.normal.resize(island.len(), 0.0);
        self.w.clone_from(&island.before);
        match params.operator {
            Operator::Reflections | Operator::Inelastic => {
                let layers = if params.operator == Operator::Inelastic { 0 } else { params.layers.max(1) };
                let course = self.layers.run(island, layers);
                result.normal.copy_from_slice(&self.layers.impulses);
                result.ledger.jam = course.jam;
                result.effort.solves = course.solves;
                result.effort.rounds = course.rounds;
                result.effort.residual = course.residual;
                result.effort.jammed = course.jammed;
            }
            Operator::GaussSeidel => {
                result.effort.solves = gauss_seidel(island, &mut self.w, &mut result.normal, params.passes);
            }
            Operator::Jacobi => {
                result.effort.solves = jacobi(island, &mut self.w, &mut result.normal, params.passes);
            }
            Operator::Complementarity => {
                self.linear.clear();
                self.linear.extend(
                    (0..island.len()).map(|i| (1.0 + island.restitution[i]) * island.opening(i, &island.before)),
                );
                let problem = Problem::non_negative(&island.normals, &self.linear);
                let report = self.solver.solve(&problem, &mut result.normal);
                result.effort.solves = 1;
                result.effort.rounds = report.rounds;
                result.effort.residual = report.residual;
            }
        }
    }

    /// Where the energy went, from λᵀ(openings) + ½|Gλ|², which is exact where a difference of energies would not be.
    fn account(&mut self, island: &Island<C>, result: &mut Yield) {
        self.w.clear();
        self.w.resize(island.before.len(), 0.0);
        let (mut slope, mut driven) = (0.0, 0.0);
        for (i, &impulse) in result.normal.iter().enumerate() {
            if impulse != 0.0 {
                slope += impulse * island.opening(i, &island.before);
                driven -= impulse * island.drift[i];
                island.normals.add_scaled(i, impulse, &mut self.w);
            }
        }
        let lost = -(slope + 0.5 * self.w.iter().map(|x| x * x).sum::<f64>());
        result.ledger.driven = driven;
        result.ledger.restitution = lost - result.ledger.jam;
    }
}
