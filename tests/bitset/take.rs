//! Taking set bits.

use std::panic::RefUnwindSafe;

use reveille::AtomicBitSet;
use reveille::bitset::{BitSet, Hint, Storage, WORD_BITS};

use crate::bits::{EachKind, on_each_kind};

struct Every;

impl EachKind for Every {
    fn run<S: Storage + Sync + RefUnwindSafe>(&self, set: &BitSet<S>) {
        let wanted: Vec<_> =
            (0..set.capacity()).filter(|bit| bit % 7 == 3 || bit % 64 == 0).collect();
        let fill = || wanted.iter().for_each(|&bit| assert!(set.set(bit)));
        let sorted = |mut bits: Vec<usize>| {
            bits.sort_unstable();
            bits
        };
        for mut hint in [Hint::default(), Hint::rotating(70), Hint::sticky(30), Hint::lowest()] {
            fill();
            let taken = std::iter::from_fn(|| set.take_any(&mut hint)).collect();
            assert_eq!(sorted(taken), wanted);
            fill();
            let taken = std::iter::from_fn(|| set.take_word(&mut hint)).flatten().collect();
            assert_eq!(sorted(taken), wanted);
        }
        fill();
        assert!(set.drain().eq(wanted.iter().copied()), "lowest first");
        assert!(!set.any());
        assert_eq!(set.drain().next(), None);
    }
}

#[test]
fn each_set_bit_is_taken_once() {
    [0, 1, 64, 65, 200, 1000].into_iter().for_each(|bits| on_each_kind(bits, Every));
}

#[test]
fn a_rotating_hint_takes_turns() {
    let set = AtomicBitSet::<2>::with_bits(WORD_BITS + 2);
    let mut hint = Hint::rotating(0);
    let mut served = [0; 4];
    let ready = [0, 1, WORD_BITS - 1, WORD_BITS + 1];
    for _ in 0..100 {
        ready.iter().for_each(|&bit| _ = set.set(bit));
        let taken = set.take_any(&mut hint).unwrap();
        served[ready.iter().position(|&bit| bit == taken).unwrap()] += 1;
    }
    assert_eq!(served, [25; 4], "all are always ready, and all get their turn");
}

/// News in the first word that come again and again keep nobody from that in the second.
#[test]
fn a_rotating_hint_goes_on_to_the_next_word() {
    let set = AtomicBitSet::<2>::new();
    set.set(WORD_BITS);
    let mut hint = Hint::rotating(0);
    let taken: Vec<_> = (0..3)
        .map(|_| {
            set.set(0);
            set.take_any(&mut hint).unwrap()
        })
        .collect();
    assert_eq!(taken, [0, WORD_BITS, 0]);

    let mut hint = Hint::rotating(0);
    set.clear_all();
    set.set(WORD_BITS + 3);
    let words: Vec<_> = (0..3)
        .map(|_| {
            set.set_range(0..2);
            set.take_word(&mut hint).unwrap().next().unwrap()
        })
        .collect();
    assert_eq!(words, [0, WORD_BITS + 3, 0]);

    // A slot that is held for long does not end the round before it.
    set.clear_all();
    set.set(WORD_BITS - 1);
    let mut hint = Hint::rotating(0);
    let mut used = [false; 2 * WORD_BITS];
    for _ in 0..2 * WORD_BITS - 1 {
        let slot = set.claim(&mut hint).unwrap();
        used[slot] = true;
        set.release(slot);
    }
    assert_eq!(used.iter().filter(|&&used| !used).count(), 1, "all but the one that is held");
}

#[test]
fn a_drain_dropped_early_puts_back_what_it_took() {
    let set = AtomicBitSet::<2>::with_bits(WORD_BITS + 2);
    set.set_all();
    let mut drain = set.drain();
    assert_eq!(drain.by_ref().take(3).collect::<Vec<_>>(), [0, 1, 2]);
    drop(drain);
    assert!(set.iter().eq(3..WORD_BITS + 2));
}
