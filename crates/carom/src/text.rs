//! Labels in pictures, in a font that travels with the program.

use ab_glyph::{Font, FontRef, Glyph, ScaleFont, point};

use crate::Image;

/// Where a label stands relative to the point it is given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Align {
    Left,
    Centre,
    Right,
}

/// Weight of the letters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Weight {
    Regular,
    Bold,
}

/// Draws one line of text with its baseline at `y` and returns its width. `size` is the height of a line in pixels.
pub(crate) fn draw(
    image: &mut Image,
    text: &str,
    [x, y]: [f64; 2],
    size: f64,
    align: Align,
    weight: Weight,
    colour: [u8; 3],
) -> f64 {
    let bytes = match weight {
        Weight::Regular => dejavu::sans::regular(),
        Weight::Bold => dejavu::sans::bold(),
    };
    // The font is a constant of the program; without it a picture is still a picture.
    let Ok(font) = FontRef::try_from_slice(bytes) else { return 0.0 };
    let font = font.as_scaled(size as f32);
    let mut glyphs: Vec<Glyph> = Vec::new();
    let mut width = 0.0;
    for letter in text.chars() {
        let mut glyph = font.scaled_glyph(letter);
        if let Some(last) = glyphs.last() {
            width += font.kern(last.id, glyph.id);
        }
        glyph.position = point(width, 0.0);
        width += font.h_advance(glyph.id);
        glyphs.push(glyph);
    }
    let start = x as f32
        - match align {
            Align::Left => 0.0,
            Align::Centre => 0.5 * width,
            Align::Right => width,
        };
    for mut glyph in glyphs {
        glyph.position = point(glyph.position.x + start, y as f32);
        let Some(outline) = font.outline_glyph(glyph) else { continue };
        let corner = outline.px_bounds().min;
        outline.draw(|column, row, coverage| {
            let (px, py) = (corner.x as i64 + i64::from(column), corner.y as i64 + i64::from(row));
            if let (Ok(px), Ok(py)) = (usize::try_from(px), usize::try_from(py)) {
                image.blend(px, py, colour, f64::from(coverage.min(1.0)));
            }
        });
    }
    f64::from(width)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ink(text: &str, x: f64, align: Align) -> Image {
        let mut image = Image::new(120, 30, [255; 4]);
        draw(&mut image, text, [x, 20.0], 18.0, align, Weight::Regular, [0; 3]);
        image
    }

    /// First and last column with ink.
    fn extent(image: &Image) -> (usize, usize) {
        let dark: Vec<usize> = (0..image.pixels.len()).filter(|&i| image.pixels[i][0] < 128).collect();
        let columns = || dark.iter().map(|i| i % image.width);
        (columns().min().unwrap(), columns().max().unwrap())
    }

    #[test]
    fn labels_stand_where_they_are_put() {
        let (left, _) = extent(&ink("1286 Hz", 10.0, Align::Left));
        let (_, right) = extent(&ink("1286 Hz", 110.0, Align::Right));
        assert!((10..14).contains(&left) && (106..111).contains(&right), "{left} {right}");
        let (left, right) = extent(&ink("ooo", 60.0, Align::Centre));
        assert!((left + right).abs_diff(120) <= 3, "{left} {right}");
    }

    #[test]
    fn a_label_beyond_the_border_is_cut() {
        let image = ink("a very long label that does not fit into the image", -20.0, Align::Left);
        assert!(extent(&image).1 >= 115, "the text goes on up to the border");
    }
}
