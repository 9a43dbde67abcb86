//! Bits that any thread sets, clears, claims, takes.

mod claim;
#[cfg(feature = "alloc")]
mod heap;
mod hint;
mod iter;
mod look;
mod set;
mod slots;
mod storage;
mod summary;
mod word_set;

pub use hint::{Hint, SharedHint};
pub use iter::{Drain, Iter};
pub use set::{AtomicBitSet, BitSet};
pub use slots::{ClaimError, Claiming, Slot, SlotSet};
pub use storage::{Inline, Storage};
pub use word_set::WordSet;

#[cfg(feature = "alloc")]
pub use heap::{Heap, Large, Spread};
#[cfg(feature = "alloc")]
pub use set::{HeapBitSet, LargeBitSet, SpreadBitSet};

/// Bits in a word of a set.
pub const WORD_BITS: usize = crate::shim::WORD_BITS;

/// How many words hold so many bits: the parameter of an [`AtomicBitSet`].
#[must_use]
pub const fn words_for(bits: usize) -> usize {
    bits.div_ceil(WORD_BITS)
}

/// A word whose lowest `count` bits are set.
#[inline(always)]
const fn low_bits(count: usize) -> usize {
    if count >= usize::BITS as usize { usize::MAX } else { (1 << count) - 1 }
}
