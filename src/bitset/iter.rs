//! Looking at many bits, and draining them.

use core::fmt;

use super::look::Look;
use super::set::BitSet;
use super::storage::Storage;
use super::summary::Summary as _;
use super::word_set::WordSet;
use crate::shim::atomic::Ordering;

impl<S: Storage> BitSet<S> {
    /// How many bits are set. Exact if nobody changes them meanwhile; otherwise the sum of what each
    /// word had at some moment during the call.
    #[must_use]
    pub fn count(&self) -> usize {
        (0..self.words()).map(|word| self.look(Look::Set, word).count_ones() as usize).sum()
    }

    /// Whether a bit was set at some moment during the call. If one is set throughout, the answer is
    /// yes.
    #[must_use]
    pub fn any(&self) -> bool {
        (0..self.words()).any(|word| self.look(Look::Set, word) != 0)
    }

    /// The first set bit from `from` on. If one is set throughout, it is found or one before it.
    ///
    /// # Ordering
    ///
    /// As [`get`](Self::get).
    #[must_use]
    pub fn next_set(&self, from: usize) -> Option<usize> {
        self.next(Look::Set, from)
    }

    /// The first clear bit from `from` on. If one is clear throughout, it is found or one before it.
    ///
    /// # Ordering
    ///
    /// As [`get`](Self::get).
    #[must_use]
    pub fn next_clear(&self, from: usize) -> Option<usize> {
        self.next(Look::Clear, from)
    }

    /// As [`next_set`](Self::next_set), and from the start if there is none.
    #[must_use]
    pub fn next_set_wrapping(&self, from: usize) -> Option<usize> {
        self.next_set(from).or_else(|| self.next_set(0))
    }

    /// As [`next_clear`](Self::next_clear), and from the start if there is none.
    #[must_use]
    pub fn next_clear_wrapping(&self, from: usize) -> Option<usize> {
        self.next_clear(from).or_else(|| self.next_clear(0))
    }

    /// As [`next_set`](Self::next_set), through the summary if there is one: a handful of loads in a
    /// set of any size. In exchange it may miss a bit while another thread searches; at rest it misses
    /// none.
    #[must_use]
    pub fn likely_set(&self, from: usize) -> Option<usize> {
        self.likely(Look::Set, from)
    }

    /// As [`next_clear`](Self::next_clear), through the summary: see [`likely_set`](Self::likely_set).
    #[must_use]
    pub fn likely_clear(&self, from: usize) -> Option<usize> {
        self.likely(Look::Clear, from)
    }

    /// The set bits, lowest first. Each word is looked at once, when the iterator gets there: the bits
    /// of a word were set at one moment, those of different words at different ones.
    ///
    /// # Ordering
    ///
    /// As [`get`](Self::get).
    pub fn iter(&self) -> Iter<'_, S> {
        Iter { set: self, word: 0, bits: WordSet::new(0, 0) }
    }

    /// Takes the set bits, lowest first: each word at once, when the iterator gets there.
    ///
    /// Dropped early, it sets the bits again that it took and did not yield.
    ///
    /// # Ordering
    ///
    /// As [`set`](Self::set).
    pub fn drain(&self) -> Drain<'_, S> {
        Drain { set: self, word: 0, bits: WordSet::new(0, 0) }
    }

    fn next(&self, look: Look, from: usize) -> Option<usize> {
        self.search(look, from, |word| (word < self.words()).then_some(word), |_| {})
    }

    fn likely(&self, look: Look, from: usize) -> Option<usize> {
        let summary = self.storage.summary();
        let next_word = |word| summary.next(look, word, self.words());
        self.search(look, from, next_word, |word| {
            summary.withdraw(look, word, || self.has(look, word));
        })
    }

    /// The first bit of this kind from `from` on, in the words to which `next_word` leads; `in_vain` is
    /// told of those that have none.
    fn search(
        &self,
        look: Look,
        from: usize,
        next_word: impl Fn(usize) -> Option<usize>,
        in_vain: impl Fn(usize),
    ) -> Option<usize> {
        if from >= self.capacity() {
            return None;
        }
        let shift = self.storage.shift();
        let mut word = from >> shift;
        let mut bits = self.look(look, word) & (usize::MAX << (from & ((1 << shift) - 1)));
        while bits == 0 {
            word = next_word(word + 1)?;
            bits = self.look(look, word);
            if bits == 0 {
                in_vain(word);
            }
        }
        Some((word << shift) + bits.trailing_zeros() as usize)
    }

    /// Takes the set bits of a word.
    fn take_all_in(&self, word: usize) -> WordSet {
        let existing = self.existing(word);
        // ORDERING(bitset.grab): Relaxed — whether it is worth it.
        let mask = match self.word(word).load(Ordering::Relaxed) & existing {
            0 => 0,
            // ORDERING(bitset.change): AcqRel — see set().
            _ => self.turn_off(word, existing, Ordering::AcqRel) & existing,
        };
        WordSet::new(word << self.storage.shift(), mask)
    }

    /// The bits of this kind in a word.
    fn look(&self, look: Look, word: usize) -> usize {
        // ORDERING(bitset.look): Acquire — see get().
        look.of(self.word(word).load(Ordering::Acquire)) & self.existing(word)
    }
}

/// The iterator of [`BitSet::iter`].
pub struct Iter<'a, S: Storage> {
    set: &'a BitSet<S>,
    /// The next word to look at.
    word: usize,
    bits: WordSet,
}

impl<S: Storage> Iterator for Iter<'_, S> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        loop {
            if let Some(bit) = self.bits.next() {
                return Some(bit);
            }
            if self.word == self.set.words() {
                return None;
            }
            let base = self.word << self.set.storage.shift();
            self.bits = WordSet::new(base, self.set.look(Look::Set, self.word));
            self.word += 1;
        }
    }
}

impl<'a, S: Storage> IntoIterator for &'a BitSet<S> {
    type Item = usize;
    type IntoIter = Iter<'a, S>;

    fn into_iter(self) -> Iter<'a, S> {
        self.iter()
    }
}

/// The iterator of [`BitSet::drain`].
pub struct Drain<'a, S: Storage> {
    set: &'a BitSet<S>,
    /// The next word to take.
    word: usize,
    bits: WordSet,
}

impl<S: Storage> Iterator for Drain<'_, S> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        while self.bits.is_empty() {
            if self.word == self.set.words() {
                return None;
            }
            self.bits = self.set.take_all_in(self.word);
            self.word += 1;
        }
        self.bits.next()
    }
}

impl<S: Storage> Drop for Drain<'_, S> {
    fn drop(&mut self) {
        self.bits.by_ref().for_each(|bit| {
            self.set.set(bit);
        });
    }
}

impl<S: Storage> fmt::Debug for Iter<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Iter").field("word", &self.word).finish_non_exhaustive()
    }
}

impl<S: Storage> fmt::Debug for Drain<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Drain").field("word", &self.word).finish_non_exhaustive()
    }
}
