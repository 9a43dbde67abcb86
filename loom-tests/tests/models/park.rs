//! Models of the Parker: `src/parker`, compiled over loom.

use std::mem::MaybeUninit;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use crate::harness::{Model, Payload};
use loom::sync::atomic::AtomicUsize;
use loom::thread;
use reveille_model::Deadline;
use reveille_model::parker::{ClaimSlot, HasParkSlot, Parked, Unpark, WakeBatch};
use reveille_model::platform::expire_timed_waits;
use reveille_model::{ParkSlot, Parker, Unparker};

/// Long enough that only `expire_timed_waits` ends it.
const LONG: Duration = Duration::from_secs(3600);

/// The token arrives, wakes the sleeper, and carries what its giver did before.
#[test]
fn token_carries_data() {
    Model::exhaustive(50).check(|| {
        let mut parker = Parker::new();
        let unparker = parker.unparker();
        let data = Payload::new();
        let writer = thread::spawn({
            let data = data.clone();
            move || {
                data.write(1);
                unparker.unpark();
            }
        });
        parker.park();
        assert_eq!(data.read(), 1);
        writer.join().unwrap();
    });
}

/// Every unpark before the token is taken is seen, not only the one that woke.
#[test]
fn all_unparks_are_seen() {
    Model::bounded(3, 4100).check(|| {
        let mut parker = Parker::new();
        let flags = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
        let writers: Vec<_> = (0..2)
            .map(|n| {
                let unparker = parker.unparker();
                let flags = flags.clone();
                thread::spawn(move || {
                    flags[n].store(1, Relaxed);
                    unparker.unpark();
                })
            })
            .collect();
        // One token may stand for both: after each park, look; sleep on only while one is missing.
        while flags.iter().any(|flag| flag.load(Relaxed) == 0) {
            parker.park();
        }
        for writer in writers {
            writer.join().unwrap();
        }
    });
}

/// A wake that was owed for an earlier sleep, which a deadline ended, comes during a later one: it is
/// not taken for a token.
#[test]
fn stray_wake() {
    Model::bounded(2, 4500).check(|| {
        let mut parker = Parker::new();
        let flags = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
        let clock = thread::spawn(expire_timed_waits);
        let writers: Vec<_> = (0..2)
            .map(|n| {
                let unparker = parker.unparker();
                let flags = flags.clone();
                thread::spawn(move || {
                    flags[n].store(1, Relaxed);
                    unparker.unpark();
                })
            })
            .collect();
        let mut tokens = usize::from(parker.park_timeout(LONG) == Parked::Token);
        while flags.iter().any(|flag| flag.load(Relaxed) == 0) {
            let parked = parker.park_deadline(Deadline::NEVER);
            assert_eq!(parked, Parked::Token, "a park without a token");
            tokens += 1;
        }
        assert!(tokens <= 2, "a park without a token");
        clock.join().unwrap();
        for writer in writers {
            writer.join().unwrap();
        }
    });
}

/// An unpark against the end of a timed park: the token is seen now or by the next park, once.
#[test]
fn timeout_against_unpark() {
    Model::exhaustive(2900).check(|| {
        let mut parker = Parker::new();
        let unparker = parker.unparker();
        let data = Payload::new();
        let clock = thread::spawn(expire_timed_waits);
        let writer = thread::spawn({
            let data = data.clone();
            move || {
                data.write(1);
                unparker.unpark();
            }
        });
        // The clock may strike before the park: then only the token ends it, or nothing would.
        let now = parker.park_timeout(LONG) == Parked::Token;
        clock.join().unwrap();
        writer.join().unwrap();
        let later = parker.try_park();
        assert!(now != later, "the token was seen {} times", usize::from(now) + usize::from(later));
        assert_eq!(data.read(), 1);
    });
}

/// A park that timed out has taken its announcement back: nobody takes its owner to be asleep.
#[test]
fn timed_out_is_awake() {
    Model::exhaustive(3300).check(|| {
        let mut parker = Parker::new();
        let unparker = parker.unparker();
        let clock = thread::spawn(expire_timed_waits);
        let waker = thread::spawn(move || unparker.unpark());
        if parker.park_timeout(LONG) == Parked::TimedOut {
            let unpark = parker.unparker().unpark();
            assert!(matches!(unpark, Unpark::Notified | Unpark::AlreadyNotified), "{unpark:?}");
        }
        clock.join().unwrap();
        waker.join().unwrap();
    });
}

