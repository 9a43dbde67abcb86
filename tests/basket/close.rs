//! The end, from either side.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::thread;
use std::time::Duration;

use reveille::basket::{Closed, OfferError, WaitError};

use crate::support::block_on::block_on;
use crate::support::{CountingWaker, Ledger, StartLine, eventually, rounds, spin_for, watch};

const SOON: Duration = Duration::from_millis(5);

#[test]
fn what_was_accepted_is_drained_before_the_end() {
    every_form!(room 10, |form, mut offerer, mut drainer| {
        offerer.offer_all(0..10).unwrap();
        assert!(!offerer.is_closed() && !drainer.is_closed(), "{form}");
        assert!(offerer.close(), "{form}");
        assert!(!offerer.close() && !drainer.close(), "{form}");
        assert!(offerer.is_closed() && drainer.is_closed(), "{form}");
        for n in 0..10 {
            drainer.wait().unwrap();
            assert_eq!(drainer.take(), Some(n), "{form}");
        }
        assert_eq!(drainer.wait(), Err(Closed(())), "{form}");
        assert_eq!(drainer.wait(), Err(Closed(())), "{form}: it stays so");
        assert_eq!(drainer.take(), None, "{form}");
    });
}

#[test]
fn the_last_offerer_closes_the_basket() {
    every_form!(room 10, |form, mut offerer, mut drainer| {
        let clones: Vec<_> = (0..5).map(|_| offerer.clone()).collect();
        offerer.offer(1).unwrap();
        drop(offerer);
        clones.into_iter().for_each(|clone| assert!(!clone.is_closed()));
        assert!(drainer.is_closed(), "{form}");
        let mut late = drainer.offerer();
        assert!(late.offer(2).unwrap_err().is_closed(), "{form}");
        drop(late);
        assert!(drainer.drain().eq([1]), "{form}");
        assert_eq!(drainer.wait(), Err(Closed(())), "{form}");
    });
}

#[test]
fn an_offerer_from_the_drainer_counts() {
    every_form!(room 10, |form, offerer, mut drainer| {
        let mut other = drainer.offerer();
        drop(offerer);
        other.offer(1).unwrap();
        assert_eq!(drainer.take(), Some(1), "{form}");
        assert_eq!(drainer.wait_timeout(SOON), Err(WaitError::TimedOut), "{form}");
        drop(other);
        assert_eq!(drainer.wait(), Err(Closed(())), "{form}");
    });
}

#[test]
fn a_close_wakes_the_drainer() {
    let _watch = watch();
    for how in 0..2 {
        every_form!(room 10, |form, offerer, mut drainer| {
            let _open = offerer.clone();
            let keep = drainer.offerer();
            let item = [0; 0].first().copied();
            assert_eq!(drainer.take(), item, "{form}");
            thread::scope(|scope| {
                let sleeper = scope.spawn(move || {
                    let end = match how {
                        0 => drainer.wait(),
                        _ => block_on(drainer.wait_async()),
                    };
                    assert_eq!(end, Err(Closed(())), "{form}");
                });
                thread::sleep(SOON);
                assert!(!sleeper.is_finished(), "{form}");
                assert!(keep.close(), "{form}");
            });
        });
    }
}

/// The last offerer's end races the drainer's way to sleep.
#[test]
fn the_end_is_never_slept_through() {
    let _watch = watch();
    for round in rounds(600, 100_000) {
        every_form!(room 4, |form, mut offerer, mut drainer| {
            let start = StartLine::new(2);
            thread::scope(|scope| {
                let start = &start;
                scope.spawn(move || {
                    start.wait();
                    spin_for(Duration::from_nanos(round * 37 % 20_000));
                    if round % 2 == 0 {
                        offerer.offer(0).unwrap();
                    }
                    drop(offerer);
                });
                start.wait();
                let mut got = 0;
                while drainer.wait().is_ok() {
                    got += drainer.drain().count();
                }
                assert_eq!(got, usize::from(round % 2 == 0), "{form}");
            });
        });
    }
}

#[test]
fn c11_a_blocked_offer_gets_its_item_back_at_the_close() {
    let _watch = watch();
    for by_drainer in [true, false] {
        bounded_forms!(room 2, |form, mut offerer, mut drainer| {
            let ledger = Ledger::new();
            offerer.offer_all([ledger.make(0), ledger.make(1)]).unwrap();
            let mut blocked = offerer.clone();
            thread::scope(|scope| {
                let waiting = scope.spawn(|| blocked.offer_blocking(ledger.make(2)));
                thread::sleep(SOON);
                assert!(!waiting.is_finished(), "{form}");
                assert!(if by_drainer { drainer.close() } else { offerer.close() }, "{form}");
                match waiting.join().unwrap() {
                    Err(OfferError::Closed(item)) => assert_eq!(item.number(), 2, "{form}"),
                    other => panic!("{form}: {other:?}"),
                }
            });
            assert!(drainer.drain().map(|item| item.number()).eq([0, 1]), "{form}");
            assert_eq!(drainer.wait(), Err(Closed(())), "{form}");
            ledger.settle();
        });
    }
}

