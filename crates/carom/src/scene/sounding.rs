//! What the bodies of a scene are, for whoever makes them sound.

use std::sync::Arc;

use carom_modal::Wanted;
use carom_object::{Material, Object};

use super::Scene;
use super::plan::{BodyPlan, Form, MotionPlan};
use crate::BakeRequest;

/// A body of a scene as something that may sound.
#[derive(Clone, Debug)]
pub struct SoundSource {
    /// Its name in the world.
    pub name: String,
    /// What has to be baked for it; the same number means the same bake.
    pub bake: Option<(usize, BakeRequest)>,
    /// Or what was baked already.
    pub object: Option<Arc<Object>>,
    /// What it is made of.
    pub material: Material,
    /// Coulomb's μ of its surface.
    pub friction: f64,
    /// Whether impacts move it.
    pub moves: bool,
    /// Whether it has no end.
    pub endless: bool,
}

impl Scene {
    /// All bodies by name, with the modes that are wanted of them.
    pub fn sound_sources(&self, wanted: Wanted) -> Vec<SoundSource> {
        let of_plan = |(number, body): (usize, &BodyPlan)| {
            let bake = match &body.form {
                Form::Source { source, import, edge } => {
                    let mut request = BakeRequest::new((**source).clone(), body.material.clone());
                    request.params.wanted = wanted;
                    let hold = body.vibration.as_ref().map(|vibration| &vibration.hold);
                    if let Some(hold) = hold.or(body.distant.as_ref().map(|distant| &distant.hold)) {
                        request.params.hold.clone_from(hold);
                    }
                    request.import = import.clone();
                    request.edge = *edge;
                    request.map = None;
                    Some((number, request))
                }
                _ => None,
            };
            let object = if let Form::Object { object } = &body.form { Some(object.clone()) } else { None };
            let one = SoundSource {
                name: String::new(),
                bake,
                object,
                material: body.material.clone(),
                friction: body.friction,
                moves: matches!(body.motion, MotionPlan::Dynamic),
                endless: body.form.endless(),
            };
            body.copies.iter().map(|copy| SoundSource { name: copy.name.clone(), ..one.clone() }).collect::<Vec<_>>()
        };
        let mut all: Vec<SoundSource> = self.plan.bodies.iter().enumerate().flat_map(of_plan).collect();
        all.sort_by(|a, b| a.name.cmp(&b.name));
        all
    }

    /// Coulomb's μ between two surfaces by the scene's rule.
    pub fn friction_between(&self, a: f64, b: f64) -> f64 {
        self.plan.friction_rule.combine(a, b)
    }
}
