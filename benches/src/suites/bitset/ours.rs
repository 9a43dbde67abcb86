//! `reveille`'s sets.

use reveille::bitset::{HeapBitSet, Hint, LargeBitSet, SlotSet, Spread, SpreadBitSet};

use super::subject::Slots;

/// Whole words on lines of their own.
const LINES: usize = 1;

macro_rules! plain {
    ($($set:ty, $name:literal, $new:expr;)*) => { $(
        impl Slots for $set {
            const NAME: &'static str = $name;
            type Hint = Hint;

            fn new(slots: usize) -> Self {
                ($new)(slots)
            }

            fn hint(thread: usize) -> Hint {
                Hint::of_owner(thread)
            }

            fn claim(&self, hint: &mut Hint) -> usize {
                Self::claim(self, hint).expect("there are more slots than claims")
            }

            fn release(&self, slot: usize) {
                assert!(Self::release(self, slot), "it was claimed");
            }
        }
    )* };
}

plain! {
    SpreadBitSet, "reveille", |slots| Self::new(slots, LINES);
    HeapBitSet, "reveille:dense", Self::new;
    LargeBitSet, "reveille:large", Self::new;
}

/// With waiting, though nobody waits here.
pub(super) struct Waited(SlotSet<Spread>);

impl Slots for Waited {
    const NAME: &'static str = "reveille:slots";
    type Hint = Hint;

    fn new(slots: usize) -> Self {
        Self(SlotSet::new(SpreadBitSet::new(slots, LINES)))
    }

    fn hint(thread: usize) -> Hint {
        Hint::of_owner(thread)
    }

    fn claim(&self, hint: &mut Hint) -> usize {
        self.0.try_claim(hint).expect("there are more slots than claims").into_index()
    }

    fn release(&self, slot: usize) {
        assert!(self.0.release(slot), "it was claimed");
    }
}
