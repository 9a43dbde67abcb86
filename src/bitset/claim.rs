//! Claiming: bits as slots that are free while they are clear; and taking: bits as news while set.

use super::hint::Hint;
use super::look::Look;
use super::set::BitSet;
use super::storage::Storage;
use super::summary::Summary as _;
use super::word_set::WordSet;
use crate::shim::atomic::Ordering;

impl<S: Storage> BitSet<S> {
    /// Claims a clear bit: sets it and says which. `None` if all are claimed.
    ///
    /// The search begins at the hint and goes round. It finds a bit that is clear throughout.
    ///
    /// # Ordering
    ///
    /// Acquire, and [`release`](Self::release) is Release: what its last owner did before it released
    /// the bit happens before this returns. Data that belongs to whoever has the bit needs nothing
    /// else.
    ///
    /// # Progress and cost
    ///
    /// Lock-free: a failed exchange means that another thread changed the word. At the hint, one load
    /// and one exchange.
    #[inline]
    pub fn claim(&self, hint: &mut Hint) -> Option<usize> {
        // ORDERING(bitset.claim): Acquire — pairs with (bitset.claim) in release(). Relaxed dies in
        // bitset::claim_follows_release.
        let (word, mask) = self.grab(Look::Clear, hint, 1, Ordering::Acquire)?;
        Some(self.index_of(word, mask))
    }

    /// Claims up to `most` clear bits at once, all in one word: fewer if the first word with clear
    /// bits has fewer. `None` if all are claimed, or `most` is zero.
    ///
    /// # Ordering
    ///
    /// As [`claim`](Self::claim), for each.
    #[inline]
    pub fn claim_many(&self, hint: &mut Hint, most: usize) -> Option<WordSet> {
        // ORDERING(bitset.claim): Acquire — see claim().
        let (word, mask) = self.grab(Look::Clear, hint, most, Ordering::Acquire)?;
        Some(self.word_set(word, mask))
    }

    /// Claims this bit. `false` if it is claimed.
    ///
    /// # Ordering
    ///
    /// As [`claim`](Self::claim).
    ///
    /// # Panics
    ///
    /// If there is no such bit.
    #[inline]
    pub fn claim_at(&self, bit: usize) -> bool {
        let place = self.place(bit);
        // ORDERING(bitset.claim): Acquire — see claim().
        self.turn_on(place.word, place.mask, Ordering::Acquire) & place.mask == 0
    }

    /// Releases a claimed bit. `false` if it was not claimed, and then nothing is changed.
    ///
    /// A number is no proof: releasing a bit that somebody else has claimed meanwhile takes it away
    /// from them. [`SlotSet`](super::SlotSet) has guards that cannot do that.
    ///
    /// # Ordering
    ///
    /// Release; see [`claim`](Self::claim).
    ///
    /// # Panics
    ///
    /// If there is no such bit.
    #[inline]
    pub fn release(&self, bit: usize) -> bool {
        let place = self.place(bit);
        // ORDERING(bitset.claim): Release — pairs with (bitset.claim) in claim(). Relaxed dies in
        // bitset::claim_follows_release.
        self.turn_off(place.word, place.mask, Ordering::Release) & place.mask != 0
    }

    /// As [`release`](Self::release), to be followed by a look at who waits (G1 of the wait list).
    #[inline]
    pub(super) fn release_before_look(&self, bit: usize) -> bool {
        let place = self.place(bit);
        // ORDERING(waits.announce): SeqCst (G1) — pairs with (waits.announce) in join(), W2. Release
        // dies in bitset::release_against_wait.
        self.turn_off(place.word, place.mask, Ordering::SeqCst) & place.mask != 0
    }

    /// Releases bits that were claimed together. How many of them were claimed.
    ///
    /// # Ordering
    ///
    /// As [`release`](Self::release), for each.
    ///
    /// # Panics
    ///
    /// If these bits are no part of one word of this set. Those of another set may be, and are released.
    #[inline]
    pub fn release_many(&self, claimed: &WordSet) -> usize {
        let (word, mask) = self.place_many(claimed);
        // ORDERING(bitset.claim): Release — see release().
        (self.turn_off(word, mask, Ordering::Release) & mask).count_ones() as usize
    }

    /// Takes a set bit: clears it and says which. `None` if all are clear.
    ///
    /// The search begins at the hint and goes round. It finds a bit that is set throughout.
    ///
    /// # Ordering
    ///
    /// As [`set`](Self::set). So whoever sets a bit and learns that it was set already, has been seen
    /// by the one that takes it.
    #[inline]
    pub fn take_any(&self, hint: &mut Hint) -> Option<usize> {
        // ORDERING(bitset.change): AcqRel — see set(). Less dies in bitset::takes_pass_data_on.
        let (word, mask) = self.grab(Look::Set, hint, 1, Ordering::AcqRel)?;
        Some(self.index_of(word, mask))
    }

