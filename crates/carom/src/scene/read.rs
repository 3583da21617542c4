//! From the tree to the plan: what the schema cannot say is checked here, and every mistake is kept with its place.

use std::collections::BTreeMap;

use carom_impact::{ImpactFriction, ImpactParams, Operator};
use carom_object::Combiner;
use carom_shape::{nearest, shortened};
use carom_solve::{Method, SolveParams};
use carom_world::{
    ConstraintParams, Detection, EnergyGuard, FlexibleParams, ImpulseParams, Integrator, PenaltyParams,
    ReflectionParams, Response, SurfacePair,
};
use glam::DVec3;

use super::check::{Checker, label};
use super::copies::CopyPlan;
use super::fields::Fields;
use super::files::SceneFiles;
use super::mistake::Place;
use super::plan::{BodyPlan, JointForm, JointPlan, LoadPlan, Plan, PushPlan, Record};
use super::tree::{Node, Table, shown};

/// Reads one scene.
pub(super) struct Reader {
    pub checker: Checker,
    /// The files that the scene names.
    pub files: SceneFiles,
    /// How many bodies were read, copies included.
    pub copied: usize,
    /// Names of bodies that have mistakes: whoever calls them makes none.
    pub unread: Vec<String>,
}

/// No keys at all.
static NOTHING: Table = Table(Vec::new());

/// A member of a section that stands many times: its fields, its place and its path.
pub(super) struct Member<'t> {
    pub fields: Fields<'t>,
    pub place: &'t Place,
    pub path: String,
    pub number: usize,
}

impl Reader {
    /// The plan of a scene. Unless there were mistakes it is complete.
    pub fn plan(&mut self, root: &Table, file_name: &str) -> Plan {
        let dimension = self.checker.dimension;
        let section =
            |name: &str| Fields { table: root.get(name).and_then(Node::table).unwrap_or(&NOTHING), dimension };
        let (scene, time, world, record) = (section("scene"), section("time"), section("world"), section("record"));
        let rule = |key: &str, usual: Combiner| world.text(key).and_then(|name| name.parse().ok()).unwrap_or(usual);
        let downwards = |gravity: f64| DVec3::new(0.0, -gravity, 0.0);
        let (duration, step) = (scene.number("duration").unwrap_or(10.0), time.number("step").unwrap_or(1e-3));
        let length = time.place("step").map(|place| (place, "time.step"));
        let length = length.or(scene.place("duration").map(|place| (place, "scene.duration")));
        if let Some((place, key)) = length.filter(|_| step > duration && duration > 0.0) {
            let (step, duration) = (shown(step), shown(duration));
            let problem = format!("a step of {step} s is longer than the scene, which lasts {duration} s");
            self.checker.report(place, key, problem, None);
        }
        if let Some((place, key)) = length.filter(|_| step > 0.0 && duration > 0.0)
            && let Err(problem) = crate::steps_until(duration, step)
        {
            let help = Some("choose a shorter duration or a longer step".into());
            self.checker.report(place, key, problem.to_string(), help);
        }
        let response = response(section("response"));
        let is_flexible = matches!(response, Response::Flexible(_));
        if let Some(place) = section("response").place("family").filter(|_| is_flexible && dimension == 2) {
            self.checker.report(place, "response.family", "only bodies of space flex", None);
        }
        let mut bodies = self.bodies(root);
        // Keys of a family that is not chosen have no effect.
        for body in &mut bodies {
            body.vibration = body.vibration.take().filter(|_| is_flexible);
            body.distant = body.distant.take().filter(|_| !is_flexible);
        }
        let names = self.names(&bodies);
        let loads = self.loads(root, &names);
        Plan {
            name: scene.word("name", file_name).to_owned(),
            about: scene.word("about", "").to_owned(),
            watch: scene.word("watch", "").to_owned(),
            reproduces: scene.text("reproduces").map(str::to_owned),
            dimension,
            duration,
            step,
            integrator: if time.text("integrator") == Some("euler") {
                Integrator::SymplecticEuler
            } else {
                Integrator::Verlet
            },
            detection: if time.text("detection") == Some("continuous") {
                Detection::Continuous
            } else {
                Detection::Discrete
            },
            gravity: world.vector("gravity").unwrap_or_else(|| downwards(world.number("gravity").unwrap_or(9.81))),
            response,
            resting_speed: world.number("resting-speed"),
            slop: world.number("slop"),
            most_overlap: world.number("most-overlap"),
            energy_guard: match world.text("energy-guard") {
                Some("warn") => EnergyGuard::Warn,
                Some("off") => EnergyGuard::Off,
                _ => EnergyGuard::Stop,
            },
            restitution_rule: rule("restitution-rule", Combiner::ArithmeticMean),
            friction_rule: rule("friction-rule", Combiner::GeometricMean),
            joints: self.joints(root, &names),
            pairs: self.pairs(root, &bodies),
            loads,
            bodies,
            record: Record {
                fps: record.number("fps").unwrap_or(60.0),
                contacts: record.flag("contacts", true),
                plots: record.flag("plots", true),
                gltf: record.flag("gltf", true),
            },
            files: std::mem::take(&mut self.files.hashes),
            copies: std::mem::take(&mut self.files.copies),
        }
    }

