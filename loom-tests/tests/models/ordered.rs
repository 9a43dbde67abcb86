//! Models of the ordered basket: `src/basket/queue/ordered` and `head.rs`, compiled over loom.

use crate::harness::Model;
use crate::harness::Payload;
use crate::{handshakes, scenarios};
use loom::thread;
use reveille_model::basket::Basket;
use std::sync::Arc;

/// Items arrive whole and in order, and wake the drainer.
#[test]
fn items_arrive_whole() {
    Model::bounded(3, 7660)
        .full(Some(3))
        .check(|| scenarios::items_arrive_whole(Basket::ordered()));
}

/// Two offerers: no item is lost, whoever wakes.
#[test]
fn two_offerers() {
    Model::bounded(1, 10190).full(Some(1)).check(|| scenarios::two_offerers(Basket::ordered()));
}

/// Each offerer's items come in order.
#[test]
fn fifo_per_offerer() {
    Model::bounded(1, 540).check(|| scenarios::fifo_per_offerer(Basket::ordered()));
}

/// An offer that happened before a drain is in it.
#[test]
fn offer_then_drain() {
    Model::bounded(2, 46).check(|| scenarios::offer_then_drain(Basket::ordered()));
}

/// The end of a timed wait against an offer.
#[test]
fn timeout_against_offer() {
    Model::bounded(2, 860).check(|| scenarios::timeout_against_offer(Basket::ordered()));
}

/// A close carries what the closing side did.
#[test]
fn close_carries_data() {
    Model::bounded(3, 720).check(|| scenarios::close_carries_data(Basket::ordered()));
}

/// The last offerer goes while the drainer falls asleep.
#[test]
fn last_offerer_drops() {
    Model::bounded(2, 4440).check(|| scenarios::last_offerer_drops(Basket::ordered()));
}

/// The drainer closes against two offers: accepted is drained, refused comes back.
#[test]
fn close_against_offers() {
    Model::bounded(2, 1010).check(|| scenarios::close_against_offers(Basket::ordered()));
}

/// The drainer is dropped against an offer.
#[test]
fn drainer_drops() {
    Model::bounded(3, 22).check(|| scenarios::drainer_drops(Basket::ordered()));
}

/// Everything is torn down while a wake is on its way.
#[test]
fn teardown_while_waking() {
    Model::bounded(3, 2000).check(|| scenarios::teardown_while_waking(Basket::ordered()));
}

/// A waiting task is woken by its waker.
#[test]
fn waker_is_seen() {
    Model::bounded(3, 90).check(|| scenarios::waker_is_seen(Basket::ordered()));
}

/// A task changes its waker while offers wake.
#[test]
fn waker_changes() {
    Model::bounded(2, 33).check(|| scenarios::waker_changes(Basket::ordered()));
}

/// A task gives up and the thread waits instead.
#[test]
fn task_then_thread() {
    Model::bounded(2, 2920).check(|| scenarios::task_then_thread(Basket::ordered()));
}

/// Offers of two threads, one of which happened before the other, come out in that order.
#[test]
fn one_order_for_all() {
    Model::bounded(2, 20530).full(Some(2)).check(|| {
        let (mut first, mut drainer) = Basket::ordered();
        let mut second = first.clone();
        let producer = thread::spawn(move || {
            first.offer(Payload::written(1)).unwrap();
            let effect = thread::spawn(move || second.offer(Payload::written(2)).unwrap());
            effect.join().unwrap();
        });
        assert_eq!(scenarios::drain_all(&mut drainer), [1, 2]);
        producer.join().unwrap();
    });
}

/// A batch of several runs comes in one piece and in order, beside another's offer.
#[test]
fn offer_all_in_one_piece() {
    Model::bounded(2, 18790).full(Some(2)).check(|| {
        // So large that a run takes one of them.
        type Large = (Arc<Payload>, [u64; 32]);
        let (mut offerer, mut drainer) = Basket::<Large>::ordered();
        let mut other = offerer.clone();
        let single = thread::spawn(move || {
            other.offer((Payload::written(9), [0; 32])).unwrap();
        });
        let batch = thread::spawn(move || {
            let items: Vec<_> = (1..=3).map(|n| (Payload::written(n), [0; 32])).collect();
            offerer.offer_all(items).unwrap();
        });
        let mut values = Vec::new();
        while drainer.wait().is_ok() {
            values.extend(drainer.drain().map(|(item, _)| item.read()));
        }
        let at = values.iter().position(|&value| value == 1).unwrap();
        assert_eq!(values[at..at + 3], [1, 2, 3]);
        assert_eq!(values.len(), 4);
        single.join().unwrap();
        batch.join().unwrap();
    });
}

