//! What tests of several crates need: an allocator that counts. Not published; crates name it in `[dev-dependencies]` only.
//!
//! It counts for each thread apart, because the test harness allocates on its own threads at any time.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator, which counts what each thread asks for.
///
/// ```
/// #[global_allocator]
/// static ALLOCATOR: carom_testing::CountingAllocator = carom_testing::CountingAllocator;
///
/// let before = carom_testing::allocations();
/// let (list, bytes) = carom_testing::peak_bytes(|| Vec::<u8>::with_capacity(100));
/// assert_eq!((carom_testing::allocations() - before, bytes), (1, 100));
/// # drop(list);
/// ```
#[derive(Debug)]
pub struct CountingAllocator;

#[derive(Clone, Copy)]
struct Counts {
    allocations: usize,
    /// Allocated and not freed.
    bytes: isize,
    peak: isize,
}

thread_local! {
    static COUNTS: Cell<Counts> = const { Cell::new(Counts { allocations: 0, bytes: 0, peak: 0 }) };
}

fn count(allocations: usize, more: isize) {
    // A thread that ends has no counter any more.
    let _ = COUNTS.try_with(|cell| {
        let counts = cell.get();
        let bytes = counts.bytes + more;
        cell.set(Counts { allocations: counts.allocations + allocations, bytes, peak: counts.peak.max(bytes) });
    });
}

// SAFETY: every call goes to the system's allocator unchanged, and counting neither allocates nor panics.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(1, layout.size() as isize);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(0, -(layout.size() as isize));
        // SAFETY: the caller keeps the contract of `dealloc`; the memory came from the system's allocator.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(1, size as isize - layout.size() as isize);
        // SAFETY: the caller keeps the contract of `realloc`; the memory came from the system's allocator.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// Allocations of this thread so far, where [`CountingAllocator`] is the global allocator.
pub fn allocations() -> usize {
    COUNTS.with(Cell::get).allocations
}

/// Bytes that this thread has allocated and not freed; below zero if it freed what others allocated.
pub fn held_bytes() -> isize {
    COUNTS.with(Cell::get).bytes
}

/// What some work returns, and the most bytes that this thread held for it at a time.
pub fn peak_bytes<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = COUNTS.with(Cell::get);
    COUNTS.with(|cell| cell.set(Counts { peak: before.bytes, ..before }));
    let result = work();
    (result, (COUNTS.with(Cell::get).peak - before.bytes) as usize)
}