/// A deferred unpark is an unpark: its token carries data, and dropping what it owes wakes.
#[test]
fn deferred_carries_data() {
    Model::exhaustive(309).check(|| {
        let mut parker = Parker::new();
        let unparker = parker.unparker();
        let data = Payload::new();
        let writer = thread::spawn({
            let data = data.clone();
            move || {
                data.write(1);
                drop(unparker.unpark_deferred());
            }
        });
        parker.park();
        assert_eq!(data.read(), 1);
        writer.join().unwrap();
    });
}

/// A deferred wake that is forgotten silences nobody: the next unpark wakes, deferred or not.
#[test]
fn forgotten_deferred_wake() {
    Model::bounded(3, 5000).check(|| {
        let mut parker = Parker::new();
        let forgetful = parker.unparker();
        let other = parker.unparker();
        let flags = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
        let first = thread::spawn({
            let flags = flags.clone();
            move || {
                flags[0].store(1, Relaxed);
                std::mem::forget(forgetful.unpark_deferred());
            }
        });
        let second = thread::spawn({
            let flags = flags.clone();
            move || {
                flags[1].store(1, Relaxed);
                other.unpark();
            }
        });
        while flags[1].load(Relaxed) == 0 {
            parker.park();
        }
        first.join().unwrap();
        second.join().unwrap();
        // Both tokens were taken, or one is left.
        let _ = parker.try_park();
        assert_eq!(flags[0].load(Relaxed), 1);
    });
}

/// Two deferred wakes for one sleep, one of them forgotten.
#[test]
fn two_deferred_wakes() {
    Model::bounded(3, 17_700).check(|| {
        let mut parker = Parker::new();
        let one = parker.unparker();
        let two = parker.unparker();
        let flag = Arc::new(AtomicUsize::new(0));
        let first = thread::spawn(move || std::mem::forget(one.unpark_deferred()));
        let second = thread::spawn({
            let flag = flag.clone();
            move || {
                flag.store(1, Relaxed);
                let mut batch = WakeBatch::<2>::new();
                batch.push(two.unpark_deferred()).unwrap();
                batch.wake_all();
            }
        });
        while flag.load(Relaxed) == 0 {
            parker.park();
        }
        first.join().unwrap();
        second.join().unwrap();
    });
}

/// A deferred wake against the end of a timed park: the token is not lost, the wake disturbs nobody.
#[test]
fn deferred_against_timeout() {
    Model::bounded(3, 2000).check(|| {
        let mut parker = Parker::new();
        let unparker = parker.unparker();
        let clock = thread::spawn(expire_timed_waits);
        let waker = thread::spawn(move || drop(unparker.unpark_deferred()));
        let now = parker.park_timeout(LONG) == Parked::Token;
        clock.join().unwrap();
        waker.join().unwrap();
        assert!(now != parker.try_park());
    });
}

/// A slot on the stack is gone as soon as its owner has the token, while the unparker still runs.
#[test]
fn slot_freed_after_token() {
    struct Address(*const ParkSlot);
    // SAFETY: `unpark_raw` is made for this.
    unsafe impl Send for Address {}

    Model::exhaustive(50).check(|| {
        let slot = Box::new(ParkSlot::new());
        let address = Address(&raw const *slot);
        let waker = thread::spawn(move || {
            let address = address;
            // SAFETY: the owner frees the slot only after it took the token.
            unsafe { ParkSlot::unpark_raw(address.0) };
        });
        // SAFETY: the only parker.
        unsafe { slot.parker() }.park();
        drop(slot);
        waker.join().unwrap();
    });
}

/// The same with a slot that must not even be looked at any more: the model's word says so.
#[test]
fn word_untouched_after_token() {
    struct Address(*const ParkSlot);
    // SAFETY: `unpark_raw` is made for this.
    unsafe impl Send for Address {}

    Model::exhaustive(50).check(|| {
        let mut place = Box::new(MaybeUninit::uninit());
        place.write(ParkSlot::new());
        let address = Address(place.as_ptr());
        let waker = thread::spawn(move || {
            let address = address;
            // SAFETY: the owner drops the slot only after it took the token.
            unsafe { ParkSlot::unpark_raw(address.0) };
        });
        // SAFETY: the slot is there.
        let slot = unsafe { place.assume_init_ref() };
        // SAFETY: the only parker.
        unsafe { slot.parker() }.park();
        // The memory stays, so that a look at it is a verdict and not chance.
        // SAFETY: it is there, and nobody uses it any more.
        unsafe { place.assume_init_drop() };
        waker.join().unwrap();
    });
}

