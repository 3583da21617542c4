//! Several pictures on one page, with labels and a legend.

use carom_object::ModalModel;

use crate::picture::render_modes;
use crate::text::{Align, Weight, draw};
use crate::{Colormap, Image, PictureError, PictureParams};

pub(crate) const INK: [u8; 3] = [38, 42, 48];
pub(crate) const FAINT_INK: [u8; 3] = [104, 110, 118];
pub(crate) const PAPER: [u8; 4] = [252, 252, 253, 255];

/// What the colours of a sheet mean.
#[derive(Clone, Debug, PartialEq)]
pub struct Legend {
    /// The colours.
    pub colormap: Colormap,
    /// What stands at the lower end.
    pub low: String,
    /// What stands at the upper end.
    pub high: String,
}

/// Pictures in rows of `columns`, each with its label below, under a title.
pub fn sheet(title: &str, cells: &[(String, Image)], columns: usize, legend: Option<&Legend>) -> Image {
    let columns = columns.clamp(1, cells.len().max(1));
    let rows = cells.len().div_ceil(columns);
    let cell_width = cells.iter().map(|(_, image)| image.width).max().unwrap_or(0);
    let cell_height = cells.iter().map(|(_, image)| image.height).max().unwrap_or(0);
    let text_size = (0.055 * cell_width as f64).clamp(12.0, 26.0);
    let gap = text_size.round() as usize;
    let label_height = (2.1 * text_size) as usize;
    let head = (3.2 * text_size) as usize;
    let width = columns * (cell_width + gap) + gap;
    let mut page = Image::new(width, head + rows * (cell_height + label_height + gap / 2) + gap / 2, PAPER);

    let middle = 0.62 * head as f64;
    draw(&mut page, title, [gap as f64, middle], 1.35 * text_size, Align::Left, Weight::Bold, INK);
    if let Some(legend) = legend {
        draw_legend(&mut page, legend, (width - gap) as f64, middle, 0.9 * text_size);
    }
    for (index, (label, image)) in cells.iter().enumerate() {
        let left = gap + index % columns * (cell_width + gap);
        let top = head + index / columns * (cell_height + label_height + gap / 2);
        page.paste(image, left + (cell_width - image.width) / 2, top + (cell_height - image.height) / 2);
        let below = [left as f64 + 0.5 * cell_width as f64, (top + cell_height) as f64 + 1.25 * text_size];
        draw(&mut page, label, below, text_size, Align::Centre, Weight::Regular, INK);
    }
    page
}

/// A bar of colours with a word at each end, its right end at `right` and its text on the line `baseline`.
fn draw_legend(page: &mut Image, legend: &Legend, right: f64, baseline: f64, text_size: f64) {
    let bar = 9.0 * text_size;
    let word = draw(page, &legend.high, [right, baseline], text_size, Align::Right, Weight::Regular, FAINT_INK);
    let end = right - word - 0.6 * text_size;
    let start = end - bar;
    draw(page, &legend.low, [start - 0.6 * text_size, baseline], text_size, Align::Right, Weight::Regular, FAINT_INK);
    let (top, bottom) = ((baseline - 0.75 * text_size) as usize, (baseline + 0.05 * text_size) as usize);
    for x in start.max(0.0) as usize..end.max(0.0) as usize {
        let colour = legend.colormap.colour((x as f64 - start) / bar).map(|c| (255.0 * c).round() as u8);
        for y in top..bottom {
            page.blend(x, y, colour, 1.0);
        }
    }
}

/// Several modes of a body on one page: each drawn deformed by `share` of the body's diagonal, coloured by how far it
/// moves, and labelled with its number and frequency. `params` gives the size of each picture.
pub fn contact_sheet(
    model: &ModalModel,
    modes: &[usize],
    columns: usize,
    share: f64,
    params: &PictureParams,
) -> Result<Image, PictureError> {
    let pictures = render_modes(model, modes, share, params)?;
    let label = |mode: usize| format!("mode {}   {}", mode + 1, frequency_label(model.frequencies[mode]));
    let cells: Vec<(String, Image)> = modes.iter().map(|&mode| label(mode)).zip(pictures).collect();
    let legend = Legend { colormap: params.colormap, low: "still".into(), high: "moves most".into() };
    let title = format!("{} ({})", model.name, model.material.name);
    Ok(sheet(&title, &cells, columns, Some(&legend)))
}

/// A frequency with four digits and its unit.
pub(crate) fn frequency_label(hertz: f64) -> String {
    match hertz {
        10_000.0.. => format!("{:.2} kHz", hertz / 1000.0),
        1_000.0.. => format!("{hertz:.0} Hz"),
        100.0.. => format!("{hertz:.1} Hz"),
        _ => format!("{hertz:.2} Hz"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_picture_finds_its_place_on_the_page() {
        let red = [200, 0, 0, 255];
        let cells: Vec<(String, Image)> = (0..5).map(|i| (format!("{i}"), Image::new(80, 40, red))).collect();
        let legend = Legend { colormap: Colormap::Cividis, low: "low".into(), high: "high".into() };
        let page = sheet("five", &cells, 3, Some(&legend));
        assert_eq!(page.pixels.iter().filter(|&&pixel| pixel == red).count(), 5 * 80 * 40);
        let rows: Vec<usize> = (0..page.height)
            .map(|row| page.pixels[row * page.width..][..page.width].iter().filter(|&&pixel| pixel == red).count())
            .filter(|&count| count > 0)
            .collect();
        assert_eq!(rows, [[240; 40], [160; 40]].concat());
        assert!(sheet("none", &[], 0, None).to_png().is_ok());
    }

    #[test]
    fn frequencies_have_four_digits() {
        let labels = [87.654, 440.0, 1285.68, 12_616.5].map(frequency_label);
        assert_eq!(labels, ["87.65 Hz", "440.0 Hz", "1286 Hz", "12.62 kHz"]);
    }
}
