//! One item: in, or back.

use std::thread;

use reveille::Basket;
use reveille::basket::{Closed, OfferError};

use crate::support::{Ledger, StartLine, rounds, watch};

#[test]
fn an_offered_item_is_there_at_once() {
    every_form!(room 1, |form, mut offerer, mut drainer| {
        for n in 0..1000 {
            assert!(drainer.is_empty(), "{form}");
            offerer.offer(n).unwrap();
            assert!(!drainer.is_empty(), "{form}");
            assert_eq!(drainer.take(), Some(n), "{form}");
        }
    });
}

#[test]
fn a_refused_item_comes_back_itself() {
    every_form!(room 1, |form, mut offerer, mut drainer| {
        let ledger = Ledger::new();
        assert!(drainer.close(), "{form}");
        let item = ledger.make(7);
        match offerer.offer(item) {
            Err(OfferError::Closed(item)) => assert_eq!(item.number(), 7, "{form}"),
            other => panic!("{form}: {other:?}"),
        }
        assert_eq!((ledger.made(), ledger.dropped()), (1, 1), "{form}");
        ledger.settle();
    });
    bounded_forms!(room 2, |form, mut offerer, mut drainer| {
        let ledger = Ledger::new();
        offerer.offer(ledger.make(0)).unwrap();
        offerer.offer(ledger.make(1)).unwrap();
        let error = offerer.offer(ledger.make(2)).unwrap_err();
        assert!(error.is_full() && !error.is_closed(), "{form}");
        assert_eq!(error.to_string(), "the basket is full");
        assert_eq!(error.into_inner().number(), 2, "{form}");
        drainer.close();
        // Full and closed: closed is the news.
        assert!(offerer.offer(ledger.make(3)).unwrap_err().is_closed(), "{form}");
        assert_eq!(drainer.drain().count(), 2, "{form}");
        ledger.settle();
    });
}

#[test]
fn a_shared_offerer_does_the_same() {
    let (offerer, mut drainer) = Basket::ordered();
    let shared = offerer.share();
    drop(offerer);
    let ledger = Ledger::new();
    shared.clone().offer(ledger.make(1)).unwrap();
    let mut own = shared.offerer();
    own.offer(ledger.make(2)).unwrap();
    drop(own);
    assert!(!drainer.is_closed(), "a shared offerer counts");
    assert!(drainer.drain().map(|item| item.number()).eq([1, 2]));
    assert!(shared.close());
    assert!(!shared.close());
    let Err(Closed(item)) = shared.offer(ledger.make(3)) else { panic!("it is closed") };
    assert_eq!(item.number(), 3);
    drop(item);
    drop(shared);
    assert_eq!(drainer.wait(), Err(Closed(())));
    ledger.settle();
}

#[test]
fn the_last_shared_offerer_closes_the_basket() {
    let (offerer, mut drainer) = Basket::<u32>::ordered();
    let shared = offerer.share();
    let again = shared.clone();
    drop((offerer, shared));
    assert!(!drainer.is_closed());
    drop(again);
    assert_eq!(drainer.wait(), Err(Closed(())));
}

/// Zero-sized, over-aligned and huge items.
#[test]
fn items_of_any_shape_go_through() {
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Nothing;
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(align(256))]
    struct Wide(u8);
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(align(8192))]
    struct Page(u64);

    fn check<T: Copy + PartialEq + std::fmt::Debug + Send>(make: impl Fn(u8) -> T) {
        every_form!(room 64, |form, mut offerer, mut drainer| {
            for round in 0..20 {
                offerer.offer(make(round)).unwrap();
                offerer.offer_all((1..40).map(|n| make(round + n))).unwrap();
                let batch = drainer.drain();
                assert_eq!(batch.len(), 40, "{form}");
                assert!(std::ptr::from_ref(batch.peek().unwrap()).is_aligned(), "{form}");
                for (n, item) in (0..).zip(batch) {
                    assert_eq!(item, make(round + n), "{form}");
                }
            }
        });
    }
    check(|_| Nothing);
    check(|_| ());
    check(Wide);
    check(|n| Page(n.into()));
    check(|n| [n; 3]);
    check(|n| [n; 4095]);
    check(|n| [n; 20_000]);
}

#[test]
fn zero_sized_items_are_counted_and_dropped() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static DROPPED: AtomicUsize = AtomicUsize::new(0);
    struct Token;
    impl Drop for Token {
        fn drop(&mut self) {
            DROPPED.fetch_add(1, Ordering::Relaxed);
        }
    }
    every_form!(room 10_000, |form, mut offerer, mut drainer| {
        DROPPED.store(0, Ordering::Relaxed);
        offerer.offer_all((0..9_000).map(|_| Token)).unwrap();
        offerer.offer(Token).unwrap();
        assert_eq!(drainer.len(), 9_001, "{form}");
        assert_eq!(drainer.drain_up_to(5_000).count(), 5_000, "{form}");
        assert_eq!(DROPPED.load(Ordering::Relaxed), 5_000, "{form}");
        drop(drainer);
        assert_eq!(DROPPED.load(Ordering::Relaxed), 9_001, "{form}");
    });
}

/// Every item is drained, dropped with the basket, or comes back; each once.
#[test]
fn nothing_is_lost_and_nothing_comes_twice() {
    const OFFERERS: usize = 4;
    let _watch = watch();
    for round in rounds(50, 10_000) {
        every_form!(room 8, |form, offerer, mut drainer| {
            let ledger = Ledger::new();
            let start = StartLine::new(OFFERERS + 1);
            thread::scope(|scope| {
                for _ in 0..OFFERERS {
                    let (mut offerer, ledger, start) = (offerer.clone(), &ledger, &start);
                    scope.spawn(move || {
                        start.wait();
                        for n in 0..50 {
                            drop(offerer.offer(ledger.make(n)));
                            drop(offerer.offer_all([ledger.make(n), ledger.make(n)]));
                        }
                    });
                }
                start.wait();
                for _ in 0..round % 50 {
                    let _: usize = drainer.drain_up_to(5).count();
                }
                if round % 2 == 0 {
                    drop(drainer);
                    drop(offerer);
                } else {
                    drop(offerer);
                    while drainer.wait().is_ok() {
                        let _: usize = drainer.drain().count();
                    }
                }
            });
            assert_eq!(ledger.made(), OFFERERS * 150, "{form}");
            ledger.settle();
        });
    }
}
