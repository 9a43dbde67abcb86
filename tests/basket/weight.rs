//! Limits in weight.

use std::task::Context;
use std::thread;
use std::time::Duration;

use reveille::Basket;
use reveille::basket::OfferError;

use crate::support::block_on::block_on;
use crate::support::{CountingWaker, Random, scaled, watch};

const SOON: Duration = Duration::from_millis(5);

#[test]
fn weights_add_up() {
    let (mut offerer, mut drainer) = Basket::weighed(10, |&weight: &usize| weight).unwrap();
    offerer.offer(4).unwrap();
    offerer.offer(6).unwrap();
    assert_eq!(offerer.len(), 10);
    assert_eq!(offerer.offer(1), Err(OfferError::Full(1)));
    assert_eq!(drainer.take(), Some(4));
    assert_eq!(offerer.offer(5), Err(OfferError::Full(5)));
    offerer.offer(4).unwrap();
    assert_eq!(drainer.len(), 2, "the drainer counts items");
    assert!(drainer.drain().eq([6, 4]));
    assert_eq!(offerer.len(), 0);
}

#[test]
fn too_heavy_for_the_basket_is_said_at_once() {
    let _watch = watch();
    let (mut offerer, mut drainer) = Basket::weighed(10, |&weight: &usize| weight).unwrap();
    let heavy = Err(OfferError::TooHeavy(11));
    for _ in 0..2 {
        assert_eq!(offerer.offer(11), heavy);
        assert_eq!(offerer.offer_blocking(11), heavy);
        assert_eq!(offerer.offer_timeout(11, Duration::MAX), heavy);
        assert_eq!(block_on(offerer.offer_async(11)), heavy);
        // Also when it is full.
        let _: Result<(), _> = offerer.offer(10);
    }
    assert!(!OfferError::TooHeavy(11).is_full());
    assert!(drainer.drain().eq([10]));
}

/// An offer of many ends at the first item that is refused, for whatever reason.
#[test]
fn the_first_refused_item_ends_a_batch() {
    let (mut offerer, mut drainer) = Basket::weighed(10, |&weight: &usize| weight).unwrap();
    assert_eq!(offerer.offer_all([3, 3, 11, 1]), Err(OfferError::TooHeavy(vec![11, 1])));
    assert_eq!(offerer.offer_all([5, 1]), Err(OfferError::Full(vec![5, 1])));
    assert_eq!(offerer.offer_all([11, 1]), Err(OfferError::TooHeavy(vec![11, 1])));
    assert_eq!(offerer.offer_all([1, 4]), Err(OfferError::Full(vec![4])));
    assert!(drainer.drain().eq([3, 3, 1]));
    assert_eq!(offerer.len(), 0);
}

#[test]
fn items_without_weight_always_fit() {
    let (mut offerer, mut drainer) = Basket::weighed(1, |&weight: &usize| weight).unwrap();
    offerer.offer(1).unwrap();
    for _ in 0..1000 {
        offerer.offer(0).unwrap();
    }
    assert_eq!(offerer.offer(1), Err(OfferError::Full(1)));
    assert_eq!(drainer.drain().count(), 1001);
    offerer.offer(1).unwrap();
}

#[test]
fn a_batch_with_a_weight_limit() {
    every_form!(room 10, |form, mut offerer, mut drainer| {
        offerer.offer_all([2, 3, 4, 20, 0, 0, 1, usize::MAX, usize::MAX, 1]).unwrap();
        let mut take = |items, limit| {
            drainer.drain_weighed(items, limit, |&weight| weight).collect::<Vec<_>>()
        };
        assert_eq!(take(usize::MAX, 6), [2, 3], "{form}");
        assert_eq!(take(0, 6), [], "{form}");
        assert_eq!(take(1, 6), [4], "{form}");
        assert_eq!(take(usize::MAX, 6), [20], "{form}: too heavy, so alone");
        assert_eq!(take(usize::MAX, 0), [0, 0], "{form}");
        assert_eq!(take(usize::MAX, 0), [1], "{form}: too heavy, so alone");
        assert_eq!(take(usize::MAX, usize::MAX), [usize::MAX], "{form}");
        assert_eq!(take(2, usize::MAX), [usize::MAX], "{form}");
        assert_eq!(take(2, usize::MAX), [1], "{form}");
        assert_eq!(take(2, usize::MAX), [], "{form}");
    });
}

