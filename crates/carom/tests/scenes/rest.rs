//! At rest, silence: from static equilibrium the forces of a body that vibrates stay what and where they are (*Sound*, Fig. 7).

use std::collections::BTreeMap;
use std::sync::Arc;

use carom::{BakeRequest, Baker, Source};
use carom_contact::space;
use carom_modal::{Wanted, material};
use carom_object::{Damping, ModalModel};
use carom_world::{
    BodyDefinition, Bounciness, ContactEvent, FlexibleParams, FlexibleWorld, Motion, Response, VibratingSurface,
    WorldDefinition, WorldParams,
};
use glam::{DQuat, DVec3};

use super::GRAVITY;

fn model(shape: &str, modes: usize, hold: &[&str]) -> ModalModel {
    let source = Source::shape(shape, &BTreeMap::new()).unwrap();
    let usual = carom_shape::catalogue().iter().find(|named| named.name == shape).unwrap().material;
    let mut request = BakeRequest::new(source, material(usual).unwrap().clone());
    request.params.wanted = Wanted::Lowest(modes);
    request.params.hold = hold.iter().map(|place| place.parse().unwrap()).collect();
    request.map = None;
    Baker::default().bake(&request).unwrap().object.modal
}

/// A body, and how it stands.
#[derive(Clone)]
struct Standing<'a> {
    name: &'static str,
    model: &'a ModalModel,
    pose: space::Pose,
}

impl<'a> Standing<'a> {
    /// With its lowest point at a place.
    fn on(name: &'static str, model: &'a ModalModel, place: DVec3, turn: DQuat) -> Standing<'a> {
        let lowest = model.surface.positions.iter().map(|&v| (turn * (v - model.mass.centre)).y).fold(0.0, f64::min);
        Standing { name, model, pose: space::Pose::new(place - DVec3::Y * lowest, turn) }
    }
}

/// How bodies vibrate.
#[derive(Clone, Copy, PartialEq)]
enum Modes {
    None,
    /// With this much damping, 1/s.
    Damped(f64),
    /// With their own damping.
    Own,
}

/// Bodies on a floor, friction 0.5; those that are held by their modes are fixed.
fn world(standing: &[Standing<'_>], modes: Modes) -> FlexibleWorld {
    let body = |standing: &Standing<'_>| {
        let mut model = standing.model.clone();
        if let Modes::Damped(alpha) = modes {
            model.material.damping = Damping { alpha, ..Damping::default() };
        }
        let points: Vec<DVec3> = model.surface.positions.iter().map(|&vertex| vertex - model.mass.centre).collect();
        BodyDefinition {
            mass: model.mass.mass,
            inertia: model.mass.inertia,
            pose: standing.pose,
            motion: if model.held { Motion::Fixed } else { Motion::Dynamic },
            bounciness: Bounciness::Constant(0.0),
            friction: 0.5,
            vibration: (modes != Modes::None).then(|| Arc::new(VibratingSurface::new(&model, model.mode_count()))),
            ..BodyDefinition::new(standing.name, Arc::new(space::Shape::hull(&points).unwrap()))
        }
    };
    let floor = BodyDefinition::fixed("floor", Arc::new(space::Shape::half_space(DVec3::Y).unwrap()));
    let floor = BodyDefinition { bounciness: Bounciness::Constant(0.0), friction: 0.5, ..floor };
    let bodies = standing.iter().map(body).chain([floor]).collect();
    let flexible = FlexibleParams { adaptive: false, ..FlexibleParams::default() };
    let gravity = DVec3::new(0.0, -GRAVITY, 0.0);
    let params = WorldParams { gravity, response: Response::Flexible(flexible), ..WorldParams::new(1e-3) };
    FlexibleWorld::new(WorldDefinition { bodies, ..WorldDefinition::new(params) }).unwrap()
}

