//! Files of a recording: whoever received the folder from elsewhere opens nothing outside it.

use std::fs;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use super::RecordingError;

/// A folder whose files are read and nothing else, whatever links lie in it.
#[derive(Clone, Debug)]
pub(crate) struct ConfinedFolder {
    /// As the user named it, for messages.
    folder: PathBuf,
    /// Without links.
    real: PathBuf,
}

impl ConfinedFolder {
    pub(crate) fn open(folder: &Path) -> Result<ConfinedFolder, RecordingError> {
        let named = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let real = named.canonicalize().map_err(RecordingError::read(folder))?;
        Ok(ConfinedFolder { folder: folder.into(), real })
    }

    /// The path of a file, given relative to the folder.
    pub(crate) fn file(&self, name: &str) -> Result<PathBuf, RecordingError> {
        let path = self.folder.join(name);
        let is_plain = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
        if !is_plain || name.is_empty() {
            return Err(RecordingError::Outside { path: name.into() });
        }
        // Links are followed before the check, so that none leads out.
        let real = self.real.join(name).canonicalize().map_err(|error| match error.kind() {
            ErrorKind::NotFound => RecordingError::Missing { path: path.clone() },
            _ => RecordingError::read(&path)(error),
        })?;
        if !real.starts_with(&self.real) {
            return Err(RecordingError::Outside { path });
        }
        // A pipe would be waited for without end.
        if !real.is_file() {
            return Err(RecordingError::damaged(&path, "it is not a file"));
        }
        Ok(path)
    }

    pub(crate) fn read(&self, name: &str) -> Result<(PathBuf, Vec<u8>), RecordingError> {
        let path = self.file(name)?;
        let bytes = fs::read(&path).map_err(RecordingError::read(&path))?;
        Ok((path, bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_links_that_lead_out_are_refused_and_named() {
        let outer = std::env::temp_dir().join(format!("carom-confined-{}", std::process::id()));
        let _ = fs::remove_dir_all(&outer);
        fs::create_dir_all(outer.join("run/inner")).unwrap();
        for name in ["secret.txt", "run/inner/own.txt"] {
            fs::write(outer.join(name), name).unwrap();
        }
        let folder = ConfinedFolder::open(&outer.join("run")).unwrap();
        assert_eq!(folder.read("inner/own.txt").unwrap().1, b"run/inner/own.txt");
        let secret = outer.join("secret.txt");
        let mut names =
            vec!["../secret.txt".to_owned(), "inner/../../secret.txt".into(), secret.to_string_lossy().into()];
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&secret, outer.join("run/link.txt")).unwrap();
            std::os::unix::fs::symlink(&outer, outer.join("run/linked")).unwrap();
            names.extend(["link.txt".to_owned(), "linked/secret.txt".into()]);
        }
        for name in names {
            let error = folder.read(&name).unwrap_err();
            assert!(matches!(error, RecordingError::Outside { .. }), "{error}");
            assert!(error.to_string().contains(&name), "{error}");
        }
        assert!(matches!(folder.read("gone.txt"), Err(RecordingError::Missing { .. })));
        assert!(matches!(folder.read("inner"), Err(RecordingError::Damaged { .. })));
        fs::remove_dir_all(outer).unwrap();
    }
}
