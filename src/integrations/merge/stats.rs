//! What a sender has done.

use crate::shim::atomic::{AtomicUsize, Ordering};

/// Counts of a sender since it was made. Each is right; together they are no snapshot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Times that the sink was called.
    pub batches: usize,
    /// Messages in those batches; a message that was blocked counts each time.
    pub messages: usize,
    /// Messages in the largest of them.
    pub largest_batch: usize,
    /// Times that the sink failed or panicked.
    pub failures: usize,
    /// Times that the thread went to sleep.
    pub sleeps: usize,
}

/// The counters behind it, which only the sender's thread changes.
#[derive(Default)]
pub(super) struct Counters {
    batches: AtomicUsize,
    messages: AtomicUsize,
    largest_batch: AtomicUsize,
    failures: AtomicUsize,
    sleeps: AtomicUsize,
}

fn add(counter: &AtomicUsize, more: usize) {
    // ORDERING(merge.stats): Relaxed — one thread writes, and a count stands for itself; pairs with
    // the loads in read().
    counter.store(counter.load(Ordering::Relaxed).wrapping_add(more), Ordering::Relaxed);
}

impl Counters {
    pub(super) fn batch(&self, messages: usize) {
        add(&self.batches, 1);
        add(&self.messages, messages);
        // ORDERING(merge.stats): Relaxed — as in add().
        let largest = self.largest_batch.load(Ordering::Relaxed);
        if messages > largest {
            add(&self.largest_batch, messages - largest);
        }
    }

    pub(super) fn failure(&self) {
        add(&self.failures, 1);
    }

    pub(super) fn sleep(&self) {
        add(&self.sleeps, 1);
    }

    pub(super) fn read(&self) -> Stats {
        // ORDERING(merge.stats): Relaxed — as in add().
        let read = |counter: &AtomicUsize| counter.load(Ordering::Relaxed);
        Stats {
            batches: read(&self.batches),
            messages: read(&self.messages),
            largest_batch: read(&self.largest_batch),
            failures: read(&self.failures),
            sleeps: read(&self.sleeps),
        }
    }
}
