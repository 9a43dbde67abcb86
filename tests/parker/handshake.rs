//! Announce and look again against give and wake: neither side may miss the other.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use reveille::parker::{Parked, Unpark};
use reveille::{Adaptive, NoSpin, ParkSlot, SpinPolicy};

use crate::support::{Random, rounds, scaled, spin_for, watch};

/// Two threads that wake each other in turn, for ever unless a wake-up is lost. Answers how many
/// unparks found a sleeper, out of how many.
fn ping_pong<P: SpinPolicy + Send>(policy: impl Fn() -> P, quick: u64, long: u64) -> (u64, u64) {
    let (mut here, mut there) = (ParkSlot::new(), ParkSlot::new());
    let (my_parker, my_unparker) = here.split();
    let (their_parker, their_unparker) = there.split();
    let mut mine = my_parker.with_policy(policy());
    let mut theirs = their_parker.with_policy(policy());
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            loop {
                theirs.park();
                if over.load(Ordering::Relaxed) {
                    break;
                }
                my_unparker.unpark();
            }
        });
        let (mut woke, mut all) = (0, 0);
        for _ in rounds(quick, long) {
            all += 1;
            match their_unparker.unpark() {
                Unpark::Woke => woke += 1,
                Unpark::Notified => {}
                other => panic!("one token at a time, but {other:?}"),
            }
            mine.park();
        }
        over.store(true, Ordering::Relaxed);
        their_unparker.unpark();
        (woke, all)
    })
}

#[test]
fn c04_no_wake_up_is_lost_when_both_always_sleep() {
    let _watch = watch();
    let (woke, all) = ping_pong(|| NoSpin, 100_000, 1_000_000);
    assert!(woke * 20 > all, "the other side hardly ever slept: {woke} of {all}");
}

#[test]
fn c04_no_wake_up_is_lost_when_both_spin_first() {
    let _watch = watch();
    ping_pong(Adaptive::new, 500_000, 5_000_000);
}

/// The window between announcing and sleeping, with many who wake at odd moments.
#[test]
fn c04_no_wake_up_is_lost_among_many_wakers() {
    let _watch = watch();
    let mut slot = ParkSlot::new();
    let (parker, unparker) = slot.split();
    let mut parker = parker.with_policy(NoSpin);
    let work = AtomicU64::new(0);
    let per_thread = scaled(10_000, 300_000) as u64;
    thread::scope(|scope| {
        for seed in 0..2 {
            let work = &work;
            scope.spawn(move || {
                let mut random = Random::new(seed);
                for _ in 0..per_thread {
                    work.fetch_add(1, Ordering::Relaxed);
                    unparker.unpark();
                    spin_for(random.micros(5));
                }
            });
        }
        // Without a timeout: each piece of work must be noticed, or this hangs.
        let mut parks = 0_u64;
        while work.load(Ordering::Relaxed) < 2 * per_thread {
            parker.park();
            parks += 1;
        }
        assert!(parks > per_thread / 50, "the owner hardly ever parked: {parks}");
    });
    let _: Parked = parker.park_timeout(core::time::Duration::ZERO);
}
