//! At rest, silence: from static equilibrium the forces of a body that vibrates stay what and where they are (*Sound*, Fig. 7).

use std::collections::BTreeMap;
use std::sync::Arc;

use carom::{BakeRequest, Baker, Source};
use carom_contact::space;
use carom_modal::{Wanted, material};
use carom_object::{Damping, ModalModel};
use carom_world::{
    BodyDefinition, Bounciness, FlexibleParams, FlexibleWorld, Response, VibratingSurface, WorldDefinition, WorldParams,
};
use glam::{DQuat, DVec3};

use super::GRAVITY;

fn model(shape: &str, modes: usize) -> ModalModel {
    let source = Source::shape(shape, &BTreeMap::new()).unwrap();
    let usual = carom_shape::catalogue().iter().find(|named| named.name == shape).unwrap().material;
    let mut request = BakeRequest::new(source, material(usual).unwrap().clone());
    request.params.wanted = Wanted::Lowest(modes);
    request.map = None;
    Baker::default().bake(&request).unwrap().object.modal
}

/// A body on a floor, friction 0.5.
fn world(model: &ModalModel, vibrates: bool, pose: space::Pose) -> FlexibleWorld {
    let points: Vec<DVec3> = model.surface.positions.iter().map(|&vertex| vertex - model.mass.centre).collect();
    let body = BodyDefinition {
        mass: model.mass.mass,
        inertia: model.mass.inertia,
        pose,
        bounciness: Bounciness::Constant(0.0),
        friction: 0.5,
        vibration: vibrates.then(|| Arc::new(VibratingSurface::new(model, model.mode_count()))),
        ..BodyDefinition::new("body", Arc::new(space::Shape::hull(&points).unwrap()))
    };
    let floor = BodyDefinition::fixed("floor", Arc::new(space::Shape::half_space(DVec3::Y).unwrap()));
    let floor = BodyDefinition { bounciness: Bounciness::Constant(0.0), friction: 0.5, ..floor };
    let flexible = FlexibleParams { adaptive: false, ..FlexibleParams::default() };
    let gravity = DVec3::new(0.0, -GRAVITY, 0.0);
    let params = WorldParams { gravity, response: Response::Flexible(flexible), ..WorldParams::new(1e-3) };
    FlexibleWorld::new(WorldDefinition { bodies: vec![body, floor], ..WorldDefinition::new(params) }).unwrap()
}

fn pose_of(world: &FlexibleWorld) -> space::Pose {
    let frame = world.frame();
    let [x, y, z, w] = frame.rotations[0];
    space::Pose::new(frame.positions[0].into(), DQuat::from_xyzw(x, y, z, w))
}

/// How the forces of a resting body behave.
#[derive(Debug)]
struct Rest {
    /// The largest departure of the resultant from the weight, as a share of it.
    departure: f64,
    /// Times that the places changed that carry the body.
    changes: usize,
    /// Places that carry it.
    places: usize,
    intervals: usize,
}

/// Lets a body come to rest, as a rigid one, then as one whose modes are strongly damped; then, with its own damping, listens.
fn listen(model: &ModalModel, turn: DQuat, seconds: f64) -> Rest {
    let lowest = model.surface.positions.iter().map(|&v| (turn * (v - model.mass.centre)).y).fold(0.0, f64::min);
    let mut rigid = world(model, false, space::Pose::new(DVec3::new(0.0, -lowest, 0.0), turn));
    let mut before = DVec3::ZERO;
    while rigid.time() < 3.0 {
        rigid.step().unwrap();
        if rigid.time() < 2.9 {
            before = rigid.frame().positions[0].into();
        }
    }
    let moved = DVec3::from(rigid.frame().positions[0]).distance(before);
    assert!(moved < 1e-8, "{} still moves: {moved} m in 0.1 s", model.name);
    let mut damped = model.clone();
    damped.material.damping = Damping { alpha: 5000.0, ..Damping::default() };
    let mut damped = world(&damped, true, pose_of(&rigid));
    while damped.time() < 0.1 {
        damped.step().unwrap();
    }
    let mut still = world(model, true, pose_of(&damped));
    for mode in damped.vibrations() {
        assert!(still.pluck("body", mode.mode as usize, mode.q, 0.0));
    }
    let weight = GRAVITY * model.mass.mass;
    let mut rest = Rest { departure: 0.0, changes: 0, places: 0, intervals: 0 };
    let (mut carriers, mut last) = (Vec::new(), Vec::new());
    // At the ends of steps a body at rest has half a step's fall; in the first it has to get it.
    still.step().unwrap();
    while still.time() < seconds {
        still.step().unwrap();
        let contacts = still.contacts();
        let mut first = 0;
        while first < contacts.len() {
            let group = contacts[first..].iter().take_while(|contact| contact.start == contacts[first].start).count();
            let interval = &contacts[first..first + group];
            first += group;
            let force: DVec3 = interval.iter().map(|contact| DVec3::from(contact.impulse) / contact.span).sum();
            rest.departure = rest.departure.max((force - DVec3::Y * weight).length() / weight);
            carriers.clear();
            carriers
                .extend(interval.iter().filter(|contact| contact.normal_impulse > 0.0).map(|contact| contact.feature));
            rest.changes += usize::from(rest.intervals > 0 && carriers != last);
            rest.places = rest.places.max(carriers.len());
            rest.intervals += 1;
            std::mem::swap(&mut carriers, &mut last);
        }
    }
    rest
}

#[test]
fn a_slab_at_rest_is_silent() {
    let rest = listen(&model("slab", 8), DQuat::IDENTITY, 1.0);
    println!("slab: {rest:?}");
    assert!(rest.departure <= 1e-6 && rest.changes == 0 && rest.intervals >= 199, "{rest:?}");
}

#[test]
fn a_mug_at_rest_is_silent_upright_on_its_rim_and_on_its_side() {
    use std::f64::consts::{FRAC_PI_2, PI};
    let mug = model("mug", 6);
    for turn in [DQuat::IDENTITY, DQuat::from_rotation_x(PI), DQuat::from_rotation_x(FRAC_PI_2)] {
        let rest = listen(&mug, turn, 0.2);
        println!("mug: {rest:?}");
        assert!(rest.departure <= 1e-6 && rest.changes == 0 && rest.intervals >= 199, "{rest:?}");
    }
}
