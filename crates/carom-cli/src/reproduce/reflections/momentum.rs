//! §10.3: two bodies in a free container; momentum and angular momentum of the three stay.

use glam::DVec3;

use super::super::Args;
use super::super::findings::Findings;
use super::{Sampler, curve, run as step, small, world};
use crate::plot::chart::{Axis, Chart};
use crate::ui::Work;

pub fn run(args: &Args) -> Work<Findings> {
    let until = if args.quick { 20.0 } else { 1000.0 };
    let mut findings = Findings::new("paper");
    let mut system = world("container", &[])?;
    let [momentum, angular] = system.momentum().map(DVec3::from);
    let (mut linear_drift, mut angular_drift) = (DVec3::ZERO, DVec3::ZERO);
    let (mut most, mut impacts) = (0.0f64, 0usize);
    let (mut linear_curve, mut angular_curve) = (Vec::new(), Vec::new());
    let mut sampler = Sampler::new(until, 800);
    step(&mut system, until, |system| {
        let [now, turn] = system.momentum().map(DVec3::from);
        linear_drift = linear_drift.max((now - momentum).abs());
        angular_drift = angular_drift.max(((turn - angular) / angular).abs());
        impacts += system.contacts().iter().filter(|contact| contact.is_new).count();
        // Masses in the order of names: the container has 2 kg, pebble and ring 1 kg each.
        let frame = system.frame();
        let momenta = frame.velocities.iter().zip([2.0, 1.0, 1.0]).map(|(v, mass)| mass * DVec3::from(*v).length());
        most = most.max(momenta.sum());
        if sampler.is_due(system.time()) {
            linear_curve.push((system.time(), (linear_drift.max_element() / most).max(1e-18)));
            angular_curve.push((system.time(), angular_drift.max_element().max(1e-18)));
        }
    })?;
    let percent = 100.0 * angular_drift.max_element();
    findings.check("largest drift of angular momentum, %", "4.37e-11", small(percent), percent <= 4.37e-11);
    let share = linear_drift.max_element() / most;
    findings.check("largest drift of momentum, of the bodies' momenta", "1.36e-11", small(share), share <= 1.36e-11);
    findings.show("impacts", "", impacts.to_string());
    let ledger = system.ledger();
    let part = |taken: f64| format!("{:.1} %", 100.0 * taken / ledger.start);
    findings.show("energy taken by restitution", "", part(ledger.restitution));
    findings.show("energy taken by friction", "", part(ledger.friction));
    findings.check("columns of the ledger add up to", "0", small(ledger.imbalance()), ledger.imbalance().abs() < 1e-12);
    findings.charts.push((
        "reflections-momentum",
        Chart {
            title: "Momentum of a free container and what rattles in it".into(),
            subtitle:
                "Reflections, §10.3: largest drift so far of any component; restitution 0.8, friction 0.5, step 10 ms"
                    .into(),
            x: Axis::linear("time (s)", 0.0, until),
            y: Axis::logarithmic("drift", 1e-18, 1e-10),
            curves: vec![
                curve("momentum, of the sum of all", linear_curve, 0),
                curve("angular momentum", angular_curve, 1),
            ],
        },
    ));
    findings.notes.push("look for drifts that stay at round-off, however long it rattles".into());
    findings.notes.push(format!(
        "{until} s; the paper has two bunnies in a teapot for 1000 s. Its drift of linear momentum is absolute, ours a part of the \
         largest sum of the three bodies' momenta, {most:.2} N s"
    ));
    Ok(findings)
}
