//! A bounce map that was interrupted goes on where it was left, and ends as if nothing had happened.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use carom::modal::{Wanted, material};
use carom::{BakeError, BakeRequest, Baked, Baker, MapError, Source, Step};

struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let folder = std::env::temp_dir().join(format!("carom-resume-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Scratch(folder)
    }

    fn file(&self) -> PathBuf {
        self.0.join("bar.carom.unfinished")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn request(samples: usize) -> BakeRequest {
    let bar = Source::shape("bar", &Default::default()).unwrap();
    let mut request = BakeRequest::new(bar, material("steel").unwrap().clone());
    request.params.wanted = Wanted::Lowest(6);
    request.params.cell_size = Some(0.01);
    request.map.as_mut().unwrap().sampling.samples = Some(samples);
    request
}

/// Bakes, and is stopped once so large a share of the map is done.
fn bake_until(share: f64, request: &BakeRequest, scratch: &Scratch) -> Result<Baked, BakeError> {
    let stop = AtomicBool::new(false);
    let progress = |step: Step, done: f64| {
        if step == Step::Map && done >= share {
            stop.store(true, Ordering::Relaxed);
        }
    };
    let file = scratch.file();
    Baker { unfinished: Some(&file), progress: Some(&progress), stop: Some(&stop), cache: None }.bake(request)
}

#[test]
fn a_resumed_map_has_the_bits_of_one_that_was_never_interrupted() {
    let scratch = Scratch::new("bits");
    let request = request(6000);
    let whole = Baker::default().bake(&request).unwrap();
    let mut before = 0;
    for share in [0.3, 0.8] {
        let Err(BakeError::Map { source: MapError::Stopped { done, total, kept }, name }) =
            bake_until(share, &request, &scratch)
        else {
            panic!("it was not stopped")
        };
        assert_eq!((name.as_str(), total, kept), ("bar", 6000, Some(scratch.file())));
        assert!(done > before && done < total, "{done} after {before}");
        before = done;
    }
    let resumed = bake_until(f64::INFINITY, &request, &scratch).unwrap();
    assert_eq!(resumed.map.as_ref().unwrap().resumed, before);
    assert!(resumed.map.as_ref().unwrap().not_kept.is_none());
    assert_eq!(resumed.object.to_bytes().unwrap(), whole.object.to_bytes().unwrap());
    assert!(scratch.file().exists(), "whoever writes the object removes it afterwards");
}

#[test]
fn what_was_left_by_another_bake_is_not_taken_up() {
    let scratch = Scratch::new("other");
    assert!(bake_until(0.5, &request(4000), &scratch).is_err());
    assert!(scratch.file().exists());
    let changes: [fn(&mut BakeRequest); 3] = [
        |r| r.map.as_mut().unwrap().strike.damping = 1e-8,
        |r| r.material.density *= 1.001,
        |r| r.map.as_mut().unwrap().sampling.samples = Some(4001),
    ];
    for change in changes {
        let mut other = request(4000);
        change(&mut other);
        let baked = bake_until(f64::INFINITY, &other, &scratch).unwrap();
        assert_eq!(baked.map.unwrap().resumed, 0);
    }
    // One byte per number is a matter of storage: the samples serve.
    let mut quantized = request(4000);
    quantized.map.as_mut().unwrap().quantize = true;
    assert!(bake_until(f64::INFINITY, &quantized, &scratch).unwrap().map.unwrap().resumed > 0);
}

#[test]
fn a_place_where_nothing_can_be_kept_costs_the_samples_but_not_the_map() {
    let scratch = Scratch::new("nowhere");
    std::fs::write(scratch.0.join("file"), "in the way").unwrap();
    let stop = AtomicBool::new(false);
    let progress = |step: Step, done: f64| {
        if step == Step::Map && done > 0.5 {
            stop.store(true, Ordering::Relaxed);
        }
    };
    let nowhere = scratch.0.join("file/bar.carom.unfinished");
    let baker = Baker { unfinished: Some(&nowhere), progress: Some(&progress), stop: Some(&stop), cache: None };
    let Err(BakeError::Map { source: MapError::Stopped { kept, .. }, .. }) = baker.bake(&request(4000)) else {
        panic!("it was not stopped")
    };
    assert_eq!(kept, None);
    let whole = Baker { unfinished: Some(&nowhere), ..Baker::default() }.bake(&request(300)).unwrap();
    assert_eq!(whole.object.bounce.unwrap().len(), 300);
}
