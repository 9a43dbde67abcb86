//! Offers that wait for room in a task.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::thread;
use std::time::Duration;

use reveille::basket::OfferError;

use crate::support::block_on::block_on;
use crate::support::{CountingWaker, Ledger, Random, rounds, scaled, spin_for, watch};

const SOON: Duration = Duration::from_millis(5);

#[test]
fn with_room_it_is_ready_at_once() {
    bounded_forms!(room 2, |form, mut offerer, mut drainer| {
        block_on(offerer.offer_async(1)).unwrap();
        block_on(offerer.offer_async(2)).unwrap();
        assert!(drainer.drain().eq([1, 2]), "{form}");
    });
}

#[test]
fn a_future_that_is_not_polled_offers_nothing() {
    bounded_forms!(room 1, |form, mut offerer, drainer| {
        let ledger = Ledger::new();
        drop(offerer.offer_async(ledger.make(1)));
        assert!(drainer.is_empty(), "{form}");
        ledger.settle();
    });
}

#[test]
fn it_is_woken_once_and_by_its_last_waker() {
    bounded_forms!(room 1, |form, mut offerer, mut drainer| {
        offerer.offer(1).unwrap();
        let counters = [(); 2].map(|()| CountingWaker::new());
        let wakers = counters.each_ref().map(CountingWaker::waker);
        {
            let mut offering = Box::pin(offerer.offer_async(2));
            for waker in &wakers {
                assert!(offering.as_mut().poll(&mut Context::from_waker(waker)).is_pending());
            }
            assert!(format!("{offering:?}").contains("pending: true"));
            assert_eq!(drainer.take(), Some(1), "{form}");
            assert_eq!(counters.each_ref().map(|counter| counter.wakes()), [0, 1], "{form}");
            assert!(drainer.is_empty(), "{form}: it is not in before it is polled");
            let mut cx = Context::from_waker(&wakers[1]);
            assert_eq!(offering.as_mut().poll(&mut cx), Poll::Ready(Ok(())), "{form}");
            assert_eq!(offering.as_mut().cancel(), None, "{form}");
        }
        assert_eq!(drainer.take(), Some(2), "{form}");
        drop(wakers);
        assert_eq!(counters.each_ref().map(CountingWaker::wakers), [0, 0], "{form}");
    });
}

#[test]
fn polled_after_it_was_ready_it_panics() {
    bounded_forms!(room 1, |form, mut offerer, drainer| {
        let waker = CountingWaker::new().waker();
        let mut cx = Context::from_waker(&waker);
        let mut offering = Box::pin(offerer.offer_async(2));
        assert!(offering.as_mut().poll(&mut cx).is_ready(), "{form}");
        let again = catch_unwind(AssertUnwindSafe(|| offering.as_mut().poll(&mut cx).is_ready()));
        assert!(again.is_err(), "{form}");
        drop(offering);
        assert_eq!(drainer.len(), 1, "{form}");
    });
}

