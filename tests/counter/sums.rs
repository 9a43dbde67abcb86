//! What sums and deltas tell while others add.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use reveille::StripedCounter;

use crate::support::{Stop, eventually, rounds, scaled, watch};

/// Adds from several threads; a reader looks meanwhile. Returns what was added in all.
pub(crate) fn while_others_add(
    writers: usize,
    add: impl Fn(u64) + Sync,
    mut look: impl FnMut(),
) -> u64 {
    let (stop, begun) = (AtomicBool::new(false), AtomicUsize::new(0));
    thread::scope(|scope| {
        let writers: Vec<_> = (0..writers)
            .map(|_| {
                scope.spawn(|| {
                    let mut added = 0;
                    while !stop.load(Ordering::Relaxed) {
                        add(1 + added % 2);
                        if added == 0 {
                            begun.fetch_add(1, Ordering::Relaxed);
                        }
                        added += 1 + added % 2;
                    }
                    added
                })
            })
            .collect();
        let stopping = Stop(&stop);
        eventually(|| begun.load(Ordering::Relaxed) == writers.len());
        for round in rounds(30_000, 5_000_000) {
            look();
            if round % 64 == 0 {
                thread::yield_now();
            }
        }
        drop(stopping);
        writers.into_iter().map(|writer| writer.join().unwrap()).sum()
    })
}

/// Of a counter that is only added to: no sum is less than an earlier one, nor more than the total.
pub(crate) fn sums_go_up(add: impl Fn(u64) + Sync, sum: impl Fn() -> u64) {
    let mut last = 0;
    let mut steps = 0;
    let total = while_others_add(2, add, || {
        let now = sum();
        assert!(now >= last, "{now} after {last}");
        steps += u64::from(now > last);
        last = now;
    });
    assert!(last <= total, "{last} of {total}");
    assert_eq!(sum(), total);
    assert!(steps > 5, "the race was not run");
}

#[test]
fn c22_sums_of_one_reader_never_go_back() {
    let _watch = watch();
    let counter = StripedCounter::new();
    sums_go_up(|n| counter.add(n), || counter.sum());
}

#[test]
fn deltas_add_up_to_the_sum_for_each_reader() {
    let _watch = watch();
    let counter = StripedCounter::new();
    let mut lasts = [0; 2];
    let mut seen = [0; 2];
    let mut turn = 0;
    let total = while_others_add(
        2,
        |n| counter.add(n),
        || {
            let reader = usize::from(turn % 3 == 0);
            turn += 1;
            let delta = counter.delta(&mut lasts[reader]);
            assert!(delta < 1 << 40, "{delta}: the sum went back");
            seen[reader] += delta;
        },
    );
    for reader in 0..2 {
        assert_eq!(seen[reader] + counter.delta(&mut lasts[reader]), total);
    }
}

/// What happens before a sum is in it: here through a message.
#[test]
fn a_sum_includes_what_happened_before() {
    let _watch = watch();
    let counter = StripedCounter::new();
    let (tell, told) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..3 {
            let (tell, counter) = (tell.clone(), &counter);
            scope.spawn(move || {
                for _ in 0..scaled(3_000, 100_000) {
                    counter.increment();
                    tell.send(()).unwrap();
                }
            });
        }
        drop(tell);
        let mut messages = 0;
        for () in told {
            messages += 1;
            assert!(counter.sum() >= messages);
        }
        assert_eq!(counter.sum(), messages);
    });
}

#[test]
fn counts_wrap_and_deltas_stay_right() {
    let counter = StripedCounter::<3>::with_stripes();
    counter.add_at(0, u64::MAX - 1);
    let mut last = 0;
    assert_eq!(counter.delta(&mut last), u64::MAX - 1);
    counter.add_at(1, 5);
    assert_eq!(counter.sum(), 3);
    assert_eq!(counter.delta(&mut last), 5);
    counter.add_at(0, 7);
    assert_eq!(counter.sum_then_reset(), 10);
    assert_eq!(counter.sum(), 0);
}
