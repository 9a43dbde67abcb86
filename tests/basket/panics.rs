//! User code that panics: destructors, weighing functions, wakers.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::Context;
use std::thread;
use std::time::Duration;

use reveille::Basket;

use crate::support::waker::panicking_waker;
use crate::support::{CountingWaker, Ledger, Tracked, watch};

fn panics<R>(work: impl FnOnce() -> R) -> bool {
    catch_unwind(AssertUnwindSafe(work)).is_err()
}

struct Fragile(Tracked);

impl Drop for Fragile {
    fn drop(&mut self) {
        assert!(self.0.number() != 13, "thirteen");
    }
}

#[test]
fn a_destructor_that_panics_takes_no_other_item_with_it() {
    every_form!(room 40, |form, mut offerer, mut drainer| {
        let ledger = Ledger::new();
        offerer.offer_all((0..40).map(|n| Fragile(ledger.make(n)))).unwrap();
        assert_eq!(drainer.drain_up_to(3).count(), 3, "{form}");
        assert!(panics(|| drop(drainer)), "{form}");
        ledger.settle();
        let refused = offerer.offer(Fragile(ledger.make(1)));
        assert!(refused.unwrap_err().is_closed(), "{form}");
        ledger.settle();
    });
}

#[test]
fn a_destructor_that_panics_in_a_batch_leaves_the_rest_in() {
    every_form!(room 40, |form, mut offerer, mut drainer| {
        let ledger = Ledger::new();
        offerer.offer_all((0..40).map(|n| Fragile(ledger.make(n)))).unwrap();
        assert!(panics(|| drainer.drain().count()), "{form}");
        assert_eq!(drainer.take().unwrap().0.number(), 14, "{form}");
        assert_eq!(drainer.drain().count(), 25, "{form}");
        assert!(drainer.is_empty(), "{form}");
        offerer.offer_all((20..60).map(|n| Fragile(ledger.make(n)))).map_err(|_| form).unwrap();
        drop((offerer, drainer));
        ledger.settle();
    });
}

#[test]
fn a_weight_limit_that_panics_leaves_the_item_in() {
    every_form!(room 10, |form, mut offerer, mut drainer| {
        offerer.offer_all(0..10).unwrap();
        let mut batch = drainer.drain_weighed(usize::MAX, usize::MAX, |&n| {
            assert!(n != 5, "five");
            1
        });
        assert!(batch.by_ref().take(5).eq(0..5), "{form}");
        assert!(panics(|| batch.next()), "{form}");
        assert!(panics(|| batch.next()), "{form}: again");
        drop(batch);
        assert!(drainer.drain().eq(5..10), "{form}");
        assert!(drainer.is_empty(), "{form}");
    });
}

thread_local! {
    static WEIGHT: Cell<Option<usize>> = const { Cell::new(Some(1)) };
}

fn weigh_or_panic(_: &Tracked) -> usize {
    WEIGHT.get().expect("it cannot be weighed")
}

#[test]
fn a_weighing_function_that_panics_loses_no_room() {
    let ledger = Ledger::new();
    let (mut offerer, mut drainer) = Basket::weighed(4, weigh_or_panic).unwrap();
    offerer.offer(ledger.make(0)).unwrap();
    WEIGHT.set(None);
    assert!(panics(|| offerer.offer(ledger.make(1))));
    assert!(panics(|| offerer.offer_all([ledger.make(2), ledger.make(3)])));
    assert!(panics(|| offerer.offer_blocking(ledger.make(2))));
    assert_eq!((offerer.len(), ledger.live()), (1, 1));
    assert!(panics(|| drainer.take()));
    assert_eq!((offerer.len(), ledger.live()), (1, 1), "it is still in");
    WEIGHT.set(Some(1));
    assert_eq!(drainer.take().unwrap().number(), 0);
    offerer.offer_all([1, 2, 3, 4].map(|n| ledger.make(n))).unwrap();
    assert_eq!(drainer.drain().count(), 4);
    ledger.settle();
}

#[test]
fn a_weighing_function_that_panics_in_the_middle_of_a_batch_offers_nothing() {
    fn weigh(item: &Tracked) -> usize {
        assert!(item.number() != 3, "three");
        2
    }
    let ledger = Ledger::new();
    let (mut offerer, mut drainer) = Basket::weighed(10, weigh).unwrap();
    assert!(panics(|| offerer.offer_all((0..5).map(|n| ledger.make(n)))));
    assert_eq!((offerer.len(), ledger.live()), (0, 0));
    offerer.offer_all((4..9).map(|n| ledger.make(n))).unwrap();
    assert_eq!(drainer.drain().count(), 5);
    ledger.settle();
}

