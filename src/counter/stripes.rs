//! The cells: `N` stripes with `K` counts each. What they mean is the business of the types around.
//!
//! ```text
//! add:    cell += n          one read-modify-write: adds to one cell do not lose each other
//! sum:    Σ cell             one load each, in order
//! take:   Σ swap(cell, 0)    not a load and a store: an add in between would vanish
//! ```
//!
//! All of it is Relaxed. A count is passed on by nothing but itself, and that a load sees the adds
//! which happen before it, and no fewer than an earlier load, is coherence of that one cell.

use core::array;

use crossbeam_utils::CachePadded;

use crate::shim::atomic::{AtomicU64, Ordering};

pub(super) struct Stripes<const K: usize, const N: usize>([CachePadded<[AtomicU64; K]>; N]);

impl<const K: usize, const N: usize> Stripes<K, N> {
    const_fn! {
        /// All zero.
        #[inline]
        pub(super) const fn new() -> Self {
            const { assert!(N > 0, "a counter needs a stripe") };
            Self(array![CachePadded::new(array![AtomicU64::new(0); K]); N])
        }
    }

    /// The stripe of this number, whatever it is.
    #[inline(always)]
    pub(super) fn stripe(&self, number: usize) -> &[AtomicU64; K] {
        &self.0[number % N]
    }

    /// What count `k` comes to.
    #[inline]
    pub(super) fn sum(&self, k: usize) -> u64 {
        // ORDERING(counter.sum): Relaxed — see the module; pairs with (counter.add) and (counter.take).
        self.total(|stripe| stripe[k].load(Ordering::Relaxed))
    }

    /// Takes what count `k` comes to, each part of it once.
    #[inline]
    pub(super) fn take(&self, k: usize) -> u64 {
        // ORDERING(counter.take): Relaxed — one step with respect to (counter.add), whatever the order.
        self.total(|stripe| stripe[k].swap(0, Ordering::Relaxed))
    }

    /// What all counts come to.
    #[inline]
    pub(super) fn sums(&self) -> [u64; K] {
        array::from_fn(|k| self.sum(k))
    }

    #[inline(always)]
    fn total(&self, of: impl Fn(&[AtomicU64; K]) -> u64) -> u64 {
        self.0.iter().fold(0, |sum, stripe| sum.wrapping_add(of(stripe)))
    }
}

/// Adds to a cell that others add to as well.
#[inline(always)]
pub(super) fn add(cell: &AtomicU64, n: u64) {
    // ORDERING(counter.add): Relaxed — see the module; pairs with (counter.sum) and (counter.take).
    cell.fetch_add(n, Ordering::Relaxed);
}

/// What has been added since the total was `last`, which becomes the total now.
#[inline]
pub(super) fn since(last: &mut u64, total: u64) -> u64 {
    total.wrapping_sub(core::mem::replace(last, total))
}
