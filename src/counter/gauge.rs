//! A number that goes up and down.

use core::fmt;

use super::STRIPES;
use super::stripes::{Stripes, add};
use crate::stripe::thread_stripe;

/// A signed count that many threads raise and lower: requests in flight, bytes held, tasks alive.
///
/// See the [module](super) for stripes and for where it works.
///
/// # What a sum tells
///
/// At rest it is exact. While others change it, it may miss one half of a change whose other half it
/// sees:
///
/// - Where every rise is undone in *its own stripe*, as an [`InFlight`] guard does wherever it is
///   dropped, no cell is ever negative, and so no sum is. Threads that raise and lower by plain calls
///   do the same as long as each lowers what it raised itself.
/// - Where one thread raises and another lowers by plain calls, a sum may be negative for a moment, or
///   above what was there at any time. [`sum_clamped`](Self::sum_clamped) hides the former.
///
/// # Ordering
///
/// Relaxed: a sum of zero does not make visible what was done in flight. To wait for the end of work
/// use a lock, a [`Parker`](crate::Parker) or a thread's join.
///
/// # Progress, cost
///
/// As [`StripedCounter`](super::StripedCounter). A guard is two words.
///
/// # Examples
///
/// ```
/// use reveille::counter::StripedGauge;
///
/// static IN_FLIGHT: StripedGauge = StripedGauge::new();
///
/// fn handle(request: &str) -> usize {
///     let _in_flight = IN_FLIGHT.enter(); // left on return, on `?`, and on a panic
///     request.len()
/// }
///
/// handle("hello");
/// assert_eq!(IN_FLIGHT.sum(), 0);
/// ```
///
/// # When not to use it
///
/// As a limit, or to find out that the last one has left: a sum is not a snapshot.
pub struct StripedGauge<const N: usize = STRIPES>(Stripes<1, N>);

impl StripedGauge {
    const_fn! {
        /// Zero, with [`STRIPES`] stripes.
        #[inline]
        #[must_use]
        pub const fn new() -> Self {
            Self::with_stripes()
        }
    }
}

impl<const N: usize> StripedGauge<N> {
    const_fn! {
        /// Zero, with `N` stripes; see
        /// [`StripedCounter::with_stripes`](super::StripedCounter::with_stripes).
        #[inline]
        #[must_use]
        pub const fn with_stripes() -> Self {
            Self(Stripes::new())
        }
    }

    /// Raises it by one until the guard is dropped.
    #[inline]
    pub fn enter(&self) -> InFlight<'_, N> {
        self.enter_at(thread_stripe())
    }

    /// The same in the stripe of this number, modulo `N`.
    #[inline]
    pub fn enter_at(&self, stripe: usize) -> InFlight<'_, N> {
        self.add_at(stripe, 1);
        InFlight { gauge: self, stripe }
    }

    /// Adds one.
    #[inline]
    pub fn increment(&self) {
        self.add(1);
    }

    /// Subtracts one.
    #[inline]
    pub fn decrement(&self) {
        self.add(-1);
    }

    /// Adds `n`, which may be negative, wrapping around.
    #[inline]
    pub fn add(&self, n: i64) {
        self.add_at(thread_stripe(), n);
    }

    /// Adds `n` in the stripe of this number, modulo `N`. No thread-local is read.
    ///
    /// ```
    /// let held = reveille::counter::StripedGauge::new();
    /// held.add_at(1, 100);
    /// held.add_at(2, -30);
    /// assert_eq!(held.sum(), 70);
    /// ```
    #[inline]
    pub fn add_at(&self, stripe: usize, n: i64) {
        add(&self.0.stripe(stripe)[0], n as u64);
    }

    /// What it stands at: exact at rest; see above for what it is meanwhile.
    #[inline]
    #[must_use]
    pub fn sum(&self) -> i64 {
        self.0.sum(0) as i64
    }

    /// The same, and zero where that is negative: for a number that cannot be.
    ///
    /// ```
    /// let gauge = reveille::counter::StripedGauge::new();
    /// gauge.decrement();
    /// assert_eq!((gauge.sum(), gauge.sum_clamped()), (-1, 0));
    /// ```
    #[inline]
    #[must_use]
    pub fn sum_clamped(&self) -> u64 {
        self.sum().max(0) as u64
    }
}

impl<const N: usize> Default for StripedGauge<N> {
    fn default() -> Self {
        Self::with_stripes()
    }
}

impl<const N: usize> fmt::Debug for StripedGauge<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("StripedGauge").field(&self.sum()).finish()
    }
}

/// One that is in flight: counted by a [`StripedGauge`] until this is dropped, on whatever thread.
///
/// Forgotten, it is counted for ever.
#[must_use = "it leaves at once if it is not kept"]
pub struct InFlight<'a, const N: usize = STRIPES> {
    gauge: &'a StripedGauge<N>,
    /// Where it was added, so that no cell is ever negative.
    stripe: usize,
}

impl<const N: usize> Drop for InFlight<'_, N> {
    #[inline]
    fn drop(&mut self) {
        self.gauge.add_at(self.stripe, -1);
    }
}

impl<const N: usize> fmt::Debug for InFlight<'_, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InFlight").field("stripe", &(self.stripe % N)).finish_non_exhaustive()
    }
}
