//! Many items in one offer.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::Context;
use std::thread;

use reveille::Basket;
use reveille::basket::OfferError;

use crate::support::{CountingWaker, Ledger, scaled, watch};

#[test]
fn nothing_is_not_an_offer() {
    every_form!(room 1, |form, mut offerer, mut drainer| {
        let counter = CountingWaker::new();
        let waker = counter.waker();
        assert!(drainer.poll_wait(&mut Context::from_waker(&waker)).is_pending());
        offerer.offer_all(std::iter::empty::<u32>()).unwrap();
        assert_eq!(counter.wakes(), 0, "{form}");
        drainer.close();
        offerer.offer_all([]).unwrap();
        assert!(drainer.is_empty(), "{form}");
    });
}

#[test]
fn what_finds_no_room_comes_back_in_order() {
    bounded_forms!(room 5, |form, mut offerer, mut drainer| {
        offerer.offer(0).unwrap();
        match offerer.offer_all(1..10) {
            Err(OfferError::Full(rest)) => assert_eq!(rest, [5, 6, 7, 8, 9], "{form}"),
            other => panic!("{form}: {other:?}"),
        }
        match offerer.offer_all(1..4) {
            Err(OfferError::Full(rest)) => assert_eq!(rest, [1, 2, 3], "{form}"),
            other => panic!("{form}: {other:?}"),
        }
        assert!(drainer.drain().eq(0..5), "{form}");
        assert_eq!(offerer.len(), 0, "{form}");
    });
}

#[test]
fn closed_gives_everything_back() {
    every_form!(room 100, |form, mut offerer, mut drainer| {
        let ledger = Ledger::new();
        offerer.offer(ledger.make(0)).unwrap();
        drainer.close();
        for many in [1, 2, 50, 99] {
            match offerer.offer_all((0..many).map(|n| ledger.make(n))) {
                Err(OfferError::Closed(rest)) => {
                    assert!(rest.iter().map(|item| item.number()).eq(0..many), "{form}");
                }
                other => panic!("{form}: {other:?}"),
            }
        }
        assert_eq!(drainer.drain().count(), 1, "{form}");
        ledger.settle();
    });
}

#[test]
fn the_iterator_is_run_to_its_end_first() {
    every_form!(room 10, |form, mut offerer, mut drainer| {
        let mut other = offerer.clone();
        let items = (0..3).inspect(|n| {
            // The basket is as it was, and offers of others go through.
            if *n == 2 {
                other.offer(100).unwrap();
            }
        });
        offerer.offer_all(items).unwrap();
        let mut got: Vec<_> = drainer.drain().collect();
        got.sort_unstable();
        assert_eq!(got, [0, 1, 2, 100], "{form}");
    });
}

#[test]
fn an_iterator_that_panics_offers_nothing() {
    every_form!(room 10, |form, mut offerer, mut drainer| {
        let ledger = Ledger::new();
        let result = catch_unwind(AssertUnwindSafe(|| {
            let items = (0..5).map(|n| {
                assert!(n < 3, "no more");
                ledger.make(n)
            });
            drop(offerer.offer_all(items));
        }));
        assert!(result.is_err(), "{form}");
        assert!(drainer.is_empty(), "{form}");
        ledger.settle();
        offerer.offer_all([ledger.make(1)]).unwrap();
        assert_eq!(drainer.drain().count(), 1, "{form}");
        ledger.settle();
    });
}

#[test]
fn the_drainer_is_woken_once() {
    every_form!(room 100, |form, mut offerer, mut drainer| {
        let counter = CountingWaker::new();
        let waker = counter.waker();
        assert!(drainer.poll_wait(&mut Context::from_waker(&waker)).is_pending());
        offerer.offer_all(0..50).unwrap();
        offerer.offer_all(50..100).unwrap();
        assert_eq!(counter.wakes(), 1, "{form}");
        assert!(drainer.drain().eq(0..100), "{form}");
    });
}

/// A drainer sees the whole of it, or nothing.
#[test]
fn a_batch_appears_in_one_piece() {
    const PIECE: usize = 7;
    let _watch = watch();
    let pieces = scaled(10_000, 1_000_000);
    every_form!(room PIECE * pieces, |form, mut offerer, mut drainer| {
        thread::scope(|scope| {
            scope.spawn(move || {
                for _ in 0..pieces {
                    offerer.offer_all([0; PIECE]).unwrap();
                }
            });
            let mut got = 0;
            while drainer.wait().is_ok() {
                let found = drainer.drain().count();
                assert_eq!(found % PIECE, 0, "{form}");
                got += found;
            }
            assert_eq!(got, pieces * PIECE, "{form}");
        });
    });
}

/// Pieces of any size, larger than chunks are, too.
#[test]
fn pieces_of_any_size_come_out_whole() {
    every_form!(room 30_000, |form, mut offerer, mut drainer| {
        for many in [1, 2, 29, 30, 31, 63, 64, 65, 508, 509, 510, 511, 512, 513, 4096, 20_000] {
            let many: u64 = many;
            offerer.offer_all(0..many).unwrap();
            assert_eq!(drainer.len() as u64, many, "{form}");
            assert!(drainer.drain().eq(0..many), "{form}: {many}");
        }
    });
    let (mut offerer, mut drainer) = Basket::unbounded();
    offerer.offer_all((0..3).map(|n| [n; 5000])).unwrap();
    assert!(drainer.drain().eq((0..3).map(|n| [n; 5000])));
}
