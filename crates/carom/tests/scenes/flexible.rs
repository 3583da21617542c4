//! Bodies that flex while they touch, against the analysis of a single strike.

use std::collections::BTreeMap;
use std::sync::Arc;

use carom::{BakeRequest, Baker, Source};
use carom_bounce::{Method, Params, Site, TimeStep, strike};
use carom_contact::space;
use carom_modal::{Wanted, material};
use carom_object::ModalModel;
use carom_world::{
    BodyDefinition, FlexibleParams, FlexibleWorld, Response, VibratingSurface, WorldDefinition, WorldParams,
};
use glam::{DQuat, DVec3};

/// Steps of 1 µs.
const STEP: f64 = 1e-6;
/// A body touches with a ball as small as this, so that it touches at one point.
const TIP: f64 = 1e-5;

fn model(shape: &str, modes: usize) -> ModalModel {
    let source = Source::shape(shape, &BTreeMap::new()).unwrap();
    let mut request = BakeRequest::new(source, material("steel").unwrap().clone());
    request.params.wanted = Wanted::Lowest(modes);
    request.map = None;
    let mut model = Baker::default().bake(&request).unwrap().object.modal;
    model.material.damping = carom_object::Damping::default();
    model
}

/// Restitution at a point of a body that is dropped on a floor, from its motion when it last touched.
fn dropped(model: &ModalModel, surface: &Arc<VibratingSurface>, site: &Site, longest: f64) -> f64 {
    let turn = DQuat::from_rotation_arc(site.normal, DVec3::NEG_Y);
    let tip = space::Shape::sphere(TIP).unwrap().shifted(site.arm - TIP * site.normal);
    let body = BodyDefinition {
        mass: model.mass.mass,
        inertia: model.mass.inertia,
        pose: space::Pose::new(-(turn * site.arm), turn),
        velocity: DVec3::NEG_Y,
        vibration: Some(surface.clone()),
        ..BodyDefinition::new("body", Arc::new(tip))
    };
    let floor = BodyDefinition::fixed("floor", Arc::new(space::Shape::half_space(DVec3::Y).unwrap()));
    let flexible = FlexibleParams { adaptive: false, cut: f64::INFINITY, ..FlexibleParams::default() };
    let params = WorldParams { response: Response::Flexible(flexible), ..WorldParams::new(STEP) };
    let mut world =
        FlexibleWorld::new(WorldDefinition { bodies: vec![body, floor], ..WorldDefinition::new(params) }).unwrap();
    let mut restitution = 0.0;
    while world.time() < longest {
        world.step().unwrap();
        if world.contacts().iter().any(|event| event.normal_impulse > 0.0) {
            let frame = world.frame();
            let [x, y, z, w] = frame.rotations[0];
            let arm = DQuat::from_xyzw(x, y, z, w) * site.arm;
            restitution = (DVec3::from(frame.velocities[0]) + DVec3::from(frame.spins[0]).cross(arm)).y;
        }
    }
    let ledger = world.ledger();
    assert!(ledger.imbalance().abs() < 1e-9 * ledger.start, "{ledger:?}");
    restitution
}

#[test]
fn a_body_that_drops_on_one_point_bounces_as_the_analysis_of_its_strike_says() {
    let mut differences = Vec::new();
    for (shape, places) in [("bar", 50), ("plate", 50)] {
        let model = model(shape, 20);
        let surface = Arc::new(VibratingSurface::new(&model, 20));
        let triangles = model.surface.triangles.len();
        for k in 0..places {
            let triangle = k * triangles / places;
            let normal = model.surface.area_vector(triangle);
            let site = Site::on(&model, triangle, DVec3::new(0.5, 0.3, 0.2), normal).unwrap();
            let params = Params { method: Method::Exact, time_step: TimeStep::Seconds(1e-7), ..Params::default() };
            let expected = strike(&site, &params).unwrap();
            let found = dropped(&model, &surface, &site, expected.contact_time + 1e-4);
            differences.push((found - expected.restitution).abs());
        }
        let mean = differences.iter().sum::<f64>() / differences.len() as f64;
        println!("{shape}: mean |Δε| {mean:.5}, largest {:.4}", differences.iter().copied().fold(0.0, f64::max));
    }
    assert_eq!(differences.len(), 100);
    let mean = differences.iter().sum::<f64>() / 100.0;
    assert!(mean <= 0.03, "mean |Δε| is {mean}");
}

#[test]
fn dishes_far_from_a_falling_block_jump_because_the_table_vibrates() {
    let mut system = super::built("dinner-stacked", &[("body.table.vibration.modes", "12")]).system;
    let height = |frame: &carom::world::Frame, body: usize| frame.positions[body][1];
    let dishes: Vec<usize> = ["cup-0-0-0", "cup-0-0-2", "bowl"].map(|name| super::place(&system, name)).into();
    let start = system.frame();
    let (mut before, mut after) = (0.0f64, vec![0.0f64; dishes.len()]);
    // The block's lowest corner falls by some 58 cm: 0.34 s.
    super::run(&mut system, 0.45, |time, frame| {
        for (peak, &dish) in after.iter_mut().zip(&dishes) {
            let risen = height(frame, dish) - height(&start, dish);
            if time < 0.33 {
                before = before.max(risen);
            }
            *peak = peak.max(risen);
        }
    });
    println!("risen by {before} m before the block struck, by {after:?} m then");
    assert!(before < 1e-6, "{before}");
    assert!(after.iter().all(|peak| *peak > 1e-4), "{after:?}");
    let ledger = system.ledger();
    assert!(ledger.imbalance().abs() < 1e-9 * ledger.start);
}
