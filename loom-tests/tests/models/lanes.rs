//! Models of the unbounded basket: `src/basket/queue/lanes`, compiled over loom.

use std::sync::Arc;
use std::task::{Context, Waker};

use loom::thread;
use reveille_model::basket::{Basket, Drainer, Offerer, Unbounded};
use reveille_model::platform::{Barriers, set_barriers};

use crate::harness::{Model, Payload};
use crate::scenarios::Item;
use crate::{handshakes, scenarios};

/// Items arrive whole and in order, and wake the drainer.
#[test]
fn items_arrive_whole() {
    Model::bounded(2, 19_100)
        .full(Some(2))
        .check(|| scenarios::items_arrive_whole(Basket::unbounded()));
}

/// Two offerers: no item is lost, whoever wakes.
#[test]
fn two_offerers() {
    Model::bounded(0, 510).full(Some(0)).check(|| scenarios::two_offerers(Basket::unbounded()));
}

/// Each offerer's items come in order.
#[test]
fn fifo_per_offerer() {
    Model::bounded(1, 2700).check(|| scenarios::fifo_per_offerer(Basket::unbounded()));
}

/// An offer that happened before a drain is in it.
#[test]
fn offer_then_drain() {
    Model::bounded(2, 28).check(|| scenarios::offer_then_drain(Basket::unbounded()));
}

/// The end of a timed wait against an offer.
#[test]
fn timeout_against_offer() {
    Model::bounded(2, 2900).check(|| scenarios::timeout_against_offer(Basket::unbounded()));
}

/// A close carries what the closing side did.
#[test]
fn close_carries_data() {
    Model::bounded(3, 1300).check(|| scenarios::close_carries_data(Basket::unbounded()));
}

/// The last offerer goes while the drainer falls asleep.
#[test]
fn last_offerer_drops() {
    Model::bounded(2, 6700)
        .full(Some(2))
        .check(|| scenarios::last_offerer_drops(Basket::unbounded()));
}

/// The drainer closes against two offers: accepted is drained, refused comes back.
#[test]
fn close_against_offers() {
    Model::bounded(1, 790).check(|| scenarios::close_against_offers(Basket::unbounded()));
}

/// The drainer is dropped against an offer.
#[test]
fn drainer_drops() {
    Model::bounded(3, 2000).check(|| scenarios::drainer_drops(Basket::unbounded()));
}

/// Everything is torn down while a wake is on its way.
#[test]
fn teardown_while_waking() {
    Model::bounded(3, 5700)
        .full(Some(3))
        .check(|| scenarios::teardown_while_waking(Basket::unbounded()));
}

/// A waiting task is woken by its waker.
#[test]
fn waker_is_seen() {
    Model::bounded(3, 150).check(|| scenarios::waker_is_seen(Basket::unbounded()));
}

/// A task changes its waker while offers wake.
#[test]
fn waker_changes() {
    Model::bounded(2, 1600).check(|| scenarios::waker_changes(Basket::unbounded()));
}

/// A task gives up and the thread waits instead.
#[test]
fn task_then_thread() {
    Model::bounded(1, 4500)
        .full(Some(1))
        .check(|| scenarios::task_then_thread(Basket::unbounded()));
}

/// Several items larger than a chunk: the chain of chunks is followed and freed.
#[test]
fn lane_is_freed() {
    Model::bounded(2, 19_100).full(Some(2)).check(|| {
        // One of them fills the first chunk.
        type Large = (Arc<Payload>, [u64; 32]);
        let (mut offerer, mut drainer) = Basket::<Large>::unbounded();
        let producer = thread::spawn(move || {
            offerer.offer((Payload::written(1), [0; 32])).unwrap();
            offerer.offer((Payload::written(2), [0; 32])).unwrap();
        });
        let mut values = Vec::new();
        while drainer.wait().is_ok() {
            values.extend(drainer.drain().map(|(item, _)| item.read()));
        }
        assert_eq!(values, [1, 2]);
        producer.join().unwrap();
    });
}

