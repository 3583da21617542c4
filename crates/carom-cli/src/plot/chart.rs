//! Curves and clouds of points over one pair of axes.

use std::path::Path;

use super::series::{label, ticks};
use super::{FAINT, GRID, HPos, INK, Page, RGBColor};
use crate::ui::Work;

const WIDTH: u32 = 900;
const HEIGHT: u32 = 560;
const LEFT: f64 = 84.0;
const RIGHT: f64 = 866.0;
const TOP: f64 = 112.0;
const BOTTOM: f64 = 500.0;

/// Colours that colour-blind readers tell apart too.
pub const COLOURS: [RGBColor; 6] = [
    RGBColor(31, 105, 145),
    RGBColor(190, 84, 20),
    RGBColor(52, 132, 90),
    RGBColor(130, 72, 152),
    RGBColor(170, 130, 10),
    RGBColor(90, 98, 110),
];

/// An axis.
pub struct Axis {
    pub name: &'static str,
    pub from: f64,
    pub to: f64,
    /// Decades instead of equal steps.
    pub logarithmic: bool,
}

/// How points are drawn.
#[derive(Clone, Copy, PartialEq)]
pub enum Mark {
    Line,
    Dots,
}

/// Points with a name.
pub struct Curve {
    pub name: String,
    pub points: Vec<(f64, f64)>,
    pub colour: RGBColor,
    pub mark: Mark,
}

/// A picture of curves.
pub struct Chart {
    pub title: String,
    pub subtitle: String,
    pub x: Axis,
    pub y: Axis,
    pub curves: Vec<Curve>,
}

impl Axis {
    pub fn linear(name: &'static str, from: f64, to: f64) -> Axis {
        Axis { name, from, to, logarithmic: false }
    }

    pub fn logarithmic(name: &'static str, from: f64, to: f64) -> Axis {
        Axis { name, from, to, logarithmic: true }
    }

    /// Where a number lies, from 0 to 1.
    fn share(&self, number: f64) -> f64 {
        match self.logarithmic {
            true => (number / self.from).ln() / (self.to / self.from).ln(),
            false => (number - self.from) / (self.to - self.from),
        }
    }

    fn ticks(&self) -> Vec<f64> {
        if !self.logarithmic {
            return ticks(self.from, self.to, 6);
        }
        let decades = self.from.log10().floor() as i32..=self.to.log10().ceil() as i32;
        let all = decades.flat_map(|decade| [1.0, 2.0, 5.0].map(|step| step * 10f64.powi(decade)));
        let inside = all.filter(|tick| (0.999 * self.from..=1.001 * self.to).contains(tick));
        let all: Vec<f64> = inside.collect();
        // Over many decades their beginnings are enough, or those of every second or third.
        if all.len() <= 10 {
            return all;
        }
        let begins = |tick: &f64| (tick.log10() - tick.log10().round()).abs() < 1e-9;
        let decades: Vec<f64> = all.into_iter().filter(begins).collect();
        let stride = decades.len().div_ceil(10) as i64;
        decades.into_iter().filter(|tick| (tick.log10().round() as i64).rem_euclid(stride) == 0).collect()
    }
}

/// The chart as the bytes of an SVG or PNG file, as the ending of `path` says.
pub fn chart(chart: &Chart, path: &Path) -> Work<Vec<u8>> {
    let mut page = Page::new(WIDTH, HEIGHT);
    page.title(&chart.title, (36.0, 40.0));
    page.write(&chart.subtitle, (36.0, 72.0), 15.0, FAINT, HPos::Left);
    let across = |x: f64| LEFT + (RIGHT - LEFT) * chart.x.share(x);
    let up = |y: f64| BOTTOM - (BOTTOM - TOP) * chart.y.share(y);
    for tick in chart.y.ticks() {
        page.line([(LEFT, up(tick)), (RIGHT, up(tick))], GRID, 1.0);
        page.write(label(tick), (LEFT - 10.0, up(tick)), 13.0, FAINT, HPos::Right);
    }
    for tick in chart.x.ticks() {
        page.line([(across(tick), BOTTOM), (across(tick), BOTTOM + 5.0)], FAINT, 1.0);
        page.write(label(tick), (across(tick), BOTTOM + 16.0), 13.0, FAINT, HPos::Center);
    }
    page.line([(LEFT, BOTTOM), (RIGHT, BOTTOM)], FAINT, 1.0);
    page.write(chart.x.name, (RIGHT, BOTTOM + 38.0), 13.0, FAINT, HPos::Right);
    page.write(chart.y.name, (LEFT, TOP - 16.0), 13.0, FAINT, HPos::Left);
    let shown = |&(x, y): &(f64, f64)| {
        let place = (chart.x.share(x), chart.y.share(y));
        (-1e-9..=1.0 + 1e-9).contains(&place.0) && (-1e-9..=1.0 + 1e-9).contains(&place.1)
    };
    for curve in &chart.curves {
        let points = curve.points.iter().filter(|point| shown(point)).map(|&(x, y)| (across(x), up(y)));
        match curve.mark {
            Mark::Line => page.line(points.collect::<Vec<_>>(), curve.colour, 1.8),
            Mark::Dots => {
                for (x, y) in points {
                    page.fill([(x - 1.0, y - 1.0), (x + 1.0, y + 1.0)], curve.colour);
                }
            }
        }
    }
    legend(&mut page, &chart.curves);
    page.to_file(path)
}

/// Names of the curves, from the right above the panel, in as many rows as they need.
fn legend(page: &mut Page, curves: &[Curve]) {
    /// What the name of the axis takes.
    const KEPT_FREE: f64 = 240.0;
    // Wide letters take about 0.6 of their size.
    let width = |curve: &Curve| 8.2 * curve.name.chars().count() as f64 + 46.0;
    let mut rows: Vec<Vec<&Curve>> = vec![Vec::new()];
    let mut free = RIGHT - LEFT - KEPT_FREE;
    for curve in curves.iter().filter(|curve| !curve.name.is_empty()) {
        if free < width(curve) && rows.last().is_some_and(|row| !row.is_empty()) {
            rows.push(Vec::new());
            free = RIGHT - LEFT - KEPT_FREE;
        }
        free -= width(curve);
        rows.last_mut().into_iter().for_each(|row| row.push(curve));
    }
    for (row, curves) in rows.iter().rev().enumerate() {
        let y = TOP - 16.0 - 18.0 * row as f64;
        let mut x = RIGHT - curves.iter().map(|curve| width(curve)).sum::<f64>();
        for curve in curves {
            page.line([(x, y), (x + 22.0, y)], curve.colour, 3.0);
            page.write(&curve.name, (x + 28.0, y), 13.0, INK, HPos::Left);
            x += width(curve);
        }
    }
}
