//! A start line, so that a measured stretch begins with every thread awake.
//!
//! Threads wait by giving up the CPU again and again: those that share one get to the line without
//! waiting for each other's time slices, and the kernel brings the CPU time of whoever yields up to
//! date, so that a window opened now does not count what was used before.

use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

/// Closed at first.
#[derive(Debug, Default)]
pub(crate) struct Gate {
    waiting: AtomicUsize,
    open: AtomicBool,
}

impl Gate {
    /// Waits until it is open.
    pub(crate) fn pass(&self) {
        self.waiting.fetch_add(1, Ordering::Release);
        while !self.open.load(Ordering::Acquire) {
            thread::yield_now();
        }
    }

    /// Waits until so many threads stand before it.
    pub(crate) fn gather(&self, threads: usize) {
        while self.waiting.load(Ordering::Acquire) < threads {
            thread::yield_now();
        }
    }

    pub(crate) fn open(&self) {
        self.open.store(true, Ordering::Release);
    }
}
