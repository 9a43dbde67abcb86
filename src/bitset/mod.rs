//! Sets of bits that any thread changes: slots to claim, news to take, flags.
//!
//! | form | where its words are | for |
//! |---|---|---|
//! | [`AtomicBitSet<WORDS>`](AtomicBitSet) | in itself | statics, structs, no allocator |
//! | [`HeapBitSet`] | on the heap, side by side | a length that is known at run time |
//! | [`SpreadBitSet`] | on cache lines of their own | threads that claim and release all the time |
//! | [`LargeBitSet`] | side by side, under a summary | thousands of bits |
//!
//! All are a [`BitSet`] and do the same. [`SlotSet`] puts waiting on top: a claim that finds every slot
//! taken sleeps until one is handed to it.
//!
//! A bit can be used in three ways, and a bit should be used in one:
//!
//! * as a **flag**: [`set`](BitSet::set), [`clear`](BitSet::clear), [`flip`](BitSet::flip),
//!   [`get`](BitSet::get);
//! * as a **slot**, free while it is clear: [`claim`](BitSet::claim), [`release`](BitSet::release);
//! * as **news**, for somebody while it is set: [`set`](BitSet::set), [`take_any`](BitSet::take_any),
//!   [`take_word`](BitSet::take_word), [`drain`](BitSet::drain).
//!
//! # Ordering
//!
//! A claim is Acquire and a release is Release: what is done with a slot needs nothing else. Flags and
//! news are AcqRel, changed or not, so that a setter which finds the bit set knows that whoever takes it
//! will see what the setter did before. A look is Acquire. A [`LargeBitSet`] makes every change SeqCst,
//! which its summary needs.
//!
//! # Concurrency
//!
//! One bit is one atomic thing, and so are the bits that one call changes in one word
//! ([`claim_many`](BitSet::claim_many), [`take_word`](BitSet::take_word)). Calls that cover several
//! words, [`count`](BitSet::count) and iterators among them, are not: each word is as it was at some
//! moment during the call. A search finds a bit that is as it should be throughout the call, if there is
//! one.
//!
//! All operations are lock-free; those on one bit that cannot fail are wait-free where the machine has
//! the instruction. Nothing here allocates after a set is made, and only [`SlotSet`] waits.
//!
//! # Fork
//!
//! In a forked child the bits are as they were at the fork and work as before. A [`SlotSet`] that other
//! threads were using does not: waiters that the child does not have stand in its list, and its lock may
//! be held. Make a new one there.
//!
//! # Cost
//!
//! A change costs one read-modify-write; in a [`LargeBitSet`] two more loads. A set has [`WORD_BITS`]
//! bits in a word, and a [`SpreadBitSet`] 128 bytes for each word. Give threads hints of their own
//! ([`Hint::of_this_thread`]) and they keep to different words. In a set that is nearly full a search
//! looks at every word, but in a [`LargeBitSet`] at a few.
//!
//! # Examples
//!
//! ```
//! use reveille::AtomicBitSet;
//! use reveille::bitset::{Hint, words_for};
//!
//! static SLOTS: AtomicBitSet<{ words_for(100) }> = AtomicBitSet::with_bits(100);
//!
//! let mut hint = Hint::of_this_thread();
//! let slot = SLOTS.claim(&mut hint).expect("nobody else has claimed any");
//! assert!(SLOTS.get(slot));
//! assert!(SLOTS.release(slot));
//! assert!(!SLOTS.release(slot), "only once");
//! ```
//!
//! # Source
//!
//! Linux's `sbitmap` for words that are spread and hints that stick; folly's `ConcurrentBitSet` for the
//! flags. The summary's handshake and the hand-off are ours. Proof: `docs/proofs/bitset.md`.

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
