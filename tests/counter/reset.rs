//! Taking a sum while others add.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use reveille::StripedCounter;
use reveille::counter::CounterSet;

use crate::support::{Stop, rounds, watch};

/// Takes again and again while others add; everything must have been taken in the end.
pub(crate) fn nothing_is_lost(
    writers: usize,
    add: impl Fn(usize, u64) + Sync,
    take: impl Fn() -> u64,
) {
    let stop = AtomicBool::new(false);
    let mut taken = 0_u64;
    let added: u64 = thread::scope(|scope| {
        let writers: Vec<_> = (0..writers)
            .map(|writer| {
                let (stop, add) = (&stop, &add);
                scope.spawn(move || {
                    let mut added = 0;
                    while !stop.load(Ordering::Relaxed) {
                        let n = 1 + added % 3;
                        add(writer, n);
                        added += n;
                    }
                    added
                })
            })
            .collect();
        let stopping = Stop(&stop);
        let mut hits = 0;
        for _ in rounds(50_000, 10_000_000) {
            let part = take();
            assert!(part < 1 << 40, "{part}: taken twice?");
            taken += part;
            hits += u64::from(part > 0);
            if part == 0 {
                thread::yield_now();
            }
        }
        drop(stopping);
        assert!(hits > 5, "the race was not run");
        writers.into_iter().map(|writer| writer.join().unwrap()).sum()
    });
    taken += take();
    assert_eq!(taken, added);
    assert_eq!(take(), 0);
}

#[test]
fn c21_sum_then_reset_loses_nothing() {
    let _watch = watch();
    let counter = StripedCounter::new();
    nothing_is_lost(2, |_, n| counter.add(n), || counter.sum_then_reset());
    assert_eq!(counter.sum(), 0);
}

#[test]
fn c21_nor_with_all_writers_on_one_stripe() {
    let _watch = watch();
    let counter = StripedCounter::<2>::with_stripes();
    nothing_is_lost(3, |_, n| counter.add_at(1, n), || counter.sum_then_reset());
}

#[test]
fn c21_nor_in_a_set() {
    let _watch = watch();
    let set = CounterSet::<3, 4>::with_stripes();
    nothing_is_lost(2, |_, n| set.add(2, n), || set.sum_then_reset(2));
    assert_eq!(set.snapshot(), [0; 3]);
}

/// Each add is in one answer, whoever gets it.
#[test]
fn c21_two_collectors_share_what_there_is() {
    let _watch = watch();
    let counter = StripedCounter::new();
    let stop = AtomicBool::new(false);
    let taken: u64 = thread::scope(|scope| {
        let collectors = [0, 1].map(|_| {
            scope.spawn(|| {
                let mut taken = 0;
                while !stop.load(Ordering::Relaxed) {
                    taken += counter.sum_then_reset();
                }
                taken
            })
        });
        let stopping = Stop(&stop);
        let added: u64 = rounds(500_000, 20_000_000)
            .map(|round| {
                counter.add(round % 2);
                round % 2
            })
            .sum();
        drop(stopping);
        let taken: u64 = collectors.into_iter().map(|one| one.join().unwrap()).sum();
        assert_eq!(taken + counter.sum_then_reset(), added);
        taken
    });
    assert!(taken > 0, "the race was not run");
}
