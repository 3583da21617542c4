//! A run through time: where its energy is, how hard bodies touch, how high they are.

use std::path::Path;

use carom::recording::{Look, RecordedLedger, Recording, RecordingError};

use super::RGBColor;
use super::chart::{Axis, COLOURS, Chart, Curve, Mark, chart};
use crate::ui::{Work, failure};

/// The plots of a recording as files, each as SVG and as PNG. What has nothing to show is left out.
pub fn run_plots(recording: &Recording) -> Work<Vec<(String, Vec<u8>)>> {
    let unreadable = |error: RecordingError| failure(error, None);
    let charts = [
        ("energy", energy(recording).map_err(unreadable)?),
        ("contacts", contacts(recording).map_err(unreadable)?),
        ("heights", heights(recording).map_err(unreadable)?),
    ];
    let mut files = Vec::new();
    for (name, picture) in charts.iter().filter_map(|(name, chart)| Some((name, chart.as_ref()?))) {
        for ending in ["svg", "png"] {
            let file = format!("{name}.{ending}");
            files.push((file.clone(), chart(picture, Path::new(&file))?));
        }
    }
    Ok(files)
}

/// The energies of the ledger. Their sum is a line without bends: every joule is accounted for.
fn energy(recording: &Recording) -> Result<Option<Chart>, RecordingError> {
    let rows: Vec<RecordedLedger> = recording.ledger().collect::<Result<_, _>>()?;
    let Some(last) = rows.last() else { return Ok(None) };
    // Heights have no zero of their own: potential energy is counted from its least.
    let lowest = rows.iter().map(|row| row.ledger.potential).fold(f64::INFINITY, f64::min);
    let columns: Vec<Vec<f64>> = rows
        .iter()
        .map(|row| {
            let l = &row.ledger;
            let lost = [l.restitution, l.friction, l.damping, l.jam, l.stabilization, l.integrator];
            let now = [l.kinetic, l.potential - lowest, l.elastic, l.vibrational];
            let given = [-l.driven, -l.injected, -l.distant];
            let sum = [&now[..], &lost, &given].concat().iter().sum();
            [&now[..], &lost, &given, &[sum]].concat()
        })
        .collect();
    let names = [
        "kinetic",
        "potential",
        "elastic",
        "vibrational",
        "restitution",
        "friction",
        "damping",
        "jams",
        "stabilization",
        "integrator",
        "− driven",
        "− injected",
        "− distant",
        "sum",
    ];
    let largest = columns.iter().flatten().map(|x| x.abs()).fold(0.0, f64::max);
    let mut curves = Vec::new();
    for (column, name) in names.into_iter().enumerate() {
        let points: Vec<(f64, f64)> = rows.iter().zip(&columns).map(|(row, c)| (row.time, c[column])).collect();
        // What cannot be told from the axis is not drawn.
        if name == "sum" || points.iter().any(|point| point.1.abs() > 2e-3 * largest) {
            let colour = if name == "sum" { super::INK } else { palette(column) };
            curves.push(Curve { name: name.into(), points, colour, mark: Mark::Line });
        }
    }
    let (low, high) = range(curves.iter().flat_map(|curve| &curve.points).map(|point| point.1), true);
    Ok(Some(Chart {
        title: format!("{}: energy", recording.run().name),
        subtitle: "where it is, and where it went; the sum of all stays".into(),
        x: Axis::linear("time (s)", 0.0, last.time.max(f64::MIN_POSITIVE)),
        y: Axis::linear("J", low, high),
        curves,
    }))
}

