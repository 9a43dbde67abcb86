//! Bits of one word.

use core::fmt;

/// Bits of a set that were claimed or taken in one step: all in one word.
///
/// It names bits and owns nothing. Iterating yields their indices, lowest first.
#[derive(Clone, PartialEq, Eq)]
pub struct WordSet {
    base: usize,
    mask: usize,
}

impl WordSet {
    pub(super) const fn new(base: usize, mask: usize) -> Self {
        Self { base, mask }
    }

    pub(super) const fn base(&self) -> usize {
        self.base
    }

    pub(super) const fn mask(&self) -> usize {
        self.mask
    }

    /// How many there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.mask.count_ones() as usize
    }

    /// Whether there are none left.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.mask == 0
    }

    /// Removes this bit and says whether it was there.
    pub const fn remove(&mut self, bit: usize) -> bool {
        let Some(place) = bit.checked_sub(self.base) else { return false };
        let there = place < usize::BITS as usize && self.mask & (1 << place) != 0;
        if there {
            self.mask &= !(1 << place);
        }
        there
    }
}

impl Iterator for WordSet {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        if self.mask == 0 {
            return None;
        }
        let bit = self.mask.trailing_zeros() as usize;
        self.mask &= self.mask - 1;
        Some(self.base + bit)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.len(), Some(self.len()))
    }
}

impl ExactSizeIterator for WordSet {}

impl fmt::Debug for WordSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.clone()).finish()
    }
}
