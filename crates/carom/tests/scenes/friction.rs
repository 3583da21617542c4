//! Scenes of flexible contact with friction: a slope, and a belt that drags a block against a spring.

use carom::world::Frame;

use super::{GRAVITY, built, place, run};

#[test]
fn bars_that_vibrate_stick_below_the_angle_of_friction_and_slide_above_it() {
    let mut scene = built("slope-flexible", &[]);
    let (sticks, slides) = (place(&scene.system, "sticks"), place(&scene.system, "slides"));
    let start = scene.system.frame();
    let moved = |frame: &Frame, body: usize| {
        let [a, b] = [frame.positions[body], start.positions[body]];
        (a[0] - b[0]).hypot(a[1] - b[1])
    };
    run(&mut scene.system, 0.5, |_, _| {});
    let end = scene.system.frame();
    let (sin, cos) = 20f64.to_radians().sin_cos();
    let expected = 0.5 * GRAVITY * (sin - 0.2 * cos) * 0.25;
    println!("stuck bar moved {} m, the other {} of {expected} m", moved(&end, sticks), moved(&end, slides));
    // It was dropped: while it rings it hops, and in the air it falls downhill.
    assert!(moved(&end, sticks) < 5e-3 * expected, "{}", moved(&end, sticks));
    assert!((moved(&end, slides) - expected).abs() < 1e-4 * expected, "{} {expected}", moved(&end, slides));
    let ledger = scene.system.ledger();
    assert!(ledger.imbalance().abs() < 1e-9 * ledger.start.abs());
}

#[test]
fn a_block_on_a_belt_sticks_and_slips_with_the_period_of_its_closed_form() {
    let (belt, mass, still, sliding) = (0.01, 0.5, 0.6, 0.4);
    let mut system = built("belt", &[]).system;
    let block = place(&system, "block");
    let (mut slips, mut sticking) = (Vec::new(), false);
    // While it sticks the spring, a single mode, is as far out as the block: place, coordinate and energy at the start and the end of that.
    let mut spring = [[0.0; 3]; 2];
    while system.time() < 1.0 {
        system.step().unwrap();
        let frame = system.frame();
        let sticks = (frame.velocities[block][0] - belt).abs() < 1e-3 * belt;
        if sticking && !sticks {
            slips.push(system.time());
        }
        if let [mode] = system.vibrations()[..]
            && sticks
        {
            spring[1] = [frame.positions[block][0], mode.q, system.ledger().vibrational];
            if !sticking {
                spring[0] = spring[1];
            }
        }
        sticking = sticks;
    }
    let [[x0, q0, energy0], [x1, q1, energy1]] = spring;
    let own_mass = ((q1 - q0) / (x1 - x0)).powi(2);
    let stiffness = own_mass * 2.0 * (energy1 - energy0) / (q1 * q1 - q0 * q0);
    println!("spring of {stiffness} N/m and {own_mass} kg");
    // Sliding about μ_k m g / k begins (μ_s − μ_k) m g / k beyond it at the speed of the belt, and ends when the speed is that again,
    // as far on the other side: 2π − 2 atan(a ω / v) of the swing. The belt then takes it 2a further before it breaks away anew.
    let omega = (stiffness / (mass + own_mass)).sqrt();
    let beyond = (still - sliding) * mass * GRAVITY / stiffness;
    let swing = 2.0 * (std::f64::consts::PI - (beyond * omega / belt).atan()) / omega;
    let period = swing + 2.0 * beyond / belt;
    assert!(slips.len() >= 10, "{slips:?}");
    let mean = (slips[slips.len() - 1] - slips[1]) / (slips.len() - 2) as f64;
    println!("period {mean} s, in closed form {period} s");
    assert!((mean - period).abs() < 0.02 * period, "{mean} {period}");
}
