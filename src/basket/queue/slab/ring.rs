//! The ring of free slots: their numbers, handed from the drainer to the offerers.
//!
//! Only offerers move `claimed` and only the drainer moves `freed`; the numbers between them stand in
//! the slots' `free` fields. A place is written anew a lap later, which the drainer can do only when it
//! has got back a slot that was claimed after this one.

use crossbeam_utils::CachePadded;

use super::laps::Laps;
use super::slot::Slot;
use crate::shim::atomic::{AtomicUsize, Ordering, fence};

pub(super) struct Ring {
    /// Position of the next free slot. Offerers move it.
    claimed: CachePadded<AtomicUsize>,
    /// Position behind the last free slot. The drainer moves it.
    freed: CachePadded<AtomicUsize>,
}

/// What an offerer to a slab keeps: a position that `freed` had reached.
#[derive(Debug)]
pub struct SeenFreed(pub(super) usize);

impl Ring {
    const_fn! {
        /// With all of `len` slots free.
        pub(super) const fn new(len: usize) -> Self {
            Self {
                claimed: CachePadded::new(AtomicUsize::new(0)),
                freed: CachePadded::new(AtomicUsize::new(Laps::new(len).one)),
            }
        }
    }

    /// How many slots are free, at some moment.
    pub(super) fn room<T>(&self, slots: &[Slot<T>]) -> usize {
        // ORDERING(slab.guess): Relaxed — an answer about some moment; pairs with the writes in claim()
        // and put_back().
        let claimed = self.claimed.load(Ordering::Relaxed);
        let freed = self.freed.load(Ordering::Relaxed);
        Laps::new(slots.len()).distance(claimed, freed)
    }

    /// Takes a free slot.
    pub(super) fn claim<T>(&self, slots: &[Slot<T>], seen: &mut SeenFreed) -> Option<usize> {
        let laps = Laps::new(slots.len());
        // ORDERING(slab.guess): Relaxed — the exchange decides; pairs with it.
        let mut position = self.claimed.load(Ordering::Relaxed);
        loop {
            if laps.distance(position, seen.0) == 0 {
                // ORDERING(slab.free): Acquire — the drainer is done with every slot before that
                // position, and their numbers are in the ring; pairs with (slab.free) in put_back().
                // Relaxed dies in fixed::reuse.
                seen.0 = self.freed.load(Ordering::Acquire);
                if laps.distance(position, seen.0) == 0 {
                    return None;
                }
            }
            let place = laps.place(position);
            // ORDERING(slab.number): Relaxed — published by `freed`; if the drainer writes it anew
            // meanwhile, the exchange fails. Pairs with (slab.number) in put_back().
            let slot = slots[place].free.load(Ordering::Relaxed) ^ place;
            // ORDERING(slab.claim): AcqRel — Release keeps the load above before it, and Acquire passes
            // that on from claim to claim to the publish, so the drainer writes this place anew only
            // after we read it; pairs with itself and with (basket.publish). No model can see it: a load
            // that is late is not explored. Litmus in docs/proofs/basket.md.
            match self.claimed.compare_exchange_weak(
                position,
                laps.after(position),
                Ordering::AcqRel,
                Ordering::Relaxed,
            ) {
                Ok(_) => return Some(slot),
                Err(current) => position = current,
            }
        }
    }

    /// After a claim that found nothing: sees what the makers of the claims before had given back.
    pub(super) fn see_claims() {
        // ORDERING(slab.claim): Acquire fence — the ring was found empty by reading the last claim: slots
        // that its maker had given back before are seen after this. Pairs with (slab.claim) in claim().
        // Without it fixed::close_against_offers dies.
        fence(Ordering::Acquire);
    }

    /// Drainer: puts free slots back.
    pub(super) fn put_back<T>(&self, slots: &[Slot<T>], numbers: impl Iterator<Item = usize>) {
        let laps = Laps::new(slots.len());
        // ORDERING(slab.free): Relaxed — only the drainer writes it; pairs with the store below.
        let mut position = self.freed.load(Ordering::Relaxed);
        for number in numbers {
            let place = laps.place(position);
            // ORDERING(slab.number): Relaxed — published by the store below; pairs with (slab.number)
            // in claim().
            slots[place].free.store(number ^ place, Ordering::Relaxed);
            position = laps.after(position);
        }
        // ORDERING(slab.free): Release — we are done with those slots, and their numbers are in the
        // ring; pairs with (slab.free) in claim(). Relaxed dies in fixed::reuse.
        self.freed.store(position, Ordering::Release);
    }

    /// All slots free, as new.
    pub(super) fn reset<T>(&mut self, slots: &[Slot<T>]) {
        *self = Self::new(slots.len());
        for slot in slots {
            // ORDERING(slab.number): Relaxed — nobody else uses it.
            slot.free.store(0, Ordering::Relaxed);
        }
    }
}
