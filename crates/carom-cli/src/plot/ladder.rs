//! The frequency ladder of a body.
//!
//! A rung for each frequency on a logarithmic axis; modes that share one frequency, as the two bending directions of a
//! square bar do, share a rung that is split in as many pieces.

use std::path::Path;

use carom::object::ModalModel;
use miette::miette;

use super::{BLUE, FAINT, GRID, HPos, INK, Page, RGBColor};
use crate::ui::{Work, hertz};

const WIDTH: u32 = 760;
const HEIGHT: u32 = 1000;
/// Top and bottom of the ladder.
const TOP: f64 = 110.0;
const BOTTOM: f64 = 950.0;
/// Left and right end of the rungs.
const LEFT: f64 = 120.0;
const RIGHT: f64 = 420.0;
/// Height of a label.
const LINE: f64 = 18.0;

const LEADER: RGBColor = RGBColor(190, 196, 203);

/// The ladder as the bytes of an SVG or PNG file, as the ending of `path` says.
pub fn ladder(model: &ModalModel, path: &Path) -> Work<Vec<u8>> {
    if model.frequencies.is_empty() {
        return Err(miette!("{} has no modes to plot", model.name));
    }
    let mut page = Page::new(WIDTH, HEIGHT);
    draw(model, &mut page);
    page.to_file(path)
}

/// Modes with one frequency.
struct Rung {
    frequency: f64,
    first: usize,
    count: usize,
}

/// Modes nearer to each other than a thousandth are one rung: no ear and no cell tells them apart.
fn rungs(frequencies: &[f64]) -> Vec<Rung> {
    let mut rungs: Vec<Rung> = Vec::new();
    for (mode, &frequency) in frequencies.iter().enumerate() {
        match rungs.last_mut() {
            Some(rung) if frequency < 1.001 * rung.frequency => rung.count += 1,
            _ => rungs.push(Rung { frequency, first: mode + 1, count: 1 }),
        }
    }
    rungs
}

/// The rungs that get a label: all, or where there is no room the lower ones, which are heard best, and some above.
fn labelled(rungs: &[Rung], most: usize) -> Vec<&Rung> {
    if rungs.len() <= most {
        return rungs.iter().collect();
    }
    let (low, high) = rungs.split_at(most / 2);
    low.iter().chain(high.iter().step_by(high.len().div_ceil(most - most / 2))).collect()
}

/// Heights of labels as near to those wanted (ascending) as their distance `gap` allows, within `from..to`.
///
/// Less the room that the labels before it need, each label's height may not fall: the nearest such heights are
/// those of isotonic regression, where labels that touch stand together at their mean.
fn spread(wanted: &[f64], gap: f64, from: f64, to: f64) -> Vec<f64> {
    let mut blocks: Vec<(f64, usize)> = Vec::new();
    for (i, &place) in wanted.iter().enumerate() {
        blocks.push((place - gap * i as f64, 1));
        while let [.., (a, n), (b, m)] = blocks[..] {
            if a <= b {
                break;
            }
            blocks.truncate(blocks.len() - 2);
            blocks.push(((a * n as f64 + b * m as f64) / (n + m) as f64, n + m));
        }
    }
    let last = to - gap * wanted.len().saturating_sub(1) as f64;
    let places = blocks.into_iter().flat_map(|(place, count)| std::iter::repeat_n(place, count));
    places.enumerate().map(|(i, place)| place.min(last).max(from) + gap * i as f64).collect()
}