#[test]
fn each_item_is_weighed_for_a_batch_once() {
    every_form!(room 10, |form, mut offerer, mut drainer| {
        offerer.offer_all(0..10).unwrap();
        let mut weighed = Vec::new();
        let mut batch = drainer.drain_weighed(usize::MAX, 4, |&n| {
            weighed.push(n);
            1
        });
        assert_eq!(batch.size_hint(), (0, Some(10)), "{form}");
        assert!(batch.by_ref().eq(0..4), "{form}");
        assert_eq!(batch.next(), None, "{form}: over is over");
        drop(batch);
        assert_eq!(weighed, [0, 1, 2, 3, 4], "{form}");
        assert!(drainer.drain().eq(4..10), "{form}");
    });
}

/// A heavy one waits first. When it gives up, the light one behind it must not wait beside room.
#[test]
fn a_light_offer_behind_a_heavy_one_that_gives_up_gets_in() {
    let _watch = watch();
    let weigh: fn(&usize) -> usize = |&weight| weight;
    // On a thread.
    let (mut offerer, _drainer) = Basket::weighed(10, weigh).unwrap();
    offerer.offer(5).unwrap();
    let (mut heavy, mut light) = (offerer.clone(), offerer.clone());
    thread::scope(|scope| {
        let heavy = scope.spawn(move || heavy.offer_timeout(10, SOON * 8));
        thread::sleep(SOON * 2);
        // May pass by the one that waits, or wait behind it.
        scope.spawn(move || light.offer_blocking(5).unwrap());
        assert_eq!(heavy.join().unwrap(), Err(OfferError::TimedOut(10)));
    });
    assert_eq!(offerer.len(), 10);

    // In tasks.
    let (mut offerer, mut drainer) = Basket::weighed(10, weigh).unwrap();
    offerer.offer_all([5, 5]).unwrap();
    let (mut heavy, mut light) = (offerer.clone(), offerer.clone());
    let (counter, other) = (CountingWaker::new(), CountingWaker::new());
    let mut heavy = Box::pin(heavy.offer_async(10));
    let mut light = Box::pin(light.offer_async(5));
    let (waker, other_waker) = (other.waker(), counter.waker());
    assert!(heavy.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    assert!(light.as_mut().poll(&mut Context::from_waker(&other_waker)).is_pending());
    assert_eq!(drainer.take(), Some(5));
    assert_eq!((other.wakes(), counter.wakes()), (0, 0));
    drop(heavy);
    assert_eq!(counter.wakes(), 1);
    assert!(light.as_mut().poll(&mut Context::from_waker(&other_waker)).is_ready());
}

#[test]
fn weights_of_any_size_under_load() {
    const LIMIT: usize = 100;
    let _watch = watch();
    let each = scaled(3000, 300_000);
    let (offerer, mut drainer) = Basket::weighed(LIMIT, |item: &(usize, usize)| item.1).unwrap();
    thread::scope(|scope| {
        for id in 0..3 {
            let mut offerer = offerer.clone();
            scope.spawn(move || {
                let mut random = Random::new(id as u64);
                for _ in 0..each {
                    offerer.offer_blocking((id, random.below(LIMIT + 1))).unwrap();
                }
            });
        }
        drop(offerer);
        let observer = drainer.offerer();
        let mut got = 0;
        let mut inside = [const { Vec::new() }; 3];
        while got < 3 * each {
            drainer.wait().unwrap();
            assert!(observer.len() <= LIMIT);
            let mut sum = 0;
            for (id, weight) in drainer.drain_weighed(usize::MAX, 50, |item| item.1) {
                assert!(sum == 0 || sum + weight <= 50 || weight == 0);
                sum += weight;
                inside[id].push(weight);
                got += 1;
            }
        }
        for (id, weights) in inside.iter().enumerate() {
            let mut random = Random::new(id as u64);
            assert!(weights.iter().all(|&weight| weight == random.below(LIMIT + 1)));
        }
        assert_eq!(observer.len(), 0);
    });
}