/// In the poll of a future that was served already.
#[test]
fn a_weighing_function_that_panics_in_a_task_passes_its_room_on() {
    let ledger = Ledger::new();
    let (mut offerer, mut drainer) = Basket::weighed(1, weigh_or_panic).unwrap();
    offerer.offer(ledger.make(0)).unwrap();
    let waker = CountingWaker::new().waker();
    let mut cx = Context::from_waker(&waker);
    {
        let mut offering = Box::pin(offerer.offer_async(ledger.make(1)));
        assert!(offering.as_mut().poll(&mut cx).is_pending());
        assert_eq!(drainer.take().unwrap().number(), 0);
        WEIGHT.set(None);
        assert!(panics(|| offering.as_mut().poll(&mut cx)));
        WEIGHT.set(Some(1));
    }
    assert!(offerer.is_empty());
    offerer.offer(ledger.make(2)).unwrap();
    drop(drainer);
    ledger.settle();
}

#[test]
fn a_waker_that_panics_loses_no_item() {
    every_form!(room 10, |form, mut offerer, mut drainer| {
        let ledger = Ledger::new();
        let waker = panicking_waker();
        let mut cx = Context::from_waker(&waker);
        assert!(drainer.poll_wait(&mut cx).is_pending(), "{form}");
        assert!(panics(|| offerer.offer(ledger.make(1))), "{form}");
        assert_eq!(drainer.take().unwrap().number(), 1, "{form}");
        assert!(drainer.poll_wait(&mut cx).is_pending(), "{form}");
        assert!(panics(|| offerer.offer_all([ledger.make(2), ledger.make(3)])), "{form}");
        assert_eq!(drainer.drain().count(), 2, "{form}");
        assert!(drainer.poll_wait(&mut cx).is_pending(), "{form}");
        assert!(panics(|| drop(offerer)), "{form}");
        assert!(drainer.wait().is_err(), "{form}: it is closed all the same");
        ledger.settle();
    });
}

/// Of many that wait for room, one has a waker that panics: the others are told all the same.
#[test]
fn a_waker_that_panics_keeps_nobody_else_waiting() {
    let _watch = watch();
    bounded_forms!(room 4, |form, mut offerer, mut drainer| {
        offerer.offer_all(0..4).unwrap();
        let mut others = [(); 2].map(|()| offerer.clone());
        let [bad, good] = &mut others;
        let (mut bad, mut good) = (Box::pin(bad.offer_async(4)), Box::pin(good.offer_async(5)));
        let (bad_waker, counter) = (panicking_waker(), CountingWaker::new());
        assert!(bad.as_mut().poll(&mut Context::from_waker(&bad_waker)).is_pending());
        let waker = counter.waker();
        assert!(good.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
        thread::scope(|scope| {
            let mut third = offerer.clone();
            let third = scope.spawn(move || third.offer_blocking(6));
            thread::sleep(Duration::from_millis(10));
            assert!(panics(|| drainer.close()), "{form}");
            assert!(third.join().unwrap().unwrap_err().is_closed(), "{form}");
        });
        assert_eq!(counter.wakes(), 1, "{form}");
        assert!(drainer.drain().eq(0..4), "{form}");
        assert!(drainer.wait().is_err(), "{form}");
    });
}

/// A weighing function that uses the basket which it weighs for.
#[test]
fn a_weighing_function_may_offer() {
    use reveille::basket::{Offerer, Weighed};
    thread_local! {
        static OTHER: Cell<Option<Offerer<u32, Weighed>>> = const { Cell::new(None) };
    }
    fn weigh(&item: &u32) -> usize {
        if let Some(mut offerer) = OTHER.take() {
            offerer.offer(item + 100).unwrap();
        }
        1
    }
    let (mut offerer, mut drainer) = Basket::weighed(4, weigh).unwrap();
    OTHER.set(Some(offerer.clone()));
    offerer.offer(1).unwrap();
    let mut got: Vec<_> = drainer.drain().collect();
    got.sort_unstable();
    assert_eq!(got, [1, 101]);
    OTHER.set(Some(offerer.clone()));
    offerer.offer_all([2, 3]).unwrap();
    OTHER.set(Some(offerer.clone()));
    assert_eq!(drainer.drain().count(), 3, "what is offered while it drains comes later");
    assert_eq!(drainer.drain().count(), 1);
    assert_eq!(offerer.len(), 0);
}
