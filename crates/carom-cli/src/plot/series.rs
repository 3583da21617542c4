//! A strike through time (*Bounce*, Fig. 8): the gap between the points above, the rigid normal velocity below, and bands
//! where they touch.

use std::path::Path;

use carom::bounce::{Series, Strike};

use super::{BLUE, FAINT, GRID, HPos, INK, Page, RGBColor};
use crate::ui::{Work, count, duration};

const WIDTH: u32 = 900;
const HEIGHT: u32 = 640;
const LEFT: f64 = 96.0;
const RIGHT: f64 = 866.0;
/// Top and bottom of the two panels.
const GAP_PANEL: (f64, f64) = (112.0, 338.0);
const VELOCITY_PANEL: (f64, f64) = (366.0, 592.0);

const TOUCH: RGBColor = RGBColor(253, 236, 214);
const ORANGE: RGBColor = RGBColor(190, 84, 20);

/// The course of a strike as the bytes of an SVG or PNG file, as the ending of `path` says.
pub fn series(title: &str, strike: &Strike, series: &Series, path: &Path) -> Work<Vec<u8>> {
    let mut page = Page::new(WIDTH, HEIGHT);
    page.title(title, (36.0, 40.0));
    let subtitle = format!(
        "restitution {:.4}, contact time {}, {}",
        strike.restitution,
        duration(strike.contact_time),
        count(strike.micro_collisions as usize, "micro-collision", "micro-collisions")
    );
    page.write(subtitle, (36.0, 72.0), 15.0, FAINT, HPos::Left);

    // What follows the last touch is free flight; a glimpse of it is enough.
    let step = series.time.get(1).copied().unwrap_or(1e-7);
    let end = (1.25 * strike.contact_time + 10.0 * step).min(series.time.last().copied().unwrap_or(step)).max(step);
    let shown = series.time.iter().take_while(|&&time| time <= end).count();
    let across = |time: f64| LEFT + (RIGHT - LEFT) * time / end;
    for (from, to) in touches(&series.impulse[..shown]) {
        let (left, right) = (across(series.time[from]), across(series.time[to]).max(across(series.time[from]) + 1.0));
        for (top, bottom) in [GAP_PANEL, VELOCITY_PANEL] {
            page.fill([(left, top), (right, bottom)], TOUCH);
        }
    }
    let micro = |numbers: &[f64]| numbers[..shown].iter().map(|x| 1e6 * x).collect::<Vec<f64>>();
    let times: Vec<f64> = series.time[..shown].iter().map(|&time| across(time)).collect();
    panel(&mut page, GAP_PANEL, "gap (µm)", &times, &micro(&series.gap), BLUE);
    panel(&mut page, VELOCITY_PANEL, "rigid normal velocity (m/s)", &times, &series.rigid_velocity[..shown], ORANGE);
    for tick in ticks(0.0, 1e6 * end, 8) {
        let x = across(1e-6 * tick);
        page.line([(x, VELOCITY_PANEL.1), (x, VELOCITY_PANEL.1 + 5.0)], FAINT, 1.0);
        page.write(label(tick), (x, VELOCITY_PANEL.1 + 16.0), 13.0, FAINT, HPos::Center);
    }
    page.write("time (µs)", (RIGHT, VELOCITY_PANEL.1 + 34.0), 13.0, FAINT, HPos::Right);
    page.to_file(path)
}

/// One curve with its own scale, with zero in it.
fn panel(page: &mut Page, (top, bottom): (f64, f64), name: &str, x: &[f64], values: &[f64], colour: RGBColor) {
    let (low, high) = values.iter().fold((0.0f64, 0.0f64), |(low, high), &v| (low.min(v), high.max(v)));
    let air = 0.08 * (high - low).max(f64::MIN_POSITIVE);
    let (low, high) = (low - air, high + air);
    let height = |value: f64| bottom - (bottom - top) * (value - low) / (high - low);
    for tick in ticks(low, high, 5) {
        let y = height(tick);
        page.line([(LEFT, y), (RIGHT, y)], if tick == 0.0 { FAINT } else { GRID }, 1.0);
        page.write(label(tick), (LEFT - 10.0, y), 13.0, FAINT, HPos::Right);
    }
    page.line([(LEFT, top), (LEFT, bottom)], GRID, 2.0);
    let points: Vec<(f64, f64)> = x.iter().zip(values).map(|(&x, &value)| (x, height(value))).collect();
    page.line(thinned(&points), colour, 1.6);
    page.write(name, (LEFT + 12.0, top + 12.0), 14.0, INK, HPos::Left);
}