    /// Takes all set bits of the first word that has any, from the hint on, at once. `None` if all are
    /// clear.
    ///
    /// # Ordering
    ///
    /// As [`set`](Self::set), for each.
    #[inline]
    pub fn take_word(&self, hint: &mut Hint) -> Option<WordSet> {
        // ORDERING(bitset.change): AcqRel — see set().
        let (word, mask) = self.grab(Look::Set, hint, usize::MAX, Ordering::AcqRel)?;
        Some(self.word_set(word, mask))
    }

    /// Changes up to `most` bits of the wanted kind in one word, the first that has any from the hint
    /// on. Returns the word and the bits.
    #[inline]
    fn grab(
        &self,
        look: Look,
        hint: &mut Hint,
        most: usize,
        order: Ordering,
    ) -> Option<(usize, usize)> {
        if self.capacity() == 0 || most == 0 {
            return None;
        }
        let shift = self.storage.shift();
        let first = hint.first(self.capacity());
        let (word, bit) = (first >> shift, first & ((1 << shift) - 1));
        let among = if hint.takes_turns() { usize::MAX << bit } else { usize::MAX };
        let (word, mask) = match self.grab_in(look, word, among, bit, most, order) {
            Some(mask) => (word, mask),
            None => self.grab_elsewhere(look, word, most, order)?,
        };
        let base = word << shift;
        hint.found(base + mask.trailing_zeros() as usize, base + mask.ilog2() as usize);
        Some((word, mask))
    }

    /// All words, those behind `word` first.
    fn grab_elsewhere(
        &self,
        look: Look,
        word: usize,
        most: usize,
        order: Ordering,
    ) -> Option<(usize, usize)> {
        let summary = self.storage.summary();
        let words = self.words();
        for (from, end) in [(word + 1, words), (0, word + 1)] {
            let mut from = from;
            while let Some(word) = summary.next(look, from, end) {
                if let Some(mask) = self.grab_in(look, word, usize::MAX, 0, most, order) {
                    return Some((word, mask));
                }
                summary.withdraw(look, word, || self.has(look, word));
                from = word + 1;
            }
        }
        if !S::Summary::HELPS {
            return None;
        }
        // The summary may have been about to be put right.
        (0..words)
            .find_map(|word| Some((word, self.grab_in(look, word, usize::MAX, 0, most, order)?)))
    }

    /// Whether the word has a bit of this kind: (S2) of the summary.
    pub(super) fn has(&self, look: Look, word: usize) -> bool {
        // ORDERING(bitset.summary): SeqCst (S2) — pairs with (bitset.summary) in order(), C1.
        look.of(self.word(word).load(Ordering::SeqCst)) & self.existing(word) != 0
    }

    /// Changes up to `most` bits of the wanted kind in this word and among these, those from `bit` on
    /// first.
    #[inline]
    fn grab_in(
        &self,
        look: Look,
        word: usize,
        among: usize,
        bit: usize,
        most: usize,
        order: Ordering,
    ) -> Option<usize> {
        let among = among & self.existing(word);
        let order = S::Summary::order(order);
        let place = self.word(word);
        // ORDERING(bitset.grab): Relaxed — the exchange decides.
        let mut seen = place.load(Ordering::Relaxed);
        loop {
            let open = look.of(seen) & among;
            if open == 0 {
                return None;
            }
            let mask = pick(open, bit, most);
            // ORDERING(bitset.grab): the caller's on success; Relaxed on failure — another try.
            match place.compare_exchange_weak(seen, seen ^ mask, order, Ordering::Relaxed) {
                Ok(_) => {
                    self.storage.summary().announce(look.other(), word);
                    return Some(mask);
                }
                Err(now) => seen = now,
            }
        }
    }

    /// The index of the lowest of these bits.
    #[inline(always)]
    fn index_of(&self, word: usize, mask: usize) -> usize {
        (word << self.storage.shift()) + mask.trailing_zeros() as usize
    }

    fn word_set(&self, word: usize, mask: usize) -> WordSet {
        WordSet::new(word << self.storage.shift(), mask)
    }

    #[track_caller]
    fn place_many(&self, bits: &WordSet) -> (usize, usize) {
        let shift = self.storage.shift();
        let word = bits.base() >> shift;
        let fit = bits.base() < self.capacity()
            && word << shift == bits.base()
            && bits.mask() & !self.existing(word) == 0;
        assert!(fit, "the bits {bits:?} of another set");
        (word, bits.mask())
    }
}

/// Up to `most` of the open bits, those from `bit` on first.
#[inline(always)]
fn pick(open: usize, bit: usize, most: usize) -> usize {
    let ahead = open & (usize::MAX << bit);
    let first = if ahead != 0 { ahead } else { open };
    if most == 1 {
        return first & first.wrapping_neg();
    }
    if most >= open.count_ones() as usize {
        return open;
    }
    let mut picked = 0;
    let mut rest = first;
    for _ in 0..most {
        if rest == 0 {
            rest = open & !picked;
        }
        picked |= rest & rest.wrapping_neg();
        rest &= rest - 1;
    }
    picked
}
