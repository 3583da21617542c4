//! Counts the bytes that the present thread allocates.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    /// Bytes that this thread has allocated and not freed, and the most of them so far.
    static BYTES: Cell<[isize; 2]> = const { Cell::new([0; 2]) };
}

fn count(more: isize) {
    // A thread that ends has no counter any more.
    let _ = BYTES.try_with(|bytes| {
        let [now, most] = bytes.get();
        bytes.set([now + more, most.max(now + more)]);
    });
}

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size as isize - layout.size() as isize);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What some work returns, and the most bytes that this thread held for it at a time.
pub fn most_bytes<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = BYTES.get()[0];
    BYTES.set([before; 2]);
    let result = work();
    (result, (BYTES.get()[1] - before) as usize)
}