/// Room was handed to an offer in a task, which then gives up: it must not keep the end away.
#[test]
fn c11_an_offer_that_gives_up_does_not_hide_the_end() {
    let _watch = watch();
    bounded_forms!(room 1, |form, mut offerer, mut drainer| {
        offerer.offer(0).unwrap();
        let mut other = offerer.clone();
        let counter = CountingWaker::new();
        let waker = counter.waker();
        let mut cx = Context::from_waker(&waker);
        let mut offering = Box::pin(other.offer_async(1));
        assert!(offering.as_mut().poll(&mut cx).is_pending(), "{form}");
        assert_eq!(drainer.take(), Some(0), "{form}");
        assert_eq!(counter.wakes(), 1, "{form}: it has room");
        drainer.close();
        assert_eq!(drainer.wait_timeout(Duration::ZERO), Err(WaitError::Closed), "{form}");
        drop(offering);
        assert_eq!(drainer.wait(), Err(Closed(())), "{form}");
    });
}

/// Served, then closed before it looked: its offer is refused.
#[test]
fn an_offer_that_was_served_before_the_close_is_refused() {
    bounded_forms!(room 1, |form, mut offerer, mut drainer| {
        offerer.offer(0).unwrap();
        let mut other = offerer.clone();
        let waker = CountingWaker::new().waker();
        let mut cx = Context::from_waker(&waker);
        let mut offering = Box::pin(other.offer_async(1));
        assert!(offering.as_mut().poll(&mut cx).is_pending(), "{form}");
        assert_eq!(drainer.take(), Some(0), "{form}");
        drainer.close();
        match offering.as_mut().poll(&mut cx) {
            Poll::Ready(Err(OfferError::Closed(1))) => {}
            other => panic!("{form}: {other:?}"),
        }
        assert_eq!(offering.as_mut().cancel(), None, "{form}: it was given back");
        drop(offering);
        assert_eq!(offerer.len(), 0, "{form}");
    });
}

#[test]
fn c11_a_hundred_blocked_offers_end_at_the_close() {
    const BLOCKED: usize = 100;
    let _watch = watch();
    bounded_forms!(room 1, |form, mut offerer, drainer| {
        let ledger = Ledger::new();
        offerer.offer(ledger.make(0)).unwrap();
        let refused = AtomicUsize::new(0);
        thread::scope(|scope| {
            for n in 0..BLOCKED {
                let (mut offerer, refused, ledger) = (offerer.clone(), &refused, &ledger);
                scope.spawn(move || {
                    let item = ledger.make(n as u64);
                    let result = match n % 3 {
                        0 => offerer.offer_blocking(item),
                        1 => offerer.offer_timeout(item, Duration::from_secs(100)),
                        _ => block_on(offerer.offer_async(item)),
                    };
                    assert!(result.unwrap_err().is_closed(), "{form}");
                    refused.fetch_add(1, Ordering::Relaxed);
                });
            }
            eventually(|| ledger.live() == 1 + BLOCKED as isize);
            thread::sleep(SOON);
            assert_eq!(refused.load(Ordering::Relaxed), 0, "{form}");
            // Drops what is in, and ends every wait.
            drop(drainer);
        });
        assert_eq!(refused.load(Ordering::Relaxed), BLOCKED, "{form}");
        ledger.settle();
    });
}

#[test]
fn one_of_many_closes_is_the_first() {
    const CLOSERS: usize = 4;
    let _watch = watch();
    for _ in rounds(100, 10_000) {
        every_form!(room 4, |form, mut offerer, drainer| {
            offerer.offer(1).unwrap();
            let (first, start) = (AtomicUsize::new(0), StartLine::new(CLOSERS));
            thread::scope(|scope| {
                for _ in 0..CLOSERS {
                    let (offerer, first, start) = (offerer.clone(), &first, &start);
                    scope.spawn(move || {
                        start.wait();
                        first.fetch_add(usize::from(offerer.close()), Ordering::Relaxed);
                        assert!(offerer.is_closed());
                    });
                }
            });
            assert_eq!(first.load(Ordering::Relaxed), 1, "{form}");
            drop(drainer);
        });
    }
}

/// Offers race the close: each is in, or comes back; and the end comes after the last one that is in.
#[test]
fn every_offer_around_the_close_is_in_or_back() {
    const OFFERERS: usize = 3;
    let _watch = watch();
    for round in rounds(200, 30_000) {
        every_form!(room 1000, |form, offerer, mut drainer| {
            let (accepted, start) = (AtomicUsize::new(0), StartLine::new(OFFERERS + 1));
            thread::scope(|scope| {
                for _ in 0..OFFERERS {
                    let mut offerer = offerer.clone();
                    let (accepted, start) = (&accepted, &start);
                    scope.spawn(move || {
                        start.wait();
                        for n in 0..100 {
                            match offerer.offer(n) {
                                Ok(()) => accepted.fetch_add(1, Ordering::Relaxed),
                                Err(error) if error.is_closed() => break,
                                Err(error) => panic!("{form}: {error}"),
                            };
                        }
                    });
                }
                start.wait();
                spin_for(Duration::from_nanos(round * 97 % 10_000));
                drainer.close();
                let mut got = 0;
                while drainer.wait().is_ok() {
                    got += drainer.drain().count();
                }
                // All are back before the count is final.
                drop(drainer);
                eventually(|| accepted.load(Ordering::Relaxed) == got);
            });
            assert!(accepted.load(Ordering::Relaxed) <= OFFERERS * 100, "{form}");
        });
    }
}
