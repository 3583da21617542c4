//! What the bodies of a scene are, for whoever makes them sound.

use std::sync::Arc;

use carom_modal::Wanted;
use carom_object::{Material, Object};
use glam::DVec3;

use super::Scene;
use super::plan::{BodyPlan, Form, LoadPlan, MotionPlan, PushPlan};
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

/// A force or a blow of the user on a body that may sound.
#[derive(Clone, Debug, PartialEq)]
pub struct HeardLoad {
    /// The body's name in the world.
    pub body: String,
    /// Where, in its own axes from its shape's origin; the centre of mass if not given.
    pub at: Option<DVec3>,
    /// In the world's axes: a force, N; or an impulse, N s, if it begins when it ends.
    pub push: DVec3,
    /// When it begins, s.
    pub from: f64,
    /// When it ends, s.
    pub until: f64,
}

impl Scene {
    /// The user's forces and blows.
    pub fn heard_loads(&self) -> Vec<HeardLoad> {
        let heard = |load: &LoadPlan| {
            let (push, from, until) = match load.push {
                PushPlan::Force { force, from, until, .. } => (force, from, until),
                PushPlan::Impulse { impulse, time, .. } => (impulse, time, time),
            };
            HeardLoad { body: load.body.clone(), at: load.at, push, from, until }
        };
        self.plan.loads.iter().map(heard).filter(|load| load.push != DVec3::ZERO).collect()
    }

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

    /// What meets more slowly does not bounce, m/s: what gravity adds in two steps unless the scene says otherwise.
    pub fn resting_speed(&self) -> f64 {
        self.plan.resting_speed.unwrap_or(2.0 * self.plan.gravity.length() * self.step())
    }

    /// Coulomb's μ between two surfaces by the scene's rule.
    pub fn friction_between(&self, a: f64, b: f64) -> f64 {
        self.plan.friction_rule.combine(a, b)
    }
}
