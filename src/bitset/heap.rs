//! Words on the heap.

use alloc::boxed::Box;

use crossbeam_utils::CachePadded;

use super::storage::sealed::Storage;
use super::summary::{Levels, NoSummary};
use crate::shim::WORD_BITS;
use crate::shim::atomic::AtomicUsize;

/// Words side by side: the densest.
#[derive(Debug)]
pub struct Heap(Box<[AtomicUsize]>);

/// Each word on a cache line of its own, and only as many bits in it as spread them all over the
/// lines: for threads that claim and release all the time.
#[derive(Debug)]
pub struct Spread {
    words: Box<[CachePadded<AtomicUsize>]>,
    shift: u32,
}

/// Words side by side under levels of summary, which say where to look: for thousands of bits.
#[derive(Debug)]
pub struct Large {
    words: Box<[AtomicUsize]>,
    levels: Levels,
}

pub(super) fn zeros(count: usize) -> Box<[AtomicUsize]> {
    (0..count).map(|_| AtomicUsize::new(0)).collect()
}

impl Heap {
    pub(super) fn new(bits: usize) -> Self {
        Self(zeros(bits.div_ceil(WORD_BITS)))
    }
}

impl Spread {
    pub(super) fn new(bits: usize, lines: usize) -> Self {
        let most = WORD_BITS.ilog2();
        let wanted = bits.div_ceil(lines.max(1)).max(1);
        let shift = wanted.checked_next_power_of_two().map_or(most, usize::ilog2).min(most);
        let words = bits.div_ceil(1 << shift);
        Self { words: (0..words).map(|_| CachePadded::new(AtomicUsize::new(0))).collect(), shift }
    }
}

impl Large {
    pub(super) fn new(bits: usize) -> Self {
        let words = zeros(bits.div_ceil(WORD_BITS));
        let levels = Levels::new(words.len());
        Self { words, levels }
    }
}

impl Storage for Heap {
    type Summary = NoSummary;

    #[inline(always)]
    fn word(&self, index: usize) -> &AtomicUsize {
        &self.0[index]
    }

    #[inline(always)]
    fn shift(&self) -> u32 {
        WORD_BITS.ilog2()
    }

    #[inline(always)]
    fn summary(&self) -> &NoSummary {
        &NoSummary
    }
}

impl Storage for Spread {
    type Summary = NoSummary;

    #[inline(always)]
    fn word(&self, index: usize) -> &AtomicUsize {
        &self.words[index]
    }

    #[inline(always)]
    fn shift(&self) -> u32 {
        self.shift
    }

    #[inline(always)]
    fn summary(&self) -> &NoSummary {
        &NoSummary
    }
}

impl Storage for Large {
    type Summary = Levels;

    #[inline(always)]
    fn word(&self, index: usize) -> &AtomicUsize {
        &self.words[index]
    }

    #[inline(always)]
    fn shift(&self) -> u32 {
        WORD_BITS.ilog2()
    }

    #[inline(always)]
    fn summary(&self) -> &Levels {
        &self.levels
    }
}