/// The same for a deferred wake, paid after the slot is gone.
#[test]
fn word_untouched_by_a_late_wake() {
    Model::exhaustive(309).check(|| {
        let mut place = Box::new(MaybeUninit::uninit());
        // SAFETY: it lives until it is dropped below, when the unparker is done with it.
        let slot: &'static ParkSlot = unsafe { &*std::ptr::from_ref(place.write(ParkSlot::new())) };
        let waker = thread::spawn(move || drop(slot.unparker().unpark_deferred()));
        // SAFETY: the only parker.
        unsafe { slot.parker() }.park();
        // SAFETY: it is there, and only its address is used from here on.
        unsafe { place.assume_init_drop() };
        waker.join().unwrap();
    });
}

/// Two claim a slot at once: one becomes its owner.
#[test]
fn one_of_two_claims() {
    Model::exhaustive(3).check(|| {
        let slot = Arc::new(ClaimSlot::new());
        let claim = |slot: &Arc<ClaimSlot>| Parker::claim(slot.clone()).ok();
        let other = thread::spawn({
            let slot = slot.clone();
            move || claim(&slot)
        });
        let mine = claim(&slot);
        assert!(mine.is_some() != other.join().unwrap().is_some());
    });
}

/// One owner after the other: the second sees what the first did with the value.
#[test]
fn claim_passes_on() {
    Model::exhaustive(2).check(|| {
        let slot = Arc::new(ClaimSlot::new());
        let data = Payload::new();
        let first = Parker::claim(slot.clone()).unwrap();
        assert!(Parker::claim(slot.clone()).is_err());
        let other = thread::spawn({
            let slot = slot.clone();
            let data = data.clone();
            move || match Parker::claim(slot) {
                Ok(mut parker) => {
                    assert_eq!(data.read(), 1);
                    assert!(parker.try_park(), "the token stays with the slot");
                }
                Err(_) => thread::yield_now(),
            }
        });
        data.write(1);
        Unparker::of(slot).unpark();
        drop(first);
        other.join().unwrap();
    });
}

/// A worker that waits outside its slot, at a bell (here another slot: loom has no eventfd).
struct Worker {
    slot: ClaimSlot,
    bell: ClaimSlot,
    /// Written by the owner before it waits outside; read by who rings.
    prepared: Payload,
}

impl HasParkSlot for Worker {
    fn park_slot(&self) -> &ClaimSlot {
        &self.slot
    }

    fn ring(&self) {
        assert_eq!(self.prepared.read(), 1);
        self.bell.slot().unparker().unpark();
    }
}

fn worker() -> Arc<Worker> {
    Arc::new(Worker {
        slot: ClaimSlot::new(),
        bell: ClaimSlot::new(),
        prepared: Payload::default(),
    })
}

/// Waits at the bell unless the token is there; answers whether a token ended it.
fn wait_outside(worker: &Arc<Worker>, parker: &mut Parker<Arc<Worker>>) {
    worker.prepared.write(1);
    let Some(wait) = parker.begin_external_wait() else {
        return;
    };
    // SAFETY: only this thread parks at the bell.
    unsafe { worker.bell.slot().parker() }.park();
    assert!(wait.finish(), "the bell rings after the token");
}

/// An external wait: rung exactly when the token was given during it, with the owner's writes in
/// view of who rings and the other way round.
#[test]
fn ring_sees_owner() {
    Model::exhaustive(158).check(|| {
        let worker = worker();
        let mut parker = Parker::claim(worker.clone()).unwrap();
        let unparker = parker.unparker();
        let data = Payload::new();
        let writer = thread::spawn({
            let data = data.clone();
            move || {
                data.write(1);
                unparker.unpark();
            }
        });
        wait_outside(&worker, &mut parker);
        assert_eq!(data.read(), 1);
        writer.join().unwrap();
    });
}

/// A deferred ring that is forgotten silences nobody: the next unpark rings.
#[test]
fn forgotten_deferred_ring() {
    Model::bounded(3, 7500).check(|| {
        let worker = worker();
        let mut parker = Parker::claim(worker.clone()).unwrap();
        let forgetful = parker.unparker();
        let other = parker.unparker();
        let flag = Arc::new(AtomicUsize::new(0));
        let first = thread::spawn(move || std::mem::forget(forgetful.unpark_deferred()));
        let second = thread::spawn({
            let flag = flag.clone();
            move || {
                flag.store(1, Relaxed);
                drop(other.unpark_deferred());
            }
        });
        // The first token may be taken on its own; the second must come through as well.
        worker.prepared.write(1);
        // SAFETY: only this thread parks at the bell.
        let mut bell = unsafe { worker.bell.slot().parker() };
        while flag.load(Relaxed) == 0 {
            if let Some(wait) = parker.begin_external_wait() {
                bell.park();
                assert!(wait.finish());
            }
        }
        first.join().unwrap();
        second.join().unwrap();
    });
}

