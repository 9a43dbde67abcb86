//! Models of the basket in the caller's storage: `src/basket/queue/slab`, compiled over loom.

use crate::harness::Model;
use crate::harness::Payload;
use crate::{handshakes, scenarios};
use loom::thread;
use reveille_model::basket::{Drainer, Fixed, FixedBasket, Offerer, Slot};
use std::sync::Arc;

/// Room goes round.
#[test]
fn reuse() {
    Model::bounded(2, 8340).full(Some(2)).check(|| with_slots::<2>(scenarios::reuse_of_two));
}

/// An offerer waits for room and gets it.
#[test]
fn hand_off() {
    Model::bounded(2, 7390).full(Some(2)).check(|| with_slots::<1>(scenarios::hand_off_of_one));
}

/// Two wait: nobody waits beside room.
#[test]
fn two_wait() {
    Model::bounded(0, 900).check(|| with_slots::<1>(scenarios::two_wait_for_one));
}

/// Room for two, one wake: it is passed on.
#[test]
fn pass_on() {
    Model::bounded(2, 7500).full(Some(2)).check(|| with_slots::<8>(handshakes::pass_on_of_eight));
}

/// The end of a timed offer against the hand-off.
#[test]
fn timeout() {
    Model::bounded(2, 670).check(|| with_slots::<1>(scenarios::timeout_of_one));
}

/// Close wakes who waits for room.
#[test]
fn close_wakes() {
    Model::bounded(2, 1780).check(|| with_slots::<1>(scenarios::close_of_one));
}

/// A task waits for room.
#[test]
fn task_waits() {
    Model::bounded(2, 920).check(|| with_slots::<1>(scenarios::task_waits_for_one));
}

/// A task that was handed room gives up.
#[test]
fn task_cancels() {
    Model::bounded(3, 36).check(|| with_slots::<1>(handshakes::task_cancels));
}

/// The drainer closes against two offers: accepted is drained, refused comes back.
#[test]
fn close_against_offers() {
    Model::bounded(2, 7500)
        .full(Some(2))
        .check(|| with_slots::<2>(scenarios::close_against_offers));
}

/// The drainer is dropped against an offer.
#[test]
fn drainer_drops() {
    Model::bounded(2, 56).check(|| with_slots::<2>(scenarios::drainer_drops));
}

/// Items arrive whole and in order, and wake the drainer.
#[test]
fn items_arrive_whole() {
    Model::bounded(3, 2770).check(|| with_slots::<2>(scenarios::items_arrive_whole));
}

/// The end of a timed wait against an offer.
#[test]
fn timeout_against_offer() {
    Model::bounded(2, 860).check(|| with_slots::<2>(scenarios::timeout_against_offer));
}

/// The last offerer goes while the drainer falls asleep.
#[test]
fn last_offerer_drops() {
    Model::bounded(2, 1290).check(|| with_slots::<2>(scenarios::last_offerer_drops));
}

/// A waiting task is woken by its waker.
#[test]
fn waker_is_seen() {
    Model::bounded(3, 90).check(|| with_slots::<2>(scenarios::waker_is_seen));
}

/// Everything is torn down while a wake is on its way.
#[test]
fn teardown_while_waking() {
    Model::bounded(3, 480).check(|| with_slots::<2>(scenarios::teardown_while_waking));
}

/// A refused offer has a slot for a moment: the drainer's count does not take its own slots for it.
#[test]
fn length_beside_refused_offers() {
    Model::bounded(2, 12).check(|| {
        with_slots::<2>(|(mut offerer, mut drainer)| {
            offerer.offer(Payload::written(1)).unwrap();
            let mut batch = drainer.drain();
            assert_eq!(batch.next().map(|item| item.read()), Some(1));
            // The slot of that item is still the drainer's.
            core::mem::forget(batch);
            drainer.close();
            let counter = thread::spawn(move || {
                assert!(drainer.len() <= 1);
                drainer
            });
            assert!(offerer.offer(Payload::written(2)).unwrap_err().is_closed());
            assert_eq!(counter.join().unwrap().len(), 0);
        });
    });
}

type Item = Arc<Payload>;
type Slots<const N: usize> = [Slot<Item>; N];
type Sides<const N: usize> =
    (Offerer<Item, Fixed<'static, Slots<N>>>, Drainer<Item, Fixed<'static, Slots<N>>>);

/// Runs a scenario over a basket of `N` slots, twice over the same storage.
fn with_slots<const N: usize>(scenario: fn(Sides<N>)) {
    let basket = FixedBasket::in_array(core::array::from_fn(|_| Slot::new()));
    let basket = Box::leak(Box::new(basket));
    let address = &raw mut *basket;
    scenario(basket.split());
    // SAFETY: leaked above, and both sides are gone.
    let mut basket = unsafe { Box::from_raw(address) };
    let (mut offerer, mut drainer) = basket.split();
    for value in 0..N {
        offerer.offer(Payload::written(value)).unwrap();
    }
    assert!(offerer.offer(Payload::written(N)).unwrap_err().is_full());
    assert!(drainer.drain().map(|item| item.read()).eq(0..N));
}

/// One offer against one sleep.
#[test]
fn offer_against_sleep() {
    Model::bounded(3, 91).check(|| with_slots::<2>(handshakes::offer_against_sleep));
}

/// One batch against one sleep.
#[test]
fn batch_against_sleep() {
    Model::bounded(3, 91).check(|| with_slots::<2>(handshakes::batch_against_sleep));
}

/// The drainer closes against one offer.
#[test]
fn close_against_offer() {
    Model::bounded(3, 120).check(|| with_slots::<2>(handshakes::close_against_offer));
}

/// The drainer closes against a batch.
#[test]
fn close_against_batch() {
    Model::bounded(3, 160).check(|| with_slots::<2>(handshakes::close_against_batch));
}

/// A close wakes a task.
#[test]
fn close_wakes_task() {
    Model::bounded(3, 54).check(|| with_slots::<2>(handshakes::close_wakes_task));
}

/// A drainer that polled is dropped against an offer.
#[test]
fn armed_drainer_drops() {
    Model::bounded(3, 180).check(|| with_slots::<2>(handshakes::armed_drainer_drops));
}

/// A drain without a wait after a poll.
#[test]
fn drain_while_armed() {
    Model::bounded(3, 200).check(|| with_slots::<2>(handshakes::drain_while_armed));
}

/// The drainer goes while an offerer waits for room.
#[test]
fn drop_against_wait() {
    Model::bounded(2, 130).check(|| with_slots::<1>(handshakes::drop_against_wait));
}

/// Two offers against one sleep: exactly one wakes it.
#[test]
fn one_wake_per_sleep() {
    Model::bounded(3, 12).check(|| with_slots::<2>(handshakes::one_wake_per_sleep));
}

/// The first offer of an offerer against one sleep.
#[test]
fn first_offer_against_sleep() {
    Model::bounded(3, 91).check(|| with_slots::<2>(handshakes::first_offer_against_sleep));
}

/// The drainer counts while an offerer offers.
#[test]
fn length_beside_offer() {
    Model::bounded(3, 5).check(|| with_slots::<2>(handshakes::length_beside_offer));
}

/// Both sides go at once.
#[test]
fn both_sides_go() {
    Model::bounded(3, 9).check(|| with_slots::<2>(handshakes::both_sides_go));
}

/// An offer that waited is served and then refused.
#[test]
fn refused_after_wait() {
    Model::bounded(2, 340).check(|| with_slots::<1>(handshakes::refused_after_wait));
}