/// Runs of steps with an impulse: first and last.
fn touches(impulse: &[f64]) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for step in (0..impulse.len()).filter(|&step| impulse[step] > 0.0) {
        match runs.last_mut() {
            Some(run) if run.1 + 1 == step => run.1 = step,
            _ => runs.push((step, step)),
        }
    }
    runs
}

/// The same curve to the eye: of all points in one column of pixels the first, the lowest, the highest and the last.
fn thinned(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut kept: Vec<(f64, f64)> = Vec::new();
    for column in points.chunk_by(|a, b| (2.0 * a.0).floor() == (2.0 * b.0).floor()) {
        let by_height = |a: &&(f64, f64), b: &&(f64, f64)| a.1.total_cmp(&b.1);
        let (Some(low), Some(high)) = (column.iter().min_by(by_height), column.iter().max_by(by_height)) else {
            continue;
        };
        let mut these = vec![column[0], *low, *high, column[column.len() - 1]];
        these.sort_by(|a, b| a.0.total_cmp(&b.0));
        these.dedup();
        kept.extend(these);
    }
    kept
}

/// Round numbers from `low` to `high`, about `wanted` of them.
pub(super) fn ticks(low: f64, high: f64, wanted: usize) -> Vec<f64> {
    let rough = (high - low) / wanted as f64;
    let decade = 10f64.powf(rough.log10().floor());
    let step = decade * [1.0, 2.0, 5.0, 10.0].into_iter().find(|step| step * decade >= rough).unwrap_or(10.0);
    if !(step > 0.0 && step.is_finite()) {
        return Vec::new();
    }
    // Multiples of the step, so that zero is exactly zero.
    ((low / step).ceil() as i64..=(high / step).floor() as i64).map(|i| i as f64 * step).collect()
}

pub(super) fn label(number: f64) -> String {
    if number != 0.0 && number.abs() < 1e-4 {
        return format!("{number:.1e}").replace(".0e", "e");
    }
    // Multiples of decimal fractions carry round-off that nobody wants to read.
    let digits = 6 - number.abs().max(1e-12).log10().ceil().clamp(-6.0, 6.0) as i32;
    let scale = 10f64.powi(digits);
    format!("{}", (number * scale).round() / scale + 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_within() {
        assert_eq!(ticks(-1.1, 1.1, 5), [-1.0, -0.5, 0.0, 0.5, 1.0]);
        assert_eq!(ticks(0.0, 730.0, 8), [0.0, 100.0, 200.0, 300.0, 400.0, 500.0, 600.0, 700.0]);
        assert_eq!(ticks(-0.04, 0.31, 4).iter().map(|&t| label(t)).collect::<Vec<_>>(), ["0", "0.1", "0.2", "0.3"]);
        assert_eq!([1e-9, 2.5e-5, 1e-3].map(label), ["1e-9", "2.5e-5", "0.001"]);
        assert!(ticks(0.0, 0.0, 5).is_empty() && ticks(0.0, f64::NAN, 5).is_empty());
    }

    #[test]
    fn a_thinned_curve_keeps_its_extremes() {
        let points: Vec<(f64, f64)> =
            (0..100_000).map(|i| (0.001 * f64::from(i), f64::from(i * 7919 % 1000))).collect();
        let kept = thinned(&points);
        assert!(kept.len() < 1000);
        assert!(kept.contains(&points[0]) && kept.contains(&points[99_999]));
        for column in 0..100 {
            let here = |p: &&(f64, f64)| p.0.floor() as i32 == column;
            let high = |points: &[(f64, f64)]| points.iter().filter(here).map(|p| p.1).fold(0.0, f64::max);
            assert_eq!(high(&kept), high(&points));
        }
    }

    #[test]
    fn touches_are_runs_of_impulses() {
        assert_eq!(touches(&[1.0, 2.0, 0.0, 0.0, 3.0, 0.0]), [(0, 1), (4, 4)]);
        assert!(touches(&[]).is_empty());
    }
}
