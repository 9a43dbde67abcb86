//! A counter whose adds stay out of each other's way.

use core::fmt;

use super::STRIPES;
use super::stripes::{Stripes, add, since};
use crate::stripe::thread_stripe;

/// A counter of events, for any number of threads.
///
/// See the [module](super) for what a sum tells, for stripes, and for where it works.
///
/// # Ordering
///
/// Relaxed. A sum includes every add that happens before it; it makes nothing else visible.
///
/// # Progress
///
/// All operations are wait-free where the target has an atomic add (x86, Arm with LSE), lock-free
/// elsewhere. None panics, allocates or blocks.
///
/// # Cost
///
/// An add is one read-modify-write on the thread's own stripe and a read of a thread-local; a sum is
/// one load for each stripe. `N` stripes of 128 bytes (see the module): 2 KiB by default. For more
/// than a few counters of one owner use a [`CounterSet`](super::CounterSet): its stripes hold 16
/// counters in the same space. Where one thread writes, an [`OwnedCounter`](super::OwnedCounter) costs
/// a tenth.
///
/// # Examples
///
/// ```
/// use reveille::StripedCounter;
///
/// static HITS: StripedCounter = StripedCounter::new();
///
/// std::thread::scope(|scope| {
///     for _ in 0..4 {
///         scope.spawn(|| (0..1000).for_each(|_| HITS.increment()));
///     }
/// });
/// assert_eq!(HITS.sum(), 4000);
/// ```
///
/// # When not to use it
///
/// To hand out numbers, or to enforce a limit: an add does not tell the value, and a sum is not a
/// snapshot. On one or two CPUs a shared `AtomicU64` is nearly as fast and 8 bytes large.
pub struct StripedCounter<const N: usize = STRIPES>(Stripes<1, N>);

impl StripedCounter {
    const_fn! {
        /// Zero, with [`STRIPES`] stripes.
        #[inline]
        #[must_use]
        pub const fn new() -> Self {
            Self::with_stripes()
        }
    }
}

impl<const N: usize> StripedCounter<N> {
    const_fn! {
        /// Zero, with `N` stripes: about as many as threads count at the same time. Any number but
        /// zero, which does not compile; a power of two is fastest.
        ///
        /// ```
        /// use reveille::StripedCounter;
        ///
        /// static HITS: StripedCounter<64> = StripedCounter::with_stripes();
        /// HITS.increment();
        /// ```
        ///
        /// ```compile_fail
        /// let counter = reveille::StripedCounter::<0>::with_stripes();
        /// ```
        #[inline]
        #[must_use]
        pub const fn with_stripes() -> Self {
            Self(Stripes::new())
        }
    }

    /// Adds one.
    #[inline]
    pub fn increment(&self) {
        self.add(1);
    }

    /// Adds `n`, wrapping around at 2^64.
    #[inline]
    pub fn add(&self, n: u64) {
        self.add_at(thread_stripe(), n);
    }

    /// Adds `n` in the stripe of this number, modulo `N`: a worker's index, say. No thread-local is
    /// read.
    ///
    /// ```
    /// let counter = reveille::StripedCounter::new();
    /// counter.add_at(3, 10);
    /// counter.add_at(usize::MAX, 1);
    /// assert_eq!(counter.sum(), 11);
    /// ```
    #[inline]
    pub fn add_at(&self, stripe: usize, n: u64) {
        add(&self.0.stripe(stripe)[0], n);
    }

    /// What has been added, modulo 2^64.
    ///
    /// Exact when nobody adds meanwhile; else not a snapshot, but never less than what happened before
    /// the call, nor than an earlier sum that happened before. See the [module](super).
    #[inline]
    #[must_use]
    pub fn sum(&self) -> u64 {
        self.0.sum(0)
    }

    /// Takes what has been added and leaves the rest: each add is in exactly one answer, with any number
    /// of threads that add and that call this.
    ///
    /// Between two calls by one reader, [`delta`](Self::delta) does the same without writing, for any
    /// number of readers. Do not use both on one counter.
    ///
    /// # Cost
    ///
    /// One read-modify-write for each stripe, whose line the next add has to fetch again.
    ///
    /// ```
    /// let counter = reveille::StripedCounter::new();
    /// counter.add(5);
    /// assert_eq!(counter.sum_then_reset(), 5);
    /// assert_eq!(counter.sum(), 0);
    /// ```
    #[inline]
    pub fn sum_then_reset(&self) -> u64 {
        self.0.take(0)
    }

    /// What has been added since the sum was `last`, which becomes the sum now. Start with 0.
    ///
    /// Each reader keeps a `last` of its own and sees each add exactly once, as the counter is not
    /// changed. Where nobody calls [`sum_then_reset`](Self::sum_then_reset), answers add up to the
    /// counter's sum. They are right across one wrap-around.
    ///
    /// ```
    /// let counter = reveille::StripedCounter::new();
    /// let mut last = 0;
    /// counter.add(5);
    /// assert_eq!(counter.delta(&mut last), 5);
    /// counter.add(2);
    /// assert_eq!(counter.delta(&mut last), 2);
    /// assert_eq!(counter.sum(), 7);
    /// ```
    #[inline]
    pub fn delta(&self, last: &mut u64) -> u64 {
        since(last, self.sum())
    }
}

impl<const N: usize> Default for StripedCounter<N> {
    fn default() -> Self {
        Self::with_stripes()
    }
}

impl<const N: usize> fmt::Debug for StripedCounter<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("StripedCounter").field(&self.sum()).finish()
    }
}
