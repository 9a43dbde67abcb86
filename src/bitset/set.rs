//! The set: single bits and ranges.

use core::fmt;
use core::ops::Range;

use super::look::Look;
use super::low_bits;
use super::storage::{Inline, Storage};
use super::summary::Summary as _;
use crate::shim::WORD_BITS;
use crate::shim::atomic::{AtomicUsize, Ordering};

/// A fixed number of bits, changed by any thread at any time. See the [module](super).
pub struct BitSet<S> {
    bits: usize,
    pub(super) storage: S,
}

/// A set of up to `WORDS` times [`WORD_BITS`](super::WORD_BITS) bits in itself: `const`, for statics
/// and structs, without an allocator.
pub type AtomicBitSet<const WORDS: usize> = BitSet<Inline<WORDS>>;

impl<const WORDS: usize> AtomicBitSet<WORDS> {
    const_fn! {
        /// All bits of the words, all clear.
        #[must_use]
        pub const fn new() -> Self {
            Self { bits: WORDS * WORD_BITS, storage: Inline::new() }
        }
    }

    const_fn! {
        /// So many bits, all clear.
        ///
        /// # Panics
        ///
        /// If they do not fit into the words; in a `const`, that is an error of the compiler's.
        #[must_use]
        pub const fn with_bits(bits: usize) -> Self {
            assert!(bits <= WORDS * WORD_BITS, "more bits than the words have");
            Self { bits, storage: Inline::new() }
        }
    }
}

impl<const WORDS: usize> Default for AtomicBitSet<WORDS> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(feature = "alloc")]
mod on_the_heap {
    use super::super::heap::{Heap, Large, Spread};
    use super::BitSet;

    /// A set on the heap, its words side by side.
    pub type HeapBitSet = BitSet<Heap>;

    /// A set on the heap, its words on cache lines of their own.
    pub type SpreadBitSet = BitSet<Spread>;

    /// A set on the heap with a summary, for thousands of bits.
    pub type LargeBitSet = BitSet<Large>;

    impl HeapBitSet {
        /// So many bits, all clear.
        ///
        /// # Panics
        ///
        /// If their memory cannot be counted. Where there is none the process ends, as with any allocation.
        #[must_use]
        pub fn new(bits: usize) -> Self {
            Self { bits, storage: Heap::new(bits) }
        }
    }

    impl SpreadBitSet {
        /// So many bits, all clear, over about so many cache lines of 128 bytes: as many as there are
        /// threads that use it at once, or a few more. (Zero counts as one; full words are the limit.)
        ///
        /// # Panics
        ///
        /// If their memory cannot be counted. Where there is none the process ends, as with any allocation.
        #[must_use]
        pub fn new(bits: usize, lines: usize) -> Self {
            Self { bits, storage: Spread::new(bits, lines) }
        }
    }

    impl LargeBitSet {
        /// So many bits, all clear.
        ///
        /// # Panics
        ///
        /// If their memory cannot be counted. Where there is none the process ends, as with any allocation.
        #[must_use]
        pub fn new(bits: usize) -> Self {
            Self { bits, storage: Large::new(bits) }
        }
    }
}

#[cfg(feature = "alloc")]
pub use on_the_heap::{HeapBitSet, LargeBitSet, SpreadBitSet};

/// A bit's word and its mask there.
pub(super) struct Place {
    pub(super) word: usize,
    pub(super) mask: usize,
}

impl<S: Storage> BitSet<S> {
    /// How many bits there are, set or clear.
    #[inline]
    #[must_use]
    pub const fn capacity(&self) -> usize {
        self.bits
    }

    /// Sets a bit. `true` if this call did; `false` if it was set.
    ///
    /// # Ordering
    ///
    /// AcqRel, whatever the answer, as [`clear`](Self::clear) and [`flip`](Self::flip): what happens
    /// before each change of a bit happens before what follows the next one.
    ///
    /// # Panics
    ///
    /// If there is no such bit.
    #[inline]
    pub fn set(&self, bit: usize) -> bool {
        let place = self.place(bit);
        // ORDERING(bitset.change): AcqRel — pairs with itself on the same word. Acquire alone
        // dies in bitset::changes_pass_data_on, Release alone in bitset::changes_of_nothing_pass_data_on.
        self.turn_on(place.word, place.mask, Ordering::AcqRel) & place.mask == 0
    }

    /// Clears a bit. `true` if this call did; `false` if it was clear.
    ///
    /// # Ordering
    ///
    /// As [`set`](Self::set).
    ///
    /// # Panics
    ///
    /// If there is no such bit.
    #[inline]
    pub fn clear(&self, bit: usize) -> bool {
        let place = self.place(bit);
        // ORDERING(bitset.change): AcqRel — see set().
        self.turn_off(place.word, place.mask, Ordering::AcqRel) & place.mask != 0
    }

    /// Changes a bit. `true` if it is set now.
    ///
    /// # Ordering
    ///
    /// As [`set`](Self::set).
    ///
    /// # Panics
    ///
    /// If there is no such bit.
    #[inline]
    pub fn flip(&self, bit: usize) -> bool {
        let place = self.place(bit);
        // ORDERING(bitset.change): AcqRel — see set().
        let order = S::Summary::order(Ordering::AcqRel);
        let was_clear =
            self.storage.word(place.word).fetch_xor(place.mask, order) & place.mask == 0;
        let now = if was_clear { Look::Set } else { Look::Clear };
        self.storage.summary().announce(now, place.word);
        was_clear
    }