#[test]
fn cancelling_gives_the_item_back_and_the_place_up() {
    bounded_forms!(room 1, |form, mut offerer, mut drainer| {
        let ledger = Ledger::new();
        offerer.offer(ledger.make(0)).unwrap();
        let mut others = [(); 3].map(|()| offerer.clone());
        let counters = [(); 3].map(|()| CountingWaker::new());
        let mut offerings: Vec<_> = others
            .iter_mut()
            .zip(1..)
            .map(|(offerer, n)| Box::pin(offerer.offer_async(ledger.make(n))))
            .collect();
        for (offering, counter) in offerings.iter_mut().zip(&counters) {
            let waker = counter.waker();
            assert!(offering.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
        }
        // The first gives up while it waits, the second after it was served.
        assert_eq!(offerings[0].as_mut().cancel().unwrap().number(), 1, "{form}");
        assert!(offerings[0].as_mut().cancel().is_none(), "{form}");
        assert_eq!(drainer.take().unwrap().number(), 0, "{form}");
        assert_eq!(counters.each_ref().map(|counter| counter.wakes()), [0, 1, 0], "{form}");
        drop(offerings.remove(1));
        assert_eq!(counters.each_ref().map(|counter| counter.wakes()), [0, 1, 1], "{form}");
        assert_eq!(ledger.live(), 1, "{form}: the item went with the future");
        let waker = counters[2].waker();
        let third = offerings[1].as_mut().poll(&mut Context::from_waker(&waker));
        assert!(matches!(third, Poll::Ready(Ok(()))), "{form}");
        drop(offerings);
        assert_eq!(drainer.take().unwrap().number(), 3, "{form}");
        assert!(offerer.is_empty(), "{form}: room was lost");
        ledger.settle();
    });
}

#[test]
fn tasks_are_served_first_come_first_served() {
    const TASKS: usize = 20;
    bounded_forms!(room 1, |form, mut offerer, mut drainer| {
        offerer.offer(0).unwrap();
        let mut others: Vec<_> = (0..TASKS).map(|_| offerer.clone()).collect();
        let counters: Vec<_> = (0..TASKS).map(|_| CountingWaker::new()).collect();
        let mut offerings: Vec<_> =
            others.iter_mut().zip(1..).map(|(o, n)| Box::pin(o.offer_async(n))).collect();
        for (offering, counter) in offerings.iter_mut().zip(&counters) {
            let waker = counter.waker();
            assert!(offering.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
        }
        for n in 0..TASKS {
            assert_eq!(drainer.take(), Some(n), "{form}");
            let wakes: Vec<_> = counters.iter().map(|counter| counter.wakes()).collect();
            assert!(wakes.iter().zip(0..).all(|(&wakes, i)| (wakes == 1) == (i <= n)), "{form}");
            let waker = counters[n].waker();
            let served = offerings[n].as_mut().poll(&mut Context::from_waker(&waker));
            assert_eq!(served, Poll::Ready(Ok(())), "{form}");
        }
    });
}

/// Tasks that were served and are not polled have what they were served, and no more than that.
#[test]
fn tasks_that_are_not_polled_keep_nobody_else_out() {
    const ROOM: u32 = 64;
    const SLEEPY: usize = 20;
    let _watch = watch();
    bounded_forms!(room ROOM as usize, |form, mut offerer, mut drainer| {
        offerer.offer_all(0..ROOM).unwrap();
        let mut sleepy: Vec<_> = (0..SLEEPY).map(|_| offerer.clone()).collect();
        let waker = CountingWaker::new().waker();
        let mut cx = Context::from_waker(&waker);
        let mut offerings: Vec<_> =
            sleepy.iter_mut().map(|offerer| Box::pin(offerer.offer_async(0))).collect();
        for offering in &mut offerings {
            assert!(offering.as_mut().poll(&mut cx).is_pending(), "{form}");
        }
        let mut other = offerer.clone();
        thread::scope(|scope| {
            scope.spawn(move || other.offer_blocking(ROOM).unwrap());
            thread::sleep(SOON * 2);
            // All room comes back, and the drainer does nothing more.
            assert_eq!(drainer.drain().count() as u32, ROOM, "{form}");
        });
        assert_eq!(drainer.take(), Some(ROOM), "{form}");
        assert_eq!(offerer.len(), SLEEPY, "{form}");
    });
}

#[test]
fn a_closed_basket_ends_it() {
    bounded_forms!(room 1, |form, mut offerer, mut drainer| {
        offerer.offer(0).unwrap();
        let mut other = offerer.clone();
        let counter = CountingWaker::new();
        let waker = counter.waker();
        let mut cx = Context::from_waker(&waker);
        let mut offering = Box::pin(other.offer_async(1));
        assert!(offering.as_mut().poll(&mut cx).is_pending(), "{form}");
        drainer.close();
        assert_eq!(counter.wakes(), 1, "{form}");
        let end = offering.as_mut().poll(&mut cx);
        assert_eq!(end, Poll::Ready(Err(OfferError::Closed(1))), "{form}");
        drop(offering);
        assert_eq!(block_on(offerer.offer_async(2)), Err(OfferError::Closed(2)), "{form}");
    });
}

/// Futures are dropped at any moment while threads wait beside them: room is never lost.
#[test]
fn giving_up_at_any_moment_loses_no_room() {
    const CROWD: usize = 4;
    let _watch = watch();
    bounded_forms!(room 2, |form, offerer, mut drainer| {
        let ledger = Ledger::new();
        thread::scope(|scope| {
            for id in 0..CROWD {
                let (offerer, ledger) = (offerer.clone(), &ledger);
                scope.spawn(move || {
                    let mut random = Random::new(id as u64);
                    let waker = CountingWaker::new().waker();
                    let mut cx = Context::from_waker(&waker);
                    for n in 0..scaled(500, 50_000) {
                        let mut own = offerer.clone();
                        if id == 0 {
                            own.offer_blocking(ledger.make(n as u64)).unwrap();
                            continue;
                        }
                        let mut offering = Box::pin(own.offer_async(ledger.make(n as u64)));
                        let _: Poll<_> = offering.as_mut().poll(&mut cx).map(drop);
                        spin_for(random.micros(10));
                        if random.one_in(2) {
                            drop(offering.as_mut().cancel());
                        }
                    }
                });
            }
            drop(offerer);
            while drainer.wait().is_ok() {
                let _: usize = drainer.drain_up_to(1).count();
            }
        });
        ledger.settle();
        let _ = form;
    });
}

#[test]
fn many_tasks_on_one_thread() {
    let _watch = watch();
    bounded_forms!(room 3, |form, offerer, mut drainer| {
        let counter = CountingWaker::new();
        let waker = counter.waker();
        let mut cx = Context::from_waker(&waker);
        let mut offerers: Vec<_> = (0..100).map(|_| offerer.clone()).collect();
        let mut offerings: Vec<_> =
            offerers.iter_mut().zip(0..).map(|(o, n)| Some(Box::pin(o.offer_async(n)))).collect();
        let mut got = Vec::new();
        for _ in rounds(100, 100) {
            for place in &mut offerings {
                let Some(offering) = place else { continue };
                if offering.as_mut().poll(&mut cx).is_ready() {
                    *place = None;
                }
            }
            got.extend(drainer.drain());
        }
        got.sort_unstable();
        assert!(got.into_iter().eq(0..100), "{form}");
        let _: Arc<_> = counter;
    });
}
