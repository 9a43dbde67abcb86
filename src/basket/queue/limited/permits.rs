//! Room in a bounded basket, counted in items or in weight.
//!
//! Two counters that only their own side moves: offerers move `claimed`, the drainer moves `freed`,
//! and what is in use is the difference. So the drainer gives room back with a plain store.

use crossbeam_utils::CachePadded;

use crate::parker::WaitList;
use crate::shim::atomic::{AtomicUsize, Ordering};
use crate::spin::Backoff;

pub(crate) struct Permits {
    claimed: CachePadded<AtomicUsize>,
    freed: CachePadded<AtomicUsize>,
    limit: usize,
    /// Offerers that wait for room.
    pub(crate) waits: WaitList<()>,
}

/// What an offerer keeps: a value that `freed` had reached.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SeenFreed(usize);

impl Permits {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            claimed: CachePadded::new(AtomicUsize::new(0)),
            freed: CachePadded::new(AtomicUsize::new(0)),
            limit,
            waits: WaitList::new(()),
        }
    }

    pub(crate) const fn limit(&self) -> usize {
        self.limit
    }

    /// How much is in use, never more than the limit.
    pub(crate) fn used(&self) -> usize {
        // ORDERING(permits.count): Relaxed — an answer about some moment; pairs with the writes in
        // claim(), give_back() and free().
        let freed = self.freed.load(Ordering::Relaxed);
        let claimed = self.claimed.load(Ordering::Relaxed);
        (claimed.wrapping_sub(freed)).min(self.limit)
    }

    pub(crate) fn has_room(&self, wanted: usize) -> bool {
        self.used() <= self.limit - wanted
    }

    /// Claims room for `wanted`, which is not more than the limit.
    #[inline]
    pub(crate) fn claim(&self, seen: &mut SeenFreed, wanted: usize) -> bool {
        let mut backoff = Backoff::new();
        // ORDERING(permits.count): Relaxed — the exchange decides; a give-back or free that happened
        // before is seen by coherence. Pairs with the writes in give_back() and free().
        let mut claimed = self.claimed.load(Ordering::Relaxed);
        loop {
            let fits = |freed: usize| claimed.wrapping_sub(freed) <= self.limit - wanted;
            if !fits(seen.0) {
                // ORDERING(permits.count): Relaxed — room is a number: what is put in it is ordered by
                // the queue's own words. Pairs with free().
                seen.0 = self.freed.load(Ordering::Relaxed);
            }
            if !fits(seen.0) {
                // The count of claims may be an old one, even older than `freed`: the difference wraps
                // then, and a basket that was never full looks full. A read-modify-write reads the newest.
                // ORDERING(permits.count): Relaxed — as above.
                let newest = self.claimed.fetch_add(0, Ordering::Relaxed);
                if newest == claimed {
                    return false;
                }
                claimed = newest;
                continue;
            }
            // ORDERING(permits.count): Relaxed — as above.
            match self.claimed.compare_exchange_weak(
                claimed,
                claimed.wrapping_add(wanted),
                Ordering::Relaxed,
                Ordering::Relaxed,
            ) {
                Ok(_) => return true,
                Err(current) => {
                    claimed = current;
                    backoff.pause();
                }
            }
        }
    }

    /// Gives back what was claimed and not used, from any thread, and serves the next that wait.
    #[cold]
    pub(crate) fn give_back(&self, unused: usize) {
        // ORDERING(permits.count): Relaxed — a number; pairs with the loads in claim().
        self.claimed.fetch_sub(unused, Ordering::Relaxed);
        self.pass_on();
    }

    /// Drainer: what was in use is free.
    #[inline]
    pub(crate) fn free(&self, unused: usize) {
        // ORDERING(permits.count): Relaxed — only the drainer writes it, and it is a number; pairs with
        // the loads in claim() and used().
        let freed = self.freed.load(Ordering::Relaxed);
        self.freed.store(freed.wrapping_add(unused), Ordering::Relaxed);
    }

    /// Serves the next that wait, if there is room for them: tasks, and the first thread after them.
    pub(crate) fn pass_on(&self) {
        let mut seen = SeenFreed::default();
        self.waits.serve_next(|(), wanted| self.claim(&mut seen, wanted).then_some(wanted));
    }

    /// Serves those that wait while there is room.
    pub(crate) fn serve(&self) {
        let mut seen = SeenFreed::default();
        self.waits.serve(|(), wanted| self.claim(&mut seen, wanted).then_some(wanted));
    }
}
