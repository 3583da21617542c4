//! One island through the chosen operator, with its account of energy.

use std::time::Instant;

use carom_solve::{Bounds, Columns, Problem, Solver, least_norm};

use crate::coupled_friction::CoupledFriction;
use crate::friction::Friction;
use crate::island::Island;
use crate::layers::Layers;
use crate::pairwise::{gauss_seidel, jacobi};
use crate::reflections::Course;
use crate::{Effort, ImpactFriction, ImpactParams, Ledger, Operator};

/// How far the effect of the least impulses may be off, relative to the largest change of a velocity.
const SAME_EFFECT: f64 = 1e-12;

/// What is driven off so much faster than anything came is squeezed.
const DRIVEN_OFF: f64 = 1e3;

/// What one island yields.
#[derive(Debug, Clone, Default)]
pub(crate) struct Yield {
    pub normal: Vec<f64>,
    pub tangential: Vec<f64>,
    pub ledger: Ledger,
    pub effort: Effort,
    pub squeezed: bool,
}

/// Memory for one thread.
#[derive(Debug, Default)]
pub(crate) struct Workspace<C> {
    layers: Layers<C>,
    friction: Friction<C>,
    coupled_friction: CoupledFriction<C>,
    solver: Solver<C>,
    w: Vec<f64>,
    change: Vec<f64>,
    linear: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
}

impl<C: Columns> Workspace<C> {
    /// Resolves an island; puts what it yields in place of what `result` had.
    pub fn resolve(&mut self, island: &Island<C>, params: &ImpactParams, result: &mut Yield) {
        result.clear();
        if let ([restitution], [false]) = (&island.restitution[..], &island.joint[..]) {
            let opening = island.opening(0, &island.before);
            result.stop_alone(opening, *restitution, island.normals.product(0, 0), params);
        } else {
            self.normal_impulses(island, params, result);
        }
        let rubs = params.friction != ImpactFriction::Off
            && island.tangent_contact.iter().any(|&i| island.friction[i as usize] * result.normal[i as usize] > 0.0);
        // Jammed contacts pile up pushes that balance: the least that do the same are meant.
        if (params.least_norm || rubs || result.effort.jammed > 0) && island.len() > 1 {
            self.bounds(island);
            let bounds = Bounds::Box { lower: &self.lower, upper: &self.upper };
            least_norm(&mut self.solver, &island.normals, bounds, &mut result.normal, SAME_EFFECT);
        }
        let normal_loss = self.lost(island, result);
        result.tangential.resize(island.tangents.len(), 0.0);
        if rubs {
            let begun = Instant::now();
            self.add_friction(island, params, result);
            result.ledger.friction = self.lost(island, result) - normal_loss;
            result.effort.friction_seconds = begun.elapsed().as_secs_f64();
        }
        result.ledger.restitution = normal_loss - result.ledger.jam;
        result.ledger.driven = driven(island, result);
    }

    fn add_friction(&mut self, island: &Island<C>, params: &ImpactParams, result: &mut Yield) {
        let effort = &mut result.effort;
        match params.friction {
            ImpactFriction::Off => {}
            ImpactFriction::MaximalDissipation { passes } => {
                let reflector = &mut self.layers.reflector;
                let course = self.friction.run(island, &mut result.normal, reflector, passes);
                effort.friction_iterations = course.solves;
                effort.friction_residual = course.residual;
                result.take(Course { solves: 0, residual: 0.0, ..course });
                result.tangential.copy_from_slice(&self.friction.impulses);
            }
            ImpactFriction::Coulomb => {
                let report = self.coupled_friction.run(island, &mut result.normal, &mut result.tangential);
                effort.friction_iterations = report.iterations();
                effort.friction_residual = report.scaled_residual;
            }
        }
    }

