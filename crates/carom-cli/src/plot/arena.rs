//! Places and paths, seen from above or from the side: panels next to each other, all at one scale.

use std::f64::consts::TAU;
use std::path::Path;

use super::{FAINT, GRID, HPos, INK, Page, RGBColor};
use crate::ui::Work;

const MARGIN: f64 = 36.0;
const TOP: f64 = 126.0;
const GAP: f64 = 18.0;
/// Panels are as large as fit into this.
const WIDTH: f64 = 1100.0;
const HEIGHT: f64 = 460.0;

/// A path, or the border of something.
pub struct Trace {
    pub points: Vec<(f64, f64)>,
    pub colour: RGBColor,
    /// Pixels.
    pub width: f64,
}

impl Trace {
    /// A circle of some radius.
    pub fn circle((x, y): (f64, f64), radius: f64, colour: RGBColor, width: f64) -> Trace {
        let point = |k: i32| {
            let (sin, cos) = (TAU * f64::from(k) / 48.0).sin_cos();
            (x + radius * cos, y + radius * sin)
        };
        Trace { points: (0..=48).map(point).collect(), colour, width }
    }
}

/// One view.
pub struct Panel {
    pub name: String,
    pub traces: Vec<Trace>,
}

/// Views of the same place, each with x to the right and y upwards.
pub struct Arena {
    pub title: String,
    pub subtitle: String,
    /// What is seen: from the lowest x and y to the highest.
    pub view: [(f64, f64); 2],
    pub panels: Vec<Panel>,
}

/// The views as the bytes of an SVG or PNG file, as the ending of `path` says.
pub fn arena(arena: &Arena, path: &Path) -> Work<Vec<u8>> {
    let [low, high] = arena.view;
    let count = arena.panels.len().max(1) as f64;
    let scale = ((WIDTH - GAP * (count - 1.0)) / count / (high.0 - low.0)).min(HEIGHT / (high.1 - low.1));
    let (width, height) = (scale * (high.0 - low.0), scale * (high.1 - low.1));
    let all = (count * width + (count - 1.0) * GAP).max(640.0);
    let mut page = Page::new((all + 2.0 * MARGIN) as u32, (TOP + height + MARGIN) as u32);
    page.title(&arena.title, (MARGIN, 40.0));
    page.write(&arena.subtitle, (MARGIN, 72.0), 15.0, FAINT, HPos::Left);
    for (place, panel) in arena.panels.iter().enumerate() {
        let left = MARGIN + place as f64 * (width + GAP);
        let at = |&(x, y): &(f64, f64)| (left + scale * (x - low.0), TOP + scale * (high.1 - y));
        page.write(&panel.name, (left, TOP - 16.0), 14.0, INK, HPos::Left);
        let (right, bottom) = (left + width, TOP + height);
        page.line([(left, TOP), (right, TOP), (right, bottom), (left, bottom), (left, TOP)], GRID, 1.0);
        let inside = |&(x, y): &(f64, f64)| (low.0..=high.0).contains(&x) && (low.1..=high.1).contains(&y);
        for trace in &panel.traces {
            for run in trace.points.split(|point| !inside(point)).filter(|run| run.len() > 1) {
                page.line(run.iter().map(at).collect::<Vec<_>>(), trace.colour, trace.width);
            }
        }
    }
    page.to_file(path)
}
