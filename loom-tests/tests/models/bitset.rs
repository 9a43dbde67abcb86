//! Models of the bit set and its slots: `src/bitset`, compiled over loom. A word has two bits here.

use std::sync::Arc;

use loom::sync::atomic::Ordering::{Acquire, Relaxed, SeqCst};
use loom::sync::atomic::{AtomicUsize, fence};
use loom::thread;
use reveille_model::AtomicBitSet;
use reveille_model::bitset::{BitSet, Hint, Inline, LargeBitSet, Slot, SlotSet, Storage};

use crate::harness::{Model, Payload};

/// The ways to take bit 0.
const TAKES: [fn(&AtomicBitSet<1>) -> bool; 3] = [
    |set| set.take_any(&mut Hint::default()) == Some(0),
    |set| set.take_word(&mut Hint::default()).is_some(),
    |set| set.drain().count() == 1,
];

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
    Model::exhaustive(15).check(|| claim_follows_release_in(AtomicBitSet::<1>::with_bits(1)));
}

#[test]
fn claim_follows_release_in_a_large_set() {
    Model::exhaustive(130).check(|| claim_follows_release_in(LargeBitSet::new(1)));
}

/// The same through a claim of this bit, and of several, past changes of a neighbour.
#[test]
fn claims_follow_release_past_a_neighbour() {
    Model::exhaustive(84).check(|| {
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
    Model::exhaustive(15).check(|| {
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
        Model::exhaustive(16).check(move || {
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
    Model::exhaustive(16).check(|| {
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

/// One thread writes and makes a change; the other makes one as well, and if that tells it that it was
/// the second, it sees the data. The set begins with bit 0 as it is told.
fn change_passes_data_on(
    begin: bool,
    change: fn(&AtomicBitSet<1>),
    second: fn(&AtomicBitSet<1>) -> bool,
) {
    Model::exhaustive(3).check(move || {
        let set = shared(AtomicBitSet::<1>::new());
        if begin {
            set.set(0);
        }
        let data = Payload::new();
        let other = thread::spawn({
            let (set, data) = (set.clone(), data.clone());
            move || {
                data.write(1);
                change(&set);
            }
        });
        if second(&set) {
            assert_eq!(data.read(), 1);
        }
        other.join().unwrap();
    });
}

/// Set, clear and flip pass data on in both directions, whether they change anything or not.
#[test]
fn changes_pass_data_on() {
    change_passes_data_on(false, |set| _ = set.set(0), |set| set.clear(0));
    change_passes_data_on(true, |set| _ = set.clear(0), |set| set.set(0));
    change_passes_data_on(false, |set| _ = set.flip(0), |set| !set.flip(0));
    change_passes_data_on(false, |set| _ = set.set_range(0..2), |set| set.clear_range(1..2) == 1);
    change_passes_data_on(true, |set| _ = set.clear_range(0..2), |set| set.set_range(0..1) == 1);
}

/// A change that finds nothing to change sees who left it that way.
#[test]
fn changes_of_nothing_pass_data_on() {
    change_passes_data_on(false, |set| _ = set.set(0), |set| !set.set(0));
    change_passes_data_on(true, |set| _ = set.clear(0), |set| !set.clear(0));
    change_passes_data_on(false, |set| _ = set.set_range(0..1), |set| set.set_range(0..1) == 0);
    change_passes_data_on(true, |set| _ = set.clear_range(0..1), |set| set.clear_range(0..1) == 0);
}

/// Takes pass data on like any other change, in both directions.
#[test]
fn takes_pass_data_on() {
    for take in TAKES {
        change_passes_data_on(false, |set| _ = set.set(0), take);
    }
    change_passes_data_on(true, |set| _ = TAKES[0](set), |set| set.set(0));
    change_passes_data_on(true, |set| _ = TAKES[1](set), |set| set.set(0));
    change_passes_data_on(true, |set| _ = TAKES[2](set), |set| set.set(0));
}

/// The mutex of one bit: each change sees the one before, whichever way.
#[test]
fn changes_alternate() {
    Model::exhaustive(9).check(|| {
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
        Model::exhaustive(5).check(move || {
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
    Model::exhaustive(930).check(|| {
        take_against_set_in(AtomicBitSet::<1>::new(), |set| {
            set.take_any(&mut Hint::default()).is_some()
        });
    });
}

#[test]
fn drain_against_set() {
    Model::exhaustive(200)
        .check(|| take_against_set_in(AtomicBitSet::<1>::new(), |set| set.drain().count() == 1));
}

/// A taker sees the data of a setter that found the bit set.
#[test]
fn a_second_set_is_seen_too() {
    for take in TAKES {
        Model::exhaustive(21).check(move || {
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
            let mut seen = 0;
            while take(&set) {
                seen += 1;
            }
            let changed = setter.join().unwrap();
            seen += usize::from(take(&set));
            assert_eq!(seen, 1 + usize::from(changed));
            assert_eq!(data.read(), 1);
        });
    }
}

/// The summary against a release while somebody withdraws it: at rest it tells of every clear bit.
#[test]
fn summary_follows() {
    Model::exhaustive(560).check(|| {
        // Nine words: five in the lower level of the summary, three in the upper.
        let set = shared(LargeBitSet::new(18));
        set.set_range(0..6);
        set.set_range(8..18);
        let claimed = set.claim_many(&mut Hint::sticky(6), 2).unwrap();
        let releaser = thread::spawn({
            let set = set.clone();
            move || assert_eq!(set.release_many(&claimed), 2)
        });
        // It takes one of them at most, even if the summary misleads it.
        let early = set.claim(&mut Hint::sticky(5));
        releaser.join().unwrap();
        let left = if early == Some(6) { 7 } else { 6 };
        assert_eq!(set.likely_clear(0), Some(left), "the summary has lost a clear bit");
    });
}

/// Two releases and a claim: the claim that finds none was right to.
#[test]
fn summary_with_two_releases() {
    Model::bounded(2, 250).check(|| {
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
            assert!(set.likely_clear(0).is_some());
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
    Model::bounded(3, 970).check(|| {
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

/// A release in a large set against a claim that waits while a third party withdraws and restores the
/// summary: the last look of the claim is at the words themselves.
#[test]
fn release_in_a_large_set_against_wait() {
    Model::bounded(2, 25_300).check(|| {
        let slots = shared(SlotSet::new(LargeBitSet::new(3)));
        let held = [0, 1, 2].map(|_| slots.claim(&mut Hint::default()).unwrap().into_index());
        let owner = thread::spawn({
            let slots = slots.clone();
            move || assert!(slots.release(held[2]))
        });
        let seeker = thread::spawn({
            let slots = slots.clone();
            move || drop(slots.try_barge(&mut Hint::sticky(1)))
        });
        drop(slots.claim(&mut Hint::sticky(0)).unwrap());
        owner.join().unwrap();
        seeker.join().unwrap();
        assert_eq!((slots.bits().count(), slots.waiting()), (2, 0));
    });
}

/// Canary: a bit that carries nothing, and loom sees that the data are not ordered.
#[test]
#[should_panic(expected = "Causality violation")]
fn canary_relaxed_bit() {
    Model::exhaustive(1).check(|| {
        let word = shared(AtomicUsize::new(1));
        let data = Payload::new();
        let owner = thread::spawn({
            let (word, data) = (word.clone(), data.clone());
            move || {
                data.write(1);
                word.fetch_and(!1, Relaxed);
            }
        });
        if word.fetch_or(1, Acquire) & 1 == 0 {
            let _ = data.read();
        }
        owner.join().unwrap();
    });
}

/// Canary: a summary that is withdrawn without a second look loses a clear bit.
#[test]
#[should_panic(expected = "the summary has lost")]
fn canary_withdrawn_for_good() {
    Model::exhaustive(1).check(|| {
        let [word, summary] = [1, 1].map(|value| shared(AtomicUsize::new(value)));
        let releaser = thread::spawn({
            let (word, summary) = (word.clone(), summary.clone());
            move || {
                word.fetch_and(!1, SeqCst);
                fence(SeqCst);
                summary.fetch_or(1, SeqCst);
            }
        });
        if word.load(SeqCst) & 1 == 1 {
            summary.fetch_and(!1, SeqCst);
        }
        releaser.join().unwrap();
        assert!(summary.load(SeqCst) == 1 || word.load(SeqCst) == 1, "the summary has lost a bit");
    });
}