    fn normal_impulses(&mut self, island: &Island<C>, params: &ImpactParams, result: &mut Yield) {
        result.normal.resize(island.len(), 0.0);
        self.w.clone_from(&island.before);
        let normal = &mut result.normal;
        match params.operator {
            Operator::Reflections | Operator::Inelastic => {
                let layers = if params.operator == Operator::Inelastic { 0 } else { params.layers.max(1) };
                let course = self.layers.run(island, layers);
                normal.copy_from_slice(&self.layers.impulses);
                result.ledger.jam = course.jam;
                result.take(course);
                result.squeezed |= is_driven_off(island, &self.layers.impulses, &mut self.w);
            }
            Operator::GaussSeidel => {
                result.effort.solves = gauss_seidel(island, &mut self.w, normal, params.passes);
                result.effort.unresolved = usize::from(result.effort.solves == params.passes);
            }
            Operator::Jacobi => {
                result.effort.solves = jacobi(island, &mut self.w, normal, params.passes);
                result.effort.unresolved = usize::from(result.effort.solves == params.passes);
            }
            Operator::Complementarity => {
                self.linear.clear();
                self.linear.extend(
                    (0..island.len()).map(|i| (1.0 + island.restitution[i]) * island.opening(i, &island.before)),
                );
                self.bounds(island);
                let problem = Problem::boxed(&island.normals, &self.linear, &self.lower, &self.upper);
                let report = self.solver.solve(&problem, normal);
                result.effort.solves = 1;
                result.effort.rounds = report.rounds;
                result.effort.interior_points = report.interior_points;
                result.effort.factorizations = report.factorizations;
                result.effort.residual = report.residual;
                result.effort.unresolved = usize::from(report.unbounded.is_some());
            }
        }
    }

    /// What the impulses along normals and joints may be.
    fn bounds(&mut self, island: &Island<C>) {
        self.lower.clear();
        self.lower.extend((0..island.len()).map(|i| island.least_impulse(i)));
        self.upper.resize(island.len(), f64::INFINITY);
        self.upper.truncate(island.len());
    }

    /// The energy that all impulses take: −(λᵀ(openings) + ½|Gλ|²), exact where a difference of energies would not be.
    fn lost(&mut self, island: &Island<C>, result: &Yield) -> f64 {
        self.change.clear();
        self.change.resize(island.before.len(), 0.0);
        let mut slope = 0.0;
        for (i, &impulse) in result.normal.iter().enumerate() {
            if impulse != 0.0 {
                slope += impulse * island.opening(i, &island.before);
                island.normals.add_scaled(i, impulse, &mut self.change);
            }
        }
        for (i, &impulse) in result.tangential.iter().enumerate() {
            if impulse != 0.0 {
                slope += impulse * island.sliding(i, &island.before);
                island.tangents.add_scaled(i, impulse, &mut self.change);
            }
        }
        -(slope + 0.5 * self.change.iter().map(|x| x * x).sum::<f64>())
    }
}

/// Whether something is driven off far faster than anything came. What bodies of prescribed motion squeeze may have one way out, nearly along
/// them, and would leave through it at any speed: a box between two faces that are parallel up to 10⁻⁸.
fn is_driven_off<C: Columns>(island: &Island<C>, impulses: &[f64], w: &mut [f64]) -> bool {
    if island.drift.iter().all(|&drift| drift == 0.0) {
        return false;
    }
    let blocks = 0..island.normals.blocks() as u32;
    let fastest = |w: &[f64]| blocks.clone().map(|block| island.speed(block, w)).fold(0.0, f64::max);
    let pushed = |i: usize| island.drift[i].abs() / island.length(i);
    let came = (0..island.len()).map(pushed).fold(fastest(&island.before), f64::max);
    for (i, &impulse) in impulses.iter().enumerate() {
        island.normals.add_scaled(i, impulse, w);
    }
    fastest(w) > DRIVEN_OFF * came
}

/// The energy that bodies of prescribed motion give.
fn driven<C>(island: &Island<C>, result: &Yield) -> f64 {
    let work = |impulses: &[f64], drift: &[f64]| impulses.iter().zip(drift).map(|(y, d)| -y * d).sum::<f64>();
    work(&result.normal, &island.drift) + work(&result.tangential, &island.tangent_drift)
}

impl Yield {
    /// Nothing, in the same memory.
    pub fn clear(&mut self) {
        let [mut normal, mut tangential] = [&mut self.normal, &mut self.tangential].map(std::mem::take);
        normal.clear();
        tangential.clear();
        *self = Yield { normal, tangential, ..Yield::default() };
    }

    /// A contact that is alone: every operator gives Newton's law. `square` is |G|² of its column.
    pub fn stop_alone(&mut self, opening: f64, restitution: f64, square: f64, params: &ImpactParams) {
        let restitution = if params.operator == Operator::Inelastic { 0.0 } else { restitution };
        self.normal.push((-(1.0 + restitution) * opening / square).max(0.0));
        self.effort.solves = usize::from(opening < 0.0);
    }

    fn take(&mut self, course: Course) {
        self.effort.solves += course.solves;
        self.effort.rounds += course.rounds;
        self.effort.interior_points += course.interior_points;
        self.effort.factorizations += course.factorizations;
        self.effort.examined += course.examined;
        self.effort.residual = self.effort.residual.max(course.residual);
        self.effort.jammed += course.jammed;
        self.squeezed |= course.squeezed;
    }
}
