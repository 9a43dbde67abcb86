//! Where in a large set it is worth looking.
//!
//! A summary has a bit for each word: the word may hold a bit of the wanted kind, set or clear. Above
//! them there is a level with a bit for each word of those, and so on, until a few words say it all.
//!
//! # The handshake
//!
//! A bit that changes is announced upwards. Only who looks for bits withdraws an announcement, and
//! then looks again.
//!
//! ```text
//!   changer                         seeker
//!   (C1) word: the bit changes      (S1) summary bit := 0   (the word had nothing)
//!   (C2) summary bit == 1 ?         (S2) word: nothing, still?
//! ```
//!
//! Forbidden: C2 reads 1 and S2 does not see the bit (store buffering). So either the changer sees
//! that it has to announce, or the seeker sees the bit and puts the announcement back. All four are
//! SeqCst accesses. The levels above follow the same rule, each for the one below.
//!
//! Between S1 and the putting back the summary says less than there is. So it is a hint: whoever finds
//! nothing through it looks at every word before saying so.

#[cfg(feature = "alloc")]
mod levels;

#[cfg(feature = "alloc")]
pub(super) use levels::Levels;

use super::look::Look;
use crate::shim::atomic::Ordering;

/// What is kept about the words of a set.
pub trait Summary {
    /// Whether words can be found through it.
    const HELPS: bool;

    /// The order of an operation on a word that would do with `order` by itself.
    #[doc(hidden)]
    fn order(order: Ordering) -> Ordering;

    /// Word `index` has a bit of this kind now: (C2).
    #[doc(hidden)]
    fn announce(&self, look: Look, index: usize);

    /// The next word in the range that may have such a bit.
    #[doc(hidden)]
    fn next(&self, look: Look, from: usize, end: usize) -> Option<usize>;

    /// Word `index` had none: (S1), and (S2) by `look_again`.
    #[doc(hidden)]
    fn withdraw(&self, look: Look, index: usize, look_again: impl Fn() -> bool);
}

/// Nothing is kept.
#[derive(Debug)]
pub struct NoSummary;

impl Summary for NoSummary {
    const HELPS: bool = false;

    #[inline(always)]
    fn order(order: Ordering) -> Ordering {
        order
    }

    #[inline(always)]
    fn announce(&self, _look: Look, _index: usize) {}

    #[inline(always)]
    fn next(&self, _look: Look, from: usize, end: usize) -> Option<usize> {
        (from < end).then_some(from)
    }

    #[inline(always)]
    fn withdraw(&self, _look: Look, _index: usize, _look_again: impl Fn() -> bool) {}
}
