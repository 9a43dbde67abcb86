//! Models of the wait list and its lock: `src/parker/wait_list.rs` and `lock.rs`, compiled over loom,
//! seen through what is built on them, the slots of a bit set and a basket with a limit.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use loom::thread;
use reveille_model::basket::Basket;
use reveille_model::bitset::{AtomicBitSet, ClaimError, Hint, Inline, Slot, SlotSet};
use reveille_model::platform::expire_timed_waits;
use reveille_model::{Deadline, Parker};

use crate::harness::{Model, Payload};
use crate::scenarios::{self, LONG, block_on};

type Slots = SlotSet<Inline<1>>;

fn slots(count: usize) -> Arc<Slots> {
    Arc::new(SlotSet::new(AtomicBitSet::with_bits(count)))
}

fn claim(slots: &Slots) -> Slot<'_, Inline<1>> {
    slots.claim(&mut Hint::default()).unwrap()
}

/// Everything is free again, and nobody is taken to wait.
fn assert_idle(slots: &Slots) {
    assert_eq!((slots.bits().count(), slots.waiting()), (0, 0));
}

/// What waits, in a thread of its own, until it is served.
fn spawn_claim(slots: &Arc<Slots>) -> thread::JoinHandle<()> {
    let slots = slots.clone();
    thread::spawn(move || drop(claim(&slots)))
}

/// A number becomes free where anybody finds it, against a waiter that joins: it finds it or is
/// found.
#[test]
fn hand_over() {
    Model::bounded(4, 670).full(None).check(|| {
        let slots = slots(1);
        let index = claim(&slots).into_index();
        let waiter = spawn_claim(&slots);
        assert!(slots.release(index));
        waiter.join().unwrap();
        assert_idle(&slots);
    });
}

/// Three take turns at one slot, which goes from hand to hand: each sees what the last one did, and
/// so does each section under the list's lock.
#[test]
fn turns() {
    Model::bounded(2, 32_800).full(Some(2)).check(|| {
        let slots = slots(1);
        let data = Payload::new();
        let turn = |slots: &Slots, data: &Payload| {
            let slot = claim(slots);
            data.write(data.read() + 1);
            drop(slot);
        };
        let others = [(), ()].map(|()| {
            let (slots, data) = (slots.clone(), data.clone());
            thread::spawn(move || turn(&slots, &data))
        });
        turn(&slots, &data);
        others.into_iter().for_each(|other| other.join().unwrap());
        assert_eq!(data.read(), 3);
        assert_idle(&slots);
    });
}

/// Two numbers become free at once for two waiters: both are served, whoever serves whom.
#[test]
fn two_for_two() {
    Model::bounded(2, 12_000).full(Some(2)).check(|| {
        let slots = slots(2);
        let held = [claim(&slots).into_index(), claim(&slots).into_index()];
        let waiters = [spawn_claim(&slots), spawn_claim(&slots)];
        for index in held {
            assert!(slots.release(index));
        }
        waiters.into_iter().for_each(|waiter| waiter.join().unwrap());
        assert_idle(&slots);
    });
}

/// The end of a timed wait against the hand-over: the number is had, or it goes back, and the one that
/// waits behind gets it.
#[test]
fn timeout_against_hand_over() {
    Model::bounded(1, 1500).check(|| {
        let slots = slots(1);
        let slot = claim(&slots);
        let clock = thread::spawn(expire_timed_waits);
        let waiter = thread::spawn({
            let slots = slots.clone();
            move || match slots.claim_deadline(&mut Hint::default(), Deadline::after(LONG)) {
                Ok(slot) => drop(slot),
                Err(error) => assert_eq!(error, ClaimError::TimedOut),
            }
        });
        let behind = spawn_claim(&slots);
        drop(slot);
        waiter.join().unwrap();
        behind.join().unwrap();
        clock.join().unwrap();
        assert_idle(&slots);
    });
}

/// The same with nobody behind, further explored: a number that comes at the last moment counts.
#[test]
fn timeout_against_the_last_moment() {
    Model::bounded(3, 2300).check(|| {
        let slots = slots(1);
        let slot = claim(&slots);
        let clock = thread::spawn(expire_timed_waits);
        let waiter = thread::spawn({
            let slots = slots.clone();
            move || drop(slots.claim_deadline(&mut Hint::default(), Deadline::after(LONG)))
        });
        drop(slot);
        waiter.join().unwrap();
        clock.join().unwrap();
        assert_idle(&slots);
    });
}

/// A close ends every wait, not only the first.
#[test]
fn close_ends_all() {
    Model::bounded(2, 1000).check(|| {
        let slots = slots(1);
        let slot = claim(&slots);
        let waiters = [(), ()].map(|()| {
            let slots = slots.clone();
            thread::spawn(move || drop(slots.claim(&mut Hint::default())))
        });
        slots.close();
        waiters.into_iter().for_each(|waiter| waiter.join().unwrap());
        drop(slot);
        assert_idle(&slots);
    });
}

