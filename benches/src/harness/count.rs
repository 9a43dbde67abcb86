//! Counts allocations, in the rounds that count.
//!
//! The counters are shared by all threads. Outside of counting rounds the only cost is a look at a
//! flag that nobody writes, so peers that allocate are not slowed down.

use core::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::alloc::{GlobalAlloc, Layout, System};

static ON: AtomicBool = AtomicBool::new(false);
static CALLS: AtomicU64 = AtomicU64::new(0);
static BYTES: AtomicU64 = AtomicU64::new(0);

/// The system's allocator, counted.
#[derive(Debug)]
pub(crate) struct CountingAllocator;

fn note(layout: Layout) {
    if ON.load(Relaxed) {
        CALLS.fetch_add(1, Relaxed);
        BYTES.fetch_add(layout.size() as u64, Relaxed);
    }
}

// SAFETY: every call goes to `System` unchanged.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout);
        // SAFETY: by the caller's contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note(layout);
        // SAFETY: by the caller's contract.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        note(layout);
        // SAFETY: by the caller's contract.
        unsafe { System.realloc(ptr, layout, new_size) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: by the caller's contract.
        unsafe { System.dealloc(ptr, layout) }
    }
}

/// Counting is on while it lives.
#[derive(Debug)]
pub(crate) struct Counting(());

impl Counting {
    pub(crate) fn start() -> Self {
        ON.store(true, Relaxed);
        Self(())
    }
}

impl Drop for Counting {
    fn drop(&mut self) {
        ON.store(false, Relaxed);
    }
}

/// How often something was allocated so far while counting.
pub(crate) fn allocations() -> u64 {
    CALLS.load(Relaxed)
}

/// What `make` returns and how many bytes it allocates. No other thread may be allocating.
pub(crate) fn bytes_allocated<T>(make: impl FnOnce() -> T) -> (T, u64) {
    let before = BYTES.load(Relaxed);
    let counting = Counting::start();
    let made = make();
    drop(counting);
    (made, BYTES.load(Relaxed) - before)
}