    /// Sets a bit unless it is set. `true` if this call did.
    ///
    /// Cheap when it is set already: a load instead of a read-modify-write. Then it announces nothing:
    /// whoever clears the bit at this moment need not see what the caller did before. Where that
    /// matters use [`set`](Self::set).
    ///
    /// # Panics
    ///
    /// If there is no such bit.
    #[inline]
    pub fn ensure_set(&self, bit: usize) -> bool {
        !self.get(bit) && self.set(bit)
    }

    /// Clears a bit unless it is clear. `true` if this call did. As [`ensure_set`](Self::ensure_set).
    ///
    /// # Panics
    ///
    /// If there is no such bit.
    #[inline]
    pub fn ensure_clear(&self, bit: usize) -> bool {
        self.get(bit) && self.clear(bit)
    }

    /// Whether a bit is set.
    ///
    /// # Ordering
    ///
    /// Acquire: what happens before the change that is seen happens before what follows.
    ///
    /// # Panics
    ///
    /// If there is no such bit.
    #[inline]
    #[must_use]
    pub fn get(&self, bit: usize) -> bool {
        let place = self.place(bit);
        // ORDERING(bitset.look): Acquire — pairs with (bitset.change) in set() and (bitset.claim) in
        // release(). Relaxed dies in bitset::a_look_sees_what_came_before.
        self.storage.word(place.word).load(Ordering::Acquire) & place.mask != 0
    }

    /// Sets the bits of a range: word by word, not as one. How many this call set.
    ///
    /// # Ordering
    ///
    /// As [`set`](Self::set), for each bit.
    ///
    /// # Panics
    ///
    /// If the range goes beyond the last bit.
    pub fn set_range(&self, range: Range<usize>) -> usize {
        // ORDERING(bitset.change): AcqRel — see set().
        let turn_on = |word, mask| mask & !self.turn_on(word, mask, Ordering::AcqRel);
        self.in_range(range, turn_on)
    }

    /// Clears the bits of a range: word by word, not as one. How many this call cleared.
    ///
    /// # Ordering
    ///
    /// As [`set`](Self::set), for each bit.
    ///
    /// # Panics
    ///
    /// If the range goes beyond the last bit.
    pub fn clear_range(&self, range: Range<usize>) -> usize {
        // ORDERING(bitset.change): AcqRel — see set().
        let turn_off = |word, mask| mask & self.turn_off(word, mask, Ordering::AcqRel);
        self.in_range(range, turn_off)
    }

    /// Sets all bits; see [`set_range`](Self::set_range).
    pub fn set_all(&self) -> usize {
        self.set_range(0..self.bits)
    }

    /// Clears all bits; see [`clear_range`](Self::clear_range). [`drain`](Self::drain) says which.
    pub fn clear_all(&self) -> usize {
        self.clear_range(0..self.bits)
    }

    /// Changes the words of a range; `change` tells which bits it changed.
    fn in_range(&self, range: Range<usize>, change: impl Fn(usize, usize) -> usize) -> usize {
        assert!(range.end <= self.bits, "bits up to {} of {}", range.end, self.bits);
        if range.is_empty() {
            return 0;
        }
        let shift = self.storage.shift();
        let (first, last) = (range.start >> shift, (range.end - 1) >> shift);
        let changed = (first..=last).map(|word| {
            let base = word << shift;
            let upto = low_bits((range.end - base).min(1 << shift));
            let from = !low_bits(range.start.saturating_sub(base));
            change(word, upto & from).count_ones() as usize
        });
        changed.sum()
    }

    /// Where a bit is.
    #[inline(always)]
    #[track_caller]
    pub(super) fn place(&self, bit: usize) -> Place {
        assert!(bit < self.bits, "bit {bit} of {}", self.bits);
        let shift = self.storage.shift();
        Place { word: bit >> shift, mask: 1 << (bit & ((1 << shift) - 1)) }
    }

    /// How many words have bits.
    #[inline(always)]
    pub(super) fn words(&self) -> usize {
        self.bits.div_ceil(1 << self.storage.shift())
    }

    /// The bits of word `index` that exist.
    #[inline(always)]
    pub(super) fn existing(&self, index: usize) -> usize {
        let shift = self.storage.shift();
        low_bits((self.bits - (index << shift)).min(1 << shift))
    }

    #[inline(always)]
    pub(super) fn word(&self, index: usize) -> &AtomicUsize {
        self.storage.word(index)
    }

    /// Sets bits of a word; returns what it was.
    #[inline(always)]
    pub(super) fn turn_on(&self, word: usize, mask: usize, order: Ordering) -> usize {
        // ORDERING(bitset.change): the caller's, and SeqCst (C1) where a summary asks for it.
        let before = self.word(word).fetch_or(mask, S::Summary::order(order));
        self.storage.summary().announce(Look::Set, word);
        before
    }

    /// Clears bits of a word; returns what it was.
    #[inline(always)]
    pub(super) fn turn_off(&self, word: usize, mask: usize, order: Ordering) -> usize {
        // ORDERING(bitset.change): the caller's, and SeqCst (C1) where a summary asks for it.
        let before = self.word(word).fetch_and(!mask, S::Summary::order(order));
        self.storage.summary().announce(Look::Clear, word);
        before
    }
}

impl<S: Storage> fmt::Debug for BitSet<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
