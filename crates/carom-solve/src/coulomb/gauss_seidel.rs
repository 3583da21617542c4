//! Block Gauss-Seidel: one contact after the other, each solved exactly with the others as they are.

use super::cone::Law;
use super::delassus::Delassus;
use super::island::{Island, Residual};
use super::one_contact::OneContact;
use super::small::{Matrix, Vector, add, apply, dot, scale, subtract};

/// Memory of the method.
#[derive(Debug, Default)]
pub(crate) struct GaussSeidel {
    diagonals: Vec<Matrix>,
    contacts: Vec<OneContact>,
    u: Vec<Vector>,
    step: Vec<Vector>,
}

/// Added to the diagonal of a contact's block, relative to its mean: a block may be singular.
const DIAGONAL_REGULARIZATION: f64 = 1e-12;

impl GaussSeidel {
    /// Prepares the blocks of all contacts.
    pub fn begin<D: Delassus>(&mut self, island: &Island<D>) {
        self.diagonals.clear();
        self.contacts.clear();
        for contact in 0..island.len() {
            let mut w = island.delassus.diagonal(contact);
            for row in 0..3 {
                w[row][row] += DIAGONAL_REGULARIZATION + island.proximity_of(contact);
                if row >= island.rows[contact] as usize {
                    w[row] = [0.0; 3];
                    w[row][row] = 1.0;
                }
            }
            self.contacts.push(OneContact::new(&w));
            self.diagonals.push(w);
        }
    }

    /// Sweeps of block Jacobi: every contact is solved with the others as they are, then all change by the same part of that, the one that lowers the energy
    /// most. Unlike Gauss-Seidel, the result does not depend on the order of contacts: mirror images stay mirror images.
    pub fn sweep_jacobi<D: Delassus>(&mut self, island: &mut Island<D>, r: &mut [Vector], sweeps: usize) {
        for _ in 0..sweeps {
            island.velocities(r, &mut self.u);
            self.step.clear();
            for contact in 0..island.len() {
                let q = subtract(&self.u[contact], &apply(&self.diagonals[contact], &r[contact]));
                let new = self.solve(island.laws[contact], contact, &q).unwrap_or(r[contact]);
                self.step.push(subtract(&new, &r[contact]));
            }
            let slope: f64 = self.step.iter().zip(&self.u).map(|(step, u)| dot(step, u)).sum();
            self.u.fill([0.0; 3]);
            island.delassus.product(&self.step, &mut self.u);
            let curvature: f64 = self.step.iter().zip(&self.u).map(|(step, u)| dot(step, u)).sum::<f64>()
                + island.proximity * self.step.iter().map(|step| dot(step, step)).sum::<f64>();
            let length = if curvature > 0.0 { (-slope / curvature).clamp(0.0, 1.0) } else { 0.0 };
            r.iter_mut().zip(&self.step).for_each(|(r, step)| *r = add(r, &scale(step, length)));
        }
    }

    /// The impulse of a contact with free velocity q; none if its law has no such solution.
    fn solve(&self, law: Law, contact: usize, q: &Vector) -> Option<Vector> {
        let w = &self.diagonals[contact];
        match law {
            Law::Bilateral => Some(bilateral(w, q)),
            Law::Coulomb(friction) | Law::Associated(friction) => Some(self.contacts[contact].solve(q, friction)),
            Law::Preloaded { friction, preload } => {
                Some(self.contacts[contact].solve_preloaded(w, q, friction, preload))
            }
            Law::Ray(_) | Law::Zero => None,
        }
    }

    /// Some sweeps over all contacts, in alternating order. Returns the residual afterwards.
    pub fn sweep<D: Delassus>(&mut self, island: &mut Island<D>, r: &mut [Vector], sweeps: usize) -> Residual {
        island.delassus.begin(r);
        for sweep in 0..sweeps {
            if crate::is_interrupted() {
                break;
            }
            for k in 0..island.len() {
                let contact = if sweep % 2 == 0 { k } else { island.len() - 1 - k };
                let w = &self.diagonals[contact];
                let mut u = add(&island.delassus.velocity(contact, r), &island.free[contact]);
                if island.proximity > 0.0 {
                    let away = subtract(&r[contact], &island.center[contact]);
                    u = add(&u, &scale(&away, island.proximity_of(contact)));
                }
                let q = subtract(&u, &apply(w, &r[contact]));
                let Some(new) = self.solve(island.laws[contact], contact, &q) else { continue };
                let change = subtract(&new, &r[contact]);
                if change != [0.0; 3] {
                    r[contact] = new;
                    island.delassus.change(contact, &change);
                }
            }
        }
        island.velocities(r, &mut self.u);
        island.residual(r, &self.u)
    }
}

/// The impulse that leaves no velocity.
fn bilateral(w: &Matrix, q: &Vector) -> Vector {
    let inverse = super::small::invert(w);
    apply(&inverse, &[-q[0], -q[1], -q[2]])
}
