//! Who drops what, and when.

use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use reveille::Basket;
use reveille::basket::{Offerer, Unbounded};

use crate::support::{Ledger, Random, StartLine, Tracked, forget, rounds, spin_for, watch};

#[test]
fn c12_dropping_the_drainer_drops_the_items_at_once() {
    for many in [0, 1, 10, 100, 2000] {
        every_form!(room 2000, |form, mut offerer, drainer| {
            let ledger = Ledger::new();
            offerer.offer_all((0..many).map(|n| ledger.make(n))).unwrap();
            drop(drainer);
            assert_eq!(ledger.live(), 0, "{form}");
            assert!(offerer.offer(ledger.make(0)).unwrap_err().is_closed(), "{form}");
            assert!(offerer.clone().offer(ledger.make(0)).unwrap_err().is_closed(), "{form}");
            ledger.settle();
        });
    }
}

#[test]
fn c12_full_or_half_drained_makes_no_difference() {
    every_form!(room 64, |form, mut offerer, mut drainer| {
        let ledger = Ledger::new();
        offerer.offer_all((0..64).map(|n| ledger.make(n))).unwrap();
        assert_eq!(drainer.drain_up_to(30).count(), 30, "{form}");
        let mut batch = drainer.drain();
        let kept = batch.next();
        forget(batch);
        assert_eq!(ledger.live(), 34, "{form}");
        drop(drainer);
        assert_eq!(ledger.live(), 1, "{form}");
        drop(kept);
        ledger.settle();
    });
}

/// An item that keeps its own basket's offerer.
#[test]
fn c12_a_cycle_is_broken() {
    struct Knot {
        _item: Tracked,
        _offerer: Offerer<Knot, Unbounded>,
    }
    let ledger = Ledger::new();
    let (mut offerer, drainer) = Basket::<Knot>::unbounded();
    for n in 0..10 {
        let inside = offerer.clone();
        offerer.offer(Knot { _item: ledger.make(n), _offerer: inside }).unwrap();
    }
    drop(offerer);
    assert!(!drainer.is_closed(), "those inside count");
    assert_eq!(ledger.live(), 10);
    drop(drainer);
    ledger.settle();
}

/// An item whose destructor offers, and closes, and drops the last handles.
#[test]
fn destructors_may_use_the_basket() {
    struct Nosy(Arc<Mutex<Option<Offerer<Nosy, Unbounded>>>>, Tracked);
    impl Drop for Nosy {
        fn drop(&mut self) {
            let Ok(mut place) = self.0.try_lock() else { return };
            if let Some(mut offerer) = place.take() {
                let more = Nosy(self.0.clone(), self.1.again(100));
                assert!(offerer.clone().offer(more).unwrap_err().is_closed());
                assert!(!offerer.close());
                drop(offerer.offer_all([]));
            }
        }
    }
    let ledger = Ledger::new();
    let (mut offerer, drainer) = Basket::<Nosy>::unbounded();
    let place = Arc::new(Mutex::new(None));
    for n in 0..5 {
        offerer.offer(Nosy(place.clone(), ledger.make(n))).unwrap();
    }
    *place.lock().unwrap() = Some(offerer);
    drop(drainer);
    ledger.settle();
}

#[test]
fn c13_the_drainer_goes_during_the_first_offers() {
    let _watch = watch();
    let mut random = Random::new(13);
    for _ in rounds(500, 300_000) {
        every_form!(room 4, |form, offerer, drainer| {
            let ledger = Ledger::new();
            let start = StartLine::new(3);
            let accepted = thread::scope(|scope| {
                let offers = [(); 2].map(|()| {
                    let (mut offerer, start, ledger) = (offerer.clone(), &start, &ledger);
                    scope.spawn(move || {
                        start.wait();
                        offerer.offer(ledger.make(1)).is_ok()
                    })
                });
                let delay = random.micros(2);
                start.wait();
                spin_for(delay);
                drop(drainer);
                offers.map(|offer| usize::from(offer.join().unwrap())).iter().sum::<usize>()
            });
            assert!(accepted <= 2, "{form}");
            assert_eq!(ledger.made(), 2, "{form}");
            // Of those that were accepted, too: nobody else is there to drop them.
            ledger.settle();
        });
    }
}

/// Also when every offer opens a chunk, and when the drainer has been at work.
#[test]
fn c13_the_drainer_goes_in_the_middle_of_the_work() {
    type Large = ([u64; 600], Tracked);
    let _watch = watch();
    let mut random = Random::new(31);
    for _ in rounds(150, 30_000) {
        every_form!(room 64, |form, offerer, mut drainer| {
            let ledger = Ledger::new();
            thread::scope(|scope| {
                for _ in 0..2 {
                    let (mut offerer, ledger) = (offerer.clone(), &ledger);
                    scope.spawn(move || {
                        for n in 0..50 {
                            let item: Large = ([n; 600], ledger.make(n));
                            drop(offerer.offer(item));
                        }
                    });
                }
                drop(offerer);
                let delay = random.micros(30);
                let _: Result<(), _> = drainer.wait_timeout(delay);
                assert!(drainer.drain_up_to(5).all(|(data, item)| data[7] == item.number()));
                drop(drainer);
            });
            assert_eq!(ledger.made(), 100, "{form}");
            ledger.settle();
        });
    }
}

#[test]
fn a_forgotten_batch_leaves_its_items_in() {
    every_form!(room 40, |form, mut offerer, mut drainer| {
        let ledger = Ledger::new();
        for _ in 0..10 {
            offerer.offer_all((0..40).map(|n| ledger.make(n))).unwrap();
            let mut batch = drainer.drain();
            assert_eq!(batch.nth(4).unwrap().number(), 4, "{form}");
            forget(batch);
            assert_eq!(drainer.len(), 35, "{form}");
            let batch = drainer.drain();
            assert!(batch.map(|item| item.number()).eq(5..40), "{form}");
        }
        ledger.settle();
    });
}

/// A drainer that is forgotten: its items stay, until the basket itself goes.
#[test]
fn a_forgotten_drainer_does_no_harm() {
    let ledger = Ledger::new();
    let (mut offerer, drainer) = Basket::bounded(4).unwrap();
    offerer.offer(ledger.make(0)).unwrap();
    forget(drainer);
    offerer.offer(ledger.make(1)).unwrap();
    assert!(offerer.offer_timeout(ledger.make(2), Duration::from_millis(1)).is_ok());
    drop(offerer);
    // The drainer's share keeps the basket alive for good.
    assert_eq!(ledger.live(), 3);

    let mut basket = crate::forms::fixed(4);
    let (mut offerer, drainer) = basket.split();
    offerer.offer(ledger.make(3)).unwrap();
    forget(drainer);
    drop(offerer);
    let (mut offerer, mut drainer) = basket.split();
    assert_eq!(ledger.live(), 3, "the new one starts empty");
    offerer.offer(ledger.make(4)).unwrap();
    assert_eq!(drainer.take().map(|item| item.number()), Some(4));
}

#[test]
fn with_another_policy_it_is_the_same_drainer() {
    every_form!(room 4, |form, mut offerer, mut drainer| {
        let ledger = Ledger::new();
        offerer.offer_all((0..4).map(|n| ledger.make(n))).unwrap();
        assert_eq!(drainer.take().unwrap().number(), 0, "{form}");
        let mut drainer = drainer.with_policy(reveille::NoSpin);
        assert!(!drainer.is_closed(), "{form}");
        assert_eq!(drainer.take().unwrap().number(), 1, "{form}");
        drop(drainer);
        ledger.settle();
    });
}
