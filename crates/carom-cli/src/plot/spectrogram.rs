//! A spectrogram: time to the right, frequency upwards, level as colour.

use std::path::Path;

use carom::Colormap;
use carom::sound::Spectrogram;

use super::series::{label, ticks};
use super::{FAINT, GRID, HPos, Page, RGBColor};
use crate::ui::Work;

const WIDTH: u32 = 900;
const HEIGHT: u32 = 560;
const LEFT: f64 = 84.0;
const RIGHT: f64 = 866.0;
const TOP: f64 = 112.0;
const BOTTOM: f64 = 500.0;
/// From the loudest to what is drawn as silence, dB.
const RANGE: f64 = 90.0;

/// The sound as the bytes of a PNG file. `unit` is what a sample of one is.
pub fn spectrogram(title: &str, signal: &[f64], rate: f64, unit: &str, path: &Path) -> Work<Vec<u8>> {
    let columns = (RIGHT - LEFT) as usize;
    let picture = Spectrogram::new(signal, rate, 2048, columns);
    let (end, top) = (signal.len() as f64 / rate, (0.5 * rate).min(20_000.0));
    let loudest = picture.columns.iter().flatten().fold(f64::MIN_POSITIVE, |most, &x| most.max(x));
    let mut page = Page::new(WIDTH, HEIGHT);
    page.title(title, (36.0, 40.0));
    let about = format!("amplitude in dB below the loudest, {loudest:.2e} {unit}, down to −{RANGE} dB");
    page.write(about, (36.0, 72.0), 15.0, FAINT, HPos::Left);
    let colours = Colormap::Viridis;
    for x in 0..columns {
        let column = (x as f64 * end / columns as f64 / picture.step) as usize;
        let Some(column) = picture.columns.get(column.min(picture.columns.len().saturating_sub(1))) else { break };
        let rows = (BOTTOM - TOP) as usize;
        let colour = |y: usize| {
            let [from, to] = [y, y + 1].map(|y| y as f64 / rows as f64 * top / picture.resolution);
            let (from, to) = (from as usize, (to.ceil() as usize).min(column.len()));
            let most = column.get(from..to).unwrap_or_default().iter().fold(0.0f64, |most, &x| most.max(x));
            let level = 1.0 + 20.0 * (most / loudest).max(1e-12).log10() / RANGE;
            // In steps of less than a decibel.
            let [r, g, b] = colours.colour((128.0 * level).round() / 128.0).map(|c| (255.0 * c).round() as u8);
            RGBColor(r, g, b)
        };
        // Runs of one colour are one rectangle.
        let mut from = 0;
        while from < rows {
            let here = colour(from);
            let to = (from + 1..rows).find(|&y| colour(y) != here).unwrap_or(rows);
            let (left, low, high) = (LEFT + x as f64, BOTTOM - from as f64, BOTTOM - to as f64);
            page.fill([(left, high), (left + 1.0, low)], here);
            from = to;
        }
    }
    let up = |frequency: f64| BOTTOM - (BOTTOM - TOP) * frequency / top;
    for tick in ticks(0.0, top / 1000.0, 8) {
        page.line([(LEFT - 5.0, up(1000.0 * tick)), (LEFT, up(1000.0 * tick))], FAINT, 1.0);
        page.write(label(tick), (LEFT - 10.0, up(1000.0 * tick)), 13.0, FAINT, HPos::Right);
    }
    for tick in ticks(0.0, end, 8) {
        let x = LEFT + (RIGHT - LEFT) * tick / end;
        page.line([(x, BOTTOM), (x, BOTTOM + 5.0)], FAINT, 1.0);
        page.write(label(tick), (x, BOTTOM + 16.0), 13.0, FAINT, HPos::Center);
    }
    page.line([(LEFT, BOTTOM), (RIGHT, BOTTOM)], GRID, 1.0);
    page.write("time (s)", (RIGHT, BOTTOM + 38.0), 13.0, FAINT, HPos::Right);
    page.write("frequency (kHz)", (LEFT, TOP - 16.0), 13.0, FAINT, HPos::Left);
    page.to_file(path)
}
