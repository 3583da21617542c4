//! The bounce maps of a scene's bodies, for whoever shows them.

use std::sync::Arc;

use carom_object::Object;

use super::build::Bakery;
use super::plan::{Bounce, Form};
use super::{Scene, SceneContext};

/// Bodies of one form whose restitution comes from a map.
#[derive(Clone, Debug)]
pub struct Mapped {
    /// Their names.
    pub bodies: Vec<String>,
    /// What has the map.
    pub object: Arc<Object>,
}

impl Scene {
    /// Bodies whose restitution comes from a map, with the object that has it. What is not in the cache is baked.
    pub fn bounce_maps(&self, context: &SceneContext) -> Result<Vec<Mapped>, String> {
        let bakery = Bakery::new(context);
        let mapped = self.plan.bodies.iter().filter(|body| matches!(body.bounce, Bounce::Map { .. }));
        let found = mapped.map(|body| {
            let object = match &body.form {
                Form::Object { object } => Some(object.clone()),
                _ => bakery.baked(body)?,
            };
            let bodies = body.copies.iter().map(|copy| copy.name.clone()).collect();
            Ok(object.map(|object| Mapped { bodies, object }))
        });
        found.filter_map(Result::transpose).collect()
    }
}
