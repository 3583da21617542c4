//! Plots. What is drawn goes on a [`Page`], which becomes an SVG or a PNG file.

pub mod arena;
pub mod chart;
mod ladder;
mod run;
mod series;
mod spectrogram;

use std::path::Path;
use std::sync::Once;

use miette::miette;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{Pos, VPos};
use plotters::style::{FontStyle, register_font};

pub use ladder::ladder;
pub use plotters::style::RGBColor;
pub use plotters::style::text_anchor::HPos;
pub use run::run_plots;
pub use series::series;
pub use spectrogram::spectrogram;

use crate::ui::Work;

pub const INK: RGBColor = RGBColor(38, 42, 48);
pub const FAINT: RGBColor = RGBColor(104, 110, 118);
pub const GRID: RGBColor = RGBColor(226, 229, 233);
pub const PAPER: RGBColor = RGBColor(252, 252, 253);
pub const BLUE: RGBColor = RGBColor(31, 105, 145);

/// Lines and words at places in pixels, x to the right and y downwards.
pub struct Page {
    size: (u32, u32),
    items: Vec<Item>,
}

enum Item {
    Line { points: Vec<(f64, f64)>, colour: RGBColor, width: f64 },
    Fill { corners: [(f64, f64); 2], colour: RGBColor },
    Words { text: String, at: (f64, f64), size: f64, colour: RGBColor, bold: bool, from: HPos },
}

impl Page {
    pub fn new(width: u32, height: u32) -> Page {
        Page { size: (width, height), items: Vec::new() }
    }

    /// A line through points.
    pub fn line(&mut self, points: impl Into<Vec<(f64, f64)>>, colour: RGBColor, width: f64) {
        self.items.push(Item::Line { points: points.into(), colour, width });
    }

    /// A filled rectangle.
    pub fn fill(&mut self, corners: [(f64, f64); 2], colour: RGBColor) {
        self.items.push(Item::Fill { corners, colour });
    }

    /// Words whose middle height is at `at`, and of whose ends `from` tells which.
    pub fn write(&mut self, text: impl Into<String>, at: (f64, f64), size: f64, colour: RGBColor, from: HPos) {
        self.items.push(Item::Words { text: text.into(), at, size, colour, bold: false, from });
    }

    /// A heading.
    pub fn title(&mut self, text: impl Into<String>, at: (f64, f64)) {
        let (text, from) = (text.into(), HPos::Left);
        self.items.push(Item::Words { text, at, size: 26.0, colour: INK, bold: true, from });
    }

    /// The bytes of an SVG or PNG file, as the ending of `path` says.
    pub fn to_file(&self, path: &Path) -> Work<Vec<u8>> {
        register_fonts();
        let bad = |error: &dyn std::fmt::Display| miette!("cannot plot to {}: {error}", path.display());
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("svg") => {
                let mut text = String::new();
                self.draw(&SVGBackend::with_string(&mut text, self.size).into_drawing_area(), 1.0, 0.0)
                    .map_err(|error| bad(&error))?;
                Ok(text.into_bytes())
            }
            Some("png") => {
                let (width, height) = (2 * self.size.0, 2 * self.size.1);
                let mut pixels = vec![0; 3 * (width * height) as usize];
                self.draw(&BitMapBackend::with_buffer(&mut pixels, (width, height)).into_drawing_area(), 2.0, 0.16)
                    .map_err(|error| bad(&error))?;
                let pixels = pixels.chunks_exact(3).map(|p| [p[0], p[1], p[2], 255]).collect();
                let image = carom::Image { width: width as usize, height: height as usize, pixels };
                image.to_png().map_err(|error| bad(&error))
            }
            _ => Err(miette!(help = "end the name in .svg or .png", "cannot tell how to plot to {}", path.display())),
        }
    }

    /// Draws everything `scale` times as large. Bitmap letters hang by `sag` of their height above where they are put.
    fn draw<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
        scale: f64,
        sag: f64,
    ) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
        area.fill(&PAPER)?;
        let at = |&(x, y): &(f64, f64)| ((scale * x).round() as i32, (scale * y).round() as i32);
        for item in &self.items {
            match item {
                Item::Line { points, colour, width } => {
                    let style = colour.stroke_width((scale * width).round().max(1.0) as u32);
                    area.draw(&PathElement::new(points.iter().map(at).collect::<Vec<_>>(), style))?;
                }
                Item::Fill { corners, colour } => {
                    area.draw(&Rectangle::new([at(&corners[0]), at(&corners[1])], colour.filled()))?;
                }
                Item::Words { text, at: place, size, colour, bold, from } => {
                    let style = if *bold { FontStyle::Bold } else { FontStyle::Normal };
                    let font = ("sans-serif", scale * size, style).into_text_style(area);
                    let style = font.color(colour).pos(Pos::new(*from, VPos::Center));
                    area.draw(&Text::new(text.as_str(), at(&(place.0, place.1 + sag * size)), style))?;
                }
            }
        }
        area.present()
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