/// A wait outside ends for a reason of its own while a deferred wake is on its way: the token is seen
/// now or later, once, and the ring that comes late disturbs nobody.
#[test]
fn external_timeout_against_deferred() {
    Model::bounded(3, 2600).check(|| {
        let worker = worker();
        let mut parker = Parker::claim(worker.clone()).unwrap();
        let unparker = parker.unparker();
        let data = Payload::new();
        let clock = thread::spawn(expire_timed_waits);
        let waker = thread::spawn({
            let data = data.clone();
            move || {
                data.write(1);
                drop(unparker.unpark_deferred());
            }
        });
        worker.prepared.write(1);
        // SAFETY: only this thread parks at the bell.
        let mut bell = unsafe { worker.bell.slot().parker() };
        let now = match parker.begin_external_wait() {
            None => true,
            Some(wait) => {
                let rung = bell.park_timeout(LONG) == Parked::Token;
                let token = wait.finish();
                assert!(token || !rung, "the bell rings after the token");
                token
            }
        };
        if now {
            assert_eq!(data.read(), 1);
        }
        clock.join().unwrap();
        waker.join().unwrap();
        assert!(now != parker.try_park());
        assert_eq!(data.read(), 1);
    });
}

/// Wake-ups into a batch, towards one owner that sleeps and one that waits outside: paid, they end
/// both.
#[test]
fn batch_wakes_and_rings() {
    Model::bounded(3, 6000).check(|| {
        let mut sleeper = Parker::new();
        let worker = worker();
        let mut outside = Parker::claim(worker.clone()).unwrap();
        let waker = thread::spawn({
            let (one, two) = (sleeper.unparker(), outside.unparker());
            move || {
                let mut batch = WakeBatch::<2>::new();
                batch.push(one.unpark_deferred()).unwrap();
                batch.push(two.unpark_deferred()).unwrap();
            }
        });
        let other = thread::spawn(move || sleeper.park());
        wait_outside(&worker, &mut outside);
        waker.join().unwrap();
        other.join().unwrap();
    });
}

/// The beginning and the end of an external wait against a token: it is seen once, by one of them or
/// afterwards.
#[test]
fn external_sees_the_token_once() {
    Model::exhaustive(16).check(|| {
        let worker = worker();
        let mut parker = Parker::claim(worker.clone()).unwrap();
        worker.prepared.write(1);
        let unparker = parker.unparker();
        let waker = thread::spawn(move || unparker.unpark());
        let seen = parker.begin_external_wait().is_none_or(|wait| wait.finish());
        waker.join().unwrap();
        assert!(seen != parker.try_park());
    });
}

/// The guard of an external wait is dropped while a token comes: the token stays.
#[test]
fn external_withdraw() {
    Model::exhaustive(106).check(|| {
        let slot = Box::leak(Box::new(ParkSlot::new()));
        let address = &raw mut *slot;
        let (mut parker, unparker) = slot.split();
        let waker = thread::spawn(move || unparker.unpark());
        let waited = parker.begin_external_wait().map(drop).is_some();
        if waited {
            parker.park();
        }
        waker.join().unwrap();
        assert!(!parker.try_park());
        drop(parker);
        // SAFETY: leaked above; both halves are gone.
        drop(unsafe { Box::from_raw(address) });
    });
}

/// The guard of an external wait is leaked, and the owner parks over it: no token that arrives in
/// between is lost, and the unparker rings or wakes.
#[test]
fn leaked_external_then_park() {
    Model::exhaustive(50).check(|| {
        let worker = worker();
        let mut parker = Parker::claim(worker.clone()).unwrap();
        let unparker = parker.unparker();
        let data = Payload::new();
        worker.prepared.write(1);
        std::mem::forget(parker.begin_external_wait());
        let writer = thread::spawn({
            let data = data.clone();
            move || {
                data.write(1);
                unparker.unpark();
            }
        });
        parker.park();
        assert_eq!(data.read(), 1);
        writer.join().unwrap();
    });
}

