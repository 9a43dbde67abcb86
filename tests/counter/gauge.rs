//! What goes up and down.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;

use reveille::counter::{InFlight, StripedGauge};

use crate::support::{Stop, rounds, watch};

const WRITERS: usize = 4;

/// Looks at the gauge while others change it, as long as the rounds last.
fn while_others_change(gauge: &StripedGauge, change: impl Fn() + Sync, mut look: impl FnMut()) {
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..WRITERS {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    change();
                }
            });
        }
        let stopping = Stop(&stop);
        for round in rounds(30_000, 5_000_000) {
            look();
            if round % 64 == 0 {
                thread::yield_now();
            }
        }
        drop(stopping);
    });
    assert_eq!(gauge.sum(), 0, "at rest it is exact");
}

#[test]
fn c22_what_each_thread_undoes_itself_is_never_negative() {
    let _watch = watch();
    let gauge = StripedGauge::new();
    let change = || {
        gauge.add(1);
        gauge.add(-1);
    };
    while_others_change(&gauge, change, || {
        let sum = gauge.sum();
        assert!((0..=WRITERS as i64).contains(&sum), "{sum}");
    });
}

#[test]
fn c22_guards_are_never_negative() {
    let _watch = watch();
    let gauge = StripedGauge::new();
    while_others_change(
        &gauge,
        || drop(gauge.enter()),
        || {
            let sum = gauge.sum();
            assert!((0..=WRITERS as i64).contains(&sum), "{sum}");
        },
    );
}

/// The guard remembers its stripe: dropped elsewhere it lowers the cell that it raised.
#[test]
fn c22_nor_are_guards_that_move_to_another_thread() {
    let _watch = watch();
    let gauge = StripedGauge::new();
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let (send, receive) = mpsc::sync_channel::<InFlight<'_>>(16);
        scope.spawn(move || receive.into_iter().for_each(drop));
        let (stop, gauge) = (&stop, &gauge);
        scope.spawn(move || {
            while !stop.load(Ordering::Relaxed) {
                send.send(gauge.enter()).unwrap();
            }
        });
        let stopping = Stop(stop);
        for _ in rounds(30_000, 5_000_000) {
            let sum = gauge.sum();
            assert!((0..=18).contains(&sum), "{sum}");
        }
        drop(stopping);
    });
    assert_eq!(gauge.sum(), 0);
}

/// Raised here, lowered there, by plain calls: a sum may be negative, a clamped one not.
#[test]
fn c22_a_clamped_sum_is_never_negative() {
    let _watch = watch();
    let gauge = StripedGauge::<2>::with_stripes();
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                gauge.add_at(0, 1);
                gauge.add_at(1, -1);
            }
        });
        let stopping = Stop(&stop);
        for _ in rounds(30_000, 5_000_000) {
            assert!(gauge.sum_clamped() < 1 << 40);
        }
        drop(stopping);
    });
    assert_eq!(gauge.sum(), 0);
}

#[test]
fn a_panic_leaves() {
    let gauge = StripedGauge::new();
    let _outer = gauge.enter();
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        let _inner = gauge.enter();
        assert_eq!(gauge.sum(), 2);
        panic!("in flight");
    }));
    assert!(panicked.is_err());
    assert_eq!(gauge.sum(), 1);
}

#[test]
fn wraps() {
    let gauge = StripedGauge::<1>::with_stripes();
    gauge.add(i64::MAX);
    gauge.increment();
    assert_eq!(gauge.sum(), i64::MIN);
    gauge.decrement();
    assert_eq!(gauge.sum(), i64::MAX);
    assert_eq!(gauge.sum_clamped(), i64::MAX as u64);
}
