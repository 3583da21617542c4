//! What a blow does to a body, step by step through all of its unknowns: no modes, and so no shortest wave but the cells'.
//!
//! Newmark's method with average acceleration: second order, stable for any step, and free of damping of its own. With Rayleigh
//! damping C = αM + βK the matrix of a step is a multiple of K − σM, so that it is factorized once like any shift of the eigensolver.

use carom_object::{Damping, Material};
use carom_shape::Body;
use glam::DVec3;
use rayon::prelude::*;

use crate::ModalError;
use crate::assembly::Matrices;
use crate::block::Block;
use crate::factor::Structure;
use crate::modes::{Discretization, ModalParams, Stage, discretize};

/// Blows that are followed side by side.
const BLOWS: usize = 8;

/// The most steps of a transient.
const MAX_STEPS: f64 = 1e9;

/// A body made ready to be struck.
pub struct Transient<'a> {
    body: &'a Body,
    material: &'a Material,
    cells: Discretization,
    normals: Vec<DVec3>,
}

/// A row over the unknowns: what a place does along its normal.
type Row = Vec<(usize, f64)>;

impl<'a> Transient<'a> {
    /// Divides the body into cells and assembles its matrices; `params` says how fine and where it is held.
    pub fn new(
        body: &'a Body,
        material: &'a Material,
        params: &ModalParams,
        progress: &(dyn Fn(Stage, f64) + Sync),
    ) -> Result<Transient<'a>, ModalError> {
        let cells = discretize(body, material, params, progress)?;
        Ok(Transient { body, material, cells, normals: body.surface.vertex_normals() })
    }

    /// Unknowns.
    pub fn unknowns(&self) -> usize {
        self.cells.matrices.unknowns()
    }

    /// A step in which shear waves cross a cell, s.
    pub fn natural_step(&self) -> f64 {
        self.cells.report.cell.into_iter().fold(f64::INFINITY, f64::min) / self.shear_speed()
    }

    /// The time in which shear waves cross the body, s.
    pub fn crossing(&self) -> f64 {
        self.body.surface.bounds().size().length() / self.shear_speed()
    }

    fn shear_speed(&self) -> f64 {
        let Material { young, poisson, density, .. } = *self.material;
        (young / (2.0 * (1.0 + poisson) * density)).sqrt()
    }

    /// Strikes vertices with a unit impulse each, against their normals. Returns for each blow how fast, m/s, each of the
    /// readings moves along its normal at most within a number of steps. The impulse acts in the first step.
    pub fn fastest(
        &self,
        struck: &[u32],
        readings: &[u32],
        [step, span]: [f64; 2],
        progress: &(dyn Fn(f64) + Sync),
    ) -> Result<Vec<Vec<f64>>, ModalError> {
        if span / step > MAX_STEPS {
            return Err(ModalError::TooManySteps { span, step, most: MAX_STEPS });
        }
        let matrices = &self.cells.matrices;
        let damping = self.material.damping;
        let inertia = 1.0 + 0.5 * step * damping.alpha;
        let stiffness = 0.25 * step * step + 0.5 * step * damping.beta;
        let shifted = matrices.shifted(-inertia / stiffness);
        let structure = Structure::new(matrices, &shifted)?;
        let factor = structure.factorize(&shifted)?;
        let field = self.cells.mesh.field(&Block::zeros(self.unknowns(), 0));
        let rows = |vertices: &[u32]| -> Vec<Row> {
            let places = vertices.iter().map(|&vertex| self.body.surface.positions[vertex as usize]);
            let places = places.zip(vertices.iter().map(|&vertex| self.normals[vertex as usize]));
            let row = |(point, normal)| {
                field.locate(point, normal).map_or(Row::new(), |place| self.cells.mesh.row(&place, normal))
            };
            places.map(row).collect()
        };
        let (blows, readings) = (rows(struck), rows(readings));
        let steps = (span / step).ceil().max(1.0) as usize;
        let mut fastest = Vec::with_capacity(blows.len());
        for blows in blows.chunks(BLOWS) {
            let mut motions = vec![Motion::new(self.unknowns(), readings.len()); blows.len()];
            for now in 0..steps {
                let mut forces = Block::zeros(self.unknowns(), blows.len());
                let columns = forces.data_mut().par_chunks_mut(self.unknowns());
                motions.par_iter_mut().zip(blows).zip(columns).for_each(|((motion, blow), force)| {
                    motion.predict(matrices, damping, step, force);
                    if now == 0 {
                        blow.iter().for_each(|&(unknown, weight)| force[unknown] -= weight / step);
                    }
                });
                factor.solve(forces.as_mut())?;
                let columns = forces.data_mut().par_chunks(self.unknowns());
                motions.par_iter_mut().zip(columns).for_each(|(motion, solved)| {
                    motion.correct(solved, stiffness, step);
                    motion.read(&readings);
                });
                let done = fastest.len() * steps + blows.len() * (now + 1);
                progress(done as f64 / (struck.len() * steps) as f64);
            }
            fastest.extend(motions.into_iter().map(|motion| motion.fastest));
        }
        Ok(fastest)
    }
}

/// How a body moves after one blow.
#[derive(Clone)]
struct Motion {
    place: Vec<f64>,
    rate: Vec<f64>,
    acceleration: Vec<f64>,
    product: Vec<f64>,
    fastest: Vec<f64>,
}

impl Motion {
    fn new(unknowns: usize, readings: usize) -> Motion {
        let zeros = || vec![0.0; unknowns];
        let [place, rate, acceleration, product] = [zeros(), zeros(), zeros(), zeros()];
        Motion { place, rate, acceleration, product, fastest: vec![0.0; readings] }
    }

    /// Goes on as if nothing accelerated at the end of the step, and adds the forces there: −K(u + βu̇) − αMu̇.
    fn predict(&mut self, matrices: &Matrices, damping: Damping, step: f64, force: &mut [f64]) {
        for ((place, rate), acceleration) in self.place.iter_mut().zip(&mut self.rate).zip(&mut self.acceleration) {
            *place += step * *rate + 0.25 * step * step * *acceleration;
            *rate += 0.5 * step * *acceleration;
            // Its place serves for what is strained.
            *acceleration = *place + damping.beta * *rate;
        }
        matrices.multiply_stiffness(&self.acceleration, &mut self.product);
        force.iter_mut().zip(&self.product).for_each(|(force, product)| *force -= product);
        matrices.multiply_mass(&self.rate, &mut self.product);
        force.iter_mut().zip(&self.product).for_each(|(force, product)| *force -= damping.alpha * product);
    }

    /// Adds what the acceleration at the end of the step does.
    fn correct(&mut self, solved: &[f64], stiffness: f64, step: f64) {
        for (i, solved) in solved.iter().enumerate() {
            let acceleration = solved / stiffness;
            self.acceleration[i] = acceleration;
            self.place[i] += 0.25 * step * step * acceleration;
            self.rate[i] += 0.5 * step * acceleration;
        }
    }

    fn read(&mut self, readings: &[Row]) {
        for (fastest, row) in self.fastest.iter_mut().zip(readings) {
            let speed: f64 = row.iter().map(|&(unknown, weight)| weight * self.rate[unknown]).sum();
            *fastest = speed.abs().max(*fastest);
        }
    }
}
