//! What the types are, and that sets live in statics.

use static_assertions::{assert_impl_all, assert_not_impl_any};

use reveille::AtomicBitSet;
use reveille::bitset::{Hint, SharedHint, WORD_BITS, WordSet, words_for};

static SET: AtomicBitSet<{ words_for(100) }> = AtomicBitSet::with_bits(100);

#[test]
fn a_static_needs_no_start() {
    let mut hint = Hint::of_owner(0);
    let bit = SET.claim(&mut hint).unwrap();
    assert!(SET.get(bit));
    assert!(SET.release(bit));
}

#[test]
fn sizes() {
    let word = size_of::<usize>();
    assert_eq!(WORD_BITS, word * 8);
    assert_eq!(size_of::<AtomicBitSet<4>>(), 5 * word, "its words and its size");
    assert_eq!(size_of::<WordSet>(), 2 * word);
    assert!(size_of::<Hint>() <= 3 * word);
    assert_eq!(size_of::<SharedHint>(), word);
}

assert_impl_all!(AtomicBitSet<2>: Send, Sync, Unpin, std::fmt::Debug, Default);
assert_impl_all!(Hint: Send, Sync, Copy);
assert_not_impl_any!(WordSet: Copy);

#[cfg(feature = "alloc")]
mod on_the_heap {
    use static_assertions::{assert_impl_all, assert_not_impl_any};

    use reveille::bitset::{HeapBitSet, LargeBitSet, Slot, SlotSet, SpreadBitSet};

    assert_impl_all!(HeapBitSet: Send, Sync);
    assert_impl_all!(SpreadBitSet: Send, Sync);
    assert_impl_all!(LargeBitSet: Send, Sync);
    assert_impl_all!(SlotSet<reveille::bitset::Heap>: Send, Sync);
    assert_impl_all!(Slot<'static, reveille::bitset::Heap>: Send, Sync);
    assert_not_impl_any!(Slot<'static, reveille::bitset::Heap>: Clone);
}
