//! A number over a surface on one page: seen from two sides, beside a scale with its distribution.

use carom_shape::TriMesh;

use crate::sheet::{FAINT_INK, INK, PAPER};
use crate::text::{Align, Weight, draw};
use crate::{Colormap, Field, Image, Paint, PictureError, PictureParams, View, render};

/// What the colours of a field mean, and how often each occurs.
#[derive(Clone, Debug, PartialEq)]
pub struct Scale {
    /// The numbers at the ends of the colours.
    pub range: (f64, f64),
    /// Shares of the surface with numbers in equal steps from end to end; none draws no distribution.
    pub histogram: Vec<f64>,
    /// Numbers that stand beside the scale, such as the mean.
    pub marks: Vec<(f64, String)>,
}

/// A field over a surface on one page: a title, a line below it, the surface from the front and from behind and below,
/// and the scale. `params` gives the size of each view; where it gives a view, the second one is opposite to it.
pub fn field_sheet(
    title: &str,
    line: &str,
    surface: &TriMesh,
    field: Field<'_>,
    scale: &Scale,
    params: &PictureParams,
) -> Result<Image, PictureError> {
    let front = params.view.unwrap_or(View::three_quarter(surface.bounds()));
    let picture = |view: View, ground_shadow: bool| {
        let params = PictureParams { view: Some(view), ground_shadow, ..params.clone() };
        render(surface, Paint::Field { field, range: scale.range }, &params)
    };
    // From below there is no ground to throw a shadow on.
    let views = [picture(front, params.ground_shadow)?, picture(front.opposite(), false)?];

    let text_size = (0.042 * params.width as f64).clamp(11.0, 26.0);
    let gap = text_size.round() as usize;
    let head = (4.4 * text_size) as usize;
    let scale_width = (14.3 * text_size) as usize;
    let width = 2 * (params.width + gap) + gap + scale_width;
    let mut page = Image::new(width, head + params.height + gap, PAPER);
    draw(&mut page, title, [gap as f64, 1.9 * text_size], 1.45 * text_size, Align::Left, Weight::Bold, INK);
    draw(&mut page, line, [gap as f64, 3.5 * text_size], text_size, Align::Left, Weight::Regular, FAINT_INK);
    for (i, view) in views.iter().enumerate() {
        page.paste(view, gap + i * (params.width + gap), head);
    }
    let left = 2 * (params.width + gap) + gap;
    draw_scale(&mut page, scale, params.colormap, [left as f64, head as f64], params.height as f64, text_size);
    Ok(page)
}

/// An upright bar of colours: numbers at its left, the distribution at its right, and the marks beyond.
fn draw_scale(page: &mut Image, scale: &Scale, colormap: Colormap, corner: [f64; 2], height: f64, text_size: f64) {
    let (low, high) = scale.range;
    let (top, bottom) = (corner[1] + 0.5 * text_size, corner[1] + height - 0.5 * text_size);
    let bar = [corner[0] + 2.8 * text_size, corner[0] + 4.0 * text_size];
    let place = |value: f64| bottom - (bottom - top) * (value - low) / (high - low);
    let most = scale.histogram.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    for y in top.round() as usize..bottom.round() as usize {
        let share = (bottom - y as f64 - 0.5) / (bottom - top);
        let colour = colormap.colour(share).map(|c| (255.0 * c).round() as u8);
        for x in bar[0] as usize..bar[1] as usize {
            page.blend(x, y, colour, 1.0);
        }
        let bin = (share * scale.histogram.len() as f64) as usize;
        let Some(often) = scale.histogram.get(bin) else { continue };
        let start = bar[1] + 0.35 * text_size;
        for x in start as usize..(start + 5.6 * text_size * often / most) as usize {
            page.blend(x, y, colour, 0.85);
        }
    }
    for i in 0..=4 {
        let value = low + (high - low) * f64::from(i) / 4.0;
        let y = place(value);
        for x in (bar[0] - 0.35 * text_size) as usize..bar[0] as usize {
            page.blend(x, y as usize, FAINT_INK, 1.0);
        }
        let at = [bar[0] - 0.6 * text_size, y + 0.3 * text_size];
        draw(page, &trimmed(value), at, 0.85 * text_size, Align::Right, Weight::Regular, FAINT_INK);
    }
    for (value, label) in &scale.marks {
        let y = place(*value).clamp(top, bottom - 1.0);
        for x in bar[0] as usize..(bar[1] + 6.2 * text_size) as usize {
            page.blend(x, y as usize, INK, 0.75);
        }
        let at = [bar[1] + 6.4 * text_size, y + 0.3 * text_size];
        draw(page, label, at, 0.85 * text_size, Align::Left, Weight::Regular, INK);
    }
}

/// A number with no more digits than it needs, up to three.
fn trimmed(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crease::tests::cuboid;
    use glam::DVec3;

    #[test]
    fn two_views_show_all_six_faces_in_their_colours() {
        let surface = cuboid(DVec3::new(2.0, 1.0, 1.0));
        let scale = Scale { range: (0.0, 1.0), histogram: vec![], marks: vec![] };
        let seen = |face: usize| {
            let field = |triangle: usize, _: DVec3| if triangle / 2 == face { 1.0 } else { 0.0 };
            let params = PictureParams { width: 90, height: 70, supersampling: 1, ..PictureParams::default() };
            let params = PictureParams { ground_shadow: false, ..params };
            let page = field_sheet("box", "", &surface, &field, &scale, &params).unwrap();
            // Yellow, in the pictures and not in the bar at the right.
            let yellow = |[r, g, b, _]: [u8; 4]| r > 100 && g > 100 && u32::from(b) * 2 < u32::from(r);
            (0..page.pixels.len()).filter(|i| i % page.width < 196 && yellow(page.pixels[*i])).count()
        };
        for face in 0..6 {
            assert!(seen(face) > 100, "face {face} covers {} pixels", seen(face));
        }
        assert_eq!(seen(6), 0);
    }

    #[test]
    fn the_distribution_stands_beside_its_colours() {
        let surface = cuboid(DVec3::ONE);
        let params = PictureParams { width: 90, height: 120, supersampling: 1, ..PictureParams::default() };
        let ink = |histogram: Vec<f64>| {
            let scale = Scale { range: (0.0, 1.0), histogram, marks: vec![] };
            let page = field_sheet("", "", &surface, &|_, _| 0.5, &scale, &params).unwrap();
            let row = |row: usize| page.pixels[row * page.width..][..page.width].iter().rev().take(85).copied();
            let coloured = |rows: std::ops::Range<usize>| rows.flat_map(row).filter(|p| *p != PAPER).count();
            let (head, half) = (page.height - 120 - 11, 60);
            (coloured(head + 10..head + half - 10), coloured(head + half + 10..head + 110))
        };
        let (upper, lower) = ink(vec![0.1, 0.9]);
        assert!(upper > 4 * lower, "much above: {upper} and {lower}");
        let (upper, lower) = ink(vec![0.9, 0.1]);
        assert!(lower > 4 * upper, "much below: {upper} and {lower}");
    }

    #[test]
    fn numbers_have_no_idle_zeros() {
        assert_eq!([0.0, 0.25, 0.5, 1.0, 0.1234].map(trimmed), ["0", "0.25", "0.5", "1", "0.123"]);
    }
}
