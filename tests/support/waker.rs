//! Wakers that are looked at.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Wake, Waker};

/// Counts how often it was fired, and through its `Arc` how many wakers there are.
#[derive(Default)]
pub(crate) struct CountingWaker {
    wakes: AtomicUsize,
}

impl CountingWaker {
    pub(crate) fn new() -> Arc<Self> {
        Arc::default()
    }

    pub(crate) fn waker(self: &Arc<Self>) -> Waker {
        Arc::clone(self).into()
    }

    pub(crate) fn wakes(&self) -> usize {
        self.wakes.load(Ordering::SeqCst)
    }

    /// How many wakers of this kind exist.
    pub(crate) fn wakers(self: &Arc<Self>) -> usize {
        Arc::strong_count(self) - 1
    }
}

impl Wake for CountingWaker {
    fn wake(self: Arc<Self>) {
        self.wakes.fetch_add(1, Ordering::SeqCst);
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.wakes.fetch_add(1, Ordering::SeqCst);
    }
}

struct PanickingWaker;

impl Wake for PanickingWaker {
    fn wake(self: Arc<Self>) {
        panic!("the waker panics");
    }
}

/// A waker that panics when it is fired.
pub(crate) fn panicking_waker() -> Waker {
    Arc::new(PanickingWaker).into()
}