/// The same, with a deferred unpark and a timed park.
#[test]
fn leaked_external_deferred_timeout() {
    Model::bounded(3, 2000).check(|| {
        let worker = worker();
        let mut parker = Parker::claim(worker.clone()).unwrap();
        let unparker = parker.unparker();
        worker.prepared.write(1);
        std::mem::forget(parker.begin_external_wait());
        let clock = thread::spawn(expire_timed_waits);
        let waker = thread::spawn(move || drop(unparker.unpark_deferred()));
        let now = parker.park_timeout(LONG) == Parked::Token;
        clock.join().unwrap();
        waker.join().unwrap();
        assert!(now != parker.try_park());
    });
}

/// The result of an unpark says what it did.
#[test]
fn unpark_says_what_it_did() {
    Model::exhaustive(232).check(|| {
        let mut parker = Parker::new();
        let unparker = parker.unparker();
        let other = thread::spawn(move || (unparker.unpark(), unparker.unpark()));
        parker.park();
        let (first, second) = other.join().unwrap();
        assert!(matches!(first, Unpark::Notified | Unpark::Woke));
        // The second found the first's token, or the owner had taken it and was awake.
        let left = parker.try_park();
        assert_eq!(second, if left { Unpark::Notified } else { Unpark::AlreadyNotified });
    });
}

// Canaries: what is broken here the models must see.

/// Token and announcement are two words, and nothing orders them: the protocol at the top of `slot.rs`.
#[test]
#[should_panic(expected = "deadlock")]
fn canary_two_words() {
    Model::exhaustive(0).check(|| {
        let words = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
        let owner = thread::current();
        let unparker = thread::spawn({
            let words = words.clone();
            move || {
                words[0].store(1, Relaxed);
                if words[1].load(Relaxed) == 1 {
                    owner.unpark();
                }
            }
        });
        if words[0].load(Relaxed) == 0 {
            words[1].store(1, Relaxed);
            // Too early: before the announcement.
            thread::park();
        }
        unparker.join().unwrap();
    });
}

/// What is written after the unpark does not come with the token.
#[test]
#[should_panic(expected = "Causality violation")]
fn canary_written_after_the_token() {
    Model::exhaustive(0).check(|| {
        let mut parker = Parker::new();
        let unparker = parker.unparker();
        let data = Payload::new();
        let writer = thread::spawn({
            let data = data.clone();
            move || {
                unparker.unpark();
                data.write(1);
            }
        });
        parker.park();
        let _ = data.read();
        writer.join().unwrap();
    });
}

/// Two owners of one slot: one token for both is not enough.
#[test]
#[should_panic(expected = "deadlock")]
fn canary_two_owners() {
    Model::exhaustive(0).check(|| {
        let slot = Arc::new(ClaimSlot::new());
        let owners = [(), ()].map(|()| {
            let slot = slot.clone();
            // SAFETY: no memory is at stake; that it does not work is the point.
            thread::spawn(move || unsafe { slot.slot().parker() }.park())
        });
        slot.slot().unparker().unpark();
        slot.slot().unparker().unpark();
        owners.into_iter().for_each(|owner| owner.join().unwrap());
    });
}

/// A deferred wake that is forgotten wakes nobody.
#[test]
#[should_panic(expected = "deadlock")]
fn canary_only_a_forgotten_wake() {
    Model::exhaustive(0).check(|| {
        let mut parker = Parker::new();
        let unparker = parker.unparker();
        let waker = thread::spawn(move || std::mem::forget(unparker.unpark_deferred()));
        parker.park();
        waker.join().unwrap();
    });
}

/// The caller of a borrowed half that does not ring.
#[test]
#[should_panic(expected = "deadlock")]
fn canary_nobody_rings() {
    Model::exhaustive(0).check(|| {
        let worker = worker();
        let mut parker = Parker::claim(worker.clone()).unwrap();
        let waker = thread::spawn({
            let worker = worker.clone();
            move || worker.slot.slot().unparker().unpark()
        });
        wait_outside(&worker, &mut parker);
        waker.join().unwrap();
    });
}

/// A slot that is gone before its token could be taken.
#[test]
#[should_panic(expected = "is gone")]
fn canary_slot_gone_too_early() {
    Model::exhaustive(0).check(|| {
        let mut place = Box::new(MaybeUninit::uninit());
        // SAFETY: it is not, which is the point: but the memory stays.
        let slot: &'static ParkSlot = unsafe { &*std::ptr::from_ref(place.write(ParkSlot::new())) };
        let waker = thread::spawn(move || {
            slot.unparker().unpark();
        });
        // SAFETY: it is there.
        unsafe { place.assume_init_drop() };
        waker.join().unwrap();
    });
}
