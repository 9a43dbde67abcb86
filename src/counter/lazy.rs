//! A counter that is one cell until two threads meet there.
//!
//! ```text
//! one cell:   compare-exchange on it; a failure says that somebody else was here
//! that once:  stripes are made, zeroed, and published
//! from then:  an add goes to the stripes; the cell keeps what it has
//! ```
//!
//! Nothing is moved from the cell to the stripes, so nothing can be seen twice or not at all. Threads
//! that race to publish make one table each, and all but one throw theirs away.

use core::alloc::Layout;
use core::fmt;
use core::ptr;

use super::STRIPES;
use super::stripes::{Stripes, add, since};
use crate::shim::atomic::{AtomicPtr, AtomicU64, Ordering};
use crate::shim::memory;
use crate::stripe::thread_stripe;

/// A counter of 16 bytes that gets stripes when threads collide on it: for thousands of counters, most
/// of which are idle or used by one thread at a time.
///
/// See the [module](super) for what a sum tells and for stripes. It works where the others do but in
/// signal handlers, because it may allocate.
///
/// # Ordering
///
/// As [`StripedCounter`](super::StripedCounter).
///
/// # Progress
///
/// Lock-free; blocks only as far as the allocator does, once. Where there is no memory it stays as it
/// is, and slow; nothing panics.
///
/// # Cost
///
/// An add is one load and one compare-exchange, later two loads and an atomic add. 16 bytes; from the first
/// collision on also `N` stripes of 128 bytes, until it is dropped. Where every counter is busy a
/// [`StripedCounter`](super::StripedCounter) is faster, a [`CounterSet`](super::CounterSet) smaller.
///
/// # Examples
///
/// ```
/// use reveille::counter::LazyCounter;
///
/// let by_route: Vec<LazyCounter> = (0..10_000).map(|_| LazyCounter::new()).collect();
/// by_route[17].increment();
/// assert_eq!(by_route[17].sum(), 1);
/// assert_eq!(size_of::<LazyCounter>(), 16);
/// ```
pub struct LazyCounter<const N: usize = STRIPES> {
    cell: AtomicU64,
    /// Null until threads have collided.
    stripes: AtomicPtr<Stripes<1, N>>,
}

impl LazyCounter {
    const_fn! {
        /// Zero; [`STRIPES`] stripes when they are needed.
        #[inline]
        #[must_use]
        pub const fn new() -> Self {
            Self::with_stripes()
        }
    }
}

impl<const N: usize> LazyCounter<N> {
    const LAYOUT: Layout = Layout::new::<Stripes<1, N>>();

