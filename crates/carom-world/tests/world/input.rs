//! What cannot be is refused by name; what blows up stops with the last good state.

use carom_world::{Bounciness, JointDefinition, JointKind, Load, Push, World, WorldDefinition, WorldError, WorldParams};
use glam::DVec2;

use crate::common::*;

fn refused(change: impl Fn(&mut WorldDefinition<carom_contact::Plane>)) -> String {
    let bodies = vec![disc("left", 0.5, [0.0, 0.5], [0.0, 0.0]), disc("right", 0.5, [2.0, 0.5], [0.0, 0.0]), floor([0.0, 1.0])];
    let mut definition = WorldDefinition { bodies, ..WorldDefinition::new(params(0.01, 9.81, families()[0].1)) };
    assert!(World::<_, 3>::new(definition.clone()).is_ok());
    change(&mut definition);
    World::<_, 3>::new(definition).unwrap_err().to_string()
}

#[test]
fn bad_definitions_are_refused_with_the_element_and_the_number() {
    let message = refused(|d| d.bodies[0].mass = 0.0);
    assert_eq!(message, "body 'left': the mass is 0, but must be positive and finite");
    assert!(refused(|d| d.bodies[1].inertia = f64::NAN).contains("'right': the inertia is NaN"));
    assert!(refused(|d| d.bodies[1].velocity.x = f64::INFINITY).contains("'right': a number of the velocity"));
    assert!(refused(|d| d.bodies[0].bounciness = Bounciness::Constant(1.5)).contains("the restitution is 1.5"));
    assert!(refused(|d| d.bodies[0].friction = -0.1).contains("the friction is -0.1"));
    assert!(refused(|d| d.bodies[1].name = "left".into()).contains("two bodies are called 'left'"));
    assert!(refused(|d| d.params.step = 0.0).contains("the time step is 0"));
    assert!(refused(|d| d.params.gravity.y = f64::NAN).contains("gravity is NaN"));
    assert!(refused(|d| d.params.slop = Some(-1.0)).contains("the slop is -1"));
    let moved = refused(|d| d.bodies[1].pose.position.x = 0.9);
    assert!(moved.starts_with("'left' and 'right' overlap by 0.0999") || moved.contains("overlap by 0.1"), "{moved}");
    let load = refused(|d| {
        let push = Push::Impulse { impulse: DVec2::X, turn: 0.0, time: 1.0 };
        d.loads.push(Load { name: "blow".into(), body: "nobody".into(), at: DVec2::ZERO, push });
    });
    assert_eq!(load, "load 'blow' names the body 'nobody', which is not in the scene");
    let joint = refused(|d| {
        d.joints.push(JointDefinition {
            name: "pin".into(),
            bodies: [Some("left".into()), Some("nobody".into())],
            kind: JointKind::Ball { anchor: DVec2::ZERO },
            repair: 0.2,
            compliance: 0.0,
            collide: false,
        });
    });
    assert!(joint.contains("joint 'pin' names the body 'nobody'"), "{joint}");
}

#[test]
fn a_blow_up_names_the_body_and_keeps_the_last_good_state() {
    let bodies = vec![disc("comet", 0.5, [0.0, 0.0], [3.0, 0.0])];
    let push = Push::Force { force: DVec2::new(1e12, 0.0), torque: 0.0, from: 0.035, until: 1.0 };
    let load = Load { name: "engine".into(), body: "comet".into(), at: DVec2::ZERO, push };
    let params = WorldParams { ..params(0.01, 0.0, families()[0].1) };
    let definition = WorldDefinition { bodies, loads: vec![load], ..WorldDefinition::new(params) };
    let mut world = World::<_, 3>::new(definition).unwrap();
    run(&mut world, 3);
    let kept = world.state();
    let error = world.step().unwrap_err();
    assert!(
        matches!(&error, WorldError::BlowUp { body, quantity: "speed", time, .. } if body == "comet" && *time == 0.03),
        "{error}"
    );
    assert_eq!(world.state(), kept);
}
