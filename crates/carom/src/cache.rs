//! Baked objects kept for the next time, by a hash of all that they depend on.
//!
//! An entry is the SHA-256 of an object's bytes, then the bytes: the object as it is before it has a bounce map, so that
//! another map of the same body needs no new modes. The samples of a map and the radiation are entries of their own. A damaged entry counts as absent, and a folder that
//! cannot be written is no reason to fail: the cache only ever saves time.

use std::path::{Path, PathBuf};
use std::{env, fs};

use carom_object::{ModalModel, Object, Radiation, write_whole_file};
use sha2::{Digest, Sha256};

use crate::BakeRequest;
use crate::source::hex;
use crate::tally::{Key, Tally};

/// A folder of baked objects. It may be deleted at any time.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// A cache in a folder, which is made when it is needed.
    pub fn new(folder: impl Into<PathBuf>) -> Cache {
        Cache { folder: folder.into() }
    }

    /// The user's cache: `$CAROM_CACHE`, else `$XDG_CACHE_HOME/carom`, else `~/.cache/carom`. None where there is no home.
    pub fn of_user() -> Option<Cache> {
        let folder = |variable: &str| env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
        let own = folder("CAROM_CACHE");
        let shared = || folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(".cache")));
        own.or_else(|| Some(shared()?.join("carom"))).map(Cache::new)
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The object that was baked for an equal request, without its bounce map, if it is there and whole.
    pub(crate) fn find(&self, request: &BakeRequest) -> Option<Object> {
        Object::from_bytes(&whole(&self.entry(request))?).ok()
    }

    /// Keeps an object, without its bounce map, for the next equal request.
    pub(crate) fn keep(&self, request: &BakeRequest, object: &Object) {
        let Ok(bytes) = object.to_bytes() else { return };
        self.keep_whole(&self.entry(request), &bytes);
    }

    /// The radiation that was computed for this key, if it is there and whole.
    pub(crate) fn radiation(&self, key: &Key, model: &ModalModel) -> Option<Radiation> {
        Radiation::from_bytes(&whole(&self.radiation_entry(key))?, model).ok()
    }

    /// Keeps radiation.
    pub(crate) fn keep_radiation(&self, key: &Key, radiation: &Radiation) {
        self.keep_whole(&self.radiation_entry(key), &radiation.to_bytes());
    }

    fn radiation_entry(&self, key: &Key) -> PathBuf {
        self.folder.join(format!("{}.radiation", hex(key)))
    }

    /// Writes an entry that tells whether it is whole. A full disk costs the next bake its shortcut, nothing else.
    fn keep_whole(&self, path: &Path, bytes: &[u8]) {
        let entry = [Sha256::digest(bytes).as_slice(), bytes].concat();
        if fs::create_dir_all(&self.folder).is_ok() {
            let _ = write_whole_file(path, &entry);
        }
    }

    /// Where the finished samples of a bounce map are.
    pub(crate) fn tally(&self, key: &Key) -> PathBuf {
        self.folder.join(format!("{}.tally", hex(key)))
    }

    /// Keeps the samples of a bounce map; as with objects, failing costs time only.
    pub(crate) fn keep_tally(&self, tally: &Tally, key: &Key) {
        if fs::create_dir_all(&self.folder).is_ok() {
            let _ = tally.save(&self.tally(key), key);
        }
    }

    fn entry(&self, request: &BakeRequest) -> PathBuf {
        let source = &request.source;
        let described = format!(
            "{:?}",
            (program(), &source.name, &source.input, &source.hash, &request.material, request.modal_parameters())
        );
        self.folder.join(format!("{}.baked", hex(&Sha256::digest(described))))
    }
}

/// The bytes of an entry, if it is there and whole.
fn whole(path: &Path) -> Option<Vec<u8>> {
    let mut entry = fs::read(path).ok()?;
    let (digest, bytes) = entry.split_at_checked(32)?;
    (Sha256::digest(bytes).as_slice() == digest).then(|| entry.split_off(32))
}

/// The version, and the size and date of the running program: one that was rebuilt may bake otherwise.
pub(crate) fn program() -> String {
    let file = env::current_exe().and_then(fs::metadata);
    let built = file.map(|file| (file.len(), file.modified().ok())).ok();
    format!("{} {built:?}", env!("CARGO_PKG_VERSION"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Source, bake};
    use carom_modal::{Wanted, material};

    fn request() -> BakeRequest {
        let mut request =
            BakeRequest::new(Source::shape("bar", &Default::default()).unwrap(), material("steel").unwrap().clone());
        request.params.wanted = Wanted::Lowest(2);
        request.params.cell_size = Some(0.01);
        request
    }

    #[test]
    fn a_second_bake_gives_the_same_bytes_and_a_damaged_entry_is_baked_anew() {
        let folder = env::temp_dir().join(format!("carom-cache-test-{}", std::process::id()));
        let cache = Cache::new(&folder);
        let baked = || bake(&request(), Some(&cache), &|_, _| {}).unwrap();
        let (first, second) = (baked(), baked());
        assert!(!first.cached() && second.cached());
        assert_eq!(first.object.to_bytes().unwrap(), second.object.to_bytes().unwrap());

        let entry = cache.entry(&request());
        let mut bytes = fs::read(&entry).unwrap();
        // One bit in the middle of a tensor: still a valid object, but not the one that was baked.
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(&entry, bytes).unwrap();
        let third = baked();
        assert!(!third.cached());
        assert_eq!(first.object.to_bytes().unwrap(), third.object.to_bytes().unwrap());
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn an_entry_depends_on_all_that_the_result_depends_on() {
        let cache = Cache::new("nowhere");
        let same = cache.entry(&request());
        let changes: [fn(&mut BakeRequest); 7] = [
            |r| r.material.poisson += 0.01,
            |r| r.params.wanted = Wanted::Lowest(3),
            |r| r.params.hold.push("x < 0".parse().unwrap()),
            |r| r.params.resolution = Some(16),
            |r| r.import.scale = 0.001,
            |r| r.edge = Some(0.002),
            |r| r.source.hash.push('0'),
        ];
        for change in changes {
            let mut changed = request();
            change(&mut changed);
            assert_ne!(cache.entry(&changed), same);
        }
        assert_eq!(cache.entry(&request()), same);
        assert!(cache.find(&request()).is_none());
    }
}