/// A lane is struck off the drainer's list while its offerer offers again. Offers make fences by then, and
/// the looks into the lane have become dear enough.
#[test]
fn lane_is_struck() {
    Model::bounded(3, 3200).check(|| handshakes::lane_is_struck(Basket::unbounded(), 6));
}

/// A lane is struck off the drainer's list while its offerer leaves; the memory goes once.
#[test]
fn struck_lane_leaves() {
    Model::bounded(3, 22).check(|| {
        let (idle, mut drainer) = handshakes::known(Basket::unbounded());
        let other = idle.clone();
        (0..6).for_each(|_| scenarios::fall_asleep(&mut drainer));
        let leaver = thread::spawn(move || drop(idle));
        (0..2).for_each(|_| scenarios::fall_asleep(&mut drainer));
        leaver.join().unwrap();
        drop(other);
    });
}

/// One offer against one sleep.
#[test]
fn offer_against_sleep() {
    Model::bounded(3, 370).check(|| handshakes::offer_against_sleep(Basket::unbounded()));
}

/// One batch against one sleep.
#[test]
fn batch_against_sleep() {
    Model::bounded(3, 370).check(|| handshakes::batch_against_sleep(Basket::unbounded()));
}

/// The drainer closes against one offer.
#[test]
fn close_against_offer() {
    Model::bounded(3, 1500).check(|| handshakes::close_against_offer(Basket::unbounded()));
}

/// The drainer closes against a batch.
#[test]
fn close_against_batch() {
    Model::bounded(3, 1500).check(|| handshakes::close_against_batch(Basket::unbounded()));
}

/// A close wakes a task.
#[test]
fn close_wakes_task() {
    Model::bounded(3, 100).check(|| handshakes::close_wakes_task(Basket::unbounded()));
}

/// Whoever sees that it is closed sees what the closing side did.
#[test]
fn closed_is_seen() {
    Model::exhaustive(17).check(|| handshakes::closed_is_seen(Basket::unbounded()));
}

/// The end comes after everything that any offerer did before it went.
#[test]
fn drops_carry_data() {
    Model::bounded(2, 490).check(|| handshakes::drops_carry_data(Basket::unbounded()));
}

/// A drainer that polled is dropped against an offer.
#[test]
fn armed_drainer_drops() {
    Model::bounded(3, 2200).check(|| handshakes::armed_drainer_drops(Basket::unbounded()));
}

/// A drain without a wait after a poll.
#[test]
fn drain_while_armed() {
    Model::bounded(3, 720).check(|| handshakes::drain_while_armed(Basket::unbounded()));
}

/// An offer in progress republishes the count of the one before it: the items of that one are whole,
/// without any help of the barriers.
#[test]
fn begin_republishes() {
    Model::exhaustive(18).check(|| {
        set_barriers(Barriers::Void);
        let (mut offerer, mut drainer) = handshakes::known(Basket::unbounded());
        let producer = thread::spawn(move || {
            offerer.offer(Payload::written(1)).unwrap();
            offerer.offer(Payload::written(2)).unwrap();
            offerer
        });
        let mut values: Vec<_> = drainer.drain().map(|item| item.read()).collect();
        drop(producer.join().unwrap());
        values.extend(drainer.drain().map(|item| item.read()));
        assert_eq!(values, [1, 2]);
    });
}

/// Chunks that the drainer has emptied are filled anew, and freed once.
#[test]
fn chunks_go_round() {
    Model::bounded(2, 100).check(|| {
        // One of them fills a full-sized chunk.
        type Large = (Arc<Payload>, [u64; 32]);
        let (mut offerer, mut drainer) = Basket::<Large>::unbounded();
        offerer.offer((Payload::written(1), [0; 32])).unwrap();
        offerer.offer((Payload::written(2), [0; 32])).unwrap();
        let producer = thread::spawn(move || {
            offerer.offer((Payload::written(3), [0; 32])).unwrap();
            offerer.offer((Payload::written(4), [0; 32])).unwrap();
            offerer
        });
        let mut values: Vec<_> = drainer.drain().map(|(item, _)| item.read()).collect();
        values.extend(drainer.drain().map(|(item, _)| item.read()));
        drop(producer.join().unwrap());
        values.extend(drainer.drain().map(|(item, _)| item.read()));
        assert_eq!(values, [1, 2, 3, 4]);
    });
}

