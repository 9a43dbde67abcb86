//! Every operation in every quiet state: what the table in `docs/proofs/basket.md` has no race for.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use reveille::basket::{Closed, OfferError, WaitError};

const SHORT: Duration = Duration::from_millis(2);

fn poll_once<F: Future>(future: F) -> Poll<F::Output> {
    pin!(future).poll(&mut Context::from_waker(Waker::noop()))
}

#[test]
fn nothing_comes_out_of_an_empty_basket() {
    every_form!(room 2, |form, offerer, mut drainer| {
        assert_eq!(drainer.drain().count(), 0, "{form}");
        assert_eq!(drainer.take(), None::<u8>, "{form}");
        assert_eq!(drainer.wait_timeout(Duration::ZERO), Err(WaitError::TimedOut), "{form}");
        assert!(poll_once(drainer.wait_async()).is_pending(), "{form}");
        assert!(drainer.is_empty(), "{form}");
        drop(offerer);
    });
}

#[test]
fn offers_that_may_wait_do_not_beside_room() {
    bounded_forms!(room 4, |form, mut offerer, mut drainer| {
        offerer.offer_blocking(1).unwrap();
        offerer.offer_timeout(2, SHORT).unwrap();
        assert_eq!(poll_once(offerer.offer_async(3)), Poll::Ready(Ok(())), "{form}");
        offerer.offer_timeout(4, Duration::ZERO).unwrap();
        assert!(drainer.drain().eq([1, 2, 3, 4]), "{form}");
    });
}

#[test]
fn offers_to_a_full_basket() {
    bounded_forms!(room 1, |form, mut offerer, mut drainer| {
        offerer.offer(1).unwrap();
        assert_eq!(offerer.offer(2), Err(OfferError::Full(2)), "{form}");
        assert_eq!(offerer.offer_all([2, 3]), Err(OfferError::Full(vec![2, 3])), "{form}");
        assert_eq!(offerer.offer_timeout(2, SHORT), Err(OfferError::TimedOut(2)), "{form}");
        assert!(poll_once(offerer.offer_async(2)).is_pending(), "{form}");
        // A full basket is one with items.
        assert_eq!(drainer.wait(), Ok(()), "{form}");
        assert_eq!(drainer.wait_timeout(SHORT), Ok(()), "{form}");
        assert_eq!(poll_once(drainer.wait_async()), Poll::Ready(Ok(())), "{form}");
        assert!(drainer.drain().eq([1]), "{form}");
        offerer.offer(2).unwrap();
        assert_eq!(drainer.take(), Some(2), "{form}");
    });
}

#[test]
fn a_full_basket_is_closed_or_left() {
    bounded_forms!(room 1, |form, mut offerer, mut drainer| {
        offerer.offer(1).unwrap();
        assert!(offerer.close(), "{form}");
        assert_eq!(offerer.offer(2), Err(OfferError::Closed(2)), "{form}");
        drop(offerer);
        assert!(drainer.drain().eq([1]), "{form}");
        assert_eq!(drainer.wait(), Err(Closed(())), "{form}");
    });
    bounded_forms!(room 1, |form, mut offerer, mut drainer| {
        offerer.offer(1).unwrap();
        assert!(drainer.close(), "{form}");
        drop(drainer);
        assert_eq!(offerer.offer(2), Err(OfferError::Closed(2)), "{form}");
        assert!(offerer.is_empty(), "{form}");
    });
}

