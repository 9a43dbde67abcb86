//! Counters that many threads add to and few read.
//!
//! A counter that all threads add to in one place is one cache line that all CPUs fight for. These
//! keep several cells, each on cache lines of its own, and a thread adds to one of them; whoever reads
//! adds the cells up. Adding returns nothing: a counter that tells its value with each add cannot be
//! spread out.
//!
//! | type | for | an add | bytes |
//! |---|---|---|---|
//! | [`StripedCounter`] | events | 1 read-modify-write, in a line that rarely moves | 128 for each stripe: 2048 |
//! | [`StripedGauge`] | what goes up and down: requests in flight | the same | the same |
//! | [`CounterSet`] | `K` counters of one owner | the same | 2048 for all, up to 16 counters |
//! | [`OwnedCounter`], [`OwnedSet`] | one writing thread | a load and a store | 16; 8 for each, and 8 |
#![cfg_attr(
    feature = "alloc",
    doc = "| [`LazyCounter`] | thousands of counters, most of them idle | 1 read-modify-write | 16 until threads collide, then 2048 more |"
)]
#![cfg_attr(
    feature = "rseq",
    doc = "| [`PerCpuCounter`], [`PerCpuSet`] | the most adds there can be, Linux only | a few plain instructions | 128 for each CPU, or one line for 16 counters |"
)]
//!
//! The sizes are those of 64-bit x86, Arm and PowerPC; elsewhere a line is taken to have 64 bytes or
//! fewer, 256 on s390x.
//!
//! # What a sum tells
//!
//! A sum is not a snapshot: the cells are read one after the other while others add.
//!
//! - *At rest* it is exact: no count is ever lost, with any number of threads.
//! - *It includes* every add that happens before it (in the sense of the memory model: joined threads,
//!   messages received, locks taken over), and whatever else it comes across.
//! - *It does not go back*: of a counter that is only added to and never reset, one reader's sums never
//!   decrease. Nor do those of two readers, where one sum happens before the other.
//! - It need not be a value that the counter had at any one moment. Something added in one cell and
//!   taken away in another may be seen half; see [`StripedGauge`] for what that means there.
//!
//! Nothing else follows from a sum: all accesses are `Relaxed`, so that what a thread wrote before an
//! add need not be visible to who has seen the add. Do not enforce a limit by a sum.
//!
//! # Stripes
//!
//! With `std` a thread has a number, given when it first counts anything, and uses the stripe of that
//! number, modulo the number of stripes. Without `std` the thread's stack tells roughly which one it
//! is. Who knows better says so: every type has an `add_at` that takes any number (of a worker, a CPU,
//! a shard), and [`thread_stripe`] gives the number that the others use. Two threads on one stripe cost
//! speed, never a count.
//!
//! # Where they work
//!
//! In statics, in destructors of thread-locals, in signal handlers, in a forked child (which has a copy
//! of its own), with more threads than stripes, on any number of CPUs. Adding and summing neither
//! allocate (but [`LazyCounter`](crate::counter), once) nor block, and never panic. Counts are 64 bits
//! wide and wrap around; differences stay right across that.
//!
//! The module is there where the target has 64-bit atomics, `target_has_atomic = "64"`: all 64-bit
//! targets, and of the 32-bit ones x86 and Armv7-A among others. Counts of 32 bits would wrap within
//! seconds.
//!
//! # Source
//!
//! Cells by thread: folly's `ThreadCachedInt`, Java's `LongAdder` (of which [`StripedCounter`] has the
//! cells but not the compare-exchange, and the lazy form both), Kudu's striped metrics. Several
//! counters in a stripe: `fast-telemetry`, tokio's worker metrics.

mod gauge;
#[cfg(feature = "alloc")]
mod lazy;
mod owned;
#[cfg(feature = "rseq")]
mod per_cpu;
mod set;
mod striped;
mod stripes;

pub use gauge::{InFlight, StripedGauge};
#[cfg(feature = "alloc")]
pub use lazy::LazyCounter;
pub use owned::{CounterWriter, OwnedCounter, OwnedSet, SetWriter};
#[cfg(feature = "rseq")]
pub use per_cpu::{PerCpuCounter, PerCpuSet};
pub use set::{CounterSet, Stripe};
pub use striped::StripedCounter;

/// How many stripes a counter has unless it is told otherwise.
pub const STRIPES: usize = 16;

/// The number by which the calling thread's stripe is chosen: taken modulo the number of stripes.
///
/// For a thread that counts a lot: ask once and use `add_at`.
///
/// With `std` all threads have different numbers, 0, 1, 2, … in the order in which they first ask or
/// count, and each keeps its own. Without, threads that live side by side have different ones most of
/// the time.
///
/// # Progress and cost
///
/// Wait-free. A read of a thread-local; one read-modify-write the first time. Never panics.
///
/// # Examples
///
/// ```
/// use reveille::StripedCounter;
/// use reveille::counter::thread_stripe;
///
/// static LINES: StripedCounter = StripedCounter::new();
///
/// let stripe = thread_stripe();
/// for line in ["one", "two", "three"] {
///     LINES.add_at(stripe, 1);
/// #   let _ = line;
/// }
/// assert_eq!(LINES.sum(), 3);
/// ```
#[inline]
#[must_use]
pub fn thread_stripe() -> usize {
    crate::stripe::thread_stripe()
}
