//! `reveille`'s counters.

use crossbeam_utils::CachePadded;

use reveille::StripedCounter;
use reveille::counter::{
    CounterSet, LazyCounter, OwnedCounter, OwnedSet, PerCpuCounter, PerCpuSet,
};

use super::subject::{BYTES, FourSubject, Subject};

macro_rules! plain {
    ($($counter:ty, $name:literal;)*) => { $(
        impl Subject for $counter {
            const NAME: &'static str = $name;

            fn new(_: usize) -> Self {
                Self::new()
            }

            fn add(&self, _: usize, times: u64) {
                (0..times).for_each(|_| self.increment());
            }

            fn sum(&self) -> u64 {
                self.sum()
            }
        }
    )* };
}

plain! {
    StripedCounter, "reveille";
    LazyCounter, "reveille:lazy";
    PerCpuCounter, "reveille:per-cpu";
}

/// A counter for each thread, added up by the reader.
pub(super) struct Owned(Vec<CachePadded<OwnedCounter>>);

impl Subject for Owned {
    const NAME: &'static str = "reveille:owned";

    fn new(threads: usize) -> Self {
        Self((0..threads).map(|_| CachePadded::default()).collect())
    }

    fn add(&self, thread: usize, times: u64) {
        let mut writer = self.0[thread].writer().expect("one writer a counter");
        (0..times).for_each(|_| writer.increment());
    }

    fn sum(&self) -> u64 {
        self.0.iter().map(|counter| counter.get()).sum()
    }
}

impl FourSubject for CounterSet<4> {
    const NAME: &'static str = "reveille";

    fn new(_: usize) -> Self {
        Self::new()
    }

    fn add(&self, _: usize, times: u64) {
        for _ in 0..times {
            let stripe = self.pin();
            (0..3).for_each(|k| stripe.increment(k));
            stripe.add(3, BYTES);
        }
    }

    fn sums(&self) -> [u64; 4] {
        self.snapshot()
    }
}

impl FourSubject for PerCpuSet<4> {
    const NAME: &'static str = "reveille:per-cpu";

    fn new(_: usize) -> Self {
        Self::new()
    }

    fn add(&self, _: usize, times: u64) {
        for _ in 0..times {
            self.add_all([(0, 1), (1, 1), (2, 1), (3, BYTES)]);
        }
    }

    fn sums(&self) -> [u64; 4] {
        self.snapshot()
    }
}

/// A set for each thread.
pub(super) struct OwnedFour(Vec<CachePadded<OwnedSet<4>>>);

impl FourSubject for OwnedFour {
    const NAME: &'static str = "reveille:owned";

    fn new(threads: usize) -> Self {
        Self((0..threads).map(|_| CachePadded::default()).collect())
    }

    fn add(&self, thread: usize, times: u64) {
        let mut writer = self.0[thread].writer().expect("one writer a set");
        for _ in 0..times {
            (0..3).for_each(|k| writer.increment(k));
            writer.add(3, BYTES);
        }
    }

    fn sums(&self) -> [u64; 4] {
        let each = self.0.iter().map(|set| set.snapshot());
        each.fold([0; 4], |sums, set| core::array::from_fn(|k| sums[k] + set[k]))
    }
}
