//! The peers' counters: striped ones with 16 stripes where that can be chosen.

use core::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use contatori::counters::unsigned::Unsigned;
use contatori::counters::{CounterValue, Observable as _};
use fast_counter::ConcurrentCounter;

use super::subject::{BYTES, FourSubject, Subject};

const STRIPES: usize = 16;

impl Subject for ConcurrentCounter {
    const NAME: &'static str = "fast-counter";

    fn new(_: usize) -> Self {
        Self::new(STRIPES)
    }

    fn add(&self, _: usize, times: u64) {
        (0..times).for_each(|_| self.add(1));
    }

    fn sum(&self) -> u64 {
        self.sum() as u64
    }
}

impl Subject for fast_telemetry::Counter {
    const NAME: &'static str = "fast-telemetry";

    fn new(_: usize) -> Self {
        Self::new(STRIPES)
    }

    fn add(&self, _: usize, times: u64) {
        (0..times).for_each(|_| self.inc());
    }

    fn sum(&self) -> u64 {
        self.sum() as u64
    }
}

impl Subject for Unsigned {
    const NAME: &'static str = "contatori";

    fn new(_: usize) -> Self {
        Self::new()
    }

    fn add(&self, _: usize, times: u64) {
        (0..times).for_each(|_| self.add(1));
    }

    fn sum(&self) -> u64 {
        match self.value() {
            CounterValue::Unsigned(sum) => sum,
            other => panic!("{other:?} is no unsigned value"),
        }
    }
}

/// What everybody has at hand.
pub(super) struct Atomic(AtomicU64);

impl Subject for Atomic {
    const NAME: &'static str = "atomic-u64";

    fn new(_: usize) -> Self {
        Self(AtomicU64::new(0))
    }

    fn add(&self, _: usize, times: u64) {
        (0..times).for_each(|_| {
            self.0.fetch_add(1, Ordering::Relaxed);
        });
    }

    fn sum(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// And what some still use.
pub(super) struct Locked(Mutex<u64>);

impl Subject for Locked {
    const NAME: &'static str = "mutex-u64";
    const SLOWER: u64 = 8;

    fn new(_: usize) -> Self {
        Self(Mutex::new(0))
    }

    fn add(&self, _: usize, times: u64) {
        (0..times).for_each(|_| *self.0.lock().unwrap_or_else(PoisonError::into_inner) += 1);
    }

    fn sum(&self) -> u64 {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Four atomics side by side.
pub(super) struct FourAtomics([AtomicU64; 4]);

impl FourSubject for FourAtomics {
    const NAME: &'static str = "atomic-u64";

    fn new(_: usize) -> Self {
        Self(Default::default())
    }

    fn add(&self, _: usize, times: u64) {
        for _ in 0..times {
            for counter in &self.0[..3] {
                counter.fetch_add(1, Ordering::Relaxed);
            }
            self.0[3].fetch_add(BYTES, Ordering::Relaxed);
        }
    }

    fn sums(&self) -> [u64; 4] {
        self.0.each_ref().map(|counter| counter.load(Ordering::Relaxed))
    }
}

/// Four striped counters.
pub(super) struct FourFast([ConcurrentCounter; 4]);

impl FourSubject for FourFast {
    const NAME: &'static str = "fast-counter";

    fn new(_: usize) -> Self {
        Self([(); 4].map(|()| ConcurrentCounter::new(STRIPES)))
    }

    fn add(&self, _: usize, times: u64) {
        for _ in 0..times {
            self.0[..3].iter().for_each(|counter| counter.add(1));
            self.0[3].add(BYTES as isize);
        }
    }

    fn sums(&self) -> [u64; 4] {
        self.0.each_ref().map(|counter| counter.sum() as u64)
    }
}

/// Four in a set that shares its stripes, added together.
impl FourSubject for fast_telemetry::CounterSet {
    const NAME: &'static str = "fast-telemetry";

    fn new(_: usize) -> Self {
        Self::new(STRIPES, 4)
    }

    fn add(&self, _: usize, times: u64) {
        let updates = [(0, 1), (1, 1), (2, 1), (3, BYTES as isize)];
        (0..times).for_each(|_| self.add_index_values(&updates));
    }

    fn sums(&self) -> [u64; 4] {
        core::array::from_fn(|k| self.sum(k) as u64)
    }
}
