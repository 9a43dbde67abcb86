//! The levels, lowest first.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::super::look::Look;
use super::super::low_bits;
use super::Summary;
use crate::shim::WORD_BITS;
use crate::shim::atomic::{AtomicUsize, Ordering};

/// A level of at most so many words is the last.
const FEW: usize = 4;

/// Levels for each kind of bit.
#[derive(Debug)]
pub struct Levels {
    set: Box<[Level]>,
    clear: Box<[Level]>,
}

/// A bit for each word of the level below.
type Level = Box<[AtomicUsize]>;

impl Levels {
    /// For so many words, all bits of which are clear.
    pub(in super::super) fn new(words: usize) -> Self {
        Self { set: levels(words, |_| 0), clear: levels(words, low_bits) }
    }

    fn of(&self, look: Look) -> &[Level] {
        match look {
            Look::Set => &self.set,
            Look::Clear => &self.clear,
        }
    }
}

/// Levels over so many words; `word` makes the word over so many of them.
fn levels(words: usize, word: fn(usize) -> usize) -> Box<[Level]> {
    let mut levels = Vec::new();
    let mut below = words;
    loop {
        let over = |index| below.saturating_sub(index * WORD_BITS).min(WORD_BITS);
        let level: Level = (0..below.div_ceil(WORD_BITS))
            .map(|index| AtomicUsize::new(word(over(index))))
            .collect();
        below = level.len();
        levels.push(level);
        if below <= FEW {
            return levels.into();
        }
    }
}

fn place(level: &Level, index: usize) -> (&AtomicUsize, usize) {
    (&level[index / WORD_BITS], 1 << (index % WORD_BITS))
}

/// The first announcement in `level` from index `from` on, none beyond its word.
fn first_in_word(level: &Level, from: usize) -> Option<usize> {
    let (word, bit) = (from / WORD_BITS, from % WORD_BITS);
    // ORDERING(bitset.summary): Relaxed — a hint; the word that it leads to is looked at.
    let ahead = level[word].load(Ordering::Relaxed) & (usize::MAX << bit);
    (ahead != 0).then(|| word * WORD_BITS + ahead.trailing_zeros() as usize)
}

/// Announces word `index` of what is below `levels`.
#[inline]
fn announce(levels: &[Level], index: usize) {
    let mut index = index;
    for level in levels {
        let (word, mask) = place(level, index);
        // ORDERING(bitset.summary): SeqCst (C2) — pairs with (bitset.summary) in withdraw(), S1.
        if word.load(Ordering::SeqCst) & mask != 0 {
            return;
        }
        // ORDERING(bitset.summary): SeqCst (C1 for the level above) — pairs with (bitset.summary) in
        // withdraw(), S2.
        word.fetch_or(mask, Ordering::SeqCst);
        index /= WORD_BITS;
    }
}

impl Summary for Levels {
    const HELPS: bool = true;

    #[inline(always)]
    fn order(_order: Ordering) -> Ordering {
        // ORDERING(bitset.summary): SeqCst (C1) — pairs with (bitset.summary) in withdraw(), S2.
        Ordering::SeqCst
    }

    #[inline]
    fn announce(&self, look: Look, index: usize) {
        announce(self.of(look), index);
    }

    fn next(&self, look: Look, from: usize, end: usize) -> Option<usize> {
        let levels = self.of(look);
        let (mut height, mut from) = (0, from);
        // Down where there is something ahead, up where there is not.
        loop {
            let level = &levels[height];
            if from / WORD_BITS >= level.len() {
                return None;
            }
            match first_in_word(level, from) {
                Some(found) if height == 0 => return (found < end).then_some(found),
                Some(found) => (height, from) = (height - 1, found * WORD_BITS),
                None if height + 1 < levels.len() => {
                    (height, from) = (height + 1, from / WORD_BITS + 1);
                }
                None => from = (from / WORD_BITS + 1) * WORD_BITS,
            }
        }
    }

    #[cold]
    fn withdraw(&self, look: Look, index: usize, look_again: impl Fn() -> bool) {
        let levels = self.of(look);
        let mut index = index;
        for (height, level) in levels.iter().enumerate() {
            let (word, mask) = place(level, index);
            // ORDERING(bitset.summary): SeqCst (S1) — pairs with (bitset.summary) in announce(), C2.
            let before = word.fetch_and(!mask, Ordering::SeqCst);
            let again = match height {
                0 => look_again(),
                // ORDERING(bitset.summary): SeqCst (S2) — pairs with (bitset.summary) in announce(), C1.
                _ => levels[height - 1][index].load(Ordering::SeqCst) != 0,
            };
            if again {
                announce(&levels[height..], index);
                return;
            }
            if before & !mask != 0 {
                return;
            }
            index /= WORD_BITS;
        }
    }
}