    /// The members of a section that stands many times.
    pub fn members<'t>(&self, root: &'t Table, section: &str) -> Vec<Member<'t>> {
        let list = root.get(section).and_then(Node::list).unwrap_or_default();
        let member = |(i, node): (usize, &'t Node)| {
            let table = node.table()?;
            let fields = Fields { table, dimension: self.checker.dimension };
            Some(Member { fields, place: &node.place, path: format!("{section}.{}", label(table, i)), number: i + 1 })
        };
        list.iter().enumerate().filter_map(member).collect()
    }

    /// Every body by name; two of one name are a mistake.
    fn names(&mut self, bodies: &[BodyPlan]) -> BTreeMap<String, ()> {
        let mut names = BTreeMap::new();
        for body in bodies {
            for CopyPlan { name, .. } in &body.copies {
                if names.insert(name.clone(), ()).is_some() {
                    let problem = format!("another body is called '{}' already", shortened(name));
                    self.checker.report(&body.place, &body.path, problem, None);
                    break;
                }
            }
        }
        names
    }

    /// A body by name; a mistake if there is none.
    fn known(&mut self, node: &Node, path: &str, names: &BTreeMap<String, ()>) -> Option<String> {
        let name = node.text()?;
        if names.contains_key(name) {
            return Some(name.to_owned());
        }
        let copy_of = |other: &String| {
            name.strip_prefix(other.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        };
        if self.unread.iter().any(copy_of) {
            return None;
        }
        let first = format!("{name}-");
        let copy = names.range(first.clone()..).next().map(|(name, ())| name).filter(|name| name.starts_with(&first));
        let near = copy.map(String::as_str).or_else(|| nearest(name, names.keys().map(String::as_str)));
        let help = near.map(|near| format!("did you mean '{near}'?"));
        self.checker.report(&node.place, path, format!("no body is called '{}'", shortened(name)), help);
        None
    }

    fn joints(&mut self, root: &Table, names: &BTreeMap<String, ()>) -> Vec<JointPlan> {
        let mut joints: Vec<JointPlan> = Vec::new();
        for Member { fields, place, path, number } in self.members(root, "joint") {
            let name = fields.text("name").map_or_else(|| format!("joint-{number}"), str::to_owned);
            if joints.iter().any(|joint| joint.name == name) {
                self.checker.report(
                    place,
                    &path,
                    format!("another joint is called '{}' already", shortened(&name)),
                    None,
                );
            }
            let texts = fields.texts("bodies");
            if let Some(node) =
                fields.node("bodies").filter(|node| !(1..=2).contains(&node.list().map_or(1, <[Node]>::len)))
            {
                self.checker.report(&node.place, &format!("{path}.bodies"), "a joint has one body or two", None);
            }
            let mut bodies = [None, None];
            for (slot, node) in bodies.iter_mut().zip(texts.iter().filter(|node| node.text() != Some("world"))) {
                *slot = self.known(node, &format!("{path}.bodies"), names);
            }
            if bodies[0].is_some() && bodies[0] == bodies[1] {
                self.checker.report(place, &format!("{path}.bodies"), "a body cannot be joined to itself", None);
            }
            if !texts.is_empty() && texts.iter().all(|node| node.text() == Some("world")) {
                self.checker.report(place, &format!("{path}.bodies"), "a joint needs a body", None);
            }
            let Some(kind) = self.joint_form(&fields, place, &path) else { continue };
            joints.push(JointPlan {
                name,
                place: place.clone(),
                bodies,
                kind,
                repair: fields.number("repair").unwrap_or(0.2),
                compliance: fields.number("compliance").unwrap_or(0.0),
                collide: fields.flag("collide", false),
            });
        }
        joints
    }

    fn joint_form(&mut self, fields: &Fields, place: &Place, path: &str) -> Option<JointForm> {
        let kind = fields.text("kind")?;
        let in_plane = self.checker.dimension == 2;
        let needed: &[&str] = match kind {
            "distance" => &["anchors"],
            "hinge" if !in_plane => &["anchor", "axis"],
            "slider" => &["anchor", "axis"],
            "wire" => &["points"],
            _ => &["anchor"],
        };
        for key in needed.iter().filter(|key| fields.node(key).is_none()) {
            self.checker.report(place, path, format!("a joint of the kind '{kind}' needs '{key}'"), None);
        }
        let (anchor, axis) = (fields.vector("anchor"), fields.vector("axis"));
        if let Some(place) = fields.place("axis").filter(|_| axis == Some(DVec3::ZERO)) {
            self.checker.report(place, &format!("{path}.axis"), "must have a length", None);
        }
        let mut listed = |key: &str, right: &dyn Fn(usize) -> bool, expected: &str| {
            let points = fields.points(key)?;
            if right(points.len()) {
                return Some(points);
            }
            let problem = format!("must be {expected}, but has {}", points.len());
            self.checker.report(fields.place(key)?, &format!("{path}.{key}"), problem, None);
            None
        };
        Some(match kind {
            "distance" => {
                let anchors = listed("anchors", &|n| n == 2, "two points")?;
                JointForm::Distance { anchors: [anchors[0], anchors[1]] }
            }
            "ball" => JointForm::Ball { anchor: anchor? },
            "hinge" if in_plane => JointForm::Ball { anchor: anchor? },
            "hinge" => JointForm::Hinge { anchor: anchor?, axis: axis? },
            "slider" => JointForm::Slider { anchor: anchor?, axis: axis? },
            "wire" => JointForm::Wire {
                points: listed("points", &|n| n >= 2, "two points or more")?,
                closed: fields.flag("closed", false),
            },
            _ => JointForm::Fixed { anchor: anchor? },
        })
    }

    fn loads(&mut self, root: &Table, names: &BTreeMap<String, ()>) -> Vec<LoadPlan> {
        let mut loads = Vec::new();
        for Member { fields, place, path, number } in self.members(root, "load") {
            let body = fields.node("body").and_then(|node| self.known(node, &format!("{path}.body"), names));
            let lasting = ["force", "torque", "from", "until"].into_iter().find(|key| fields.node(key).is_some());
            let sudden = ["impulse", "turn", "time"].into_iter().find(|key| fields.node(key).is_some());
            let push = match (lasting, sudden) {
                (Some(_), None) => PushPlan::Force {
                    force: fields.vector("force").unwrap_or_default(),
                    torque: fields.spin("torque").unwrap_or_default(),
                    from: fields.number("from").unwrap_or(0.0),
                    until: fields.number("until").unwrap_or(f64::INFINITY),
                },
                (None, Some(_)) => PushPlan::Impulse {
                    impulse: fields.vector("impulse").unwrap_or_default(),
                    turn: fields.spin("turn").unwrap_or_default(),
                    time: fields.number("time").unwrap_or(0.0),
                },
                _ => {
                    let problem = match (lasting, sudden) {
                        (Some(one), Some(other)) => {
                            format!("'{one}' belongs to a force and '{other}' to a blow; it is one or the other")
                        }
                        _ => "needs a 'force', a 'torque', an 'impulse' or a 'turn'".into(),
                    };
                    self.checker.report(place, &path, problem, None);
                    continue;
                }
            };
            if let PushPlan::Force { from, until, .. } = push
                && until <= from
            {
                self.checker.report(place, &path, format!("ends at {until} s, but begins at {from} s"), None);
            }
            let Some(body) = body else { continue };
            let name = fields.text("name").map_or_else(|| format!("load-{number}"), str::to_owned);
            loads.push(LoadPlan { name, place: place.clone(), body, at: fields.vector("at"), push });
        }
        loads
    }

    fn pairs(&mut self, root: &Table, bodies: &[BodyPlan]) -> Vec<SurfacePair> {
        let mut pairs = Vec::new();
        for Member { fields, path, .. } in self.members(root, "pair") {
            let Some(node) = fields.node("surfaces") else { continue };
            let surfaces: Vec<&Node> = fields.texts("surfaces");
            let path = format!("{path}.surfaces");
            let [first, second] = surfaces[..] else {
                self.checker.report(
                    &node.place,
                    &path,
                    format!("a pair has two surfaces, not {}", surfaces.len()),
                    None,
                );
                continue;
            };
            for surface in [first, second] {
                let name = surface.text().unwrap_or_default();
                if self.unread.is_empty() && !bodies.iter().any(|body| body.surface == name) {
                    let near = nearest(name, bodies.iter().map(|body| body.surface.as_str()));
                    let help = near.map(|near| format!("did you mean '{near}'?"));
                    self.checker.report(
                        &surface.place,
                        &path,
                        format!("no body has the surface '{}'", shortened(name)),
                        help,
                    );
                }
            }
            pairs.push(SurfacePair {
                surfaces: [first, second].map(|node| node.text().unwrap_or_default().to_owned()),
                restitution: fields.number("restitution"),
                friction: fields.number("friction"),
            });
        }
        pairs
    }
}

