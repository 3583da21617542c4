//! From a scene to a world: forms are built once each, bounce maps baked or taken from the cache, mistakes of physics told
//! with the place where they stand.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use carom_contact::{Plane, Pose as _, Space, Vector as _};
use carom_modal::Wanted;
use carom_object::Object;
use carom_shape::TriMesh;
use carom_world::{
    BodyDefinition, Bounciness, JointDefinition, JointKind, Load, Motion, Push, Script, System, WorldDefinition,
    WorldError, WorldParams,
};
use glam::DVec3;

use super::copies::CopyPlan;
use super::fields::Turn;
use super::look::{Appearance, Look, colour};
use super::mistake::{Mistake, Place};
use super::part::{Part, SceneSpace, Seen};
use super::plan::{BodyPlan, Bounce, Form, JointForm, MotionPlan, PushPlan};
use super::{Scene, SceneErrors};
use crate::{BakeRequest, Baker, Cache, Step};

/// Is told what is baked, the step of the bake and the share of it that is done.
pub type Progress<'a> = dyn Fn(&str, Step, f64) + Sync + 'a;

/// Where a scene keeps what it bakes, whom it tells, and who may stop it. Each may be left out.
#[derive(Clone, Copy, Default)]
pub struct SceneContext<'a> {
    /// Objects baked before.
    pub cache: Option<&'a Cache>,
    /// Is told how far the baking is.
    pub progress: Option<&'a Progress<'a>>,
    /// Once it is set, baking stops soon.
    pub stop: Option<&'a AtomicBool>,
}

/// A world and what its bodies look like.
#[derive(Debug)]
pub struct BuiltScene {
    /// The world.
    pub system: System,
    /// Surfaces that bodies share.
    pub surfaces: Vec<TriMesh>,
    /// What each body looks like, in the order of the world's names.
    pub looks: Vec<Look>,
    /// Baked objects of bodies that vibrate, shared like surfaces.
    pub objects: Vec<Arc<Object>>,
    /// Of all bodies that move freely, kg.
    pub mass: f64,
    /// What was found odd on the way, with the body's name.
    pub warnings: Vec<String>,
}

/// A world's definition, in either space.
#[derive(Debug)]
pub enum Definition {
    /// Of the plane.
    Plane(WorldDefinition<Plane>),
    /// Of space.
    Space(WorldDefinition<Space>),
}

/// A bounce map, or modes, that a scene needs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WantedBake {
    /// What is baked.
    pub name: String,
    /// Of what.
    pub material: String,
    /// With how many modes; zero for all up to a frequency.
    pub modes: usize,
    /// Whether a bounce map is made of them.
    pub map: bool,
}

/// Bakes what bodies need; without a context, nothing.
pub(super) struct Bakery<'a> {
    context: Option<&'a SceneContext<'a>>,
}

impl<'a> Bakery<'a> {
    /// Bakes in a context.
    pub fn new(context: &'a SceneContext<'a>) -> Bakery<'a> {
        Bakery { context: Some(context) }
    }

    /// The object of a body whose restitution comes from a map.
    pub fn baked(&self, body: &BodyPlan) -> Result<Option<Arc<Object>>, String> {
        request(body).map_or(Ok(None), |request| self.bake(&request))
    }

    /// The object of a body that passes blows on, or vibrates while it touches.
    pub fn vibrating(&self, body: &BodyPlan) -> Result<Option<Arc<Object>>, String> {
        vibration_request(body).map_or(Ok(None), |request| self.bake(&request))
    }

    fn bake(&self, request: &BakeRequest) -> Result<Option<Arc<Object>>, String> {
        let Some(context) = self.context else { return Ok(None) };
        let tell = |step: Step, share: f64| {
            if let Some(progress) = context.progress {
                progress(&request.source.name, step, share);
            }
        };
        let baker = Baker { cache: context.cache, progress: Some(&tell), stop: context.stop, ..Baker::default() };
        let baked = baker.bake(request).map_err(|error| error.to_string())?;
        Ok(Some(Arc::new(baked.object)))
    }
}

/// What has to be baked for a body.
fn request(body: &BodyPlan) -> Option<BakeRequest> {
    let (Form::Source { source, import, edge }, Bounce::Map { modes, .. }) = (&body.form, body.bounce) else {
        return None;
    };
    let mut request = BakeRequest::new((**source).clone(), body.material.clone());
    request.params.wanted = Wanted::Lowest(modes);
    request.import = import.clone();
    request.edge = *edge;
    Some(request)
}

