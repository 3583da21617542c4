//! Lets someone else end long work early: a flag that loops deep in detection and solvers look at.
//!
//! [`Interrupt::enter`] sets the interrupt of the present thread for as long as its scope lives; loops ask [`is_interrupted`]. Once
//! it is raised they end as soon as they can, with whatever they have. Such a result has no meaning: who entered the scope asks
//! [`Interrupt::is_raised`] afterwards and discards it. As long as nobody raises the flag no bit depends on any of this.
//!
//! Work that is handed to other threads enters the scope there: `let interrupt = Interrupt::current()`, and `interrupt.enter()` in each task.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    static CURRENT: RefCell<Interrupt> = const { RefCell::new(Interrupt(None)) };
}

/// A flag that ends long work early, or none. The flag must stay raised until the work has returned.
///
/// ```
/// use std::sync::{Arc, atomic::{AtomicBool, Ordering}};
/// use carom_solve::{Interrupt, is_interrupted};
/// let flag = Arc::new(AtomicBool::new(false));
/// let interrupt = Interrupt::new(flag.clone());
/// let scope = interrupt.enter();
/// assert!(!is_interrupted());
/// flag.store(true, Ordering::Relaxed);
/// assert!(is_interrupted());
/// drop(scope);
/// assert!(!is_interrupted() && interrupt.is_raised());
/// ```
#[derive(Debug, Clone, Default)]
pub struct Interrupt(Option<Arc<AtomicBool>>);

impl Interrupt {
    /// Whoever has the flag may raise it.
    pub fn new(flag: Arc<AtomicBool>) -> Interrupt {
        Interrupt(Some(flag))
    }

    /// Whether the work is to end.
    pub fn is_raised(&self) -> bool {
        self.0.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// The interrupt of the present thread.
    pub fn current() -> Interrupt {
        CURRENT.with_borrow(Interrupt::clone)
    }

    /// Makes it the interrupt of the present thread until the scope is dropped.
    pub fn enter(&self) -> InterruptScope {
        InterruptScope(CURRENT.replace(self.clone()))
    }
}

/// See [`Interrupt::enter`]. Brings back the interrupt that was before.
#[derive(Debug)]
#[must_use = "the interrupt is in force while the scope lives"]
pub struct InterruptScope(Interrupt);

impl Drop for InterruptScope {
    fn drop(&mut self) {
        CURRENT.set(std::mem::take(&mut self.0));
    }
}

/// Whether the work of the present thread is to end. Costs a few nanoseconds.
pub fn is_interrupted() -> bool {
    CURRENT.with_borrow(Interrupt::is_raised)
}
