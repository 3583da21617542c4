//! Plots: the frequency ladder of a body.
//!
//! A rung for each frequency on a logarithmic axis; modes that share one frequency, as the two bending directions of a
//! square bar do, share a rung that is split in as many pieces.

use std::path::Path;
use std::sync::Once;

use carom::object::ModalModel;
use miette::miette;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontStyle, register_font};

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

const INK: RGBColor = RGBColor(38, 42, 48);
const FAINT: RGBColor = RGBColor(104, 110, 118);
const GRID: RGBColor = RGBColor(226, 229, 233);
const LEADER: RGBColor = RGBColor(190, 196, 203);
const PAPER: RGBColor = RGBColor(252, 252, 253);
const RUNG: RGBColor = RGBColor(31, 105, 145);

/// The ladder as the bytes of an SVG or PNG file, as the ending of `path` says.
pub fn ladder(model: &ModalModel, path: &Path) -> Work<Vec<u8>> {
    if model.frequencies.is_empty() {
        return Err(miette!("{} has no modes to plot", model.name));
    }
    register_fonts();
    let bad = |error: &dyn std::fmt::Display| miette!("cannot plot {}: {error}", model.name);
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("svg") => {
            let mut text = String::new();
            draw(model, &SVGBackend::with_string(&mut text, (WIDTH, HEIGHT)).into_drawing_area(), 1.0, 0.0)
                .map_err(|error| bad(&error))?;
            Ok(text.into_bytes())
        }
        Some("png") => {
            let (width, height) = (2 * WIDTH, 2 * HEIGHT);
            let mut pixels = vec![0; 3 * (width * height) as usize];
            draw(model, &BitMapBackend::with_buffer(&mut pixels, (width, height)).into_drawing_area(), 2.0, 0.16)
                .map_err(|error| bad(&error))?;
            let pixels = pixels.chunks_exact(3).map(|p| [p[0], p[1], p[2], 255]).collect();
            let image = carom::Image { width: width as usize, height: height as usize, pixels };
            image.to_png().map_err(|error| bad(&error))
        }
        _ => Err(miette!(help = "end the name in .svg or .png", "cannot tell how to plot to {}", path.display())),
    }
}

fn register_fonts() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // The fonts are constants of the program; without them a plot is still a plot.
        let _ = register_font("sans-serif", FontStyle::Normal, dejavu::sans::regular());
        let _ = register_font("sans-serif", FontStyle::Bold, dejavu::sans::bold());
    });
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

/// Draws the ladder `scale` times as large. Bitmap letters hang by `sag` of their height above where they are put.
fn draw<B: DrawingBackend>(
    model: &ModalModel,
    area: &DrawingArea<B, Shift>,
    scale: f64,
    sag: f64,
) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
    area.fill(&PAPER)?;
    let at = |x: f64, y: f64| ((scale * x).round() as i32, (scale * y).round() as i32);
    let line = |from: (f64, f64), to: (f64, f64), colour: RGBColor, width: f64| {
        let style = colour.stroke_width((scale * width).round().max(1.0) as u32);
        area.draw(&PathElement::new(vec![at(from.0, from.1), at(to.0, to.1)], style))
    };
    let write = |text: &str, x: f64, y: f64, size: f64, colour: RGBColor, bold: bool, from: HPos| {
        let style = if bold { FontStyle::Bold } else { FontStyle::Normal };
        let font = ("sans-serif", scale * size, style).into_text_style(area);
        area.draw(&Text::new(
            text.to_owned(),
            at(x, y + sag * size),
            font.color(&colour).pos(Pos::new(from, VPos::Center)),
        ))
    };

    let rungs = rungs(&model.frequencies);
    let (low, high) = (rungs[0].frequency, rungs[rungs.len() - 1].frequency);
    // Some air around, and at least a third of an octave so that a single mode has an axis.
    let (low, high) = (low.ln() - 0.12, high.ln().max(low.ln() + 0.1) + 0.12);
    let height = |frequency: f64| BOTTOM - (BOTTOM - TOP) * (frequency.ln() - low) / (high - low);

    let state = if model.held { "held" } else { "free" };
    write(&model.name, 36.0, 40.0, 26.0, INK, true, HPos::Left)?;
    let subtitle = format!("{}, {state}: {} modes", model.material.name, model.mode_count());
    write(&subtitle, 36.0, 70.0, 15.0, FAINT, false, HPos::Left)?;
    write("frequency", LEFT - 24.0, TOP, 13.0, FAINT, false, HPos::Right)?;

    for (frequency, major) in ticks(low.exp(), high.exp()) {
        let y = height(frequency);
        line((LEFT - 14.0, y), (RIGHT + 14.0, y), GRID, 1.0)?;
        if major {
            write(&tick_label(frequency), LEFT - 24.0, y, 14.0, FAINT, false, HPos::Right)?;
        }
    }
    for x in [LEFT - 14.0, RIGHT + 14.0] {
        line((x, TOP), (x, BOTTOM), GRID, 2.0)?;
    }

    for rung in &rungs {
        let y = height(rung.frequency);
        let width = (RIGHT - LEFT) / rung.count as f64;
        for piece in 0..rung.count {
            let start = LEFT + width * piece as f64;
            let gap = if piece + 1 < rung.count { 10.0f64.min(0.3 * width) } else { 0.0 };
            line((start, y), (start + width - gap, y), RUNG, 2.0)?;
        }
    }

    let labelled = labelled(&rungs, ((BOTTOM - TOP) / LINE) as usize);
    // From the top, as pixels count.
    let wanted: Vec<f64> = labelled.iter().rev().map(|rung| height(rung.frequency)).collect();
    for (rung, y) in labelled.iter().rev().zip(spread(&wanted, LINE, TOP, BOTTOM)) {
        let from = height(rung.frequency);
        line((RIGHT + 20.0, from), (RIGHT + 66.0, y), LEADER, 1.0)?;
        line((RIGHT + 66.0, y), (RIGHT + 72.0, y), LEADER, 1.0)?;
        write(&hertz(rung.frequency), RIGHT + 158.0, y, 14.0, INK, false, HPos::Right)?;
        let modes = match rung.count {
            1 => format!("mode {}", rung.first),
            count => format!("modes {} to {}", rung.first, rung.first + count - 1),
        };
        write(&modes, RIGHT + 176.0, y, 13.0, FAINT, false, HPos::Left)?;
    }
    area.present()
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
