//! Where the words of a set are, and how many bits each has.

use super::summary::NoSummary;
use crate::shim::WORD_BITS;
use crate::shim::atomic::{AtomicUsize, zeros};

/// Words in the set itself: for statics, structs, and where there is no allocator.
#[derive(Debug)]
pub struct Inline<const WORDS: usize>([AtomicUsize; WORDS]);

/// The words of a set: [`Inline`], and with `alloc` `Heap`, `Spread` and `Large`. Sealed.
pub trait Storage: sealed::Storage {}

impl<S: sealed::Storage> Storage for S {}

pub(super) mod sealed {
    use super::super::summary::Summary;
    use super::AtomicUsize;

    pub trait Storage {
        #[doc(hidden)]
        type Summary: Summary;

        #[doc(hidden)]
        fn word(&self, index: usize) -> &AtomicUsize;

        /// How many bits of a word are used: this power of two.
        #[doc(hidden)]
        fn shift(&self) -> u32;

        #[doc(hidden)]
        fn summary(&self) -> &Self::Summary;
    }
}

/// All bits of a word are used.
const DENSE: u32 = WORD_BITS.ilog2();

impl<const WORDS: usize> Inline<WORDS> {
    const_fn! {
        pub(super) const fn new() -> Self {
            Self(zeros())
        }
    }
}

impl<const WORDS: usize> sealed::Storage for Inline<WORDS> {
    type Summary = NoSummary;

    #[inline(always)]
    fn word(&self, index: usize) -> &AtomicUsize {
        &self.0[index]
    }

    #[inline(always)]
    fn shift(&self) -> u32 {
        DENSE
    }

    #[inline(always)]
    fn summary(&self) -> &NoSummary {
        &NoSummary
    }
}
