//! Tokens that are given now and wake later.

use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;
use std::time::Duration;

use reveille::parker::{Parked, Unpark, WakeBatch};
use reveille::{NoSpin, ParkSlot, Unparker};

use crate::support::waker::panicking_waker;
use crate::support::{CountingWaker, eventually, rounds, watch};

/// Long enough to see that a sleeper goes on sleeping.
const A_WHILE: Duration = Duration::from_millis(30);

/// Runs `wake` against a thread that sleeps in a slot, which it must wake in the end.
fn with_sleeper(wake: impl FnOnce(Unparker<&ParkSlot>, &dyn Fn() -> bool)) {
    let mut slot = ParkSlot::new();
    let (parker, unparker) = slot.split();
    let mut parker = parker.with_policy(NoSpin);
    thread::scope(|scope| {
        let sleeper = scope.spawn(move || {
            parker.park();
            assert!(!parker.try_park(), "a second token");
        });
        eventually(|| unparker.is_parked_hint());
        thread::sleep(Duration::from_millis(2));
        wake(unparker, &|| sleeper.is_finished());
        sleeper.join().unwrap();
    });
}

#[test]
fn a_deferred_wake_is_made_when_it_is_dropped() {
    let _watch = watch();
    with_sleeper(|unparker, woken| {
        let pending = unparker.unpark_deferred();
        assert_eq!(pending.result(), Unpark::Woke);
        thread::sleep(A_WHILE);
        assert!(!woken(), "woken before the wake");
        drop(pending);
    });
}

#[test]
fn a_deferred_token_is_there_at_once() {
    let _watch = watch();
    let mut slot = ParkSlot::new();
    let (mut parker, unparker) = slot.split();
    let pending = unparker.unpark_deferred();
    assert_eq!(pending.result(), Unpark::Notified);
    assert!(parker.try_park());
    let again = unparker.unpark_deferred();
    assert_eq!(again.result(), Unpark::Notified);
    assert_eq!(unparker.unpark_deferred().result(), Unpark::AlreadyNotified);
    assert_eq!(unparker.unpark(), Unpark::AlreadyNotified);
    drop((pending, again));
    parker.park();
    assert!(!parker.try_park(), "wakes are no tokens");
}

#[test]
fn a_forgotten_wake_silences_nobody() {
    let _watch = watch();
    with_sleeper(|unparker, woken| {
        mem::forget(unparker.unpark_deferred());
        thread::sleep(A_WHILE);
        assert!(!woken());
        assert_eq!(unparker.unpark(), Unpark::Woke);
    });
    with_sleeper(|unparker, _| {
        mem::forget(unparker.unpark_deferred());
        mem::forget(unparker.unpark_deferred());
        let pending = unparker.unpark_deferred();
        assert_eq!(pending.result(), Unpark::Woke);
        drop(pending);
    });
}

#[test]
fn a_forgotten_wake_leaves_its_token_to_a_timeout() {
    let _watch = watch();
    let mut slot = ParkSlot::new();
    let (mut parker, unparker) = slot.split();
    thread::scope(|scope| {
        let sleeper = scope.spawn(move || {
            let first = parker.park_timeout(Duration::from_millis(100));
            (first, parker.park_timeout(Duration::ZERO))
        });
        eventually(|| unparker.is_parked_hint());
        mem::forget(unparker.unpark_deferred());
        assert_eq!(sleeper.join().unwrap(), (Parked::Token, Parked::TimedOut));
    });
}

#[test]
fn a_late_wake_ends_no_later_park() {
    let _watch = watch();
    let mut slot = ParkSlot::new();
    let (mut parker, unparker) = slot.split();
    thread::scope(|scope| {
        let sleeper = scope.spawn(move || {
            assert_eq!(parker.park_timeout(Duration::from_millis(50)), Parked::Token);
            let begun = std::time::Instant::now();
            assert_eq!(parker.park_timeout(Duration::from_millis(80)), Parked::TimedOut);
            assert!(begun.elapsed() >= Duration::from_millis(80));
        });
        eventually(|| unparker.is_parked_hint());
        let pending = unparker.unpark_deferred();
        eventually(|| !unparker.is_parked_hint());
        eventually(|| unparker.is_parked_hint());
        drop(pending); // for a sleep that is over
        sleeper.join().unwrap();
    });
}

#[test]
fn a_batch_wakes_all_in_the_end() {
    let _watch = watch();
    with_sleeper(|first, first_woken| {
        with_sleeper(|second, second_woken| {
            let mut batch = WakeBatch::<4>::new();
            batch.push(first.unpark_deferred()).unwrap();
            batch.push(second.unpark_deferred()).unwrap();
            assert_eq!(batch.len(), 2);
            thread::sleep(A_WHILE);
            assert!(!first_woken() && !second_woken());
            batch.wake_all();
            assert!(batch.is_empty());
        });
    });
}

#[test]
fn a_batch_that_is_dropped_wakes() {
    let _watch = watch();
    with_sleeper(|unparker, _| {
        let mut batch = WakeBatch::<1>::default();
        batch.push(unparker.unpark_deferred()).unwrap();
    });
}

