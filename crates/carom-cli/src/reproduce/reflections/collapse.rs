//! Fig. 4: pairwise propagation below a critical restitution never ends (inelastic collapse).
//!
//! One pass over a row of balls is linear in the velocities while every pair approaches. Between passes the velocities
//! are scaled back to one, so that the question whether it ends has an answer that round-off does not decide.

use std::f64::consts::PI;

use carom::impact::{Contact, Impact, ImpactParams, ImpactSystem, InverseMass, Operator, resolve};

use super::super::Args;
use super::super::findings::Findings;
use super::curve;
use crate::plot::chart::{Axis, Chart};
use crate::ui::{Work, failure};

/// Passes after which a row is taken to collapse. Just above the critical restitution c it takes about π/√(c − c₀) of them.
const ENDLESS: usize = 3_000;

pub fn run(args: &Args) -> Work<Findings> {
    let mut findings = Findings::new("paper");
    cradle_of_three(&mut findings)?;
    rows_of_balls(args, &mut findings)?;
    block_of_balls(args, &mut findings)?;
    findings.notes.push(
        "look for one common velocity below 0.0718 (a), for passes without end there (b), for a critical restitution that \
         goes to one (c), and for passes that grow as restitution falls (d); generalized reflections do not notice"
            .into(),
    );
    Ok(findings)
}

/// (a) and (b): velocities and passes by restitution.
fn cradle_of_three(findings: &mut Findings) -> Work<()> {
    let exact = 7.0 - 4.0 * 3f64.sqrt();
    let found = critical(3)?;
    findings.check(
        "(b) critical restitution of three balls",
        "0.0717",
        format!("{found:.7}"),
        (found - exact).abs() < 1e-5,
    );
    findings.show("    in closed form, 7 − 4√3", "", format!("{exact:.7}"));
    let grid: Vec<f64> = (0..=200).map(|k| f64::from(k) / 400.0).collect();
    let mut velocities = [const { Vec::new() }; 3];
    let (mut passes, mut solves) = (Vec::new(), Vec::new());
    for &restitution in &grid {
        let (after, impact) = blow(3, restitution, Operator::GaussSeidel, 100_000)?;
        velocities.iter_mut().zip(&after).for_each(|(curve, &v)| curve.push((restitution, v)));
        passes.push((restitution, impact.effort.solves as f64));
        let (_, impact) = blow(3, restitution, Operator::Reflections, 1)?;
        solves.push((restitution, impact.effort.solves as f64));
    }
    let below =
        |points: &[(f64, f64)]| points.iter().filter(|point| point.0 < exact).map(|point| point.1).collect::<Vec<_>>();
    let common =
        velocities.iter().flat_map(|points| below(points)).fold(0.0f64, |worst, v| worst.max((v - 1.0 / 3.0).abs()));
    findings.check("(a) below it, distance from a common velocity", "0", format!("{common:.1e}"), common < 1e-9);
    let most = solves.iter().map(|point| point.1).fold(0.0, f64::max);
    findings.check("    solves of reflections, any restitution", "finite", format!("{most}"), most <= 8.0);
    let names = ["first ball", "second", "third"];
    let curves = velocities.into_iter().enumerate().map(|(i, points)| curve(names[i], points, i)).collect();
    findings.charts.push((
        "reflections-fig4a",
        Chart {
            title: "Three balls, one contact after the other".into(),
            subtitle: "Reflections, Fig. 4a: velocities after Gauss-Seidel; below 7 − 4√3 they are one".into(),
            x: Axis::linear("restitution", 0.0, 0.5),
            y: Axis::linear("velocity after the blow", 0.0, 1.0),
            curves,
        },
    ));
    findings.charts.push((
        "reflections-fig4b",
        Chart {
            title: "Three balls: passes until nothing approaches".into(),
            subtitle: "Reflections, Fig. 4b: below 7 − 4√3 only round-off ends them".into(),
            x: Axis::linear("restitution", 0.0, 0.5),
            y: Axis::linear("passes, solves", 0.0, 30.0),
            curves: vec![curve("Gauss-Seidel", passes, 1), curve("generalized reflections", solves, 0)],
        },
    ));
    Ok(())
}