    const_fn! {
        /// Zero; `N` stripes when they are needed. See
        /// [`StripedCounter::with_stripes`](super::StripedCounter::with_stripes).
        #[inline]
        #[must_use]
        pub const fn with_stripes() -> Self {
            const { assert!(N > 0, "a counter needs a stripe") };
            Self { cell: AtomicU64::new(0), stripes: AtomicPtr::new(ptr::null_mut()) }
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
        match self.stripes() {
            Some(stripes) => add(&stripes.stripe(thread_stripe())[0], n),
            None => self.add_to_cell(n, thread_stripe),
        }
    }

    /// Adds `n`, if there are stripes in the one of this number, modulo `N`. No thread-local is read.
    #[inline]
    pub fn add_at(&self, stripe: usize, n: u64) {
        match self.stripes() {
            Some(stripes) => add(&stripes.stripe(stripe)[0], n),
            None => self.add_to_cell(n, || stripe),
        }
    }

    /// What has been added; see [`StripedCounter::sum`](super::StripedCounter::sum).
    #[inline]
    #[must_use]
    pub fn sum(&self) -> u64 {
        // ORDERING(counter.cell): Relaxed — a count stands for itself; pairs with add_to_cell().
        let cell = self.cell.load(Ordering::Relaxed);
        cell.wrapping_add(self.stripes().map_or(0, |stripes| stripes.sum(0)))
    }

    /// Takes what has been added and leaves the rest; see
    /// [`StripedCounter::sum_then_reset`](super::StripedCounter::sum_then_reset). Stripes stay.
    #[inline]
    pub fn sum_then_reset(&self) -> u64 {
        // ORDERING(counter.cell): Relaxed — one step with respect to add_to_cell(), whatever the order.
        let cell = self.cell.swap(0, Ordering::Relaxed);
        cell.wrapping_add(self.stripes().map_or(0, |stripes| stripes.take(0)))
    }

    /// What has been added since the sum was `last`, which becomes the sum now. Start with 0. See
    /// [`StripedCounter::delta`](super::StripedCounter::delta).
    #[inline]
    pub fn delta(&self, last: &mut u64) -> u64 {
        since(last, self.sum())
    }

    /// Whether threads have collided on it: it has stripes now.
    #[inline]
    #[must_use]
    pub fn is_spread(&self) -> bool {
        self.stripes().is_some()
    }

    #[inline(always)]
    fn stripes(&self) -> Option<&Stripes<1, N>> {
        // ORDERING(counter.table): Acquire — the stripes are seen zeroed; pairs with make_stripes().
        // Relaxed dies in counter::one_table_of_several_is_kept.
        let table = self.stripes.load(Ordering::Acquire);
        // SAFETY: null, or what make_stripes has published, which lives until the counter is dropped.
        unsafe { table.as_ref() }
    }

    #[inline]
    fn add_to_cell(&self, n: u64, stripe: impl FnOnce() -> usize) {
        // ORDERING(counter.cell): Relaxed — a guess, checked by the next step.
        let before = self.cell.load(Ordering::Relaxed);
        let after = before.wrapping_add(n);
        // ORDERING(counter.cell): Relaxed — a count stands for itself; pairs with sum().
        let added = self.cell.compare_exchange(before, after, Ordering::Relaxed, Ordering::Relaxed);
        if added.is_err() {
            self.spread(n, stripe());
        }
    }

    /// Another thread has just changed the cell: adds in a stripe.
    #[cold]
    fn spread(&self, n: u64, stripe: usize) {
        match self.stripes().or_else(|| self.make_stripes()) {
            Some(stripes) => add(&stripes.stripe(stripe)[0], n),
            // No memory.
            None => add(&self.cell, n),
        }
    }

    fn make_stripes(&self) -> Option<&Stripes<1, N>> {
        // SAFETY: there is at least one stripe, so its size is not zero.
        let table = unsafe { memory::alloc(Self::LAYOUT) }.cast::<Stripes<1, N>>();
        if table.is_null() {
            return None;
        }
        // SAFETY: just allocated for this.
        unsafe { table.write(Stripes::new()) };
        // ORDERING(counter.table): Release on success — hands the zeroed stripes on; Acquire on failure —
        // sees another thread's; pairs with stripes(). Relaxed dies in
        // counter::one_table_of_several_is_kept.
        let published = self.stripes.compare_exchange(
            ptr::null_mut(),
            table,
            Ordering::Release,
            Ordering::Acquire,
        );
        let table = published.map_or_else(
            |theirs| {
                // SAFETY: ours, and nobody has seen it.
                unsafe { Self::free(table) };
                theirs
            },
            |_| table,
        );
        // SAFETY: published, so it lives until the counter is dropped.
        unsafe { table.as_ref() }
    }

    /// # Safety
    ///
    /// `table` comes from `make_stripes`, and nobody uses it any more.
    unsafe fn free(table: *mut Stripes<1, N>) {
        // SAFETY: by contract.
        unsafe { table.drop_in_place() };
        // SAFETY: by contract, allocated with this layout.
        unsafe { memory::dealloc(table.cast(), Self::LAYOUT) };
    }
}

impl<const N: usize> Drop for LazyCounter<N> {
    fn drop(&mut self) {
        // ORDERING(counter.free): Relaxed — whoever drops it comes after all others by itself; pairs
        // with (counter.table).
        let table = self.stripes.load(Ordering::Relaxed);
        if !table.is_null() {
            // SAFETY: nobody else has the counter.
            unsafe { Self::free(table) };
        }
    }
}

impl<const N: usize> Default for LazyCounter<N> {
    fn default() -> Self {
        Self::with_stripes()
    }
}

impl<const N: usize> fmt::Debug for LazyCounter<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("LazyCounter").field(&self.sum()).finish()
    }
}