#[test]
fn a_batch_that_is_dropped_in_a_panic_wakes() {
    let _watch = watch();
    with_sleeper(|unparker, _| {
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            let mut batch = WakeBatch::<2>::new();
            batch.push(unparker.unpark_deferred()).unwrap();
            std::panic::resume_unwind(Box::new(()));
        }));
        assert!(outcome.is_err());
    });
}

#[test]
fn a_full_batch_gives_the_wake_back() {
    let _watch = watch();
    with_sleeper(|first, _| {
        with_sleeper(|second, second_woken| {
            let mut batch = WakeBatch::<1>::new();
            assert!(!batch.is_full());
            batch.push(first.unpark_deferred()).unwrap();
            assert!(batch.is_full());
            let refused = batch.push(second.unpark_deferred()).unwrap_err();
            assert_eq!(refused.result(), Unpark::Woke);
            assert!(!second_woken());
            drop(refused);
            eventually(second_woken);
            let waker = CountingWaker::new();
            drop(batch.push_waker(waker.waker()).unwrap_err());
            assert_eq!(waker.wakers(), 0);
        });
    });
}

#[test]
fn wakes_that_owe_nothing_take_no_room() {
    let _watch = watch();
    let mut slot = ParkSlot::new();
    let (mut parker, unparker) = slot.split();
    let mut none = WakeBatch::<0>::new();
    assert!(none.is_full() && none.is_empty());
    for _ in 0..10 {
        none.push(unparker.unpark_deferred()).unwrap();
    }
    none.wake_all();
    assert!(parker.try_park());
    let waker = CountingWaker::new();
    assert!(none.push_waker(waker.waker()).is_err());
    with_sleeper(|unparker, _| drop(none.push(unparker.unpark_deferred()).unwrap_err()));
}

#[test]
fn a_batch_can_be_used_again() {
    let _watch = watch();
    let waker = CountingWaker::new();
    let mut batch = WakeBatch::<3>::new();
    for round in 1..=5 {
        while !batch.is_full() {
            batch.push_waker(waker.waker()).unwrap();
        }
        assert_eq!(waker.wakers(), 3);
        batch.wake_all();
        assert_eq!((waker.wakes(), waker.wakers(), batch.len()), (3 * round, 0, 0));
    }
    batch.wake_all();
    assert_eq!(waker.wakes(), 15);
}

#[test]
fn a_panicking_waker_keeps_nobody_asleep() {
    let _watch = watch();
    for at in 0..3 {
        let waker = CountingWaker::new();
        let mut batch = WakeBatch::<4>::new();
        with_sleeper(|unparker, _| {
            for number in 0..3 {
                let waker = if number == at { panicking_waker() } else { waker.waker() };
                batch.push_waker(waker).unwrap();
            }
            batch.push(unparker.unpark_deferred()).unwrap();
            let outcome = catch_unwind(AssertUnwindSafe(|| batch.wake_all()));
            assert!(outcome.is_err(), "the panic must not vanish");
        });
        assert_eq!((waker.wakes(), waker.wakers()), (2, 0));
        assert!(batch.is_empty());
    }
}

#[test]
fn a_batch_of_wakers_wakes_the_oldest_first() {
    use std::sync::{Arc, Mutex};
    use std::task::Wake;

    struct Noting(usize, Arc<Mutex<Vec<usize>>>);

    impl Wake for Noting {
        fn wake(self: Arc<Self>) {
            self.1.lock().unwrap().push(self.0);
        }
    }

    let _watch = watch();
    let order = Arc::new(Mutex::new(Vec::new()));
    let mut batch = WakeBatch::<5>::new();
    for number in 0..5 {
        batch.push_waker(Arc::new(Noting(number, order.clone())).into()).unwrap();
    }
    drop(batch);
    assert_eq!(*order.lock().unwrap(), [0, 1, 2, 3, 4]);
}

/// Deferred and plain unparks of a sleeper that never gets a timeout: none may be lost.
#[test]
fn deferred_and_plain_wakes_may_race() {
    let _watch = watch();
    let mut slot = ParkSlot::new();
    let (parker, unparker) = slot.split();
    let mut parker = parker.with_policy(NoSpin);
    let (give, turns) = std::sync::mpsc::sync_channel::<u64>(0);
    thread::scope(|scope| {
        let (give2, turns2) = std::sync::mpsc::sync_channel::<u64>(0);
        scope.spawn(move || turns.iter().for_each(|_| drop(unparker.unpark_deferred())));
        scope.spawn(move || {
            for turn in turns2 {
                if turn % 2 == 0 {
                    unparker.unpark();
                } else {
                    let mut batch = WakeBatch::<1>::new();
                    let _ = batch.push(unparker.unpark_deferred());
                }
            }
        });
        for round in rounds(20_000, 300_000) {
            give.send(round).unwrap();
            give2.send(round).unwrap();
            parker.park(); // one token or two: one at the least
        }
        drop((give, give2));
    });
}
