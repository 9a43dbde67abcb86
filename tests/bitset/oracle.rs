//! Random operations, each compared with a plain model.

use std::collections::BTreeSet;
use std::panic::RefUnwindSafe;

use reveille::bitset::{BitSet, Hint, Storage};

use crate::bits::{EachKind, SIZES, on_each_kind};
use crate::support::{Random, scaled};

struct Compare(u64);

impl EachKind for Compare {
    fn run<S: Storage + Sync + RefUnwindSafe>(&self, set: &BitSet<S>) {
        let bits = set.capacity();
        let mut random = Random::new(self.0);
        let mut model = BTreeSet::new();
        let mut hints = [Hint::default(), Hint::rotating(0), Hint::lowest(), Hint::of_owner(1)];
        for _ in 0..scaled(300, 30_000) {
            let bit = random.below(bits);
            let hint = &mut hints[random.below(4)];
            match random.below(14) {
                0 => assert_eq!(set.set(bit), model.insert(bit)),
                1 => assert_eq!(set.clear(bit), model.remove(&bit)),
                2 => {
                    let now = set.flip(bit);
                    assert_eq!(now, model.insert(bit));
                    if !now {
                        model.remove(&bit);
                    }
                }
                3 => assert_eq!(set.get(bit), model.contains(&bit)),
                4 => match set.claim(hint) {
                    Some(bit) => assert!(bit < bits && model.insert(bit)),
                    None => assert_eq!(model.len(), bits),
                },
                5 => assert_eq!(set.release(bit), model.remove(&bit)),
                6 => match set.take_any(hint) {
                    Some(bit) => assert!(model.remove(&bit)),
                    None => assert!(model.is_empty()),
                },
                7 => match set.claim_many(hint, 1 + random.below(8)) {
                    Some(claimed) => {
                        claimed.for_each(|bit| assert!(bit < bits && model.insert(bit)))
                    }
                    None => assert_eq!(model.len(), bits),
                },
                8 => match set.take_word(hint) {
                    Some(taken) => taken.for_each(|bit| assert!(model.remove(&bit))),
                    None => assert!(model.is_empty()),
                },
                9 => {
                    let end = bit + random.below(bits - bit + 1);
                    let new = (bit..end).filter(|&bit| model.insert(bit)).count();
                    assert_eq!(set.set_range(bit..end), new);
                }
                10 => {
                    let end = bit + random.below(bits - bit + 1);
                    let gone = (bit..end).filter(|bit| model.remove(bit)).count();
                    assert_eq!(set.clear_range(bit..end), gone);
                }
                11 => assert_eq!(set.next_set(bit), model.range(bit..).next().copied()),
                12 => {
                    let clear = (bit..bits).find(|bit| !model.contains(bit));
                    assert_eq!(set.next_clear(bit), clear);
                }
                _ => {
                    assert_eq!(set.count(), model.len());
                    assert!(set.iter().eq(model.iter().copied()));
                }
            }
        }
        assert!(set.drain().eq(model));
    }
}

#[test]
fn behaves_like_a_set_of_numbers() {
    for (seed, bits) in (0..).zip(SIZES.into_iter().filter(|&bits| bits > 0)) {
        on_each_kind(bits, Compare(seed));
    }
}

/// Large enough for a summary of two levels.
#[test]
fn a_large_set_behaves_the_same() {
    use reveille::bitset::LargeBitSet;
    let set = LargeBitSet::new(40_000);
    set.set_range(100..39_000);
    set.clear_range(100..39_000);
    Compare(99).run(&set);
    set.set_all();
    for bit in [39_999, 0, 20_000, 4095, 4096, 63, 64] {
        set.release(bit);
        assert_eq!(set.claim(&mut Hint::sticky(10_000)), Some(bit));
        assert_eq!(set.claim(&mut Hint::sticky(bit)), None);
    }
}
