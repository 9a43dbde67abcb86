//! The peers' sets of free slots.

use std::sync::Mutex;

use crossbeam_queue::{ArrayQueue, SegQueue};
use crossbeam_utils::CachePadded;
use fixedbitset::FixedBitSet;
use index_set::{AtomicBitSet, SharedBitSet as _};

use super::subject::Slots;

/// `index_set::AtomicBitSet`: 16 words, which is its way to have 1024 bits.
pub(super) struct IndexSet(CachePadded<AtomicBitSet<16>>);

impl Slots for IndexSet {
    const NAME: &'static str = "index-set";
    type Hint = ();

    fn new(slots: usize) -> Self {
        assert_eq!(slots, 1024, "its size is part of its type");
        Self(CachePadded::new(AtomicBitSet::new()))
    }

    fn hint(_: usize) {}

    fn claim(&self, (): &mut ()) -> usize {
        self.0.set_next_free_bit().expect("there are more slots than claims")
    }

    fn release(&self, slot: usize) {
        assert_eq!(self.0.remove(slot), Some(true), "it was claimed");
    }
}

/// A bit set under a lock; set bits are free. The search begins where the last one ended.
pub(super) struct Locked(Mutex<(FixedBitSet, usize)>);

impl Slots for Locked {
    const NAME: &'static str = "mutex-fixedbitset";
    type Hint = ();

    fn new(slots: usize) -> Self {
        let mut free = FixedBitSet::with_capacity(slots);
        free.insert_range(..);
        Self(Mutex::new((free, 0)))
    }

    fn hint(_: usize) {}

    fn claim(&self, (): &mut ()) -> usize {
        let (free, last) = &mut *self.0.lock().expect("nothing panics under it");
        let slot = if free.contains(*last) {
            *last
        } else {
            free.minimum().expect("there are more slots than claims")
        };
        free.remove(slot);
        *last = slot;
        slot
    }

    fn release(&self, slot: usize) {
        self.0.lock().expect("nothing panics under it").0.insert(slot);
    }
}

/// Indices of free slots in a bounded queue.
pub(super) struct Array(ArrayQueue<usize>);

impl Slots for Array {
    const NAME: &'static str = "array-queue";
    type Hint = ();

    fn new(slots: usize) -> Self {
        let free = ArrayQueue::new(slots);
        (0..slots).for_each(|slot| free.push(slot).expect("it has room for all"));
        Self(free)
    }

    fn hint(_: usize) {}

    fn claim(&self, (): &mut ()) -> usize {
        self.0.pop().expect("there are more slots than claims")
    }

    fn release(&self, slot: usize) {
        self.0.push(slot).expect("it has room for all");
    }
}

/// Indices of free slots in an unbounded queue.
pub(super) struct Segments(SegQueue<usize>);

impl Slots for Segments {
    const NAME: &'static str = "seg-queue";
    type Hint = ();

    fn new(slots: usize) -> Self {
        let free = SegQueue::new();
        (0..slots).for_each(|slot| free.push(slot));
        Self(free)
    }

    fn hint(_: usize) {}

    fn claim(&self, (): &mut ()) -> usize {
        self.0.pop().expect("there are more slots than claims")
    }

    fn release(&self, slot: usize) {
        self.0.push(slot);
    }
}

/// Indices of free slots in a stack under a lock.
pub(super) struct Stack(Mutex<Vec<usize>>);

impl Slots for Stack {
    const NAME: &'static str = "mutex-vec";
    type Hint = ();

    fn new(slots: usize) -> Self {
        Self(Mutex::new((0..slots).collect()))
    }

    fn hint(_: usize) {}

    fn claim(&self, (): &mut ()) -> usize {
        let mut free = self.0.lock().expect("nothing panics under it");
        free.pop().expect("there are more slots than claims")
    }

    fn release(&self, slot: usize) {
        self.0.lock().expect("nothing panics under it").push(slot);
    }
}