/// Impulses of contacts: those that begin, and those that go on.
fn contacts(recording: &Recording) -> Result<Option<Chart>, RecordingError> {
    /// Dots that a page has room for: one per pixel column and row of this many.
    const CELLS: (f64, f64) = (780.0, 390.0);
    let end = recording.checkpoint().progress.step as f64 * recording.run().step;
    let mut largest = 0.0f64;
    for contact in recording.contacts() {
        largest = largest.max(contact?.event.normal_impulse);
    }
    if largest <= 0.0 || end <= 0.0 {
        return Ok(None);
    }
    let y = Axis::logarithmic("normal impulse in a step (N s)", 1e-5 * largest, 2.0 * largest);
    let mut cells = std::collections::BTreeMap::new();
    for contact in recording.contacts() {
        let event = contact?.event;
        if event.normal_impulse > y.from {
            let height = (event.normal_impulse / y.from).ln() / (y.to / y.from).ln();
            let cell = ((CELLS.0 * event.time / end) as i64, (CELLS.1 * height) as i64, event.is_new);
            cells.entry(cell).or_insert((event.time, event.normal_impulse));
        }
    }
    let dots = |name: &str, is_new: bool, colour: RGBColor| {
        let these = cells.iter().filter(|(cell, _)| cell.2 == is_new).map(|(_, &point)| point);
        Curve { name: name.into(), points: these.collect(), colour, mark: Mark::Dots }
    };
    Ok(Some(Chart {
        title: format!("{}: contacts", recording.run().name),
        subtitle: "how hard bodies push on each other".into(),
        x: Axis::linear("time (s)", 0.0, end),
        y,
        curves: vec![dots("lasting", false, COLOURS[0]), dots("new", true, COLOURS[1])],
    }))
}

/// Heights of the bodies that move: all of them, or a dozen evenly chosen.
fn heights(recording: &Recording) -> Result<Option<Chart>, RecordingError> {
    const MOST: usize = 12;
    let frames: Vec<_> = recording.frames().collect::<Result<_, _>>()?;
    let bodies = &recording.run().bodies;
    let height = |frame: usize, body: usize| frames[frame].frame.positions[body][1];
    let moves = |&body: &usize| {
        !matches!(bodies[body].look, Look::HalfSpace { .. })
            && frames.iter().any(|frame| frame.frame.positions[body] != frames[0].frame.positions[body])
    };
    let moving: Vec<usize> = (0..bodies.len()).filter(moves).collect();
    if moving.is_empty() || frames.len() < 2 {
        return Ok(None);
    }
    let count = moving.len().min(MOST);
    let chosen = (0..count).map(|i| moving[i * moving.len() / count]);
    let curves: Vec<Curve> = chosen
        .enumerate()
        .map(|(place, body)| Curve {
            name: bodies[body].name.clone(),
            points: (0..frames.len()).map(|frame| (frames[frame].time, height(frame, body))).collect(),
            colour: palette(place),
            mark: Mark::Line,
        })
        .collect();
    let (low, high) = range(curves.iter().flat_map(|curve| &curve.points).map(|point| point.1), false);
    let subtitle = match moving.len() {
        all if all > count => format!("of {count} bodies of {all} that move"),
        _ => "of the centres of mass".into(),
    };
    Ok(Some(Chart {
        title: format!("{}: heights", recording.run().name),
        subtitle,
        x: Axis::linear("time (s)", 0.0, frames[frames.len() - 1].time),
        y: Axis::linear("m", low, high),
        curves,
    }))
}

/// Lowest and highest of some numbers with some air, and with zero if wanted.
fn range(numbers: impl Iterator<Item = f64>, with_zero: bool) -> (f64, f64) {
    let start = if with_zero { (0.0, 0.0) } else { (f64::INFINITY, f64::NEG_INFINITY) };
    let (low, high) = numbers.fold(start, |(low, high): (f64, f64), x| (low.min(x), high.max(x)));
    let air = (0.06 * (high - low)).max(1e-9 * high.abs()).max(f64::MIN_POSITIVE);
    (low - air, high + air)
}

/// Twelve colours: six, and six lighter.
fn palette(place: usize) -> RGBColor {
    let RGBColor(r, g, b) = COLOURS[place % COLOURS.len()];
    match place / COLOURS.len() % 2 {
        0 => RGBColor(r, g, b),
        _ => {
            let lighter = |c: u8| c + (255 - c) / 2;
            RGBColor(lighter(r), lighter(g), lighter(b))
        }
    }
}