/// (c): the critical restitution by the number of balls.
fn rows_of_balls(args: &Args, findings: &mut Findings) -> Work<()> {
    let most = if args.quick { 8 } else { 24 };
    let wave = |balls: usize| (0.25 * PI * (1.0 - 2.0 / balls as f64)).tan().powi(2);
    let mut points = Vec::new();
    for balls in 3..=most {
        points.push((balls as f64, critical(balls)?));
    }
    let grows = points.windows(2).all(|pair| pair[0].1 < pair[1].1);
    let shown = points.iter().filter(|point| [4.0, 8.0, 16.0, 24.0].contains(&point.0));
    for &(balls, found) in shown {
        let known = wave(balls as usize);
        findings.show(
            format!("(c) of {balls} balls; tan²(π/4 · (1 − 2/n))"),
            format!("{known:.4}"),
            format!("{found:.4}"),
        );
    }
    findings.check("    grows with the number of balls", "towards 1", if grows { "yes" } else { "no" }, grows);
    let known = (3..=most).map(|balls| (balls as f64, wave(balls))).collect();
    findings.charts.push((
        "reflections-fig4c",
        Chart {
            title: "Below which restitution a row of balls collapses".into(),
            subtitle:
                "Reflections, Fig. 4c; the known law is that of a wave that runs to and fro (Bernu and Mazighi 1990)"
                    .into(),
            x: Axis::linear("balls", 2.0, most as f64),
            y: Axis::linear("critical restitution", 0.0, 1.0),
            curves: vec![curve("Gauss-Seidel", points, 1), curve("tan²(π/4 · (1 − 2/n))", known, 5)],
        },
    ));
    Ok(())
}

/// (d): what a box of balls costs.
fn block_of_balls(args: &Args, findings: &mut Findings) -> Work<()> {
    let side = if args.quick { 12 } else { 32 };
    let (mut passes, mut solves) = (Vec::new(), Vec::new());
    for k in 0..=10 {
        let restitution = 1.0 - 0.1 * f64::from(k);
        let system = Block::new(side, restitution);
        passes.push((restitution, system.effort(Operator::GaussSeidel)? as f64));
        solves.push((restitution, system.effort(Operator::Reflections)? as f64));
    }
    let (elastic, dead) = (passes[0].1, passes[passes.len() - 1].1);
    findings.check(
        format!("(d) passes for {} balls on a floor, restitution 1 and 0", side * side),
        "grows",
        format!("{elastic} and {dead}"),
        dead > 3.0 * elastic,
    );
    let most = solves.iter().map(|point| point.1).fold(0.0, f64::max);
    findings.show("    solves of reflections, at most", "", format!("{most}"));
    findings.notes.push(format!("(d) is a square block of {} balls; the paper has a box of 10,000", side * side));
    let top = passes.iter().map(|point| point.1).fold(10.0, f64::max);
    findings.charts.push((
        "reflections-fig4d",
        Chart {
            title: "What restitution below one costs".into(),
            subtitle: format!(
                "Reflections, Fig. 4d: passes or solves for a block of {} balls that falls on a floor",
                side * side
            ),
            x: Axis::linear("restitution", 0.0, 1.0),
            y: Axis::logarithmic("passes, solves", 1.0, 2.0 * top),
            curves: vec![curve("Gauss-Seidel", passes, 1), curve("generalized reflections", solves, 0)],
        },
    ));
    Ok(())
}

/// The largest restitution at which a row of touching balls, struck at one end, is never done with.
fn critical(balls: usize) -> Work<f64> {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..24 {
        let middle = 0.5 * (low + high);
        if collapses(balls, middle)? { low = middle } else { high = middle }
    }
    Ok(0.5 * (low + high))
}

