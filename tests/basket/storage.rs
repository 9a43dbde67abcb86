//! Baskets in memory that the caller supplies: an array, a slice, a static.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use reveille::basket::{FixedBasket, Slot};

use crate::support::{Ledger, StartLine, forget, watch};

#[test]
fn an_array() {
    let mut basket = FixedBasket::in_array([const { Slot::new() }; 3]);
    let (mut offerer, mut drainer) = basket.split();
    for n in 0..3 {
        offerer.offer(n).unwrap();
    }
    assert!(offerer.offer(3).unwrap_err().is_full());
    assert!(drainer.drain().eq(0..3));
}

#[test]
fn a_slice() {
    let mut slots: [Slot<u32>; 5] = Default::default();
    for _ in 0..2 {
        let mut basket = FixedBasket::new(&mut slots[1..4]).unwrap();
        let (mut offerer, mut drainer) = basket.split();
        for n in 0..3 {
            offerer.offer(n).unwrap();
        }
        assert_eq!(offerer.capacity(), 3);
        assert!(offerer.offer(3).unwrap_err().is_full());
        assert!(drainer.drain().eq(0..3));
        offerer.offer(4).unwrap();
        // What is left in the slots does not come back in the next basket.
    }
}

#[test]
fn a_static_is_claimed_once() {
    static BASKET: FixedBasket<u32, [Slot<u32>; 4]> =
        FixedBasket::in_array([const { Slot::new() }; 4]);
    static WON: AtomicUsize = AtomicUsize::new(0);
    let _watch = watch();
    let start = StartLine::new(3);
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                start.wait();
                let Some((mut offerer, mut drainer)) = BASKET.claim() else { return };
                WON.fetch_add(1, Ordering::Relaxed);
                thread::spawn(move || offerer.offer(7).unwrap());
                drainer.wait().unwrap();
                assert_eq!(drainer.take(), Some(7));
            });
        }
    });
    assert_eq!(WON.load(Ordering::Relaxed), 1);
    assert!(BASKET.claim().is_none());
}

#[test]
fn splitting_again_starts_anew() {
    // Without memory of their own: some are lost, and a leak checker would say so.
    struct Item<'a>(&'a Cell<usize>);

    impl<'a> Item<'a> {
        fn new(live: &'a Cell<usize>) -> Self {
            live.set(live.get() + 1);
            Self(live)
        }
    }

    impl Drop for Item<'_> {
        fn drop(&mut self) {
            self.0.set(self.0.get() - 1);
        }
    }

    let live = Cell::new(0);
    let mut basket = FixedBasket::in_array([const { Slot::new() }; 3]);
    for round in 0..10 {
        let (mut offerer, mut drainer) = basket.split();
        assert!(!offerer.is_closed() && offerer.is_empty() && drainer.is_empty());
        for _ in 0..3 {
            offerer.offer(Item::new(&live)).unwrap();
        }
        assert!(offerer.offer(Item::new(&live)).unwrap_err().is_full());
        // Left behind in every state.
        match round % 5 {
            0 => drop((drainer, offerer)),
            1 => drop((offerer, drainer)),
            2 => {
                offerer.close();
                drop(offerer);
                drop(drainer.drain().next());
            }
            3 => {
                drop(drainer.take());
                drop(offerer);
                forget(drainer);
                continue;
            }
            _ => {
                forget(offerer);
                drop(drainer.take());
            }
        }
    }
    // Twice a drainer was forgotten with two items in its hands or in the basket.
    drop(basket);
    assert!(live.get() <= 4, "{}", live.get());
}

#[test]
fn a_basket_moves_between_its_uses() {
    let mut basket = FixedBasket::in_array([const { Slot::new() }; 3]);
    for _ in 0..3 {
        {
            let (mut offerer, mut drainer) = basket.split();
            for n in 0..7 {
                offerer.offer(n).unwrap();
                assert_eq!(drainer.take(), Some(n));
            }
            offerer.offer(100).unwrap();
        }
        let moved = Box::new(basket);
        basket = *moved;
        assert!(format!("{basket:?}").starts_with("FixedBasket"));
    }
}

#[test]
fn a_basket_drops_what_its_sides_left() {
    let ledger = Ledger::new();
    let basket = FixedBasket::in_array([const { Slot::new() }; 3]);
    {
        let (mut offerer, drainer) = basket.claim().unwrap();
        offerer.offer(ledger.make(0)).unwrap();
        offerer.offer(ledger.make(1)).unwrap();
        forget(drainer);
    }
    assert!(basket.claim().is_none());
    assert_eq!(ledger.live(), 2);
    drop(basket);
    ledger.settle();
}

#[test]
fn items_may_borrow() {
    let words = [String::from("one"), String::from("two")];
    let mut basket = FixedBasket::in_array([const { Slot::new() }; 2]);
    let (mut offerer, mut drainer) = basket.split();
    for word in &words {
        offerer.offer(word.as_str()).unwrap();
    }
    assert!(drainer.drain().eq(["one", "two"]));
}

/// One slot, one thread each way: the ring's smallest.
#[test]
fn one_slot_goes_round() {
    const ROUNDS: usize = 20_000;
    let _watch = watch();
    let mut basket = FixedBasket::in_array([const { Slot::new() }; 1]);
    let (mut offerer, mut drainer) = basket.split();
    thread::scope(|scope| {
        scope.spawn(move || (0..ROUNDS).for_each(|n| offerer.offer_blocking(n).unwrap()));
        let mut next = 0;
        while drainer.wait().is_ok() {
            for n in drainer.drain() {
                assert_eq!(n, next);
                next += 1;
            }
        }
        assert_eq!(next, ROUNDS);
    });
}
