//! Springs with dampers, as rows and in the ledger.
//!
//! A force f = −k(x + h r⁺) − c r⁺ at the end of a step is the soft row r⁺ + λ/(h²k + hc) = −x hk/(h²k + hc), λ = hf: stable
//! for any k and c. This is *Distant*, Eq. 1, with CFM 1/(h²k + hc) and ERP hk/(hk + c).

use crate::{JointRow, Ledger};

/// A spring with a damper, stretched by x.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Spring {
    /// k, N/m.
    pub stiffness: f64,
    /// c, N s/m.
    pub damping: f64,
    /// x, m: negative is pressed.
    pub stretch: f64,
}

impl Spring {
    /// The spring of a soft joint, if it is one: k = 1/compliance, so that a steady force F stretches it by compliance × F; and
    /// c such that in a step with no other force `repair` of the stretch goes: c = hk(1 − γ)/γ.
    pub fn of_joint<const W: usize>(joint: &JointRow<W>, step: f64) -> Option<Spring> {
        (joint.compliance > 0.0 && joint.repair > 0.0).then(|| {
            let stiffness = 1.0 / joint.compliance;
            let damping = step * stiffness * (1.0 - joint.repair) / joint.repair;
            Spring { stiffness, damping, stretch: joint.error }
        })
    }

    /// Target and softness of the row.
    pub fn aim(&self, step: f64) -> (f64, f64) {
        let softness = 1.0 / (step * (step * self.stiffness + self.damping));
        (-self.stretch * step * self.stiffness * softness, softness)
    }

    pub fn energy(&self) -> f64 {
        0.5 * self.stiffness * self.stretch * self.stretch
    }
}

/// Energy in springs now, and as foreseen for the end of the step.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Springs {
    pub before: f64,
    pub after: f64,
}

impl Springs {
    /// Enters one spring and what its impulse took from the motion: the damper's part into `damping`, what is neither stored
    /// nor damped into `integrator`.
    pub fn enter(&mut self, account: &mut Ledger, stored: [f64; 2], taken: f64, damped: f64) {
        self.before += stored[0];
        self.after += stored[1];
        account.damping += damped;
        account.integrator += taken - damped - (stored[1] - stored[0]);
    }

    /// Closes the account against the ledger's `elastic` before. Where bodies did not get where the last step foresaw, the
    /// difference is the integrator's.
    pub fn close(&self, account: &mut Ledger, elastic: f64) {
        account.elastic = self.after - elastic;
        account.integrator += elastic - self.before;
    }
}
