//! Values whose lives are counted.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicIsize, AtomicUsize, Ordering};

#[derive(Default)]
struct Counts {
    made: AtomicUsize,
    dropped: AtomicUsize,
    live: AtomicIsize,
}

/// Makes values and knows what became of them.
#[derive(Clone, Default)]
pub(crate) struct Ledger(Arc<Counts>);

/// A value that a ledger counts. It owns memory, so a second drop is a second free.
pub(crate) struct Tracked {
    ledger: Ledger,
    number: Box<u64>,
}

const DROPPED: u64 = u64::MAX;

impl Ledger {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn make(&self, number: u64) -> Tracked {
        self.0.made.fetch_add(1, Ordering::Relaxed);
        self.0.live.fetch_add(1, Ordering::Relaxed);
        Tracked { ledger: self.clone(), number: Box::new(number) }
    }

    pub(crate) fn made(&self) -> usize {
        self.0.made.load(Ordering::SeqCst)
    }

    pub(crate) fn dropped(&self) -> usize {
        self.0.dropped.load(Ordering::SeqCst)
    }

    pub(crate) fn live(&self) -> isize {
        self.0.live.load(Ordering::SeqCst)
    }

    /// Fails unless every value was dropped, once.
    #[track_caller]
    pub(crate) fn settle(&self) {
        assert_eq!(self.live(), 0, "{} made, {} dropped", self.made(), self.dropped());
        assert_eq!(self.made(), self.dropped());
    }
}

impl Tracked {
    /// Another value for the same ledger.
    pub(crate) fn again(&self, number: u64) -> Self {
        self.ledger.make(number)
    }

    pub(crate) fn number(&self) -> u64 {
        *self.number
    }
}

impl Drop for Tracked {
    fn drop(&mut self) {
        assert_ne!(*self.number, DROPPED, "dropped twice");
        *self.number = DROPPED;
        self.ledger.0.dropped.fetch_add(1, Ordering::SeqCst);
        self.ledger.0.live.fetch_sub(1, Ordering::SeqCst);
    }
}

impl fmt::Debug for Tracked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tracked({})", self.number)
    }
}
