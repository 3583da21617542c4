//! *Distant*, Fig. 9: the steeper waves fade, the more local is what they do.

use carom::scene::{Scene, SceneContext};
use miette::miette;

use super::super::Args;
use super::super::findings::Findings;
use crate::plot::chart::{Axis, COLOURS, Chart, Curve, Mark};
use crate::ui::Work;

/// Half the side of the field on which marbles lie, m.
const FIELD: f64 = 5.0;
/// The distance at which waves have lost nothing yet, m.
const REFERENCE: f64 = 0.15;

/// A weight strikes the ground among marbles, without gravity so that they keep the speed that they get. Returns how far each is from the blow and how fast it leaves the ground, nearest first.
fn thrown(exponent: f64, across: usize) -> Work<Vec<(f64, f64)>> {
    let spacing = 2.0 * FIELD / across as f64;
    let first = 0.5 * spacing - FIELD;
    let text = format!(
        r#"
[scene]
name = "marbles"
duration = 1
[time]
step = 0.01
[world]
gravity = [0, 0, 0]
[response]
family = "impulses"
[[body]]
name = "ground"
shape = {{ shape = "half-space" }}
restitution = 0.15
distant = {{ kind = "waves", amplitude = 1e-5, exponent = {exponent}, reference = {REFERENCE} }}
[[body]]
name = "marble"
shape = {{ shape = "sphere", radius = 0.02 }}
mass = 0.1
position = [{first}, 0.02, {first}]
copies = {{ count = [{across}, 1, {across}], spacing = [{spacing}, 1, {spacing}] }}
restitution = 0.15
[[body]]
name = "weight"
shape = {{ shape = "sphere", radius = 0.1 }}
mass = 1000
position = [0, 0.2, 0]
velocity = [0, -2, 0]
restitution = 0.15
"#
    );
    let scene = Scene::parse("marbles", &text, &[]).map_err(|errors| miette!("{errors}"))?;
    let mut system = scene.build(&SceneContext::default()).map_err(|errors| miette!("{errors}"))?.system;
    while system.step().map_err(|error| miette!("{error}"))?.shaken == 0 {
        if system.time() > scene.duration() {
            return Err(miette!("the weight struck nothing"));
        }
    }
    let frame = system.frame();
    let marbles = system.names().into_iter().enumerate().filter(|(_, name)| name.starts_with("marble"));
    let mut thrown: Vec<(f64, f64)> = marbles
        .map(|(i, _)| (frame.positions[i][0].hypot(frame.positions[i][2]), frame.velocities[i][1]))
        .filter(|(distance, _)| *distance <= FIELD)
        .collect();
    thrown.sort_by(|a, b| a.0.total_cmp(&b.0));
    Ok(thrown)
}

pub fn run(args: &Args) -> Work<Findings> {
    let across = if args.quick { 20 } else { 40 };
    let mut findings = Findings::new("paper, or Eq. 19");
    let (mut curves, mut radii) = (Vec::new(), Vec::new());
    for (exponent, colour) in [0.5, 1.0, 2.0].into_iter().zip(COLOURS) {
        let thrown = thrown(exponent, across)?;
        let (nearest, fastest) = thrown[0];
        let faded = |distance: f64| fastest * (distance / nearest).powf(-exponent);
        let off = thrown.iter().map(|&(distance, speed)| (speed / faded(distance) - 1.0).abs()).fold(0.0, f64::max);
        findings.check(format!("exponent {exponent}: worst error of a speed"), "0", format!("{off:.1e}"), off < 1e-6);
        let total: f64 = thrown.iter().map(|(_, speed)| speed).sum();
        let mut sum = 0.0;
        let holds = |&&(_, speed): &&(f64, f64)| {
            sum += speed;
            sum < 0.9 * total
        };
        let radius = thrown.iter().take_while(holds).last().map_or(0.0, |&(distance, _)| distance);
        // Over an even field, the sum within R is ∫ r^(1 − β) dr from about the nearest to R.
        let within = |r: f64| if exponent == 2.0 { (r / nearest).ln() } else { r.powf(2.0 - exponent) };
        let known = match exponent {
            2.0 => nearest * (FIELD / nearest).powf(0.9),
            _ => (0.9 * within(FIELD)).powf(1.0 / (2.0 - exponent)),
        };
        findings.check(
            "  radius that holds 90 % of the speeds",
            format!("about {known:.1} m"),
            format!("{radius:.2} m"),
            (radius / known - 1.0).abs() < 0.1,
        );
        radii.push(radius);
        curves.push(Curve { name: format!("exponent {exponent}"), points: thrown, colour, mark: Mark::Dots });
    }
    findings.check(
        "a larger exponent is more local",
        "yes",
        if radii.is_sorted_by(|a, b| a > b) { "yes" } else { "no" },
        radii.is_sorted_by(|a, b| a > b),
    );
    findings.charts.push((
        "distant-fig9",
        Chart {
            title: "How fast marbles leave the ground, by their distance from a blow".into(),
            subtitle: "Distant, Fig. 9 and Eq. 19: the same blow, waves that fade with three exponents".into(),
            x: Axis::linear("distance (m)", 0.0, FIELD),
            y: Axis::linear("speed (m/s)", 0.0, 2.0),
            curves,
        },
    ));
    findings.notes.push("look for three curves that begin together and part".into());
    Ok(findings)
}
