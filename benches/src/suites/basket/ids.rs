//! What an item says: whose it is, and which of theirs.

use core::ops::Range;

const SEQUENCE_BITS: u32 = 40;

/// A producer's items with these sequence numbers.
pub(super) fn items(producer: usize, sequence: Range<u64>) -> Range<u64> {
    let first = (producer as u64) << SEQUENCE_BITS;
    first | sequence.start..first | sequence.end
}

/// Which producer offered it, and its sequence number.
pub(super) fn read(item: u64) -> (usize, u64) {
    ((item >> SEQUENCE_BITS) as usize, item & ((1 << SEQUENCE_BITS) - 1))
}

/// Checks that every producer's items come in order, from zero on.
pub(super) struct InOrder {
    next: Vec<u64>,
}

impl InOrder {
    pub(super) fn new(producers: usize) -> Self {
        Self { next: vec![0; producers] }
    }

    pub(super) fn check(&mut self, item: u64) {
        let (producer, sequence) = read(item);
        let next = &mut self.next[producer];
        assert_eq!(sequence, *next, "what comes next of producer {producer}");
        *next += 1;
    }
}

/// The sum of them, wrapping.
pub(super) fn sum(items: Range<u64>) -> u64 {
    items.fold(0, u64::wrapping_add)
}
