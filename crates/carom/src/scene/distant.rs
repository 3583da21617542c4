//! Distant response in a scene: read from its keys, and built from what was baked.

use std::sync::Arc;

use carom_modal::HeatGeodesics;
use carom_object::{ModalModel, Object};
use carom_shape::coarsened;
use carom_world::{Attenuation, Carrier, Delivery, DistantResponse, VibratingSurface, WaveAmplitude, WaveDistances};

use super::fields::Fields;
use super::plan::{AmplitudePlan, DistantKind, DistantPlan, Form};
use super::read::Reader;

/// Waves find their way along surfaces with at most so many vertices: finer ones are made coarser, which costs a percent or two of the distance.
const MOST_VERTICES: usize = 5000;

impl Reader {
    /// What a body says about it; none if it says nothing, or nonsense.
    pub(super) fn distant(&mut self, fields: &Fields, path: &str, form: Option<&Form>) -> Option<DistantPlan> {
        let (distant, place) = (fields.fields("distant")?, fields.place("distant")?);
        let path = format!("{path}.distant");
        let number = |key: &str, usual: f64| distant.number(key).unwrap_or(usual);
        let endless = form.is_some_and(Form::endless);
        let usual = Attenuation::default();
        let kind = match distant.word("kind", "modal") {
            "waves" => DistantKind::Waves {
                amplitude: match (distant.number("amplitude"), distant.text("amplitude")) {
                    (Some(amplitude), _) => AmplitudePlan::Number(amplitude),
                    (None, Some("mean")) => AmplitudePlan::Mean,
                    _ => AmplitudePlan::Places,
                },
                straight: distant.word("distance", if endless { "straight" } else { "surface" }) == "straight",
                attenuation: Attenuation {
                    gain: number("gain", usual.gain),
                    absorption: number("absorption", usual.absorption),
                    exponent: number("exponent", usual.exponent),
                    reference: number("reference", usual.reference),
                },
            },
            _ => DistantKind::Modal { running: distant.flag("running", false) },
        };
        let mut hold = Vec::new();
        for node in distant.texts("hold") {
            match node.text().unwrap_or_default().parse() {
                Ok(held) => hold.push(held),
                Err(problem) => self.checker.report(&node.place, &format!("{path}.hold"), problem, None),
            }
        }
        let plan = DistantPlan {
            modes: distant.count("modes").unwrap_or(20),
            hold,
            threshold: number("threshold", 0.1),
            calm: number("calm", 0.05),
            delivery: match distant.word("delivery", "separation") {
                "impulse" => Delivery::Impulse,
                _ => Delivery::Separation,
            },
            kind,
        };
        let solid = matches!(form, None | Some(Form::Source { .. } | Form::Object { .. }));
        if plan.needs_modes() && !solid {
            let problem = "only bodies of space that have an end have modes";
            let help = "waves with an 'amplitude' and a straight 'distance' need none";
            self.checker.report(place, &path, problem, Some(help.into()));
        }
        Some(plan)
    }
}

impl DistantPlan {
    /// Makes it ready for a world; `object` has the modes, if they are known.
    pub(super) fn build(&self, object: Option<&Object>) -> Result<Option<DistantResponse>, String> {
        let surface = object.map(|object| Arc::new(VibratingSurface::new(&object.modal, self.modes)));
        let carrier = match (self.kind, surface) {
            (DistantKind::Modal { running }, Some(surface)) => Carrier::Modes { surface, running },
            (DistantKind::Waves { amplitude, straight, attenuation }, surface) => {
                let amplitude = match (amplitude, &surface) {
                    (AmplitudePlan::Number(number), _) => WaveAmplitude::Uniform(number),
                    (AmplitudePlan::Places, Some(surface)) => WaveAmplitude::Places(surface.clone()),
                    (AmplitudePlan::Mean, Some(surface)) => WaveAmplitude::Mean(surface.clone()),
                    (_, None) => return Ok(None),
                };
                let distances = match surface.filter(|_| !straight) {
                    Some(surface) => Some(Arc::new(along(surface.model())?)),
                    None => None,
                };
                Carrier::Waves { amplitude, distances, attenuation }
            }
            // Nothing was baked, so that nothing vibrates.
            (DistantKind::Modal { .. }, None) => return Ok(None),
        };
        let DistantPlan { threshold, calm, delivery, .. } = *self;
        Ok(Some(DistantResponse { carrier, threshold, calm, delivery }))
    }
}

/// Distances along the surface of a body.
fn along(model: &ModalModel) -> Result<WaveDistances, String> {
    let surface = coarsened(&model.surface, MOST_VERTICES);
    let geodesics = HeatGeodesics::new(&surface).map_err(|error| error.to_string())?;
    Ok(WaveDistances::new(&surface, model.mass.centre, Arc::new(geodesics)))
}
