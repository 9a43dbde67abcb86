//! Several counters that share their stripes.

use core::fmt;
use core::marker::PhantomData;

use super::STRIPES;
use super::stripes::{Stripes, add, since};
use crate::shim::atomic::AtomicU64;
use crate::stripe::thread_stripe;

/// `K` counters of one owner: a pool's, a route's, a queue's.
///
/// A stripe holds all `K`, side by side: a thread that counts several things in one operation selects
/// its stripe once and stays in one cache line or two. 16 counters take what a single
/// [`StripedCounter`](super::StripedCounter) takes.
///
/// See the [module](super) for what a sum tells, for stripes, and for where it works.
///
/// # Ordering, progress
///
/// As [`StripedCounter`](super::StripedCounter). Counters of a set are independent: a
/// [`snapshot`](Self::snapshot) is one sum after the other. A ratio of two of them may be off by what is
/// counted meanwhile.
///
/// # Cost
///
/// An add is one read-modify-write; [`pin`](Self::pin) saves the further reads of the thread-local.
/// `N` times `K` × 8 bytes, rounded up to 128: 2 KiB for up to 16 counters.
///
/// # Panics
///
/// Where a counter's number is not below `K`, as an index into an array. Nothing else panics.
///
/// # Examples
///
/// ```
/// use reveille::counter::CounterSet;
///
/// const REQUESTS: usize = 0;
/// const BYTES: usize = 1;
/// static STATS: CounterSet<2> = CounterSet::new();
///
/// let stripe = STATS.pin();
/// stripe.increment(REQUESTS);
/// stripe.add(BYTES, 512);
/// assert_eq!(STATS.snapshot(), [1, 512]);
/// ```
pub struct CounterSet<const K: usize, const N: usize = STRIPES>(Stripes<K, N>);

impl<const K: usize> CounterSet<K> {
    const_fn! {
        /// All zero, with [`STRIPES`] stripes.
        #[inline]
        #[must_use]
        pub const fn new() -> Self {
            Self::with_stripes()
        }
    }
}

impl<const K: usize, const N: usize> CounterSet<K, N> {
    const_fn! {
        /// All zero, with `N` stripes; see
        /// [`StripedCounter::with_stripes`](super::StripedCounter::with_stripes).
        #[inline]
        #[must_use]
        pub const fn with_stripes() -> Self {
            Self(Stripes::new())
        }
    }

    /// The calling thread's stripe, to add to several counters.
    #[inline]
    #[must_use]
    pub fn pin(&self) -> Stripe<'_, K> {
        self.pin_at(thread_stripe())
    }

    /// The stripe of this number, modulo `N`.
    #[inline]
    #[must_use]
    pub fn pin_at(&self, stripe: usize) -> Stripe<'_, K> {
        Stripe { cells: self.0.stripe(stripe), of_this_thread: PhantomData }
    }

    /// Adds one to counter `k`.
    #[inline]
    #[track_caller]
    pub fn increment(&self, k: usize) {
        self.add(k, 1);
    }

    /// Adds `n` to counter `k`, wrapping around at 2^64.
    #[inline]
    #[track_caller]
    pub fn add(&self, k: usize, n: u64) {
        self.pin().add(k, n);
    }

    /// The same in the stripe of this number, modulo `N`. No thread-local is read.
    #[inline]
    #[track_caller]
    pub fn add_at(&self, stripe: usize, k: usize, n: u64) {
        self.pin_at(stripe).add(k, n);
    }

    /// What has been added to counter `k`.
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn sum(&self, k: usize) -> u64 {
        self.0.sum(k)
    }

    /// The sums of all counters, one after the other.
    #[inline]
    #[must_use]
    pub fn snapshot(&self) -> [u64; K] {
        self.0.sums()
    }

    /// Takes what has been added to counter `k` and leaves the rest: each add is in exactly one answer.
    #[inline]
    #[track_caller]
    pub fn sum_then_reset(&self, k: usize) -> u64 {
        self.0.take(k)
    }

    /// What has been added to each counter since the sums were `last`, which become the sums now. Start
    /// with zeros. See [`StripedCounter::delta`](super::StripedCounter::delta).
    ///
    /// ```
    /// let set = reveille::counter::CounterSet::<3>::new();
    /// let mut last = [0; 3];
    /// set.add(1, 5);
    /// assert_eq!(set.delta(&mut last), [0, 5, 0]);
    /// set.increment(2);
    /// assert_eq!(set.delta(&mut last), [0, 0, 1]);
    /// ```
    #[inline]
    pub fn delta(&self, last: &mut [u64; K]) -> [u64; K] {
        core::array::from_fn(|k| since(&mut last[k], self.sum(k)))
    }
}

impl<const K: usize, const N: usize> Default for CounterSet<K, N> {
    fn default() -> Self {
        Self::with_stripes()
    }
}

impl<const K: usize, const N: usize> fmt::Debug for CounterSet<K, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CounterSet").field(&self.snapshot()).finish()
    }
}

/// A thread's stripe of a [`CounterSet`].
///
/// It stays on the thread that asked for it: elsewhere it would work, but in somebody's way.
#[derive(Clone, Copy)]
pub struct Stripe<'a, const K: usize> {
    cells: &'a [AtomicU64; K],
    of_this_thread: PhantomData<*const ()>,
}

impl<const K: usize> Stripe<'_, K> {
    /// Adds one to counter `k`.
    ///
    /// # Panics
    ///
    /// If there is no counter `k`.
    #[inline]
    #[track_caller]
    pub fn increment(&self, k: usize) {
        self.add(k, 1);
    }

    /// Adds `n` to counter `k`, wrapping around at 2^64.
    ///
    /// # Panics
    ///
    /// If there is no counter `k`.
    #[inline]
    #[track_caller]
    pub fn add(&self, k: usize, n: u64) {
        add(&self.cells[k], n);
    }
}

impl<const K: usize> fmt::Debug for Stripe<'_, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stripe").finish_non_exhaustive()
    }
}
