//! Models of the bit set and its slots: `src/bitset`, compiled over loom. A word has two bits here.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use loom::thread;
use reveille_model::AtomicBitSet;
use reveille_model::Deadline;
use reveille_model::bitset::{
    BitSet, ClaimError, Hint, Inline, LargeBitSet, Slot, SlotSet, Storage,
};
use reveille_model::platform::expire_timed_waits;

use crate::harness::{Model, Payload};
use crate::scenarios::{LONG, block_on};

fn shared<T>(value: T) -> Arc<T> {
    Arc::new(value)
}

/// Data that belongs to the owner of a bit: whoever claims it next sees it whole.
fn claim_follows_release_in<S: Storage + Send + Sync + 'static>(set: BitSet<S>) {
    let set = shared(set);
    let data = Payload::new();
    set.claim(&mut Hint::default()).unwrap();
    let owner = thread::spawn({
        let (set, data) = (set.clone(), data.clone());
        move || {
            data.write(1);
            assert!(set.release(0));
        }
    });
    if let Some(bit) = set.claim(&mut Hint::default()) {
        assert_eq!(bit, 0);
        assert_eq!(data.read(), 1);
    }
    owner.join().unwrap();
}

#[test]
fn claim_follows_release() {
    Model::exhaustive(2).check(|| claim_follows_release_in(AtomicBitSet::<1>::with_bits(1)));
}

#[test]
fn claim_follows_release_in_a_large_set() {
    Model::exhaustive(2).check(|| claim_follows_release_in(LargeBitSet::new(1)));
}

/// The same through a claim of this bit, and of several, past changes of a neighbour.
#[test]
fn claims_follow_release_past_a_neighbour() {
    Model::exhaustive(10).check(|| {
        let set = shared(AtomicBitSet::<1>::new());
        let data = Payload::new();
        assert!(set.claim_at(0));
        let owner = thread::spawn({
            let (set, data) = (set.clone(), data.clone());
            move || {
                data.write(1);
                assert!(set.release(0));
            }
        });
        let neighbour = thread::spawn({
            let set = set.clone();
            move || set.claim_at(1)
        });
        if set.claim_at(0) {
            assert_eq!(data.read(), 1);
        }
        owner.join().unwrap();
        assert!(neighbour.join().unwrap());
    });
}

/// Bits claimed and released together carry their data alike.
#[test]
fn many_follow_many() {
    Model::exhaustive(2).check(|| {
        let set = shared(AtomicBitSet::<1>::new());
        let data = Payload::new();
        let claimed = set.claim_many(&mut Hint::default(), 2).unwrap();
        let owner = thread::spawn({
            let (set, data) = (set.clone(), data.clone());
            move || {
                data.write(1);
                assert_eq!(set.release_many(&claimed), 2);
            }
        });
        if let Some(claimed) = set.claim_many(&mut Hint::default(), 2) {
            assert_eq!(claimed.len(), 2);
            assert_eq!(data.read(), 1);
        }
        owner.join().unwrap();
    });
}

/// Two claims of the last bit: one gets it.
#[test]
fn one_of_two_claims_wins() {
    for hints in [[Hint::default(); 2], [Hint::sticky(0), Hint::sticky(2)]] {
        Model::exhaustive(2).check(move || {
            let set = shared(AtomicBitSet::<2>::with_bits(3));
            set.set_range(0..2);
            let claims = hints.map(|mut hint| {
                let set = set.clone();
                thread::spawn(move || set.claim(&mut hint))
            });
            let won = claims.map(|claim| claim.join().unwrap());
            assert!(won == [Some(2), None] || won == [None, Some(2)], "{won:?}");
        });
    }
}

/// Two claims, two bits: different ones, and neither fails for the other's sake.
#[test]
fn two_claims_two_bits() {
    Model::exhaustive(2).check(|| {
        let set = shared(AtomicBitSet::<1>::new());
        let claims = [0, 1].map(|_| {
            let set = set.clone();
            thread::spawn(move || set.claim(&mut Hint::default()).unwrap())
        });
        let [a, b] = claims.map(|claim| claim.join().unwrap());
        assert_ne!(a, b);
        assert_eq!(set.count(), 2);
    });
}

/// A change of one bit is not lost to changes of its neighbour.
#[test]
fn neighbours_keep_their_bits() {
    Model::exhaustive(10).check(|| {
        let set = shared(AtomicBitSet::<1>::new());
        set.set(1);
        let threads = [
            thread::spawn({
                let set = set.clone();
                move || assert!(set.set(0))
            }),
            thread::spawn({
                let set = set.clone();
                move || assert!(set.clear(1) && set.flip(1))
            }),
        ];
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(set.count(), 2);
    });
}