/// What has to be baked for a body that passes blows on, or vibrates while it touches: its modes where it is held, and no map.
fn vibration_request(body: &BodyPlan) -> Option<BakeRequest> {
    let Form::Source { source, import, edge } = &body.form else { return None };
    let distant = body.distant.as_ref().filter(|distant| distant.needs_modes());
    let (wanted, hold) = match (&body.vibration, distant) {
        (Some(vibration), _) => (vibration.wanted, &vibration.hold),
        (None, Some(distant)) => (Wanted::Lowest(distant.modes), &distant.hold),
        (None, None) => return None,
    };
    let mut request = BakeRequest::new((**source).clone(), body.material.clone());
    request.params.wanted = wanted;
    request.params.hold.clone_from(hold);
    request.import = import.clone();
    request.edge = *edge;
    request.map = None;
    Some(request)
}

/// A part with the places of its surface and its object, or why there is none.
type BuiltPart<G> = Result<(Part<G>, Option<usize>, Option<usize>), String>;

/// A definition, and what the bodies look like.
struct Assembly<G: SceneSpace> {
    definition: WorldDefinition<G>,
    surfaces: Vec<TriMesh>,
    looks: Vec<Look>,
    objects: Vec<Arc<Object>>,
    warnings: Vec<String>,
}