/// Chunks are freed exactly once, also half-used ones whose offerer has gone; loom tracks the memory.
#[test]
fn chunks_are_freed() {
    Model::bounded(2, 8050).full(Some(2)).check(|| {
        let (mut offerer, mut drainer) = Basket::<[u64; 12]>::ordered();
        let mut other = offerer.clone();
        let one = thread::spawn(move || {
            for _ in 0..3 {
                offerer.offer([0; 12]).unwrap();
            }
        });
        other.offer([1; 12]).unwrap();
        drop(other);
        let mut count = 0;
        while drainer.wait().is_ok() {
            count += drainer.drain().count();
        }
        assert_eq!(count, 4);
        one.join().unwrap();
    });
}

/// Chunks of offerers that found the basket closed are freed with it.
#[test]
fn orphans_are_freed() {
    Model::bounded(3, 54).check(|| {
        let (mut offerer, mut drainer) = Basket::<u64>::ordered();
        let mut other = offerer.clone();
        other.offer(1).unwrap();
        let one = thread::spawn(move || {
            let _ = offerer.offer(2);
        });
        drainer.close();
        drop(other);
        one.join().unwrap();
        assert!(drainer.drain().count() >= 1);
    });
}

/// Offers through a shared reference.
#[test]
fn shared_offers() {
    Model::bounded(2, 12050).full(Some(2)).check(|| {
        let (offerer, mut drainer) = Basket::ordered();
        let shared = Arc::new(offerer.share());
        drop(offerer);
        let producers: Vec<_> = [1, 2]
            .into_iter()
            .map(|value| {
                let shared = shared.clone();
                thread::spawn(move || shared.offer(Payload::written(value)).unwrap())
            })
            .collect();
        drop(shared);
        let mut values = Vec::new();
        while values.len() < 2 {
            drainer.wait().unwrap();
            values.extend(drainer.drain().map(|item| item.read()));
        }
        assert_eq!(scenarios::sorted(values), [1, 2]);
        for producer in producers {
            producer.join().unwrap();
        }
    });
}

/// One offer against one sleep.
#[test]
fn offer_against_sleep() {
    Model::bounded(3, 91).check(|| handshakes::offer_against_sleep(Basket::ordered()));
}

/// One batch against one sleep.
#[test]
fn batch_against_sleep() {
    Model::bounded(3, 91).check(|| handshakes::batch_against_sleep(Basket::ordered()));
}

/// The drainer closes against one offer.
#[test]
fn close_against_offer() {
    Model::bounded(3, 7).check(|| handshakes::close_against_offer(Basket::ordered()));
}

/// The drainer closes against a batch.
#[test]
fn close_against_batch() {
    Model::bounded(3, 7).check(|| handshakes::close_against_batch(Basket::ordered()));
}

/// A close wakes a task.
#[test]
fn close_wakes_task() {
    Model::bounded(3, 54).check(|| handshakes::close_wakes_task(Basket::ordered()));
}

/// Whoever sees that it is closed sees what the closing side did.
#[test]
fn closed_is_seen() {
    Model::bounded(3, 5).check(|| handshakes::closed_is_seen(Basket::ordered()));
}

/// The end comes after everything that any offerer did before it went.
#[test]
fn drops_carry_data() {
    Model::bounded(3, 1670).check(|| handshakes::drops_carry_data(Basket::ordered()));
}

/// A drainer that polled is dropped against an offer.
#[test]
fn armed_drainer_drops() {
    Model::bounded(3, 47).check(|| handshakes::armed_drainer_drops(Basket::ordered()));
}

/// A drain without a wait after a poll.
#[test]
fn drain_while_armed() {
    Model::bounded(3, 200).check(|| handshakes::drain_while_armed(Basket::ordered()));
}

/// Two offers against one sleep: exactly one wakes it.
#[test]
fn one_wake_per_sleep() {
    Model::bounded(3, 12).check(|| handshakes::one_wake_per_sleep(Basket::ordered()));
}

/// The first offer of an offerer against one sleep.
#[test]
fn first_offer_against_sleep() {
    Model::bounded(3, 91).check(|| handshakes::first_offer_against_sleep(Basket::ordered()));
}

/// The drainer counts while an offerer offers.
#[test]
fn length_beside_offer() {
    Model::bounded(3, 5).check(|| handshakes::length_beside_offer(Basket::ordered()));
}

/// Both sides go at once.
#[test]
fn both_sides_go() {
    Model::bounded(3, 24).check(|| handshakes::both_sides_go(Basket::ordered()));
}