/// Set and clear pass data on in both directions: whoever finds that its call changed the bit sees
/// what came before the last change.
#[test]
fn changes_pass_data_on() {
    Model::exhaustive(2).check(|| {
        let set = shared(AtomicBitSet::<1>::new());
        let (there, back) = (Payload::new(), Payload::new());
        let other = thread::spawn({
            let (set, there, back) = (set.clone(), there.clone(), back.clone());
            move || {
                if set.clear(0) {
                    assert_eq!(there.read(), 1);
                    back.write(2);
                    assert!(set.set(1));
                }
            }
        });
        there.write(1);
        assert!(set.set(0));
        if set.flip(1) {
            // It was clear: not yet.
        } else {
            assert_eq!(back.read(), 2);
        }
        other.join().unwrap();
    });
}

/// The mutex of one bit: each change sees the one before, whichever way.
#[test]
fn changes_alternate() {
    Model::exhaustive(2).check(|| {
        let set = shared(AtomicBitSet::<1>::new());
        let data = Payload::new();
        let other = thread::spawn({
            let (set, data) = (set.clone(), data.clone());
            move || {
                if set.set(0) {
                    data.write(data.read() + 1);
                    assert!(set.clear(0));
                }
            }
        });
        if set.set(0) {
            data.write(data.read() + 1);
            assert!(set.clear(0));
        }
        other.join().unwrap();
    });
}

/// Whoever sees a bit set sees what came before, however it looks.
#[test]
fn a_look_sees_what_came_before() {
    for way in 0..3 {
        Model::exhaustive(2).check(move || {
            let set = shared(AtomicBitSet::<1>::new());
            let data = Payload::new();
            let setter = thread::spawn({
                let (set, data) = (set.clone(), data.clone());
                move || {
                    data.write(1);
                    set.set(1);
                }
            });
            let seen = match way {
                0 => set.get(1),
                1 => set.next_set(0) == Some(1),
                _ => set.iter().next() == Some(1),
            };
            if seen {
                assert_eq!(data.read(), 1);
            }
            setter.join().unwrap();
        });
    }
}

/// News: data, then the bit. A setter that finds the bit set has been seen by who takes it.
fn take_against_set_in<S: Storage + Send + Sync + 'static>(
    set: BitSet<S>,
    take: fn(&BitSet<S>) -> bool,
) {
    let set = shared(set);
    let data = [Payload::new(), Payload::new()];
    let setters: Vec<_> = data
        .iter()
        .map(|data| {
            let (set, data) = (set.clone(), data.clone());
            thread::spawn(move || {
                data.write(1);
                set.set(1)
            })
        })
        .collect();
    let mut taken = usize::from(take(&set));
    let changes: usize = setters.into_iter().map(|s| usize::from(s.join().unwrap())).sum();
    taken += usize::from(take(&set));
    assert_eq!(taken, changes, "each change is taken once");
    data.iter().for_each(|data| assert_eq!(data.read(), 1));
}

#[test]
fn take_against_set() {
    Model::exhaustive(10).check(|| {
        take_against_set_in(AtomicBitSet::<1>::new(), |set| {
            set.take_any(&mut Hint::default()).is_some()
        });
    });
}

#[test]
fn drain_against_set() {
    Model::exhaustive(10)
        .check(|| take_against_set_in(AtomicBitSet::<1>::new(), |set| set.drain().count() == 1));
}

/// A taker sees the data of a setter whose call changed nothing.
#[test]
fn a_second_set_is_seen_too() {
    Model::exhaustive(10).check(|| {
        let set = shared(AtomicBitSet::<1>::new());
        let data = Payload::new();
        set.set(0);
        let setter = thread::spawn({
            let (set, data) = (set.clone(), data.clone());
            move || {
                data.write(1);
                set.set(0)
            }
        });
        let taken = set.take_any(&mut Hint::default());
        assert_eq!(taken, Some(0));
        if set.take_word(&mut Hint::default()).is_none() {
            // Not set again, so the setter either came before the take, or is still to come.
        }
        if !setter.join().unwrap() {
            assert_eq!(data.read(), 1);
        }
    });
}

/// The summary against a clear while somebody withdraws it: at rest it tells of every clear bit.
#[test]
fn summary_follows() {
    Model::exhaustive(10).check(|| {
        // Five words: the summary is three words, in two levels.
        let set = shared(LargeBitSet::new(10));
        set.set_all();
        let releaser = thread::spawn({
            let set = set.clone();
            move || assert!(set.release(7))
        });
        let early = set.claim(&mut Hint::sticky(6));
        releaser.join().unwrap();
        if early.is_none() {
            assert_eq!(set.found_by_summary(), Some(7), "the summary has lost a clear bit");
        }
    });
}

/// Two releases and a claim: the claim that finds none was right to.
#[test]
fn summary_with_two_releases() {
    Model::bounded(2, 10).check(|| {
        let set = shared(LargeBitSet::new(4));
        set.set_all();
        let releasers = [0, 2].map(|bit| {
            let set = set.clone();
            thread::spawn(move || assert!(set.release(bit)))
        });
        let early = set.claim(&mut Hint::sticky(3));
        releasers.into_iter().for_each(|releaser| releaser.join().unwrap());
        let left = 2 - usize::from(early.is_some());
        for _ in 0..left {
            assert!(set.found_by_summary().is_some());
            set.claim(&mut Hint::sticky(1)).unwrap();
        }
        assert_eq!(set.claim(&mut Hint::default()), None);
    });
}

