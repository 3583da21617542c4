//! Ctrl-C, SIGTERM and SIGHUP: the program ends with code 130 and says what is left.
//!
//! Where nothing can be lost the first signal ends the program at once. Work that has something to save holds a
//! [`Guard`]: the first signal then only raises the [`flag`], and the program ends when the guard goes, at the latest after
//! [`GRACE`]. The second signal always ends it. Files are whole or absent either way.

use std::process::exit;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use indicatif::ProgressBar;

/// Exit code of a program that was interrupted.
const INTERRUPTED: i32 = 130;

/// Work with something to save has this long to save it: a run that is deep in one step ends without that step.
const GRACE: Duration = Duration::from_millis(1500);

static STOP: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);
static STATE: Mutex<State> = Mutex::new(State { guards: 0, left: String::new(), bar: None });

struct State {
    guards: usize,
    left: String,
    bar: Option<ProgressBar>,
}

/// Long work looks at this and stops when it is raised.
pub fn flag() -> &'static Arc<AtomicBool> {
    &STOP
}

/// Starts to listen for Ctrl-C and requests to terminate.
pub fn install() {
    // Fails only where the system has no such signal; it then ends the program as it always did.
    let _ = ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::Relaxed) {
            exit(INTERRUPTED);
        }
        let state = state();
        if state.guards == 0 {
            end(&state);
        }
        drop(state);
        // A thread of its own, so that a second signal is heard meanwhile.
        std::thread::spawn(|| {
            std::thread::sleep(GRACE);
            let mut state = self::state();
            state.left.insert_str(0, "long work was given up where it was last saved; ");
            end(&state);
        });
    });
}

/// What a user who interrupts now will be told.
pub fn leaves(text: impl Into<String>) {
    state().left = text.into();
}

/// The bar that must be cleared before anything is said; none when it is gone.
pub fn draws_on(bar: Option<ProgressBar>) {
    state().bar = bar;
}

/// While it lives, Ctrl-C lets the work come to a good end.
pub struct Guard(());

impl Guard {
    pub fn new() -> Guard {
        state().guards += 1;
        Guard(())
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let mut state = state();
        state.guards -= 1;
        if state.guards == 0 && STOP.load(Ordering::Relaxed) {
            end(&state);
        }
    }
}

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The state stays locked, so that nothing begins while the program ends.
fn end(state: &MutexGuard<'_, State>) -> ! {
    if let Some(bar) = &state.bar {
        bar.finish_and_clear();
    }
    let left = if state.left.is_empty() { "files are written whole or not at all" } else { &state.left };
    crate::ui::say(&format!("interrupted: {left}"));
    exit(INTERRUPTED)
}