fn draw(model: &ModalModel, page: &mut Page) {
    let rungs = rungs(&model.frequencies);
    let (low, high) = (rungs[0].frequency, rungs[rungs.len() - 1].frequency);
    // Some air around, and at least a third of an octave so that a single mode has an axis.
    let (low, high) = (low.ln() - 0.12, high.ln().max(low.ln() + 0.1) + 0.12);
    let height = |frequency: f64| BOTTOM - (BOTTOM - TOP) * (frequency.ln() - low) / (high - low);

    let state = if model.held { "held" } else { "free" };
    page.title(&model.name, (36.0, 40.0));
    let subtitle = format!("{}, {state}: {} modes", model.material.name, model.mode_count());
    page.write(&subtitle, (36.0, 70.0), 15.0, FAINT, HPos::Left);
    page.write("frequency", (LEFT - 24.0, TOP), 13.0, FAINT, HPos::Right);

    for (frequency, major) in ticks(low.exp(), high.exp()) {
        let y = height(frequency);
        page.line([(LEFT - 14.0, y), (RIGHT + 14.0, y)], GRID, 1.0);
        if major {
            page.write(tick_label(frequency), (LEFT - 24.0, y), 14.0, FAINT, HPos::Right);
        }
    }
    for x in [LEFT - 14.0, RIGHT + 14.0] {
        page.line([(x, TOP), (x, BOTTOM)], GRID, 2.0);
    }

    for rung in &rungs {
        let y = height(rung.frequency);
        let width = (RIGHT - LEFT) / rung.count as f64;
        for piece in 0..rung.count {
            let start = LEFT + width * piece as f64;
            let gap = if piece + 1 < rung.count { 10.0f64.min(0.3 * width) } else { 0.0 };
            page.line([(start, y), (start + width - gap, y)], BLUE, 2.0);
        }
    }

    let labelled = labelled(&rungs, ((BOTTOM - TOP) / LINE) as usize);
    // From the top, as pixels count.
    let wanted: Vec<f64> = labelled.iter().rev().map(|rung| height(rung.frequency)).collect();
    for (rung, y) in labelled.iter().rev().zip(spread(&wanted, LINE, TOP, BOTTOM)) {
        let from = height(rung.frequency);
        page.line([(RIGHT + 20.0, from), (RIGHT + 66.0, y)], LEADER, 1.0);
        page.line([(RIGHT + 66.0, y), (RIGHT + 72.0, y)], LEADER, 1.0);
        page.write(hertz(rung.frequency), (RIGHT + 158.0, y), 14.0, INK, HPos::Right);
        let modes = match rung.count {
            1 => format!("mode {}", rung.first),
            count => format!("modes {} to {}", rung.first, rung.first + count - 1),
        };
        page.write(&modes, (RIGHT + 176.0, y), 13.0, FAINT, HPos::Left);
    }
}

/// Frequencies of grid lines, and whether they carry a label: 1, 2, 5 of each decade, or finer on a short axis.
fn ticks(low: f64, high: f64) -> Vec<(f64, bool)> {
    let labelled: &[u32] = if high / low > 40.0 {
        &[10, 20, 50]
    } else if high / low > 4.0 {
        &[10, 15, 20, 30, 40, 50, 60, 80]
    } else {
        &[10, 11, 12, 13, 14, 15, 16, 18, 20, 22, 25, 30, 35, 40, 45, 50, 60, 70, 80, 90]
    };
    let decades = low.log10().floor() as i32 - 1..=high.log10().ceil() as i32;
    let steps = (10..100).filter(|n| n % 10 == 0 || labelled.contains(n));
    decades
        .flat_map(|decade| steps.clone().map(move |n| (f64::from(n) * 10f64.powi(decade), labelled.contains(&n))))
        .filter(|&(frequency, _)| frequency >= low && frequency <= high)
        .collect()
}

fn tick_label(frequency: f64) -> String {
    // Sums of decimal fractions carry round-off that nobody wants to read.
    let clean = |x: f64| (x * 1e6).round() / 1e6;
    if frequency >= 999.5 { format!("{} kHz", clean(frequency / 1000.0)) } else { format!("{} Hz", clean(frequency)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_and_triplets_share_a_rung() {
        let counts: Vec<usize> = rungs(&[100.0, 100.05, 200.0, 300.0, 300.1, 300.2]).iter().map(|r| r.count).collect();
        assert_eq!(counts, [2, 1, 3]);
    }

    #[test]
    fn the_lowest_rungs_are_labelled_and_never_too_many() {
        for modes in [1, 2, 44, 46, 47, 100, 1001] {
            let frequencies: Vec<f64> = (1..=modes).map(|i| 100.0 * f64::from(i) + 1000.0).collect();
            let rungs = rungs(&frequencies);
            let labelled = labelled(&rungs, 46);
            assert!(labelled.len() <= 46 && labelled.len() >= rungs.len().min(23), "{modes}: {}", labelled.len());
            assert!(labelled.iter().take(23).enumerate().all(|(i, rung)| rung.first == i + 1), "{modes}");
        }
    }

    #[test]
    fn labels_keep_their_distance_and_their_order() {
        let wanted = [10.0, 11.0, 12.0, 50.0, 99.0, 99.5];
        let places = spread(&wanted, 10.0, 0.0, 100.0);
        assert!(places.windows(2).all(|pair| pair[1] - pair[0] >= 10.0 - 1e-9), "{places:?}");
        assert!(places[0] >= 0.0 && places[5] <= 100.0 && (places[3] - 50.0).abs() < 1e-9, "{places:?}");
    }

    #[test]
    fn axes_of_any_length_have_labels() {
        for (low, high) in [(1.0, 1.3), (90.0, 400.0), (20.0, 20_000.0), (1e-3, 1e6)] {
            let labels = ticks(low, high).iter().filter(|tick| tick.1).count();
            assert!((2..40).contains(&labels), "{low} to {high}: {labels}");
        }
        assert_eq!((tick_label(1500.0), tick_label(0.3)), ("1.5 kHz".into(), "0.3 Hz".into()));
    }
}