type Slots = SlotSet<Inline<2>>;

fn slots(count: usize) -> Arc<Slots> {
    Arc::new(SlotSet::new(AtomicBitSet::with_bits(count)))
}

fn claim(slots: &Slots) -> Slot<'_, Inline<2>> {
    slots.claim(&mut Hint::default()).unwrap()
}

/// A release against a claim that waits: it is served, and sees the owner's data.
#[test]
fn release_against_wait() {
    Model::bounded(3, 10).check(|| {
        let slots = slots(1);
        let data = Payload::new();
        let index = claim(&slots).into_index();
        let owner = thread::spawn({
            let (slots, data) = (slots.clone(), data.clone());
            move || {
                data.write(1);
                assert!(slots.release(index));
            }
        });
        let slot = claim(&slots);
        assert_eq!(data.read(), 1);
        drop(slot);
        owner.join().unwrap();
        assert_eq!((slots.bits().count(), slots.waiting()), (0, 0));
    });
}

/// The same with a guard, which hands over directly.
#[test]
fn guard_against_wait() {
    Model::bounded(3, 10).check(|| {
        let slots = slots(1);
        let data = Payload::new();
        let owner = thread::spawn({
            let (slots, data) = (slots.clone(), data.clone());
            move || {
                let slot = claim(&slots);
                data.write(data.read() + 1);
                drop(slot);
            }
        });
        let slot = claim(&slots);
        data.write(data.read() + 1);
        drop(slot);
        owner.join().unwrap();
        assert_eq!(data.read(), 2);
        assert_eq!((slots.bits().count(), slots.waiting()), (0, 0));
    });
}

/// Two wait for two slots that are released at once: both are served.
#[test]
fn two_wait_for_two() {
    Model::bounded(1, 10).full(Some(2)).check(|| {
        let slots = slots(2);
        let held = [claim(&slots).into_index(), claim(&slots).into_index()];
        let waiter = thread::spawn({
            let slots = slots.clone();
            move || drop(claim(&slots))
        });
        let releasers = held.map(|index| {
            let slots = slots.clone();
            thread::spawn(move || assert!(slots.release(index)))
        });
        drop(claim(&slots));
        waiter.join().unwrap();
        releasers.into_iter().for_each(|releaser| releaser.join().unwrap());
        assert_eq!((slots.bits().count(), slots.waiting()), (0, 0));
    });
}

/// The end of a timed claim against the hand-over: the slot is had or goes back.
#[test]
fn timeout_against_release() {
    Model::bounded(2, 10).check(|| {
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
        drop(slot);
        waiter.join().unwrap();
        clock.join().unwrap();
        assert_eq!((slots.bits().count(), slots.waiting()), (0, 0));
    });
}

/// A task waits and is served.
#[test]
fn task_against_release() {
    Model::bounded(2, 10).check(|| {
        let slots = slots(1);
        let slot = claim(&slots);
        let waiter = thread::spawn({
            let slots = slots.clone();
            move || drop(block_on(slots.claim_async(Hint::default())).unwrap())
        });
        drop(slot);
        waiter.join().unwrap();
        assert_eq!((slots.bits().count(), slots.waiting()), (0, 0));
    });
}

/// A task that gives up against the hand-over, with another claim behind it: that one is served.
#[test]
fn cancel_against_release() {
    Model::bounded(2, 10).check(|| {
        let slots = slots(1);
        let slot = claim(&slots);
        let waiter = thread::spawn({
            let slots = slots.clone();
            move || {
                let mut claiming = pin!(slots.claim_async(Hint::default()));
                let mut cx = Context::from_waker(Waker::noop());
                matches!(std::future::Future::poll(claiming.as_mut(), &mut cx), Poll::Ready(Ok(_)))
            }
        });
        let second = thread::spawn({
            let slots = slots.clone();
            move || drop(claim(&slots))
        });
        drop(slot);
        waiter.join().unwrap();
        second.join().unwrap();
        assert_eq!((slots.bits().count(), slots.waiting()), (0, 0));
    });
}

/// Closing against a claim that waits, while the slot is released: it ends, with a slot or without.
#[test]
fn close_against_wait() {
    Model::bounded(2, 10).check(|| {
        let slots = slots(1);
        let slot = claim(&slots);
        let waiter = thread::spawn({
            let slots = slots.clone();
            move || slots.claim(&mut Hint::default()).map(drop)
        });
        let closer = thread::spawn({
            let slots = slots.clone();
            move || slots.close()
        });
        drop(slot);
        closer.join().unwrap();
        drop(waiter.join().unwrap());
        assert_eq!((slots.bits().count(), slots.waiting()), (0, 0));
    });
}