/// A task waits and is served: its waker is fired, and it finds the number.
#[test]
fn task_waits() {
    Model::exhaustive(1500).check(|| {
        let slots = slots(1);
        let slot = claim(&slots);
        let waiter = thread::spawn({
            let slots = slots.clone();
            move || drop(block_on(slots.claim_async(Hint::default())).unwrap())
        });
        drop(slot);
        waiter.join().unwrap();
        assert_idle(&slots);
    });
}

/// A task changes its waker while it waits: the last one is fired.
#[test]
fn task_changes_its_waker() {
    Model::exhaustive(16_000).check(|| {
        let slots = slots(1);
        let slot = claim(&slots);
        let waiter = thread::spawn({
            let slots = slots.clone();
            move || {
                let mut claiming = pin!(slots.claim_async(Hint::default()));
                let first = claiming.as_mut().poll(&mut Context::from_waker(Waker::noop()));
                match first {
                    Poll::Ready(slot) => drop(slot.unwrap()),
                    Poll::Pending => drop(block_on(claiming).unwrap()),
                }
            }
        });
        drop(slot);
        waiter.join().unwrap();
        assert_idle(&slots);
    });
}

/// A task gives up against the hand-over, with another waiter behind it: that one is served.
#[test]
fn cancel_against_hand_over() {
    Model::bounded(2, 1700).check(|| {
        let slots = slots(1);
        let slot = claim(&slots);
        let canceller = thread::spawn({
            let slots = slots.clone();
            move || {
                let mut claiming = pin!(slots.claim_async(Hint::default()));
                let _ = claiming.as_mut().poll(&mut Context::from_waker(Waker::noop()));
            }
        });
        let behind = spawn_claim(&slots);
        drop(slot);
        canceller.join().unwrap();
        behind.join().unwrap();
        assert_idle(&slots);
    });
}

/// Closing against a wait, while the slot is released: the wait ends, with the slot or without.
#[test]
fn close_against_wait() {
    Model::bounded(4, 1000).check(|| {
        let slots = slots(1);
        let slot = claim(&slots);
        let waiter = thread::spawn({
            let slots = slots.clone();
            move || match slots.claim(&mut Hint::default()) {
                Ok(slot) => drop(slot),
                Err(error) => assert_eq!(error, ClaimError::Closed),
            }
        });
        let closer = thread::spawn({
            let slots = slots.clone();
            move || slots.close()
        });
        waiter.join().unwrap();
        closer.join().unwrap();
        drop(slot);
        assert_idle(&slots);
    });
}

/// A waiter's frame is gone, and its place used by another, while the wake-up that it needed no more is
/// still on its way.
#[test]
fn frame_reused_under_a_late_wake() {
    Model::bounded(3, 187).full(Some(4)).check(|| {
        let slots = slots(1);
        let slot = claim(&slots);
        let waiter = thread::spawn({
            let slots = slots.clone();
            move || {
                drop(claim(&slots));
                let mut parker = Parker::new();
                parker.unparker().unpark();
                parker.park();
            }
        });
        drop(slot);
        waiter.join().unwrap();
        assert_idle(&slots);
    });
}

/// Room becomes free by a plain store of the drainer's, which then sleeps, against an offer that
/// waits for it: one of the two sees the other.
#[test]
fn room_against_wait() {
    Model::bounded(1, 2500).check(|| scenarios::hand_off_of_one(Basket::bounded(1).unwrap()));
}

/// A task changes its waker while wakes are under way: at a bound that lets a wake stand still over a
/// whole poll.
#[test]
fn waker_changes() {
    Model::bounded(4, 330).full(Some(5)).check(|| scenarios::waker_changes(Basket::ordered()));
}

// Canaries: what is broken here the models must see.

/// A number that becomes free behind the list's back: nobody looks for a waiter.
#[test]
#[should_panic(expected = "deadlock")]
fn canary_nobody_serves() {
    Model::exhaustive(0).check(|| {
        let slots = slots(1);
        let index = claim(&slots).into_index();
        let waiter = spawn_claim(&slots);
        slots.bits().release(index);
        waiter.join().unwrap();
    });
}

/// A number that is handed over and lost.
#[test]
#[should_panic(expected = "left: (1, 0)")]
fn canary_a_number_is_lost() {
    Model::exhaustive(0).check(|| {
        let slots = slots(1);
        let slot = claim(&slots);
        let waiter = thread::spawn({
            let slots = slots.clone();
            move || claim(&slots).into_index()
        });
        drop(slot);
        waiter.join().unwrap();
        assert_idle(&slots);
    });
}