#[test]
fn a_closed_basket_refuses_every_offer() {
    for by_offerer in [true, false] {
        every_form!(room 2, |form, mut offerer, mut drainer| {
            assert!(if by_offerer { offerer.close() } else { drainer.close() }, "{form}");
            assert_eq!(offerer.offer(1), Err(OfferError::Closed(1)), "{form}");
            assert_eq!(offerer.offer_all([1, 2]), Err(OfferError::Closed(vec![1, 2])), "{form}");
            assert!(offerer.is_closed() && drainer.is_closed(), "{form}");
        });
        bounded_forms!(room 2, |form, mut offerer, mut drainer| {
            assert!(if by_offerer { offerer.close() } else { drainer.close() }, "{form}");
            assert_eq!(offerer.offer_blocking(1), Err(OfferError::Closed(1)), "{form}");
            assert_eq!(offerer.offer_timeout(1, SHORT), Err(OfferError::Closed(1)), "{form}");
            let refused = Poll::Ready(Err(OfferError::Closed(1)));
            assert_eq!(poll_once(offerer.offer_async(1)), refused, "{form}");
        });
    }
}

#[test]
fn a_closed_basket_ends_every_wait() {
    for by_offerer in [true, false] {
        every_form!(room 2, |form, mut offerer, mut drainer| {
            offerer.offer(1).unwrap();
            assert!(if by_offerer { offerer.close() } else { drainer.close() }, "{form}");
            assert_eq!(drainer.wait(), Ok(()), "{form}");
            assert_eq!(drainer.take(), Some(1), "{form}");
            assert_eq!(drainer.take(), None, "{form}");
            assert_eq!(drainer.wait(), Err(Closed(())), "{form}");
            assert_eq!(drainer.wait_timeout(SHORT), Err(WaitError::Closed), "{form}");
            assert_eq!(poll_once(drainer.wait_async()), Poll::Ready(Err(Closed(()))), "{form}");
            assert!(!offerer.close() && !drainer.close(), "{form}");
        });
    }
}

#[test]
fn a_closed_basket_is_left_by_either_side_first() {
    for by_offerer in [true, false] {
        every_form!(room 2, |form, offerer, mut drainer| {
            assert!(if by_offerer { offerer.close() } else { drainer.close() }, "{form}");
            drop(offerer);
            assert_eq!(drainer.take(), None::<u8>, "{form}");
        });
        every_form!(room 2, |form, mut offerer, mut drainer| {
            assert!(if by_offerer { offerer.close() } else { drainer.close() }, "{form}");
            drop(drainer);
            assert_eq!(offerer.offer(1), Err(OfferError::Closed(1)), "{form}");
        });
    }
}

#[test]
fn an_announcement_is_taken_back_by_what_comes_next() {
    every_form!(room 2, |form, mut offerer, mut drainer| {
        assert!(poll_once(drainer.wait_async()).is_pending(), "{form}");
        assert_eq!(drainer.take(), None, "{form}");
        assert!(poll_once(drainer.wait_async()).is_pending(), "{form}");
        assert_eq!(drainer.wait_timeout(SHORT), Err(WaitError::TimedOut), "{form}");
        assert!(poll_once(drainer.wait_async()).is_pending(), "{form}");
        offerer.offer_all([1, 2]).unwrap();
        assert_eq!(drainer.wait(), Ok(()), "{form}");
        assert!(drainer.drain().eq([1, 2]), "{form}");
    });
    every_form!(room 2, |form, offerer, mut drainer| {
        assert!(poll_once(drainer.wait_async()).is_pending(), "{form}");
        assert!(drainer.close(), "{form}");
        assert_eq!(drainer.take(), None::<u8>, "{form}");
        assert_eq!(poll_once(drainer.wait_async()), Poll::Ready(Err(Closed(()))), "{form}");
        drop(offerer);
    });
    every_form!(room 2, |form, offerer, mut drainer| {
        assert!(poll_once(drainer.wait_async()).is_pending(), "{form}");
        drop(offerer);
        assert_eq!(drainer.take(), None::<u8>, "{form}");
        assert_eq!(drainer.wait(), Err(Closed(())), "{form}");
    });
    bounded_forms!(room 2, |form, mut offerer, mut drainer| {
        assert!(poll_once(drainer.wait_async()).is_pending(), "{form}");
        offerer.offer_blocking(1).unwrap();
        assert_eq!(drainer.take(), Some(1), "{form}");
    });
}
