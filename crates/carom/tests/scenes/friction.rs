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
    assert!(moved(&end, sticks) < 1e-5, "{}", moved(&end, sticks));
    assert!((moved(&end, slides) - expected).abs() < 2e-3 * expected, "{} {expected}", moved(&end, slides));
    let ledger = scene.system.ledger();
    assert!(ledger.imbalance().abs() < 1e-9 * ledger.start.abs());
}

#[test]
fn a_block_on_a_belt_sticks_and_slips_with_the_period_of_its_closed_form() {
    let (belt, mass, still, sliding) = (0.01, 0.5, 0.6, 0.4);
    let mut system = built("belt", &[]).system;
    let block = place(&system, "block");
    let start = system.frame().positions[block][0];
    let (mut slips, mut sticking, mut spring) = (Vec::new(), false, [0.0; 2]);
    while system.time() < 1.0 {
        system.step().unwrap();
        let frame = system.frame();
        let speed = frame.velocities[block][0];
        let sticks = (speed - belt).abs() < 1e-3 * belt;
        if sticking && !sticks {
            slips.push(system.time());
        }
        sticking = sticks;
        // While it sticks the spring, a single mode, is as far out as the block and as fast.
        if let [mode] = system.vibrations()[..]
            && sticks
        {
            let shape = mode.rate / speed;
            let stiffness = (2.0 * system.ledger().vibrational - mode.rate * mode.rate) / (mode.q / shape).powi(2);
            spring = [stiffness, shape * shape];
        }
    }
    let [stiffness, own_mass] = spring;
    println!("spring of {stiffness} N/m and {own_mass} kg, slips at {slips:?}, block began at {start}");
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