impl Scene {
    /// Makes the world.
    ///
    /// ```
    /// use carom::scene::{Scene, SceneContext};
    ///
    /// let scene = Scene::parse(
    ///     "drop.toml",
    ///     r#"
    ///     [scene]
    ///     dimension = 2
    ///     [[body]]
    ///     name = "ball"
    ///     shape = { shape = "disc", radius = 0.1 }
    ///     position = [0, 1]
    ///     "#,
    ///     &[("body.ball.mass".into(), "2".into())],
    /// )?;
    /// let mut built = scene.build(&SceneContext::default())?;
    /// built.system.step()?;
    /// assert_eq!(built.system.names(), ["ball"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn build(&self, context: &SceneContext) -> Result<BuiltScene, SceneErrors> {
        self.build_with(Some(context))
    }

    /// Makes the world to see whether it can be made: nothing is baked, and what would bounce by a map does not bounce.
    pub fn build_unbaked(&self) -> Result<BuiltScene, SceneErrors> {
        self.build_with(None)
    }

    fn build_with(&self, context: Option<&SceneContext>) -> Result<BuiltScene, SceneErrors> {
        if self.plan.dimension == 2 {
            self.made::<Plane>(context, System::plane)
        } else {
            self.made::<Space>(context, System::space)
        }
    }

    fn made<G: SceneSpace>(
        &self,
        context: Option<&SceneContext>,
        make: fn(WorldDefinition<G>) -> Result<System, WorldError>,
    ) -> Result<BuiltScene, SceneErrors> {
        let Assembly { definition, surfaces, looks, objects, warnings } = self.assemble::<G>(context)?;
        let free = definition.bodies.iter().filter(|body| matches!(body.motion, Motion::Dynamic));
        let mass = free.map(|body| body.mass).sum();
        let system = make(definition).map_err(|error| self.refused(&error))?;
        Ok(BuiltScene { system, surfaces, looks, objects, mass, warnings })
    }

    /// The world's definition, for whoever makes the world in another way.
    pub fn definition(&self, context: &SceneContext) -> Result<Definition, SceneErrors> {
        Ok(match self.plan.dimension {
            2 => Definition::Plane(self.assemble(Some(context))?.definition),
            _ => Definition::Space(self.assemble(Some(context))?.definition),
        })
    }

    /// The bounce maps and the modes that [`Scene::build`] needs; each is baked once.
    pub fn wanted_bakes(&self) -> Vec<WantedBake> {
        let requests =
            self.plan.bodies.iter().flat_map(|body| request(body).into_iter().chain(vibration_request(body)));
        let wanted = requests.map(|request| WantedBake {
            name: request.source.name,
            material: request.material.name,
            modes: if let Wanted::Lowest(modes) = request.params.wanted { modes } else { 0 },
            map: request.map.is_some(),
        });
        let mut wanted: Vec<WantedBake> = wanted.collect();
        wanted.sort();
        wanted.dedup();
        wanted
    }

    /// The bodies by what they are called in a summary, each with how many there are and how many of them move freely.
    pub fn census(&self) -> Vec<(String, usize, usize)> {
        let mut kinds: BTreeMap<String, (usize, usize)> = BTreeMap::new();
        for body in &self.plan.bodies {
            let (all, free) = kinds.entry(body.form.kind()).or_default();
            *all += body.copies.len();
            *free += if matches!(body.motion, MotionPlan::Dynamic) { body.copies.len() } else { 0 };
        }
        kinds.into_iter().map(|(kind, (all, free))| (kind, all, free)).collect()
    }

    /// How many joints, loads and pairs there are.
    pub fn attachments(&self) -> [usize; 3] {
        [self.plan.joints.len(), self.plan.loads.len(), self.plan.pairs.len()]
    }

    /// How bodies answer when they touch.
    pub fn response(&self) -> carom_world::Response {
        self.plan.response
    }

    fn assemble<G: SceneSpace>(&self, context: Option<&SceneContext>) -> Result<Assembly<G>, SceneErrors> {
        let plan = &self.plan;
        let bakery = Bakery { context };
        let mut parts: BTreeMap<&str, BuiltPart<G>> = BTreeMap::new();
        let (mut surfaces, mut warnings, mut mistakes) = (Vec::new(), Vec::new(), Vec::new());
        let (mut bodies, mut looks) = (Vec::new(), Vec::new());
        let mut objects = Vec::new();
        let mut centres = BTreeMap::new();
        for (number, body) in plan.bodies.iter().enumerate() {
            let part = parts.entry(&body.form_key).or_insert_with(|| {
                let part = G::part(body, &bakery)?;
                let surface = match &part.seen {
                    Seen::Surface(surface) => {
                        surfaces.push(surface.clone());
                        Some(surfaces.len() - 1)
                    }
                    Seen::Half { .. } => None,
                };
                warnings.extend(part.warnings.iter().map(|warning| format!("{}: {warning}", body.name)));
                let object = part.object.clone().map(|object| {
                    objects.push(object);
                    objects.len() - 1
                });
                Ok((part, surface, object))
            });
            let (part, surface, object) = match part {
                Ok(part) => part,
                Err(problem) => {
                    mistakes.push(mistake(&body.place, &body.path, problem.clone()));
                    continue;
                }
            };
            let appearance = match (&part.seen, *surface) {
                (Seen::Half { normal }, _) => Appearance::HalfSpace { normal: normal.to_array() },
                (Seen::Surface(_), surface) => {
                    Appearance::Surface { surface: surface.unwrap_or_default(), offset: (-part.centre).to_array() }
                }
            };
            let moves = !matches!(body.motion, MotionPlan::Fixed);
            let colour = body.colour.unwrap_or_else(|| colour(number, moves));
            for copy in &body.copies {
                centres.insert(copy.name.as_str(), part.centre);
                bodies.push(body_definition(body, part, copy));
                looks.push(Look { body: copy.name.clone(), appearance, colour, object: *object });
            }
        }
        if !mistakes.is_empty() {
            return Err(self.errors(mistakes));
        }
        looks.sort_by(|a, b| a.body.cmp(&b.body));
        let centre = |body: &str| centres.get(body).copied().unwrap_or_default();
        let definition = WorldDefinition {
            params: self.params(),
            bodies,
            joints: plan
                .joints
                .iter()
                .map(|joint| JointDefinition {
                    name: joint.name.clone(),
                    bodies: joint.bodies.clone(),
                    kind: joint_kind(&joint.kind),
                    repair: joint.repair,
                    compliance: joint.compliance,
                    collide: joint.collide,
                })
                .collect(),
            loads: plan
                .loads
                .iter()
                .map(|load| Load {
                    name: load.name.clone(),
                    body: load.body.clone(),
                    at: G::Vector::from_space(load.at.map_or(DVec3::ZERO, |at| at - centre(&load.body))),
                    push: push::<G>(load.push),
                })
                .collect(),
            pairs: plan.pairs.clone(),
        };
        Ok(Assembly { definition, surfaces, looks, objects, warnings })
    }

    fn params<G: SceneSpace>(&self) -> WorldParams<G> {
        let plan = &self.plan;
        WorldParams {
            step: plan.step,
            gravity: G::Vector::from_space(plan.gravity),
            integrator: plan.integrator,
            detection: plan.detection,
            response: plan.response,
            resting_speed: plan.resting_speed,
            restitution_rule: plan.restitution_rule,
            friction_rule: plan.friction_rule,
            slop: plan.slop,
            most_overlap: plan.most_overlap,
            energy_guard: plan.energy_guard,
        }
    }

    fn errors(&self, mistakes: Vec<Mistake>) -> SceneErrors {
        SceneErrors { file: self.file.clone(), text: self.source.clone(), mistakes }
    }

    /// What a world refuses, with the place in the scene.
    fn refused(&self, error: &WorldError) -> SceneErrors {
        let body = |name: &str| {
            let body = self.plan.bodies.iter().find(|body| body.copies.iter().any(|copy| copy.name == *name));
            body.map_or((Place::Scene, String::new()), |body| (body.place.clone(), body.path.clone()))
        };
        let ((place, path), help) = match error {
            WorldError::BadBody { body: name, .. } => (body(name), None),
            WorldError::Overlap { first, second, .. } => {
                let copies = self.plan.bodies.iter().any(|body| {
                    let has = |name: &String| body.copies.iter().any(|copy| copy.name == *name);
                    has(first) && has(second)
                });
                let help = if copies {
                    "give the copies more spacing"
                } else {
                    "move one of them, or allow it with world.most-overlap"
                };
                (body(first), Some(help.to_owned()))
            }
            WorldError::BadJoint { joint: name, .. }
            | WorldError::NotFlexible { joint: name }
            | WorldError::NoSuchBody { name, .. } => {
                let joint = self.plan.joints.iter().find(|joint| joint.name == *name);
                let load = self.plan.loads.iter().find(|load| load.name == *name);
                let place = joint.map(|joint| &joint.place).or(load.map(|load| &load.place));
                ((place.cloned().unwrap_or(Place::Scene), String::new()), None)
            }
            _ => ((Place::Scene, String::new()), None),
        };
        self.errors(vec![Mistake { place, key: path, problem: error.to_string(), help }])
    }
}