/// The drainer closes against the first offer of an offerer.
#[test]
fn close_against_first_offer() {
    Model::bounded(3, 1100).check(|| handshakes::close_against_first_offer(Basket::unbounded()));
}

/// Two offers against one sleep: exactly one wakes it.
#[test]
fn one_wake_per_sleep() {
    Model::bounded(3, 200).check(|| handshakes::one_wake_per_sleep(Basket::unbounded()));
}

/// The first offer of an offerer against one sleep.
#[test]
fn first_offer_against_sleep() {
    Model::bounded(3, 160).check(|| handshakes::first_offer_against_sleep(Basket::unbounded()));
}

/// The drainer counts while an offerer offers.
#[test]
fn length_beside_offer() {
    Model::bounded(3, 14).check(|| handshakes::length_beside_offer(Basket::unbounded()));
}

/// Both sides go at once.
#[test]
fn both_sides_go() {
    Model::bounded(3, 160).check(|| handshakes::both_sides_go(Basket::unbounded()));
}

/// An offerer that leaves after an offer: its lane is not freed before that item is out, without any
/// help of the barriers.
#[test]
fn left_lane_is_drained() {
    Model::exhaustive(31).check(|| {
        set_barriers(Barriers::Void);
        let (mut leaving, mut drainer) = handshakes::known(Basket::unbounded());
        let staying = leaving.clone();
        let producer = thread::spawn(move || {
            leaving.offer(Payload::written(1)).unwrap();
        });
        let mut values: Vec<_> = drainer.drain().map(|item| item.read()).collect();
        producer.join().unwrap();
        values.extend(drainer.drain().map(|item| item.read()));
        assert_eq!(values, [1]);
        drop(staying);
    });
}

/// A basket whose drainer has slept so often and got one item each time.
fn after_poor_sleeps(sleeps: usize) -> (Offerer<Item, Unbounded>, Drainer<Item, Unbounded>) {
    let (mut offerer, mut drainer) = Basket::unbounded();
    for _ in 0..sleeps {
        assert!(drainer.poll_wait(&mut Context::from_waker(Waker::noop())).is_pending());
        offerer.offer(Payload::written(0)).unwrap();
        assert!(drainer.take().is_some());
    }
    (offerer, drainer)
}

/// The fourth sleep in a row that came after little: offers make fences from now on, and those that do
/// not know yet are seen.
#[test]
fn fences_are_asked_for() {
    Model::bounded(3, 400).check(|| handshakes::offer_against_sleep(after_poor_sleeps(3)));
}

/// Two offers, of which the second may be the first that knows.
#[test]
fn fences_are_asked_for_in_between() {
    Model::bounded(2, 200).check(|| handshakes::one_wake_per_sleep(after_poor_sleeps(3)));
}

/// While offers make fences.
#[test]
fn fences_instead_of_calls() {
    Model::bounded(3, 410).check(|| handshakes::offer_against_sleep(after_poor_sleeps(4)));
}

/// Many items between two sleeps: the drainer makes the barriers again.
#[test]
fn fences_are_given_up() {
    Model::bounded(3, 380).check(|| {
        let (mut offerer, mut drainer) = after_poor_sleeps(4);
        for _ in 0..3 {
            offerer.offer(Payload::written(0)).unwrap();
            assert!(drainer.take().is_some());
        }
        handshakes::offer_against_sleep((offerer, drainer));
    });
}

/// The close against an offer that has been asked for fences.
#[test]
fn fences_and_close() {
    Model::bounded(3, 1700).check(|| handshakes::close_against_offer(after_poor_sleeps(4)));
}
