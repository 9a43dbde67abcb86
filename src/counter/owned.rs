//! Counters that one thread at a time writes: a load and a store, where the others need a
//! read-modify-write.
//!
//! ```text
//! writer A: load 0, store 1 | give back |
//! writer B:                             | claim | load ?, store ?+1
//!
//! forbidden: ? = 0: A's count would be lost. So a claim acquires what the last writer released.
//! ```

use core::fmt;
use core::ops::Deref;

use super::stripes::since;
use crate::shim::atomic::{AtomicU32, AtomicU64, Ordering};

const FREE: u32 = 0;
const TAKEN: u32 = 1;

/// `K` counters that one thread at a time writes, and any number read.
///
/// [`OwnedCounter`] is the same for a single one, and says the rest.
///
/// # Cost
///
/// `K` × 8 + 8 bytes, without padding; an add is a load and a store.
///
/// # Examples
///
/// ```
/// use reveille::counter::OwnedSet;
///
/// static STATS: OwnedSet<2> = OwnedSet::new();
///
/// let mut writer = STATS.writer().expect("the only one");
/// writer.increment(0);
/// writer.add(1, 512);
/// assert_eq!(STATS.snapshot(), [1, 512]);
/// ```
pub struct OwnedSet<const K: usize> {
    cells: [AtomicU64; K],
    /// Whether there is a writer.
    claim: AtomicU32,
}

impl<const K: usize> OwnedSet<K> {
    const_fn! {
        /// All zero, without a writer.
        #[inline]
        #[must_use]
        pub const fn new() -> Self {
            Self { cells: array![AtomicU64::new(0); K], claim: AtomicU32::new(FREE) }
        }
    }

    /// Makes the caller the writer; `None` while there is one.
    #[inline]
    pub fn writer(&self) -> Option<SetWriter<K, &Self>> {
        SetWriter::claim(self).ok()
    }

    /// What has been added to counter `k`.
    ///
    /// # Panics
    ///
    /// If there is no counter `k`.
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn get(&self, k: usize) -> u64 {
        // ORDERING(counter.own): Relaxed — a count stands for itself; pairs with the store in bump().
        self.cells[k].load(Ordering::Relaxed)
    }

    /// What has been added to each, read one after the other.
    #[inline]
    #[must_use]
    pub fn snapshot(&self) -> [u64; K] {
        core::array::from_fn(|k| self.get(k))
    }

    /// What has been added to each since the counters were `last`, which becomes what they are now.
    /// Start with zeros.
    #[inline]
    pub fn delta(&self, last: &mut [u64; K]) -> [u64; K] {
        core::array::from_fn(|k| since(&mut last[k], self.get(k)))
    }

    /// Adds as the writer, which no other thread is.
    #[inline(always)]
    #[track_caller]
    fn bump(&self, k: usize, n: u64) {
        let cell = &self.cells[k];
        // ORDERING(counter.own): Relaxed — the writer reads its own store, or a former writer's that
        // (counter.claim) has passed on.
        let before = cell.load(Ordering::Relaxed);
        // ORDERING(counter.own): Relaxed — pairs with the loads in get() and above.
        cell.store(before.wrapping_add(n), Ordering::Relaxed);
    }

    fn take(&self) -> bool {
        // ORDERING(counter.claim): Acquire — sees what the last writer counted; pairs with give_back().
        // Relaxed dies in counter::a_writer_goes_on_where_the_last_one_stopped. A failure is an answer
        // and no more.
        self.claim.compare_exchange(FREE, TAKEN, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    fn give_back(&self) {
        // ORDERING(counter.claim): Release — hands the counts on; pairs with take(). Relaxed dies in
        // counter::a_writer_goes_on_where_the_last_one_stopped.
        self.claim.store(FREE, Ordering::Release);
    }
}

impl<const K: usize> Default for OwnedSet<K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const K: usize> fmt::Debug for OwnedSet<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OwnedSet").field(&self.snapshot()).finish()
    }
}

/// The writer of an [`OwnedSet`], through whatever pointer: `&'static`, `&`, `Arc`. Dropped, it makes
/// room for the next.
pub struct SetWriter<const K: usize, P: Deref<Target = OwnedSet<K>> = &'static OwnedSet<K>>(P);

impl<const K: usize, P: Deref<Target = OwnedSet<K>>> SetWriter<K, P> {
    /// Makes the caller the writer.
    ///
    /// # Errors
    ///
    /// Gives the pointer back while there is another writer.
    #[inline]
    pub fn claim(set: P) -> Result<Self, P> {
        if set.take() { Ok(Self(set)) } else { Err(set) }
    }

    /// Adds one to counter `k`.
    ///
    /// # Panics
    ///
    /// If there is no counter `k`.
    #[inline]
    #[track_caller]
    pub fn increment(&mut self, k: usize) {
        self.add(k, 1);
    }

