//! What the handles of one basket share.

use core::fmt;

use crossbeam_utils::CachePadded;

use super::queue::Queue;
use super::queue::slab::{Slab, Storage};
use super::signal::Signal;
use crate::shim::atomic::{AtomicUsize, Ordering};

/// The shared part of a basket.
pub struct Shared<Q> {
    pub(super) queue: Q,
    /// Read and written around sleeps only.
    pub(super) signal: CachePadded<Signal>,
    offerers: AtomicUsize,
}

impl<Q> Shared<Q> {
    const_fn! {
        pub(super) const fn new(queue: Q) -> Self {
            Self {
                queue,
                signal: CachePadded::new(Signal::new()),
                offerers: AtomicUsize::new(0),
            }
        }
    }

    /// Counts one more offerer.
    pub(super) fn add_offerer(&self) {
        // ORDERING(basket.offerers): Relaxed — a new offerer comes from one that is counted; pairs
        // with (basket.offerers) in remove_offerer().
        self.offerers.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts one less; `true`: it was the last.
    pub(super) fn remove_offerer(&self) -> bool {
        // ORDERING(basket.offerers): AcqRel — all that other offerers did comes before the close that
        // the last one makes; pairs with itself. Relaxed dies in ordered::drops_carry_data.
        self.offerers.fetch_sub(1, Ordering::AcqRel) == 1
    }

    /// Refuses offers from now on; `false`: it was closed before.
    pub(super) fn close<T>(&self) -> bool
    where
        Q: Queue<T>,
    {
        let closed = self.queue.close();
        if closed == Some(true) {
            self.signal.wake();
        }
        closed.is_some()
    }
}

impl<T, S: Storage<T>> Shared<Slab<T, S>> {
    /// As new. Handles that were leaked leak the items in their hands.
    pub(super) fn reset(&mut self) {
        self.queue.reset();
        self.signal = CachePadded::new(Signal::new());
        self.offerers = AtomicUsize::new(0);
    }
}

impl<Q> fmt::Debug for Shared<Q> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Basket").finish_non_exhaustive()
    }
}
