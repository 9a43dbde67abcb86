//! What every counter here can do.

/// A kind of counter.
pub(super) trait Subject: Send + Sync + Sized + 'static {
    /// Its name in tables.
    const NAME: &'static str;
    /// With two threads and more it is so many times slower than others: it gets fewer adds.
    const SLOWER: u64 = 1;

    /// Zero, for that many threads.
    fn new(threads: usize) -> Self;

    /// Adds one, again and again, as one of the threads.
    fn add(&self, thread: usize, times: u64);

    /// What has been added.
    fn sum(&self) -> u64;
}

/// Four counters of one owner.
pub(super) trait FourSubject: Send + Sync + Sized + 'static {
    /// Its name in tables.
    const NAME: &'static str;

    /// Zero, for that many threads.
    fn new(threads: usize) -> Self;

    /// One operation counts four things: one of each of the first three, and bytes.
    fn add(&self, thread: usize, times: u64);

    /// What has been added to each.
    fn sums(&self) -> [u64; 4];
}

/// What an operation counts of the fourth thing.
pub(super) const BYTES: u64 = 64;