fn response(keys: Fields) -> Response {
    match keys.word("family", "reflections") {
        "impulses" => {
            let usual = ImpulseParams::default();
            Response::Impulses(ImpulseParams {
                sweeps: keys.count("sweeps").unwrap_or(usual.sweeps),
                poisson: keys.text("hypothesis") == Some("poisson"),
            })
        }
        "penalty" => Response::Penalty(PenaltyParams {
            stiffness: keys.number("stiffness"),
            damping: keys.number("damping"),
            implicit: keys.flag("implicit", false),
        }),
        "constraints" => {
            let usual = SolveParams::default();
            let method = match keys.word("solver", "exact") {
                "pivoting" => Method::Pivoting,
                "gauss-seidel" => Method::GaussSeidel,
                "conjugate-gradients" => Method::ConjugateGradients,
                _ => Method::Exact,
            };
            Response::Constraints(ConstraintParams {
                solver: SolveParams {
                    method,
                    tolerance: keys.number("tolerance").unwrap_or(usual.tolerance),
                    rounds: keys.count("rounds").unwrap_or(usual.rounds),
                    ..SolveParams::default()
                },
            })
        }
        "flexible" => {
            let usual = FlexibleParams::default();
            Response::Flexible(FlexibleParams {
                longest_step: keys.number("longest-step"),
                cut: keys.number("cut").unwrap_or(usual.cut),
                give_way: keys.flag("give-way", usual.give_way),
                adaptive: keys.flag("adaptive", usual.adaptive),
                join: keys.number("join").unwrap_or(usual.join),
                leave: keys.number("leave").unwrap_or(usual.leave),
                ..usual
            })
        }
        _ => {
            let ReflectionParams { impact: usual, rounds, exact_contacts } = ReflectionParams::default();
            let operator = match keys.word("operator", "reflections") {
                "inelastic" => Operator::Inelastic,
                "gauss-seidel" => Operator::GaussSeidel,
                "jacobi" => Operator::Jacobi,
                "complementarity" => Operator::Complementarity,
                _ => Operator::Reflections,
            };
            Response::Reflections(ReflectionParams {
                impact: ImpactParams {
                    operator,
                    layers: keys.count("layers").unwrap_or(usual.layers),
                    friction: match (keys.word("friction", "maximal-dissipation"), keys.count("friction-passes")) {
                        (_, Some(0)) => ImpactFriction::Off,
                        ("coulomb", _) => ImpactFriction::Coulomb,
                        (_, passes) => ImpactFriction::MaximalDissipation { passes: passes.unwrap_or(1) },
                    },
                    least_norm: keys.flag("least-norm", usual.least_norm),
                    passes: keys.count("passes").unwrap_or(usual.passes),
                    ..usual
                },
                rounds: keys.count("impact-rounds").unwrap_or(rounds),
                exact_contacts: keys.count("exact-contacts").unwrap_or(exact_contacts),
            })
        }
    }
}
