//! Balls dropped in a drum: time per step of exact simultaneous impact, detection excluded.
//!
//! `cargo run --release -p carom-impact --example drum [balls] [steps] [restitution] [spacing]`

use std::time::Instant;

use carom_impact::{Contact, ImpactParams, ImpactSystem, InverseMass, WORLD, resolve};

const RADIUS: f64 = 0.5;
const STEP: f64 = 0.01;
const GRAVITY: f64 = 10.0;

fn main() {
    let mut arguments = std::env::args().skip(1).map(|a| a.parse::<f64>().unwrap_or(0.0));
    let balls = arguments.next().unwrap_or(10_000.0) as usize;
    let steps = arguments.next().unwrap_or(1000.0) as usize;
    let restitution = arguments.next().unwrap_or(1.0);
    // A crystal of balls that just touch is much harder than one with a little space.
    let spacing = arguments.next().unwrap_or(1.0 + 1e-9);
    let (drum, mut places) = hexagonal_block(balls, spacing);
    let mut velocities = vec![[0.0, 0.0]; places.len()];
    let bodies = vec![InverseMass::of_mass(1.0); places.len()];
    let (mut seconds, mut worst, mut contacts_sum, mut solves) = (0.0, 0.0f64, 0, 0);
    let (mut most, mut residual) = (0, 0.0f64);
    for step in 0..steps {
        let contacts = contacts(&places, &velocities, drum, restitution);
        let start = Instant::now();
        let system = ImpactSystem { bodies: &bodies, contacts: &contacts, ..Default::default() };
        let mut report = None;
        match resolve(&system, &mut velocities, &ImpactParams::default()) {
            Ok(impact) => {
                let time = start.elapsed().as_secs_f64();
                seconds += time;
                worst = worst.max(time);
                contacts_sum += contacts.len();
                solves += impact.effort.most_solves;
                most = most.max(impact.effort.most_solves);
                residual = residual.max(impact.effort.residual);
                report = Some((contacts.len(), impact.effort, time));
            }
            Err(error) => println!("step {step}: {error}"),
        }
        for (place, velocity) in places.iter_mut().zip(&mut velocities) {
            velocity[1] -= 0.5 * STEP * GRAVITY;
            (0..2).for_each(|k| place[k] += STEP * velocity[k]);
            velocity[1] -= 0.5 * STEP * GRAVITY;
        }
        if let Some((count, effort, time)) = report
            && (step + 1) % (steps / 10).max(1) == 0
        {
            let kinetic: f64 = velocities.iter().map(|v| 0.5 * (v[0] * v[0] + v[1] * v[1])).sum();
            let energy = kinetic + GRAVITY * places.iter().map(|x| x[1] + drum).sum::<f64>();
            println!(
                "step {:5}: {count:7} contacts, largest island {:6}, {:4} solves, {:8.2} ms, energy {energy:.9e}",
                step + 1,
                effort.largest_island,
                effort.most_solves,
                1e3 * time,
            );
        }
    }
    println!(
        "{balls} balls, {steps} steps: {:.2} ms per step (worst {:.1} ms), {} contacts, {:.1} solves (most {most}), residual {residual:.1e}",
        1e3 * seconds / steps as f64,
        1e3 * worst,
        contacts_sum / steps,
        solves as f64 / steps as f64
    );
}

/// The drum's radius and the centres of balls in the upper part of it, `spacing` diameters apart.
fn hexagonal_block(balls: usize, spacing: f64) -> (f64, Vec<[f64; 2]>) {
    let drum = 0.75 * (balls as f64).sqrt();
    let mut places = Vec::new();
    let mut y = -0.2 * drum;
    let mut row = 0;
    while places.len() < balls && y < drum {
        let half = ((drum - 1.0) * (drum - 1.0) - y * y).max(0.0).sqrt();
        let mut x = -half + if row % 2 == 0 { 0.0 } else { RADIUS * spacing };
        while x < half && places.len() < balls {
            places.push([x, y]);
            x += 2.0 * RADIUS * spacing;
        }
        y += 2.0 * RADIUS * spacing * 3f64.sqrt() / 2.0;
        row += 1;
    }
    (drum, places)
}

/// Pairs that would overlap after a step, by a grid.
fn contacts(places: &[[f64; 2]], velocities: &[[f64; 2]], drum: f64, restitution: f64) -> Vec<Contact<[f64; 2]>> {
    let ahead: Vec<[f64; 2]> = places
        .iter()
        .zip(velocities)
        .map(|(x, v)| [x[0] + STEP * v[0], x[1] + STEP * (v[1] - 0.5 * STEP * GRAVITY)])
        .collect();
    let side = (2.0 * drum + 4.0) as usize + 2;
    let cell = |x: &[f64; 2]| {
        let k = |x: f64| ((x + drum + 2.0).max(1.0) as usize).min(side - 2);
        k(x[1]) * side + k(x[0])
    };
    let mut starts = vec![0u32; side * side + 1];
    ahead.iter().for_each(|x| starts[cell(x) + 1] += 1);
    (1..starts.len()).for_each(|i| starts[i] += starts[i - 1]);
    let mut next = starts.clone();
    let mut sorted = vec![0u32; ahead.len()];
    for (i, x) in ahead.iter().enumerate() {
        sorted[next[cell(x)] as usize] = i as u32;
        next[cell(x)] += 1;
    }
    let mut contacts = Vec::new();
    let mut push = |key: u64, bodies: [u32; 2], apart: [f64; 2]| {
        let length = apart[0].hypot(apart[1]);
        let n = apart.map(|x| x / length);
        contacts.push(Contact { key, bodies, normal: [n.map(|x| -x), n], restitution, friction: 0.0 });
    };
    for (i, x) in ahead.iter().enumerate() {
        if x[0].hypot(x[1]) > drum - RADIUS {
            push((i as u64) << 32, [i as u32, WORLD], places[i]);
        }
        let c = cell(x);
        for row in [c - side, c, c + side] {
            for &j in &sorted[starts[row - 1] as usize..starts[row + 2] as usize] {
                let y = ahead[j as usize];
                if (j as usize) > i && (y[0] - x[0]).powi(2) + (y[1] - x[1]).powi(2) <= 4.0 * RADIUS * RADIUS {
                    let (a, b) = (places[i], places[j as usize]);
                    push(((i as u64) << 32) + j as u64 + 1, [i as u32, j], [b[0] - a[0], b[1] - a[1]]);
                }
            }
        }
    }
    contacts
}
