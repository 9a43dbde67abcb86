//! Single bits and ranges: answers, edges, panics.

use std::panic::catch_unwind;

use reveille::AtomicBitSet;
use reveille::bitset::{BitSet, Storage, WORD_BITS, words_for};

/// Sizes around the borders of words.
pub(crate) const SIZES: [usize; 14] = [0, 1, 31, 32, 33, 63, 64, 65, 127, 128, 129, 191, 200, 1000];

/// Runs `test` on a set of each kind with so many bits.
pub(crate) fn on_each_kind(bits: usize, test: impl EachKind) {
    test.run(&AtomicBitSet::<{ words_for(1024) }>::with_bits(bits));
    #[cfg(feature = "alloc")]
    {
        use reveille::bitset::{HeapBitSet, LargeBitSet, SpreadBitSet};
        test.run(&HeapBitSet::new(bits));
        test.run(&SpreadBitSet::new(bits, 4));
        test.run(&SpreadBitSet::new(bits, 1000));
        test.run(&LargeBitSet::new(bits));
    }
}

/// A test that is generic over the kind of set.
pub(crate) trait EachKind {
    fn run<S: Storage + Sync + std::panic::RefUnwindSafe>(&self, set: &BitSet<S>);
}

struct Answers;

impl EachKind for Answers {
    fn run<S: Storage + Sync + std::panic::RefUnwindSafe>(&self, set: &BitSet<S>) {
        for bit in 0..set.capacity() {
            assert!(!set.get(bit));
            assert!(set.set(bit), "this call set it");
            assert!(!set.set(bit), "it was set");
            assert!(set.get(bit));
            assert!(!set.ensure_set(bit));
            assert!(set.clear(bit), "this call cleared it");
            assert!(!set.clear(bit), "it was clear");
            assert!(!set.ensure_clear(bit));
            assert!(set.ensure_set(bit));
            assert!(set.ensure_clear(bit));
            assert!(set.flip(bit), "it is set now");
            assert!(!set.flip(bit), "it is clear now");
            assert_eq!(set.count(), 0, "bit {bit} left something behind");
        }
    }
}

#[test]
fn each_answer_is_about_this_call_and_this_bit() {
    SIZES.iter().for_each(|&bits| on_each_kind(bits, Answers));
}

struct Beyond;

impl EachKind for Beyond {
    fn run<S: Storage + Sync + std::panic::RefUnwindSafe>(&self, set: &BitSet<S>) {
        let bits = set.capacity();
        for full in [false, true] {
            if full {
                set.set_all();
            }
            for bit in [bits, bits + 63, bits + WORD_BITS, usize::MAX] {
                assert!(catch_unwind(|| set.set(bit)).is_err());
                assert!(catch_unwind(|| set.clear(bit)).is_err());
                assert!(catch_unwind(|| set.flip(bit)).is_err());
                assert!(catch_unwind(|| set.get(bit)).is_err());
                assert!(catch_unwind(|| set.ensure_set(bit)).is_err());
                assert!(catch_unwind(|| set.ensure_clear(bit)).is_err());
                assert!(catch_unwind(|| set.claim_at(bit)).is_err());
                assert!(catch_unwind(|| set.release(bit)).is_err());
                assert!(catch_unwind(|| set.set_range(0..bit.max(bits + 1))).is_err());
                assert!(catch_unwind(|| set.clear_range(0..bit.max(bits + 1))).is_err());
                assert_eq!(set.next_set(bit), None);
                assert_eq!(set.next_clear(bit), None);
            }
            assert_eq!(set.count(), if full { bits } else { 0 }, "nothing else changed");
        }
    }
}

#[test]
fn c18_bits_beyond_the_end_panic_and_change_nothing() {
    SIZES.iter().for_each(|&bits| on_each_kind(bits, Beyond));
}

#[test]
fn c18_no_aliases_across_the_border_of_a_word() {
    let set = AtomicBitSet::<{ words_for(128) }>::new();
    set.set(33);
    assert!(!set.get(1));
    set.set(64);
    assert!(!set.get(0));
    assert_eq!(set.iter().collect::<Vec<_>>(), [33, 64]);
}

struct Ranges;

impl EachKind for Ranges {
    fn run<S: Storage + Sync + std::panic::RefUnwindSafe>(&self, set: &BitSet<S>) {
        let bits = set.capacity();
        for (start, end) in [(0, bits), (0, 1), (bits / 3, bits / 2), (bits - 1, bits), (5, 5)] {
            assert_eq!(set.set_range(start..end), end - start);
            assert_eq!(set.set_range(start..end), 0, "they were set");
            assert!(set.iter().eq(start..end));
            assert_eq!(set.clear_range(start..end), end - start);
            assert_eq!(set.clear_range(start..end), 0, "they were clear");
        }
        assert_eq!(set.set_all(), bits);
        assert_eq!(set.count(), bits);
        assert_eq!(set.clear_all(), bits);
        assert!(!set.any());
        #[expect(clippy::reversed_empty_ranges, reason = "it is empty, and no error")]
        let reversed = set.set_range(3..1);
        assert_eq!(reversed, 0);
    }
}

#[test]
fn ranges_change_their_bits_and_no_others() {
    [6, 33, 64, 65, 128, 200, 1000].into_iter().for_each(|bits| on_each_kind(bits, Ranges));
}

#[test]
fn inline_sets_know_what_fits() {
    assert_eq!(words_for(0), 0);
    assert_eq!(words_for(1), 1);
    assert_eq!(words_for(WORD_BITS), 1);
    assert_eq!(words_for(WORD_BITS + 1), 2);
    assert_eq!(AtomicBitSet::<2>::new().capacity(), 2 * WORD_BITS);
    assert_eq!(AtomicBitSet::<0>::new().capacity(), 0);
    assert!(catch_unwind(|| AtomicBitSet::<1>::with_bits(WORD_BITS + 1)).is_err());
}

#[test]
fn debug_shows_the_set_bits() {
    let set = AtomicBitSet::<1>::with_bits(10);
    set.set(3);
    set.set(7);
    assert_eq!(format!("{set:?}"), "{3, 7}");
}
