//! The bounce maps of a scene's bodies, for whoever shows them.

use std::sync::Arc;

use carom_object::Object;

use super::build::Bakery;
use super::plan::{Bounce, Form};
use super::{Scene, SceneContext};

impl Scene {
    /// Bodies whose restitution comes from a map, by name, with the object that has it. What is not in the cache is baked.
    pub fn bounce_maps(&self, context: &SceneContext) -> Result<Vec<(Vec<String>, Arc<Object>)>, String> {
        let bakery = Bakery::new(context);
        let mapped = self.plan.bodies.iter().filter(|body| matches!(body.bounce, Bounce::Map { .. }));
        let found = mapped.map(|body| {
            let object = match &body.form {
                Form::Object { object } => Some(object.clone()),
                _ => bakery.baked(body)?,
            };
            let names = body.copies.iter().map(|copy| copy.name.clone()).collect();
            Ok(object.map(|object| (names, object)))
        });
        found.filter_map(Result::transpose).collect()
    }
}
