//! Models of the bounded basket: `src/basket/queue/limited` over lanes, compiled over loom.

use crate::harness::Model;
use crate::harness::Payload;
use crate::{handshakes, scenarios};
use loom::thread;
use reveille_model::basket::Basket;
use std::sync::Arc;

/// Room goes round.
#[test]
fn reuse() {
    Model::bounded(1, 10_900)
        .full(Some(1))
        .check(|| scenarios::reuse_of_two(Basket::bounded(2).unwrap()));
}

/// An offerer waits for room and gets it.
#[test]
fn hand_off() {
    Model::bounded(1, 2500).check(|| scenarios::hand_off_of_one(Basket::bounded(1).unwrap()));
}

/// Two wait: nobody waits beside room.
#[test]
fn two_wait() {
    Model::bounded(0, 26_000)
        .full(Some(0))
        .check(|| scenarios::two_wait_for_one(Basket::bounded(1).unwrap()));
}

/// Room for two, one wake: it is passed on.
#[test]
fn pass_on() {
    Model::bounded(2, 4000).check(|| handshakes::pass_on_of_eight(Basket::bounded(8).unwrap()));
}

/// The end of a timed offer against the hand-off.
#[test]
fn timeout() {
    Model::bounded(2, 220).check(|| scenarios::timeout_of_one(Basket::bounded(1).unwrap()));
}

/// Close wakes who waits for room.
#[test]
fn close_wakes() {
    Model::bounded(2, 11_500)
        .full(Some(2))
        .check(|| scenarios::close_of_one(Basket::bounded(1).unwrap()));
}

/// A task waits for room.
#[test]
fn task_waits() {
    Model::bounded(2, 5100)
        .full(Some(2))
        .check(|| scenarios::task_waits_for_one(Basket::bounded(1).unwrap()));
}

/// A task that was handed room gives up.
#[test]
fn task_cancels() {
    Model::bounded(3, 120).check(|| handshakes::task_cancels(Basket::bounded(1).unwrap()));
}

/// The drainer closes against two offers: accepted is drained, refused comes back.
#[test]
fn close_against_offers() {
    Model::bounded(1, 2000).check(|| scenarios::close_against_offers(Basket::bounded(2).unwrap()));
}

/// The drainer is dropped against an offer.
#[test]
fn drainer_drops() {
    Model::bounded(2, 600).check(|| scenarios::drainer_drops(Basket::bounded(2).unwrap()));
}

/// A heavy item waits in front of a light one, and neither is left waiting beside room.
#[test]
fn heavy_before_light() {
    Model::bounded(0, 12_800).full(Some(0)).check(|| {
        let weigh: fn(&Arc<Payload>) -> usize = |item| item.read();
        let (mut offerer, mut drainer) = Basket::weighed(3, weigh).unwrap();
        offerer.offer(Payload::written(2)).unwrap();
        let producers: Vec<_> = [3, 1]
            .into_iter()
            .map(|weight| {
                let mut offerer = offerer.clone();
                thread::spawn(move || offerer.offer_blocking(Payload::written(weight)).unwrap())
            })
            .collect();
        assert_eq!(offerer.offer(Payload::written(4)).unwrap_err().into_inner().read(), 4);
        drop(offerer);
        assert_eq!(scenarios::sorted(scenarios::drain_all(&mut drainer)), [1, 2, 3]);
        for producer in producers {
            producer.join().unwrap();
        }
    });
}

/// One offer against one sleep.
#[test]
fn offer_against_sleep() {
    Model::bounded(2, 120).check(|| handshakes::offer_against_sleep(Basket::bounded(2).unwrap()));
}

/// One batch against one sleep.
#[test]
fn batch_against_sleep() {
    Model::bounded(2, 250).check(|| handshakes::batch_against_sleep(Basket::bounded(2).unwrap()));
}

/// The drainer closes against a batch.
#[test]
fn close_against_batch() {
    Model::bounded(2, 210).check(|| handshakes::close_against_batch(Basket::bounded(2).unwrap()));
}

/// A drainer that polled is dropped against an offer.
#[test]
fn armed_drainer_drops() {
    Model::bounded(2, 580).check(|| handshakes::armed_drainer_drops(Basket::bounded(2).unwrap()));
}

/// A drain without a wait after a poll.
#[test]
fn drain_while_armed() {
    Model::bounded(2, 170).check(|| handshakes::drain_while_armed(Basket::bounded(2).unwrap()));
}

/// The drainer goes while an offerer waits for room.
#[test]
fn drop_against_wait() {
    Model::bounded(2, 630).check(|| handshakes::drop_against_wait(Basket::bounded(1).unwrap()));
}

/// Two offers against one sleep: exactly one wakes it.
#[test]
fn one_wake_per_sleep() {
    Model::bounded(2, 150).check(|| handshakes::one_wake_per_sleep(Basket::bounded(2).unwrap()));
}

/// Room of an offer that was refused is given back.
#[test]
fn length_after_refusal() {
    Model::bounded(3, 130).check(|| {
        let (mut offerer, mut drainer) = Basket::bounded(2).unwrap();
        let producer = thread::spawn(move || {
            let refused = offerer.offer(Payload::written(1)).is_err();
            (offerer, refused)
        });
        drainer.close();
        let (offerer, refused) = producer.join().unwrap();
        assert_eq!(offerer.len(), usize::from(!refused));
    });
}

/// An offer that waited is served and then refused.
#[test]
fn refused_after_wait() {
    Model::bounded(2, 450).check(|| handshakes::refused_after_wait(Basket::bounded(1).unwrap()));
}
