//! Images in memory and as PNG files.

use std::path::{Path, PathBuf};

/// Red, green, blue and opacity (not premultiplied) of every pixel in sRGB, row by row from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Pixels per row.
    pub width: usize,
    /// Number of rows.
    pub height: usize,
    /// `pixels[row * width + column]`.
    pub pixels: Vec<[u8; 4]>,
}

/// Why an image could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImageError {
    /// It cannot be a PNG file, for instance because it has no pixels.
    #[error("cannot encode an image of {width} × {height} pixels: {source}")]
    Encode {
        /// Pixels per row.
        width: usize,
        /// Number of rows.
        height: usize,
        /// What the encoder said.
        source: png::EncodingError,
    },
    /// The file could not be written.
    #[error("cannot write {path}: {source}")]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

impl Image {
    /// An image of one colour.
    pub fn new(width: usize, height: usize, colour: [u8; 4]) -> Image {
        Image { width, height, pixels: vec![colour; width * height] }
    }

    /// The image as the bytes of a PNG file; the same image gives the same bytes.
    pub fn to_png(&self) -> Result<Vec<u8>, ImageError> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        encoder
            .write_header()
            .and_then(|mut writer| writer.write_image_data(self.pixels.as_flattened()).and_then(|()| writer.finish()))
            .map_err(|source| ImageError::Encode { width: self.width, height: self.height, source })?;
        Ok(bytes)
    }

    /// Writes a PNG file, whole or not at all.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), ImageError> {
        let path = path.as_ref();
        carom_object::write_whole_file(path, &self.to_png()?)
            .map_err(|source| ImageError::Write { path: path.to_path_buf(), source })
    }

    /// Lays another image over this one, its top left corner at (x, y); what reaches beyond the border is cut off.
    pub fn paste(&mut self, other: &Image, x: usize, y: usize) {
        for row in 0..other.height.min(self.height.saturating_sub(y)) {
            for column in 0..other.width.min(self.width.saturating_sub(x)) {
                let [r, g, b, opacity] = other.pixels[row * other.width + column];
                self.blend(x + column, y + row, [r, g, b], f64::from(opacity) / 255.0);
            }
        }
    }

    /// Lays a colour over a pixel; nothing happens outside the image.
    pub(crate) fn blend(&mut self, x: usize, y: usize, colour: [u8; 3], opacity: f64) {
        if x >= self.width || y >= self.height || opacity <= 0.0 {
            return;
        }
        let pixel = &mut self.pixels[y * self.width + x];
        let below = f64::from(pixel[3]) / 255.0 * (1.0 - opacity);
        let total = opacity + below;
        for i in 0..3 {
            let mixed = (opacity * f64::from(colour[i]) + below * f64::from(pixel[i])) / total;
            pixel[i] = mixed.round() as u8;
        }
        pixel[3] = (255.0 * total).round() as u8;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_png_holds_the_pixels() {
        let mut image = Image::new(3, 2, [1, 2, 3, 255]);
        image.pixels[4] = [200, 100, 0, 7];
        let bytes = image.to_png().unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let frame = reader.next_frame(&mut pixels).unwrap();
        assert_eq!((frame.width, frame.height), (3, 2));
        assert_eq!(pixels, image.pixels.as_flattened());
    }

    #[test]
    fn an_image_without_pixels_is_refused() {
        let message = Image::new(0, 5, [0; 4]).to_png().unwrap_err().to_string();
        assert!(message.contains("0 × 5"), "{message}");
    }

    #[test]
    fn pasting_covers_by_opacity_and_stays_inside() {
        let mut image = Image::new(4, 4, [0, 0, 0, 255]);
        image.paste(&Image::new(3, 3, [255, 255, 255, 51]), 2, 2);
        assert_eq!(image.pixels[15], [51, 51, 51, 255]);
        assert_eq!(image.pixels[5], [0, 0, 0, 255]);
        image.paste(&Image::new(1, 1, [9; 4]), 40, 40);
        let mut clear = Image::new(1, 1, [0; 4]);
        clear.blend(0, 0, [10, 20, 30], 0.4);
        assert_eq!(clear.pixels[0], [10, 20, 30, 102]);
    }
}
