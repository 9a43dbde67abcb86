//! Looking without changing.

use std::panic::RefUnwindSafe;

use reveille::bitset::{BitSet, Storage};

use crate::bits::{EachKind, SIZES, on_each_kind};

struct OneBit;

impl EachKind for OneBit {
    fn run<S: Storage + Sync + RefUnwindSafe>(&self, set: &BitSet<S>) {
        let bits = set.capacity();
        assert_eq!(set.next_set(0), None);
        assert_eq!(set.next_clear_wrapping(bits / 2), (bits > 0).then_some(bits / 2));
        for bit in (0..bits).step_by(1 + bits / 100) {
            set.set(bit);
            assert!(set.any());
            assert_eq!(set.count(), 1);
            assert!(set.iter().eq([bit]));
            assert!(set.into_iter().eq([bit]));
            assert_eq!(set.next_set(0), Some(bit));
            assert_eq!(set.next_set(bit), Some(bit));
            assert_eq!(set.next_set(bit + 1), None);
            assert_eq!(set.next_set_wrapping(bit + 1), Some(bit));
            let after = (bit + 1 < bits).then_some(bit + 1);
            assert_eq!(set.next_clear(bit), after);
            let first = if bit == 0 { after } else { Some(0) };
            assert_eq!(set.next_clear_wrapping(bit), after.or(first));
            set.clear(bit);
        }
        set.set_all();
        assert_eq!(set.next_clear(0), None);
        assert_eq!(set.next_clear_wrapping(bits), None);
        for bit in (0..bits).step_by(1 + bits / 100) {
            set.clear(bit);
            assert_eq!(set.next_clear(0), Some(bit));
            assert_eq!(set.next_clear_wrapping(bit + 1), Some(bit));
            set.set(bit);
        }
    }
}

#[test]
fn a_single_bit_is_found_wherever_it_is() {
    SIZES.iter().for_each(|&bits| on_each_kind(bits, OneBit));
}
