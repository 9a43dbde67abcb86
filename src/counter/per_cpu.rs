//! Counters by CPU: a plain add, made one step by the kernel.
//!
//! ```text
//! in a restartable sequence:   cpu = my CPU; cells[cpu] += n     not begun, or done, never half
//! where that does not work:    shared[stripe] += n               a read-modify-write
//! sum:                         Σ cells + Σ shared
//! ```
//!
//! The two kinds of cells are never mixed: a plain add is one step for the threads of its own CPU only,
//! and would swallow a read-modify-write from another. For the same reason nobody resets a cell: readers
//! keep the last sum. An interrupted add is not tried again but made in a shared cell, so that it ends
//! under a debugger that steps through it, or in a storm of signals.
//!
//! To the memory model, the add is a Relaxed load and a Relaxed store of a cell that nobody else writes
//! in between: threads of one CPU take turns, and the kernel orders what they do.

use alloc::boxed::Box;
use core::fmt;

use crossbeam_utils::CachePadded;

use super::STRIPES;
use super::stripes::{add, since};
use crate::shim::atomic::{AtomicU64, Ordering};
use crate::stripe::thread_stripe;
use crate::sys::Cells;
use crate::sys::rseq::Rseq;

/// More CPUs than this share cells.
const MOST_CPUS: usize = 1024;

type Line<const K: usize> = CachePadded<[AtomicU64; K]>;

/// `K` counters of one owner, by CPU. [`PerCpuCounter`] is the same for a single one, and says the rest.
///
/// # Cost
///
/// As for a single one, for each count; [`add_all`](Self::add_all) saves one store for each. A line of `K` × 8 bytes, rounded up to 128, for each CPU, and one more.
///
/// # Panics
///
/// Where a counter's number is not below `K`, as an index into an array. Nothing else panics.
///
/// # Examples
///
/// ```
/// use reveille::counter::PerCpuSet;
///
/// let stats = PerCpuSet::<2>::new();
/// stats.increment(0);
/// stats.add(1, 512);
/// assert_eq!(stats.snapshot(), [1, 512]);
/// ```
pub struct PerCpuSet<const K: usize> {
    /// `None`: all lines are shared.
    rseq: Option<Rseq>,
    /// How many of the lines, from the first on, belong to a CPU each; one more is shared.
    cpus: u32,
    lines: Box<[Line<K>]>,
}

impl<const K: usize> PerCpuSet<K> {
    /// All zero, with a line for each CPU that the system is configured with; with [`STRIPES`] stripes
    /// where there are no restartable sequences.
    ///
    /// Where there is no memory the process ends, as with any allocation.
    #[must_use]
    pub fn new() -> Self {
        let rseq = Rseq::find().filter(|rseq| rseq.cpus() > 0);
        let cpus = rseq.map_or(0, |rseq| rseq.cpus().min(MOST_CPUS));
        let shared = if cpus == 0 { STRIPES } else { 1 };
        let lines =
            (0..cpus + shared).map(|_| CachePadded::new(array![AtomicU64::new(0); K])).collect();
        Self { rseq, cpus: cpus as u32, lines }
    }

    /// Whether adds are plain ones on this system. If not, it works like a
    /// [`CounterSet`](super::CounterSet).
    #[must_use]
    pub fn is_per_cpu(&self) -> bool {
        self.cpus > 0
    }

    /// Adds one to counter `k`.
    #[inline]
    #[track_caller]
    pub fn increment(&self, k: usize) {
        self.add_all([(k, 1)]);
    }

    /// Adds `n` to counter `k`, wrapping around at 2^64.
    #[inline]
    #[track_caller]
    pub fn add(&self, k: usize, n: u64) {
        self.add_all([(k, n)]);
    }

    /// Adds to several counters: `(k, n)` each. A little cheaper than one by one, and no more one step
    /// than that.
    ///
    /// # Panics
    ///
    /// If there is no counter `k`: then nothing is added.
    ///
    /// ```
    /// let stats = reveille::counter::PerCpuSet::<3>::new();
    /// stats.add_all([(0, 1), (2, 512)]);
    /// assert_eq!(stats.snapshot(), [1, 0, 512]);
    /// ```
    #[inline]
    #[track_caller]
    pub fn add_all<const M: usize>(&self, counts: [(usize, u64); M]) {
        for (k, _) in counts {
            assert!(k < K, "counter {k} of {K}");
        }
        let Some(rseq) = self.rseq else {
            return counts.into_iter().for_each(|(k, n)| self.add_shared(k, n));
        };
        for (k, n) in counts {
            let cells = self.cells(k);
            if n == 1 {
                // SAFETY: the cells are there, and the first `cpus` lines are written here only.
                unsafe { rseq.increment(cells) };
            } else {
                // SAFETY: as above.
                unsafe { rseq.add(cells, n) };
            }
        }
        rseq.leave();
    }

    /// The cells of counter `k`, which there is.
    #[inline(always)]
    fn cells(&self, k: usize) -> Cells {
        let by_cpu = self.lines.as_ptr().cast::<u64>().cast_mut().wrapping_add(k);
        let stride = size_of::<Line<K>>();
        let shared = by_cpu.wrapping_byte_add(stride * self.cpus as usize);
        Cells { by_cpu, stride, cpus: self.cpus, shared }
    }

