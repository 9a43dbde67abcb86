//! Claims and releases by one thread: which bit, in which order, how often.

use std::panic::{RefUnwindSafe, catch_unwind};

use reveille::AtomicBitSet;
use reveille::bitset::{BitSet, Hint, SharedHint, Storage, WORD_BITS};

use crate::bits::{EachKind, SIZES, on_each_kind};

struct All(Hint);

impl EachKind for All {
    fn run<S: Storage + Sync + RefUnwindSafe>(&self, set: &BitSet<S>) {
        let mut hint = self.0;
        for _ in 0..2 {
            let mut claimed: Vec<_> = std::iter::from_fn(|| set.claim(&mut hint)).collect();
            assert_eq!(set.claim(&mut hint), None);
            assert_eq!(set.claim_many(&mut hint, 3), None);
            assert_eq!(set.count(), set.capacity());
            claimed.sort_unstable();
            assert!(claimed.iter().copied().eq(0..set.capacity()), "each once: {claimed:?}");
            assert!(claimed.into_iter().all(|bit| set.release(bit)));
            assert_eq!(set.count(), 0);
        }
    }
}

#[test]
fn c18_claims_hand_out_each_bit_once_whatever_the_size_and_the_hint() {
    let hints = [
        Hint::default(),
        Hint::sticky(40),
        Hint::rotating(63),
        Hint::rotating(usize::MAX),
        Hint::lowest(),
        Hint::of_owner(3),
    ];
    for bits in SIZES {
        hints.into_iter().for_each(|hint| on_each_kind(bits, All(hint)));
    }
}

struct LastOne;

impl EachKind for LastOne {
    fn run<S: Storage + Sync + RefUnwindSafe>(&self, set: &BitSet<S>) {
        set.set_all();
        for bit in 0..set.capacity() {
            assert!(set.release(bit));
            // From in front of it, from behind it, and from where it is.
            let hints = [Hint::lowest(), Hint::sticky(bit), Hint::rotating(bit + 1)];
            for mut hint in hints {
                assert_eq!(set.claim(&mut hint), Some(bit));
                assert!(set.release(bit));
            }
            assert!(set.claim_at(bit));
        }
    }
}

#[test]
fn the_only_clear_bit_is_found_wherever_it_is() {
    [1, 64, 65, 129, 1000].into_iter().for_each(|bits| on_each_kind(bits, LastOne));
}

#[test]
fn hints_say_where_the_next_search_begins() {
    let set = AtomicBitSet::<2>::with_bits(WORD_BITS + 8);
    let claim_and_release = |hint: &mut Hint| {
        let bit = set.claim(hint).unwrap();
        set.release(bit);
        bit
    };
    let mut sticky = Hint::sticky(5);
    assert_eq!([0; 3].map(|_| claim_and_release(&mut sticky)), [5, 5, 5]);
    let mut rotating = Hint::rotating(WORD_BITS + 6);
    let last = WORD_BITS + 7;
    assert_eq!([0; 3].map(|_| claim_and_release(&mut rotating)), [last - 1, last, 0]);
    let mut lowest = Hint::lowest();
    assert_eq!([0; 3].map(|_| claim_and_release(&mut lowest)), [0, 0, 0]);
    let shared = SharedHint::new();
    assert_eq!([0; 3].map(|_| claim_and_release(&mut shared.next(set.capacity()))), [0, 1, 2]);
    assert_eq!(shared.next(0), Hint::rotating(0));

    // Owners begin far from each other.
    let firsts: Vec<_> =
        (0..4).map(|owner| claim_and_release(&mut Hint::of_owner(owner))).collect();
    for (n, a) in firsts.iter().enumerate() {
        assert!(firsts[..n].iter().all(|b| a.abs_diff(*b) >= 9), "{firsts:?}");
    }
}

#[test]
fn many_at_once_come_from_one_word() {
    let set = AtomicBitSet::<2>::with_bits(WORD_BITS + 3);
    let mut hint = Hint::sticky(WORD_BITS - 2);
    assert_eq!(set.claim_many(&mut hint, 0), None);
    let four = set.claim_many(&mut hint, 4).unwrap();
    assert_eq!(four.len(), 4);
    let bits: Vec<_> = four.clone().collect();
    assert_eq!(
        bits,
        [0, 1, WORD_BITS - 2, WORD_BITS - 1],
        "those from the hint on, then the first"
    );
    let rest = set.claim_many(&mut hint, usize::MAX).unwrap();
    assert_eq!(rest.len(), WORD_BITS - 4);
    let tail = set.claim_many(&mut hint, usize::MAX).unwrap();
    assert!(tail.clone().eq(WORD_BITS..WORD_BITS + 3));
    assert_eq!(set.claim_many(&mut hint, 1), None);

    let mut part = four.clone();
    assert!(part.remove(1) && !part.remove(1) && !part.remove(WORD_BITS + 1));
    assert_eq!(set.release_many(&part), 3);
    assert_eq!(set.release_many(&four), 1, "the others were released");
    assert_eq!(set.release_many(&rest), WORD_BITS - 4);
    assert_eq!(set.release_many(&tail), 3);
    assert_eq!(set.count(), 0);

    let smaller = AtomicBitSet::<2>::with_bits(WORD_BITS + 2);
    assert!(catch_unwind(|| smaller.release_many(&tail)).is_err(), "it has no such bit");
    assert!(catch_unwind(|| AtomicBitSet::<1>::new().release_many(&tail)).is_err());
}

#[test]
fn c19_a_second_release_is_refused() {
    let set = AtomicBitSet::<1>::with_bits(10);
    let bit = set.claim(&mut Hint::default()).unwrap();
    assert!(set.release(bit));
    assert!(!set.release(bit));
    assert_eq!(set.count(), 0);
    assert!(set.claim_at(bit) && !set.claim_at(bit));
    assert_eq!(set.count(), 1);
}
