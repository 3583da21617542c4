//! Coulomb friction in an impact, with the exact cone: a dissipative pass after the normal impulses.
//!
//! Normal impulses λ of the operator have acted. Friction can rely on them, |r_T| ≤ μ(λ + r_N), and r_N ≥ 0 stops what friction makes approach.
//! Joints hold. The work r·(u⁺ + u⁻)/2 = r·u⁺ − ½ rᵀWr of the pass is never positive, because r_N u_N⁺ = 0 and r_T u_T⁺ ≤ 0: friction adds no
//! energy, whatever the restitution was (Kane and Levinson's paradox needs both in one problem).

use carom_solve::Columns;
use carom_solve::coulomb::{Constraint, CoulombParams, CoulombProblem, CoulombReport, CoulombSolver};

use crate::island::Island;

/// Most proximal steps of an impact. Problems that need more are nearly degenerate.
const MAX_PROXIMAL_STEPS: usize = 60;

/// Memory of the pass.
#[derive(Debug, Default)]
pub(crate) struct CoupledFriction<C> {
    solver: CoulombSolver,
    /// Normals, then tangents.
    columns: C,
    constraints: Vec<Constraint>,
    free: Vec<f64>,
    impulses: Vec<f64>,
    w: Vec<f64>,
}

impl<C: Columns> CoupledFriction<C> {
    /// Adds to the normal impulses what friction needs, and puts the tangential ones. If the problem is not solved and its best iterate gains
    /// energy, there is no friction.
    pub fn run(&mut self, island: &Island<C>, normal: &mut [f64], tangential: &mut [f64]) -> CoulombReport {
        self.gather(island, normal);
        let problem =
            CoulombProblem { columns: &self.columns, constraints: &self.constraints, free: &self.free, softness: &[] };
        let params = CoulombParams { max_proximal_steps: MAX_PROXIMAL_STEPS, ..CoulombParams::default() };
        self.impulses.clear();
        self.impulses.resize(self.columns.len(), 0.0);
        let unsolved = CoulombReport { residual: f64::INFINITY, scaled_residual: f64::INFINITY, ..Default::default() };
        let Ok(report) = self.solver.solve(&problem, &params, &mut self.impulses) else { return unsolved };
        if !report.converged && self.gained_energy() > 0.0 {
            return report;
        }
        let (more, along) = self.impulses.split_at(normal.len());
        normal.iter_mut().zip(more).for_each(|(normal, more)| *normal += more);
        tangential.copy_from_slice(along);
        self.pull_into_cones(island, normal, tangential);
        report
    }

    fn gather(&mut self, island: &Island<C>, normal: &[f64]) {
        self.w.clone_from(&island.before);
        for (i, &impulse) in normal.iter().enumerate().filter(|(_, impulse)| **impulse != 0.0) {
            island.normals.add_scaled(i, impulse, &mut self.w);
        }
        self.columns.clear();
        for block in 0..island.normals.blocks() as u32 {
            self.columns.push_block_like(&island.normals, block);
        }
        self.free.clear();
        for i in 0..island.len() {
            self.columns.push_column_like(&island.normals, i, island.normals.blocks_of(i), 1.0);
            self.free.push(island.opening(i, &self.w));
        }
        for i in 0..island.tangents.len() {
            self.columns.push_column_like(&island.tangents, i, island.tangents.blocks_of(i), 1.0);
            self.free.push(island.sliding(i, &self.w));
        }
        self.constraints.clear();
        let mut tangent = 0;
        for (i, &preload) in normal.iter().enumerate() {
            if island.joint[i] {
                self.constraints.push(Constraint::bilateral(i, 1));
                continue;
            }
            let first = tangent;
            while island.tangent_contact.get(tangent) == Some(&(i as u32)) {
                tangent += 1;
            }
            let rows = [i, island.len() + first, island.len() + first + 1];
            let contact = Constraint::contact(i, 1 + tangent - first, island.friction[i]);
            self.constraints.push(Constraint { rows, preload: preload.max(0.0), ..contact });
        }
    }

    /// Takes away what the tolerance of the solver leaves outside of the cones.
    fn pull_into_cones(&self, island: &Island<C>, normal: &[f64], tangential: &mut [f64]) {
        for constraint in self.constraints.iter().filter(|constraint| constraint.count > 1) {
            let contact = constraint.rows[0];
            let first = constraint.rows[1] - island.len();
            let tangents = &mut tangential[first..first + constraint.count - 1];
            let size = tangents.iter().map(|x| x * x).sum::<f64>().sqrt();
            let radius = island.friction[contact] * normal[contact].max(0.0);
            if size > radius {
                tangents.iter_mut().for_each(|x| *x *= radius / size);
            }
        }
    }

    /// The energy that the impulses add to the motion, J: r·q + ½|Gr|².
    fn gained_energy(&mut self) -> f64 {
        self.w.iter_mut().for_each(|w| *w = 0.0);
        let mut gained = 0.0;
        for (row, &impulse) in self.impulses.iter().enumerate() {
            gained += impulse * self.free[row];
            self.columns.add_scaled(row, impulse, &mut self.w);
        }
        gained + 0.5 * self.w.iter().map(|w| w * w).sum::<f64>()
    }
}