fn collapses(balls: usize, restitution: f64) -> Work<bool> {
    let mut velocities = vec![0.0; balls];
    velocities[0] = 1.0;
    for _ in 0..ENDLESS {
        let impact = row_impact(&mut velocities, restitution, Operator::GaussSeidel, 1)?;
        if impact.normal.iter().all(|&impulse| impulse == 0.0) {
            return Ok(false);
        }
        // The motion of all together and the scale do not matter to what comes next.
        let mean = velocities.iter().sum::<f64>() / balls as f64;
        let size = velocities.iter().map(|v| (v - mean).abs()).fold(0.0, f64::max);
        velocities.iter_mut().for_each(|v| *v = (*v - mean) / size);
    }
    Ok(true)
}

/// A row of touching balls of which the first moves.
fn blow(balls: usize, restitution: f64, operator: Operator, passes: usize) -> Work<(Vec<f64>, Impact)> {
    let mut velocities = vec![0.0; balls];
    velocities[0] = 1.0;
    let impact = row_impact(&mut velocities, restitution, operator, passes)?;
    Ok((velocities, impact))
}

fn row_impact(velocities: &mut [f64], restitution: f64, operator: Operator, passes: usize) -> Work<Impact> {
    let touch =
        |i: u32| Contact { key: u64::from(i), bodies: [i, i + 1], normal: [[-1.0], [1.0]], restitution, friction: 0.0 };
    let contacts: Vec<Contact<[f64; 1]>> = (0..velocities.len() as u32 - 1).map(touch).collect();
    let bodies = vec![InverseMass::of_mass(1.0); velocities.len()];
    let system = ImpactSystem { bodies: &bodies, contacts: &contacts, ..ImpactSystem::default() };
    let mut rows: Vec<[f64; 1]> = velocities.iter().map(|&v| [v]).collect();
    let params = ImpactParams { operator, passes, ..ImpactParams::default() };
    let impact = resolve(&system, &mut rows, &params).map_err(|error| failure(error, None))?;
    velocities.copy_from_slice(rows.as_flattened());
    Ok(impact)
}

/// A square block of touching balls that falls on a floor.
struct Block {
    bodies: Vec<InverseMass<2>>,
    contacts: Vec<Contact<[f64; 2]>>,
}

impl Block {
    fn new(side: u32, restitution: f64) -> Block {
        let place = |i: u32, j: u32| j * side + i;
        let mut contacts = Vec::new();
        let mut touch = |bodies: [u32; 2], normal: [f64; 2]| {
            let normal = [normal, normal.map(|x| -x)];
            contacts.push(Contact { key: contacts.len() as u64, bodies, normal, restitution, friction: 0.0 });
        };
        for j in 0..side {
            for i in 0..side {
                // Every other row is moved by half a ball, so that blows spread.
                let sides = if j % 2 == 1 { [i, i + 1] } else { [i.wrapping_sub(1), i] };
                match j {
                    0 => touch([place(i, 0), carom::impact::WORLD], [0.0, 1.0]),
                    _ => {
                        for (below, x) in sides.into_iter().zip([0.5, -0.5]).filter(|(below, _)| *below < side) {
                            touch([place(i, j), place(below, j - 1)], [x, 0.75f64.sqrt()]);
                        }
                    }
                }
                if i > 0 {
                    touch([place(i, j), place(i - 1, j)], [1.0, 0.0]);
                }
            }
        }
        Block { bodies: vec![InverseMass::of_mass(1.0); (side * side) as usize], contacts }
    }

    /// Passes or solves until nothing approaches.
    fn effort(&self, operator: Operator) -> Work<usize> {
        let system = ImpactSystem { bodies: &self.bodies, contacts: &self.contacts, ..ImpactSystem::default() };
        let mut velocities = vec![[0.0, -1.0]; self.bodies.len()];
        let params = ImpactParams { operator, ..ImpactParams::default() };
        let impact = resolve(&system, &mut velocities, &params).map_err(|error| failure(error, None))?;
        Ok(impact.effort.most_solves)
    }
}
