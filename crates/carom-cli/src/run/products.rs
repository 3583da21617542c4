//! What is made of a finished recording, in its folder.

use std::path::{Path, PathBuf};

use carom::recording::Recording;
use carom::{PictureParams, filmstrip, recording_to_glb};

use crate::plot::run_plots;
use crate::ui::{Work, failure, write};

/// What is wanted.
pub struct Products {
    pub animation: bool,
    pub plots: bool,
    /// How many frames on one page.
    pub pictures: Option<usize>,
}

impl Products {
    /// Makes all that is wanted and tells where it is.
    pub fn make(&self, folder: &Path) -> Work<Vec<PathBuf>> {
        let recording = Recording::open(folder).map_err(|error| failure(error, None))?;
        let mut written = Vec::new();
        let mut put = |name: &str, bytes: &[u8]| {
            let path = folder.join(name);
            write(&path, bytes)?;
            written.push(path);
            Work::Ok(())
        };
        if self.plots {
            for (name, bytes) in run_plots(&recording)? {
                put(&format!("plots/{name}"), &bytes)?;
            }
        }
        if self.animation {
            let crease = 30f64.to_radians();
            put("animation.glb", &recording_to_glb(&recording, crease).map_err(|error| failure(error, None))?)?;
        }
        if let Some(count) = self.pictures {
            let params = PictureParams { width: 480, height: 360, ..PictureParams::default() };
            let page = filmstrip(&recording, count, 3, &params).map_err(|error| failure(error, None))?;
            put("pictures.png", &page.to_png().map_err(|error| failure(error, None))?)?;
        }
        Ok(written)
    }
}
