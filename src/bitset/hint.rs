//! Where a search begins.

use crate::shim::atomic::{AtomicUsize, Ordering};
use crate::stripe::thread_stripe;

/// Where the next search begins, and what the search leaves for the one after it.
///
/// A hint belongs to one thread or worker: different ones keep their owners out of each other's way.
/// It is a guess. A hint of another set, or beyond the end, costs time and nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hint {
    at: At,
    then: Then,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    Bit(usize),
    /// So far into the set, whatever its size: of 2^32.
    Share(u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    Same,
    Next,
    Lowest,
}

impl Hint {
    /// Begins with the bit that the last search found: the one that is warm in the owner's cache.
    #[must_use]
    pub const fn sticky(first: usize) -> Self {
        Self { at: At::Bit(first), then: Then::Same }
    }

    /// Begins behind the bits that the last search found and goes round: all bits get their turn.
    #[must_use]
    pub const fn rotating(first: usize) -> Self {
        Self { at: At::Bit(first), then: Then::Next }
    }

    /// Begins at zero each time: keeps the set bits together.
    #[must_use]
    pub const fn lowest() -> Self {
        Self { at: At::Bit(0), then: Then::Lowest }
    }

    /// A sticky hint for one of several owners, numbered in any way: it begins far from those of the
    /// others.
    #[must_use]
    pub const fn of_owner(number: usize) -> Self {
        // Multiples of the golden ratio spread evenly however many there are.
        Self { at: At::Share((number as u32).wrapping_mul(0x9E37_79B9)), then: Then::Same }
    }

    /// A sticky hint for the calling thread, far from those of other threads.
    #[must_use]
    pub fn of_this_thread() -> Self {
        Self::of_owner(thread_stripe())
    }

    /// The bit to begin with in a set of so many, at least one.
    pub(super) const fn first(&self, bits: usize) -> usize {
        match self.at {
            At::Bit(bit) if bit < bits => bit,
            At::Bit(_) => 0,
            At::Share(share) => ((share as u64 as u128 * bits as u128) >> 32) as usize,
        }
    }

    /// Whether bits before the first one come last, and not with the rest of their word.
    pub(super) const fn takes_turns(&self) -> bool {
        matches!(self.then, Then::Next)
    }

    /// A search found these bits, the lowest and the highest of them.
    pub(super) const fn found(&mut self, lowest: usize, highest: usize) {
        match self.then {
            Then::Same => self.at = At::Bit(lowest),
            Then::Next => self.at = At::Bit(highest + 1),
            Then::Lowest => {}
        }
    }
}

impl Default for Hint {
    /// `Hint::sticky(0)`.
    fn default() -> Self {
        Self::sticky(0)
    }
}

/// One rotating hint for many threads: each search gets the next place.
///
/// # Cost
///
/// A word, and a read-modify-write on it for each search.
#[derive(Debug, Default)]
pub struct SharedHint(AtomicUsize);

impl SharedHint {
    const_fn! {
        /// Begins at zero.
        #[must_use]
        pub const fn new() -> Self {
            Self(AtomicUsize::new(0))
        }
    }

    /// The hint for one search in a set of so many bits.
    pub fn next(&self, bits: usize) -> Hint {
        // ORDERING(bitset.hint): Relaxed — a guess; pairs with itself.
        let turn = self.0.fetch_add(1, Ordering::Relaxed);
        Hint::rotating(turn.checked_rem(bits).unwrap_or(0))
    }
}
