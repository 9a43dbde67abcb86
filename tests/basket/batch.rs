//! What a drain hands out.

use crate::support::Ledger;

#[test]
fn a_batch_knows_how_many_it_gives() {
    every_form!(room 10, |form, mut offerer, mut drainer| {
        offerer.offer_all(0..10).unwrap();
        let mut batch = drainer.drain();
        for left in (0..10).rev() {
            assert_eq!(batch.size_hint(), (left + 1, Some(left + 1)), "{form}");
            assert_eq!(batch.peek(), Some(&(9 - left)), "{form}");
            assert_eq!(batch.next(), Some(9 - left), "{form}");
            assert_eq!(batch.len(), left, "{form}");
        }
        assert_eq!(batch.peek(), None, "{form}");
        assert_eq!(batch.next(), None, "{form}");
        assert_eq!(batch.next(), None, "{form}: it stays over");
        assert_eq!(batch.size_hint(), (0, Some(0)), "{form}");
    });
}

#[test]
fn a_limit_of_items_is_kept() {
    every_form!(room 10, |form, mut offerer, mut drainer| {
        offerer.offer_all(0..10).unwrap();
        assert_eq!(drainer.drain_up_to(0).next(), None, "{form}");
        assert_eq!(drainer.drain_up_to(0).peek(), None, "{form}");
        let mut batch = drainer.drain_up_to(3);
        assert_eq!(batch.len(), 3, "{form}");
        assert!(batch.by_ref().eq(0..3), "{form}");
        assert_eq!(batch.peek(), None, "{form}: it shows what it will not give");
        drop(batch);
        assert_eq!(drainer.drain_up_to(100).len(), 7, "{form}");
        assert_eq!(drainer.drain_up_to(usize::MAX).len(), 7, "{form}");
        assert_eq!(drainer.len(), 7, "{form}");
    });
}

/// With many offerers' items at hand, one limit counts for all.
#[test]
fn a_limit_counts_over_all_offerers() {
    every_form!(room 100, |form, offerer, mut drainer| {
        let mut offerers: Vec<_> = (0..10).map(|_| offerer.clone()).collect();
        for (id, offerer) in offerers.iter_mut().enumerate() {
            offerer.offer_all((0..10).map(|n| (id, n))).unwrap();
        }
        let mut next = [0; 10];
        for _ in 0..25 {
            let batch = drainer.drain_up_to(4);
            assert_eq!(batch.len(), 4, "{form}");
            for (id, n) in batch {
                assert_eq!(n, next[id], "{form}");
                next[id] += 1;
            }
        }
        assert_eq!(next, [10; 10], "{form}");
        assert!(drainer.is_empty(), "{form}");
    });
}

#[test]
fn skipped_items_are_dropped() {
    every_form!(room 10, |form, mut offerer, mut drainer| {
        let ledger = Ledger::new();
        offerer.offer_all((0..10).map(|n| ledger.make(n))).unwrap();
        let mut batch = drainer.drain();
        let sixth = batch.nth(5).unwrap();
        assert_eq!((sixth.number(), ledger.dropped()), (5, 5), "{form}");
        drop(batch);
        assert_eq!(ledger.dropped(), 5, "{form}: what was not taken stays");
        assert_eq!(drainer.drain().last().unwrap().number(), 9, "{form}");
        drop(sixth);
        ledger.settle();
    });
}

#[test]
fn a_batch_may_outlive_the_end_and_the_offerers() {
    every_form!(room 10, |form, mut offerer, mut drainer| {
        offerer.offer_all(0..5).unwrap();
        let batch = drainer.drain();
        offerer.close();
        drop(offerer);
        assert!(batch.eq(0..5), "{form}");
        assert!(drainer.wait().is_err(), "{form}");
    });
}

#[test]
fn everything_says_something_in_debug() {
    every_form!(room 10, |form, mut offerer, mut drainer| {
        offerer.offer(1).unwrap();
        assert!(format!("{offerer:?}").starts_with("Offerer"), "{form}");
        assert!(format!("{drainer:?}").starts_with("Drainer"), "{form}");
        assert!(format!("{:?}", drainer.drain()).starts_with("Batch"), "{form}");
    });
}