    /// Adds `n` to counter `k`, wrapping around at 2^64.
    ///
    /// # Panics
    ///
    /// If there is no counter `k`.
    #[inline]
    #[track_caller]
    pub fn add(&mut self, k: usize, n: u64) {
        self.0.bump(k, n);
    }
}

impl<const K: usize, P: Deref<Target = OwnedSet<K>>> Drop for SetWriter<K, P> {
    fn drop(&mut self) {
        self.0.give_back();
    }
}

impl<const K: usize, P: Deref<Target = OwnedSet<K>>> fmt::Debug for SetWriter<K, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SetWriter").field(&*self.0).finish()
    }
}

/// A counter that one thread at a time writes, and any number read.
///
/// For what has one owner anyway: the consumer of a queue, a worker, an event loop. Readers may add up
/// the counters of all workers themselves.
///
/// See the [module](super) for where it works. A signal handler cannot get at a thread's writer; it
/// needs a counter of its own, or a [`StripedCounter`](super::StripedCounter).
///
/// # Ordering
///
/// Counts are Relaxed. The writer's role is passed on with Acquire and Release, so that a new writer
/// goes on where the last one stopped.
///
/// # Progress
///
/// Wait-free. Nothing panics, allocates or blocks.
///
/// # Cost
///
/// 16 bytes. An add is a load and a store, with no lock prefix or exclusive access; claiming is one
/// read-modify-write. Nothing is padded: put it beside what the writer writes anyway, or into a
/// `CachePadded`.
///
/// # Examples
///
/// ```
/// use reveille::counter::OwnedCounter;
///
/// static LOOPS: OwnedCounter = OwnedCounter::new();
///
/// std::thread::scope(|scope| {
///     scope.spawn(|| {
///         let mut loops = LOOPS.writer().expect("the only one");
///         (0..1000).for_each(|_| loops.increment());
///     });
/// });
/// assert_eq!(LOOPS.get(), 1000);
/// ```
///
/// Owned by a thread that shares it:
///
/// ```
/// use std::sync::Arc;
/// use reveille::counter::{CounterWriter, OwnedCounter};
///
/// let loops = Arc::new(OwnedCounter::new());
/// let mut writer = CounterWriter::claim(loops.clone()).expect("the only one");
/// std::thread::spawn(move || writer.add(3)).join().unwrap();
/// assert_eq!(loops.get(), 3);
/// ```
///
/// # When not to use it
///
/// Where the writer changes often.
#[derive(Default)]
pub struct OwnedCounter(OwnedSet<1>);

impl OwnedCounter {
    const_fn! {
        /// Zero, without a writer.
        #[inline]
        #[must_use]
        pub const fn new() -> Self {
            Self(OwnedSet::new())
        }
    }

    /// Makes the caller the writer; `None` while there is one.
    #[inline]
    pub fn writer(&self) -> Option<CounterWriter<&Self>> {
        CounterWriter::claim(self).ok()
    }

    /// What has been added, modulo 2^64.
    #[inline]
    #[must_use]
    pub fn get(&self) -> u64 {
        self.0.get(0)
    }

    /// What has been added since the counter was `last`, which becomes what it is now. Start with 0. See
    /// [`StripedCounter::delta`](super::StripedCounter::delta).
    #[inline]
    pub fn delta(&self, last: &mut u64) -> u64 {
        since(last, self.get())
    }
}

impl fmt::Debug for OwnedCounter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OwnedCounter").field(&self.get()).finish()
    }
}

/// The writer of an [`OwnedCounter`], through whatever pointer: `&'static`, `&`, `Arc`. Dropped, it
/// makes room for the next.
pub struct CounterWriter<P: Deref<Target = OwnedCounter> = &'static OwnedCounter>(P);

impl<P: Deref<Target = OwnedCounter>> CounterWriter<P> {
    /// Makes the caller the writer.
    ///
    /// # Errors
    ///
    /// Gives the pointer back while there is another writer.
    #[inline]
    pub fn claim(counter: P) -> Result<Self, P> {
        if counter.0.take() { Ok(Self(counter)) } else { Err(counter) }
    }

    /// Adds one.
    #[inline]
    pub fn increment(&mut self) {
        self.add(1);
    }

    /// Adds `n`, wrapping around at 2^64.
    #[inline]
    pub fn add(&mut self, n: u64) {
        self.0.0.bump(0, n);
    }
}

impl<P: Deref<Target = OwnedCounter>> Drop for CounterWriter<P> {
    fn drop(&mut self) {
        self.0.0.give_back();
    }
}

impl<P: Deref<Target = OwnedCounter>> fmt::Debug for CounterWriter<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CounterWriter").field(&self.0.get()).finish()
    }
}