/// The same bodies where they are in a world.
fn stand<'a>(standing: &[Standing<'a>], world: &FlexibleWorld) -> Vec<Standing<'a>> {
    let frame = world.frame();
    let moved = |standing: &Standing<'a>| {
        let place = world.names().position(|name| name == standing.name).unwrap();
        let [x, y, z, w] = frame.rotations[place];
        let pose = space::Pose::new(frame.positions[place].into(), DQuat::from_xyzw(x, y, z, w));
        Standing { pose, ..standing.clone() }
    };
    standing.iter().map(moved).collect()
}

/// A place carries a body from this part of its weight.
const CARRIES: f64 = 1e-9;

/// The other body and the place, and the force there.
type Carrier = (u32, u64, DVec3);

/// How the forces on a resting body behave.
#[derive(Debug)]
struct Rest {
    /// The largest departure of the resultant from the weight, as a share of it.
    departure: f64,
    /// Times that the places changed that carry the body.
    changes: usize,
    /// The largest change of the force at one place from one interval to the next, as a share of the weight.
    shift: f64,
    /// Places that carry it.
    places: usize,
    intervals: usize,
}

/// Lets bodies come to rest, as rigid ones, then as ones whose modes are strongly damped; then, with their own damping, listens to each
/// that moves.
fn listen(standing: &[Standing<'_>], [ringing, seconds]: [f64; 2]) -> Vec<Rest> {
    let mut rigid = world(standing, Modes::None);
    let mut before = rigid.frame();
    while rigid.time() < 3.0 {
        rigid.step().unwrap();
        if rigid.time() < 2.9 {
            before = rigid.frame();
        }
    }
    for (now, then) in rigid.frame().positions.iter().zip(&before.positions) {
        let moved = DVec3::from(*now).distance(DVec3::from(*then));
        assert!(moved < 1e-8, "something still moves: {moved} m in 0.1 s");
    }
    let standing = stand(standing, &rigid);
    // So much that the lowest mode just does not swing: all come to rest as fast as that one can.
    let lowest = standing.iter().map(|standing| standing.model.angular_frequency(0)).fold(f64::INFINITY, f64::min);
    let mut damped = world(&standing, Modes::Damped(2.0 * lowest));
    while damped.time() * lowest < 40.0 {
        damped.step().unwrap();
    }
    let standing = stand(&standing, &damped);
    let mut still = world(&standing, Modes::Own);
    let names: Vec<String> = still.names().map(String::from).collect();
    for mode in damped.vibrations() {
        assert!(still.pluck(&names[mode.body as usize], mode.mode as usize, mode.q, 0.0));
    }
    // At the ends of steps a body at rest has half a step's fall; in the first it has to get it. What the other damping makes of
    // modes within a step rings off.
    while still.time() <= ringing {
        still.step().unwrap();
    }
    let moving: Vec<&Standing<'_>> = standing.iter().filter(|standing| !standing.model.held).collect();
    let quiet = || (Rest { departure: 0.0, changes: 0, shift: 0.0, places: 0, intervals: 0 }, Vec::new());
    let mut heard: Vec<(Rest, Vec<Carrier>)> = moving.iter().map(|_| quiet()).collect();
    while still.time() < ringing + seconds {
        still.step().unwrap();
        for (standing, (rest, last)) in moving.iter().zip(&mut heard) {
            let place = names.iter().position(|name| name == standing.name).unwrap() as u32;
            rest.hear(still.contacts(), place, GRAVITY * standing.model.mass.mass, last);
        }
    }
    heard.into_iter().map(|(rest, _)| rest).collect()
}

impl Rest {
    /// Takes up the contacts of a step, of one body that weighs so much. An event goes on for as long as its force does.
    fn hear(&mut self, contacts: &[ContactEvent], body: u32, weight: f64, last: &mut Vec<Carrier>) {
        let own = || contacts.iter().filter(|contact| contact.bodies.contains(&body));
        let mut borders: Vec<f64> = own().flat_map(|contact| [contact.start, contact.start + contact.span]).collect();
        borders.sort_by(f64::total_cmp);
        // Of spans that end where others begin, up to round-off.
        borders.dedup_by(|b, a| *b - *a < 1e-9);
        for part in borders.windows(2) {
            let middle = 0.5 * (part[0] + part[1]);
            let now = own().filter(|contact| contact.start < middle && middle < contact.start + contact.span);
            let pressing = now.filter(|contact| contact.normal_impulse > CARRIES * weight * contact.span);
            let carriers: Vec<Carrier> = pressing
                .map(|contact| {
                    let sign = if contact.bodies[0] == body { 1.0 } else { -1.0 };
                    (contact.bodies[1], contact.feature, sign * DVec3::from(contact.impulse) / contact.span)
                })
                .collect();
            let force: DVec3 = carriers.iter().map(|carrier| carrier.2).sum();
            self.departure = self.departure.max((force - DVec3::Y * weight).length() / weight);
            let same =
                carriers.len() == last.len() && carriers.iter().zip(&*last).all(|(a, b)| (a.0, a.1) == (b.0, b.1));
            if self.intervals > 0 {
                self.changes += usize::from(!same);
                let change = |a: &Carrier| {
                    let before = last.iter().find(|b| (a.0, a.1) == (b.0, b.1)).map_or(DVec3::ZERO, |b| b.2);
                    (a.2 - before).length() / weight
                };
                self.shift = carriers.iter().map(change).fold(self.shift, f64::max);
            }
            self.places = self.places.max(carriers.len());
            self.intervals += 1;
            *last = carriers;
        }
    }

    fn is_silent(&self, milliseconds: usize) -> bool {
        self.departure <= 1e-6 && self.changes == 0 && self.intervals >= milliseconds - 1
    }
}

#[test]
fn a_slab_at_rest_is_silent() {
    let slab = model("slab", 8, &[]);
    let rest = listen(&[Standing::on("slab", &slab, DVec3::ZERO, DQuat::IDENTITY)], [0.0, 1.0]);
    println!("slab: {rest:?}");
    assert!(rest[0].is_silent(1000), "{rest:?}");
}

#[test]
fn a_mug_at_rest_is_silent_upright_on_its_rim_and_on_its_side() {
    use std::f64::consts::{FRAC_PI_2, PI};
    let mug = model("mug", 6, &[]);
    for (turn, time) in
        [(DQuat::IDENTITY, 1.0), (DQuat::from_rotation_x(PI), 0.2), (DQuat::from_rotation_x(FRAC_PI_2), 0.2)]
    {
        let rest = listen(&[Standing::on("mug", &mug, DVec3::ZERO, turn)], [0.0, time]);
        println!("mug: {rest:?}");
        assert!(rest[0].is_silent((1e3 * time) as usize), "{rest:?}");
    }
}

#[test]
fn mugs_at_rest_on_a_table_that_vibrates_are_silent() {
    use std::f64::consts::PI;
    let (mug, table) = (model("mug", 6, &[]), model("table", 12, &["y < 0.01"]));
    let top = table.surface.positions.iter().map(|vertex| vertex.y).fold(0.0, f64::max);
    let on = |name, x: f64, z: f64, turn| Standing::on(name, &mug, DVec3::new(x, top, z), turn);
    let pose = space::Pose::new(table.mass.centre, DQuat::IDENTITY);
    let laid = Standing { name: "table", model: &table, pose };
    let one = on("mug", 0.2, 0.1, DQuat::IDENTITY);
    let other = on("other", -0.15, 0.0, DQuat::from_rotation_x(PI));
    let rest = listen(&[laid, one, other], [0.5, 1.0]);
    println!("on a table: {rest:?}");
    assert!(rest.iter().all(|rest| rest.is_silent(1000)), "{rest:?}");
}