    /// Where there are no restartable sequences.
    fn add_shared(&self, k: usize, n: u64) {
        add(&self.lines[thread_stripe() % self.lines.len()][k], n);
    }

    /// What has been added to counter `k`. See the [module](super) for what a sum tells.
    ///
    /// # Panics
    ///
    /// If there is no counter `k`.
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn sum(&self, k: usize) -> u64 {
        assert!(k < K, "counter {k} of {K}");
        // ORDERING(counter.per_cpu): Relaxed — see the module; pairs with the adds in the sequence and
        // with (counter.add).
        let each = self.lines.iter().map(|line| line[k].load(Ordering::Relaxed));
        each.fold(0, u64::wrapping_add)
    }

    /// The sums of all counters, one after the other.
    #[inline]
    #[must_use]
    pub fn snapshot(&self) -> [u64; K] {
        core::array::from_fn(|k| self.sum(k))
    }

    /// What has been added to each counter since the sums were `last`, which become the sums now. Start
    /// with zeros. See [`StripedCounter::delta`](super::StripedCounter::delta).
    #[inline]
    pub fn delta(&self, last: &mut [u64; K]) -> [u64; K] {
        core::array::from_fn(|k| since(&mut last[k], self.sum(k)))
    }
}

impl<const K: usize> Default for PerCpuSet<K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const K: usize> fmt::Debug for PerCpuSet<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PerCpuSet")
            .field("sums", &self.snapshot())
            .field("cpus", &self.cpus)
            .finish()
    }
}

/// A counter by CPU: an add is a few plain instructions, without a lock prefix or exclusive access.
///
/// It uses *restartable sequences* of Linux with glibc 2.35 or newer, on x86-64 and aarch64. Elsewhere,
/// under a tracer that has none (qemu-user, valgrind), or where the user switched them off
/// (`GLIBC_TUNABLES=glibc.pthread.rseq=0`), it finds that out when it is made and works like a
/// [`StripedCounter`](super::StripedCounter), with its sums and its costs.
///
/// See the [module](super) for what a sum tells and for where it works; but it is not `const`, and must
/// not be used in a child of `vfork` before it has called `exec`, which runs on its parent's memory
/// without a registration of its own.
///
/// There is no `sum_then_reset`: a cell that is written by plain adds cannot be taken by others. Use
/// [`delta`](Self::delta).
///
/// # Ordering
///
/// Relaxed. A sum includes every add that happens before it; it makes nothing else visible.
///
/// # Progress
///
/// Wait-free: an add that is interrupted in the wrong moment becomes a read-modify-write on a shared
/// cell. Threads that glibc has not registered, and CPUs that the system was not configured with when the
/// counter was made, use that cell always.
///
/// # Panics
///
/// None. Where there is no memory, [`new`](Self::new) ends the process, as any allocation does.
///
/// # Cost
///
/// An add is some ten plain instructions, two of which store. A sum is one load for each CPU, running
/// or not. 128 bytes for each CPU, and 128 more. For several counters use a [`PerCpuSet`].
///
/// # Examples
///
/// ```
/// use reveille::counter::PerCpuCounter;
///
/// let packets = PerCpuCounter::new();
/// std::thread::scope(|scope| {
///     for _ in 0..4 {
///         scope.spawn(|| (0..1000).for_each(|_| packets.increment()));
///     }
/// });
/// assert_eq!(packets.sum(), 4000);
/// ```
///
/// # When not to use it
///
/// In programs that are checked with ThreadSanitizer or Miri (which do not see such adds; under Miri it
/// falls back), that are checkpointed with old versions of CRIU, or where a counter has one writer: an
/// [`OwnedCounter`](super::OwnedCounter) is cheaper still.
///
/// # Source
///
/// `librseq` (Desnoyers), tcmalloc's per-CPU caches, `rseq(2)`.
#[derive(Default)]
pub struct PerCpuCounter(PerCpuSet<1>);

impl PerCpuCounter {
    /// Zero.
    ///
    /// Where there is no memory the process ends, as with any allocation.
    #[must_use]
    pub fn new() -> Self {
        Self(PerCpuSet::new())
    }

    /// Whether adds are plain ones on this system.
    #[must_use]
    pub fn is_per_cpu(&self) -> bool {
        self.0.is_per_cpu()
    }

    /// Adds one.
    #[inline]
    pub fn increment(&self) {
        self.0.increment(0);
    }

    /// Adds `n`, wrapping around at 2^64.
    #[inline]
    pub fn add(&self, n: u64) {
        self.0.add(0, n);
    }

    /// What has been added, modulo 2^64.
    #[inline]
    #[must_use]
    pub fn sum(&self) -> u64 {
        self.0.sum(0)
    }

    /// What has been added since the sum was `last`, which becomes the sum now. Start with 0. See
    /// [`StripedCounter::delta`](super::StripedCounter::delta).
    #[inline]
    pub fn delta(&self, last: &mut u64) -> u64 {
        since(last, self.sum())
    }
}

impl fmt::Debug for PerCpuCounter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PerCpuCounter")
            .field("sum", &self.sum())
            .field("cpus", &self.0.cpus)
            .finish()
    }
}
