//! Vibration while bodies touch, in a scene: read from its keys, and built from what was baked.

use std::sync::Arc;

use carom_modal::Wanted;
use carom_object::Object;
use carom_world::VibratingSurface;

use super::fields::Fields;
use super::plan::{Form, VibrationPlan};
use super::read::Reader;

/// All modes up to this frequency, Hz, unless a scene says otherwise: the cut of *Sound*, §4.
const UP_TO: f64 = 5000.0;

impl Reader {
    /// What a body says about it; none if it says nothing.
    pub(super) fn vibration(&mut self, fields: &Fields, path: &str, form: Option<&Form>) -> Option<VibrationPlan> {
        let (vibration, place) = (fields.fields("vibration")?, fields.place("vibration")?);
        let path = format!("{path}.vibration");
        if !matches!(form, None | Some(Form::Source { .. } | Form::Object { .. })) {
            self.checker.report(place, &path, "only bodies of space that have an end have modes", None);
        }
        let wanted = match (vibration.count("modes"), vibration.number("up-to")) {
            (Some(_), Some(_)) => {
                self.checker.report(place, &path, "has 'modes' and 'up-to'; one of them is enough", None);
                return None;
            }
            (Some(modes), None) => Wanted::Lowest(modes),
            (None, highest) => Wanted::UpTo(highest.unwrap_or(UP_TO)),
        };
        let mut hold = Vec::new();
        for node in vibration.texts("hold") {
            match node.text().unwrap_or_default().parse() {
                Ok(held) => hold.push(held),
                Err(problem) => self.checker.report(&node.place, &format!("{path}.hold"), problem, None),
            }
        }
        Some(VibrationPlan { wanted, hold })
    }
}

impl VibrationPlan {
    /// Makes it ready for a world; `object` has the modes, if they are known.
    pub(super) fn build(&self, object: Option<&Object>) -> Option<Arc<VibratingSurface>> {
        let modal = &object?.modal;
        Some(Arc::new(VibratingSurface::new(modal, self.count(&modal.frequencies))))
    }
}