fn mistake(place: &Place, key: &str, problem: String) -> Mistake {
    Mistake { place: place.clone(), key: key.to_owned(), problem, help: None }
}

fn body_definition<G: SceneSpace>(body: &BodyPlan, part: &Part<G>, copy: &CopyPlan) -> BodyDefinition<G> {
    let origin = G::pose(body.position + copy.by, body.turn);
    let centre = G::Vector::from_space(part.centre);
    let (mass, inertia) = match part.bulk {
        Some((volume, inertia)) => {
            let mass = body.mass.unwrap_or(volume * body.density);
            (mass, G::scaled(inertia, mass / volume))
        }
        None => (0.0, G::Inertia::default()),
    };
    BodyDefinition {
        name: copy.name.clone(),
        motion: match &body.motion {
            MotionPlan::Dynamic => Motion::Dynamic,
            MotionPlan::Fixed => Motion::Fixed,
            _ => Motion::Scripted(script(body, copy.by, centre)),
        },
        shape: part.shape.clone(),
        mass,
        inertia: body.inertia.as_ref().map_or(inertia, |numbers| G::inertia(numbers)),
        pose: origin.at(origin.point(centre)),
        velocity: G::Vector::from_space(body.velocity + copy.velocity),
        spin: G::spin(body.spin),
        bounciness: match (&part.map, body.bounce) {
            (Some(map), _) => Bounciness::Map(map.clone()),
            (None, Bounce::Constant(restitution)) => Bounciness::Constant(restitution),
            (None, Bounce::Map { .. }) => Bounciness::Constant(0.0),
        },
        friction: body.friction,
        static_friction: body.static_friction,
        resistance: body.resistance,
        surface: body.surface.clone(),
        distant: part.distant.clone(),
        vibration: part.vibration.clone(),
    }
}

/// Scenes say how far the shape's origin has moved and turned; worlds want to know where the centre of mass is.
fn script<G: SceneSpace>(body: &BodyPlan, by: DVec3, centre: G::Vector) -> Script<G> {
    match &body.motion {
        MotionPlan::Sine { amplitude, frequency, phase } => {
            Script::Sine { amplitude: G::Vector::from_space(*amplitude), frequency: *frequency, phase: *phase }
        }
        MotionPlan::Keyframes(frames) => {
            let frame = |&(time, moved, turn): &(f64, DVec3, Turn)| {
                let origin = G::pose(body.position + by + moved, body.turn.then(turn));
                (time, origin.at(origin.point(centre)))
            };
            Script::Keyframes(frames.iter().map(frame).collect())
        }
        MotionPlan::Belt(velocity) => Script::Belt(G::Vector::from_space(*velocity)),
        MotionPlan::Dynamic | MotionPlan::Fixed => Script::Keyframes(Vec::new()),
    }
}

fn joint_kind<G: SceneSpace>(kind: &JointForm) -> JointKind<G> {
    let v = |v: &DVec3| G::Vector::from_space(*v);
    match kind {
        JointForm::Distance { anchors: [a, b] } => JointKind::Distance { anchors: [v(a), v(b)] },
        JointForm::Ball { anchor } => JointKind::Ball { anchor: v(anchor) },
        JointForm::Hinge { anchor, axis } => JointKind::Hinge { anchor: v(anchor), axis: v(axis) },
        JointForm::Slider { anchor, axis } => JointKind::Slider { anchor: v(anchor), axis: v(axis) },
        JointForm::Fixed { anchor } => JointKind::Fixed { anchor: v(anchor) },
        JointForm::Wire { points, closed } => {
            JointKind::Wire { points: points.iter().map(v).collect(), closed: *closed }
        }
    }
}

fn push<G: SceneSpace>(push: PushPlan) -> Push<G> {
    match push {
        PushPlan::Force { force, torque, from, until } => {
            Push::Force { force: G::Vector::from_space(force), torque: G::spin(torque), from, until }
        }
        PushPlan::Impulse { impulse, turn, time } => {
            Push::Impulse { impulse: G::Vector::from_space(impulse), turn: G::spin(turn), time }
        }
    }
}
