//! Offers that wait for room on a thread.

use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use reveille::Deadline;
use reveille::basket::OfferError;

use crate::support::{Dial, Ledger, Random, StartLine, rounds, scaled, spin_for, watch};

const SOON: Duration = Duration::from_millis(5);
const LONG: Duration = Duration::from_secs(50);

#[test]
fn with_room_nothing_waits() {
    bounded_forms!(room 5, |form, mut offerer, mut drainer| {
        offerer.offer_blocking(0).unwrap();
        offerer.offer_timeout(1, Duration::ZERO).unwrap();
        offerer.offer_timeout(2, Duration::MAX).unwrap();
        offerer.offer_deadline(3, Deadline::now()).unwrap();
        offerer.offer_deadline(4, Deadline::NEVER).unwrap();
        assert!(drainer.drain().eq(0..5), "{form}");
    });
}

#[test]
fn without_room_the_time_runs_out_and_never_early() {
    let _watch = watch();
    bounded_forms!(room 1, |form, mut offerer, mut drainer| {
        let ledger = Ledger::new();
        offerer.offer(ledger.make(0)).unwrap();
        let past = Deadline::now();
        for error in [
            offerer.offer_timeout(ledger.make(1), Duration::ZERO).unwrap_err(),
            offerer.offer_deadline(ledger.make(1), past).unwrap_err(),
        ] {
            assert!(matches!(error, OfferError::TimedOut(_)) && error.is_full(), "{form}");
        }
        for timeout in [1, 5, 20].map(Duration::from_millis) {
            let begun = Instant::now();
            let error = offerer.offer_timeout(ledger.make(2), timeout).unwrap_err();
            assert!(begun.elapsed() >= timeout, "{form}: early");
            assert!(matches!(error, OfferError::TimedOut(item) if item.number() == 2), "{form}");
        }
        assert_eq!(drainer.take().unwrap().number(), 0, "{form}");
        assert!(offerer.is_empty(), "{form}: room was lost");
        ledger.settle();
    });
}

#[test]
fn room_ends_a_wait_of_any_length() {
    let _watch = watch();
    bounded_forms!(room 1, |form, mut offerer, mut drainer| {
        offerer.offer(0).unwrap();
        thread::scope(|scope| {
            scope.spawn(move || {
                offerer.offer_blocking(1).unwrap();
                offerer.offer_timeout(2, LONG).unwrap();
                offerer.offer_timeout(3, Duration::MAX).unwrap();
                offerer.offer_deadline(4, Deadline::after(LONG)).unwrap();
            });
            for n in 0..5 {
                thread::sleep(SOON);
                drainer.wait().unwrap();
                assert_eq!(drainer.take(), Some(n), "{form}");
            }
        });
    });
}

#[test]
fn first_come_first_served() {
    const BLOCKED: usize = 8;
    let _watch = watch();
    bounded_forms!(room 1, |form, mut offerer, mut drainer| {
        offerer.offer(0).unwrap();
        thread::scope(|scope| {
            for n in 1..=BLOCKED {
                let mut offerer = offerer.clone();
                scope.spawn(move || offerer.offer_blocking(n).unwrap());
                thread::sleep(SOON * 2);
            }
            for n in 0..=BLOCKED {
                drainer.wait().unwrap();
                assert_eq!(drainer.take(), Some(n), "{form}");
            }
        });
    });
}

/// A drain of everything lets everybody in, though it wakes one.
#[test]
fn all_that_wait_get_in_when_all_room_comes_back() {
    const ROOM: usize = 8;
    let _watch = watch();
    bounded_forms!(room ROOM, |form, mut offerer, mut drainer| {
        offerer.offer_all(0..ROOM).unwrap();
        thread::scope(|scope| {
            for n in 0..ROOM {
                let mut offerer = offerer.clone();
                scope.spawn(move || offerer.offer_blocking(n).unwrap());
            }
            thread::sleep(SOON * 4);
            assert_eq!(drainer.drain().count(), ROOM, "{form}");
            // Nothing more comes from the drainer.
        });
        assert_eq!(offerer.len(), ROOM, "{form}");
        assert_eq!(drainer.drain().count(), ROOM, "{form}");
    });
}

/// Room comes back just when the time is up: the item is in, or back; the room is used, or free.
#[test]
fn a_timeout_that_races_room_loses_neither() {
    const TIMEOUT: Duration = Duration::from_micros(100);
    let _watch = watch();
    bounded_forms!(room 1, |form, mut offerer, mut drainer| {
        let ledger = Ledger::new();
        let mut dial = Dial::new(Duration::from_micros(150), Duration::from_millis(5));
        let mut random = Random::new(9);
        for n in rounds(150, 100_000) {
            offerer.offer(ledger.make(n)).unwrap();
            let start = StartLine::new(2);
            let delay = dial.delay(&mut random);
            let result = thread::scope(|scope| {
                let (start, offerer, ledger) = (&start, &mut offerer, &ledger);
                let waiting = scope.spawn(move || {
                    start.wait();
                    offerer.offer_timeout(ledger.make(n), TIMEOUT)
                });
                start.wait();
                spin_for(delay);
                assert_eq!(drainer.take().unwrap().number(), n, "{form}");
                waiting.join().unwrap()
            });
            dial.turn(result.is_err());
            match result {
                Ok(()) => assert_eq!(drainer.take().unwrap().number(), n, "{form}"),
                Err(OfferError::TimedOut(item)) => assert_eq!(item.number(), n, "{form}"),
                Err(other) => panic!("{form}: {other}"),
            }
            assert!(drainer.is_empty() && offerer.is_empty(), "{form}: room was lost");
        }
        dial.check();
        ledger.settle();
    });
}

/// Many wait with short timeouts for little room; everything is in or back, and room is never lost.
#[test]
fn a_crowd_with_little_patience_loses_nothing() {
    const CROWD: usize = 8;
    let _watch = watch();
    bounded_forms!(room 2, |form, offerer, mut drainer| {
        let ledger = Ledger::new();
        let got = Mutex::new(0);
        thread::scope(|scope| {
            for id in 0..CROWD {
                let (mut offerer, ledger, got) = (offerer.clone(), &ledger, &got);
                scope.spawn(move || {
                    let mut random = Random::new(id as u64);
                    let mut accepted = 0;
                    for n in 0..scaled(200, 20_000) {
                        let item = ledger.make(n as u64);
                        let patience = random.micros(200);
                        match offerer.offer_timeout(item, patience) {
                            Ok(()) => accepted += 1,
                            Err(error) => assert!(error.is_full(), "{form}: {error}"),
                        }
                    }
                    *got.lock().unwrap() += accepted;
                });
            }
            let last = offerer.clone();
            drop(offerer);
            let mut random = Random::new(100);
            let mut drained = 0;
            while *got.lock().unwrap() == 0 || drained < *got.lock().unwrap() {
                if drainer.wait_timeout(random.micros(100)).is_ok() {
                    spin_for(random.micros(50));
                    drained += drainer.drain_up_to(random.within(1..3)).count();
                }
            }
            // All others may not have told yet.
            drop(last);
            while drainer.wait().is_ok() {
                drained += drainer.drain().count();
            }
            assert_eq!(drained, *got.lock().unwrap(), "{form}");
        });
        ledger.settle();
    });
}
