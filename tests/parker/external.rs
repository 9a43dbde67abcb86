//! Waits outside the slot: announced, rung up, withdrawn, leaked.

use std::mem;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use reveille::parker::{ClaimSlot, HasParkSlot, Parked, Unpark, WakeBatch};
use reveille::{ParkSlot, Parker, Unparker};

use crate::support::{eventually, watch};

#[test]
fn a_token_that_is_there_is_consumed_instead() {
    let _watch = watch();
    let mut slot = ParkSlot::new();
    let (mut parker, unparker) = slot.split();
    unparker.unpark();
    assert!(parker.begin_external_wait().is_none());
    assert!(!parker.try_park(), "consumed");
    assert!(parker.begin_external_wait().is_some());
}

#[test]
fn a_borrowed_slot_asks_the_caller_to_ring() {
    let _watch = watch();
    let mut slot = ParkSlot::new();
    let (mut parker, unparker) = slot.split();
    let wait = parker.begin_external_wait().unwrap();
    assert!(unparker.is_parked_hint());
    assert_eq!(unparker.unpark(), Unpark::External);
    assert_eq!(unparker.unpark(), Unpark::AlreadyNotified, "one ring is enough");
    assert!(wait.finish());
    assert_eq!(unparker.unpark(), Unpark::Notified);
    assert!(parker.try_park());
}

#[test]
fn finishing_tells_whether_there_was_a_token() {
    let _watch = watch();
    let mut slot = ParkSlot::new();
    let (mut parker, unparker) = slot.split();
    assert!(!parker.begin_external_wait().unwrap().finish());
    assert_eq!(unparker.unpark(), Unpark::Notified, "nobody waits any more");
    assert!(parker.try_park());
}

#[test]
fn dropping_the_guard_leaves_the_token() {
    let _watch = watch();
    let mut slot = ParkSlot::new();
    let (mut parker, unparker) = slot.split();
    drop(parker.begin_external_wait());
    assert_eq!(unparker.unpark(), Unpark::Notified);
    assert!(parker.try_park());
    let wait = parker.begin_external_wait();
    unparker.unpark();
    drop(wait);
    assert!(parker.try_park());
    assert!(!parker.try_park());
}

/// Leaks a guard, with a token that comes meanwhile or without.
fn leak(
    parker: &mut Parker<&ParkSlot>,
    unparker: Unparker<&ParkSlot>,
    deferred: bool,
    token: bool,
) {
    mem::forget(parker.begin_external_wait().unwrap());
    if token && deferred {
        mem::forget(unparker.unpark_deferred());
    } else if token {
        assert_eq!(unparker.unpark(), Unpark::External);
    }
}

#[test]
fn a_leaked_guard_keeps_ringing_and_loses_no_token() {
    let _watch = watch();
    for deferred in [false, true] {
        let mut slot = ParkSlot::new();
        let (mut parker, unparker) = slot.split();
        // Without a token: every kind of wait takes over, and times out or is woken.
        leak(&mut parker, unparker, deferred, false);
        assert!(!parker.try_park());
        assert_eq!(parker.park_timeout(Duration::ZERO), Parked::TimedOut);
        leak(&mut parker, unparker, deferred, false);
        assert_eq!(parker.park_timeout(Duration::from_millis(2)), Parked::TimedOut);
        assert_eq!(unparker.unpark(), Unpark::Notified, "that park was over");
        parker.park();
        leak(&mut parker, unparker, deferred, false);
        assert!(parker.begin_external_wait().is_some_and(|wait| !wait.finish()));
        // With one.
        leak(&mut parker, unparker, deferred, true);
        assert!(parker.try_park());
        leak(&mut parker, unparker, deferred, true);
        assert_eq!(parker.park_timeout(Duration::from_millis(2)), Parked::Token);
        leak(&mut parker, unparker, deferred, true);
        parker.park();
        leak(&mut parker, unparker, deferred, true);
        assert!(parker.begin_external_wait().is_none());
        assert_eq!(parker.park_timeout(Duration::from_millis(2)), Parked::TimedOut);
    }
}

#[test]
fn a_park_over_a_leaked_guard_is_woken() {
    let _watch = watch();
    for timed in [false, true] {
        let mut slot = ParkSlot::new();
        let (mut parker, unparker) = slot.split();
        mem::forget(parker.begin_external_wait().unwrap());
        thread::scope(|scope| {
            let sleeper = scope.spawn(move || {
                if timed {
                    assert_eq!(parker.park_timeout(Duration::from_secs(50)), Parked::Token);
                } else {
                    parker.park();
                }
            });
            thread::sleep(Duration::from_millis(20));
            // In a sleep by now, or about to be.
            let _: Unpark = unparker.unpark();
            sleeper.join().unwrap();
        });
    }
}

#[test]
fn an_owner_may_go_with_a_leaked_guard_behind() {
    let _watch = watch();
    let mut slot = ParkSlot::new();
    mem::forget(slot.split().0.begin_external_wait().unwrap());
    let (mut parker, unparker) = slot.split();
    assert_eq!(unparker.unpark(), Unpark::External, "nobody took the announcement back");
    parker.park();
    assert_eq!(parker.park_timeout(Duration::from_millis(1)), Parked::TimedOut);
}

/// Counts how often it is rung.
#[derive(Default)]
struct Reactor {
    slot: ClaimSlot,
    rings: AtomicUsize,
}

impl Reactor {
    const fn new() -> Self {
        Self { slot: ClaimSlot::new(), rings: AtomicUsize::new(0) }
    }

    fn rings(&self) -> usize {
        self.rings.load(Ordering::SeqCst)
    }
}

impl HasParkSlot for Reactor {
    fn park_slot(&self) -> &ClaimSlot {
        &self.slot
    }

    fn ring(&self) {
        self.rings.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn only_a_wait_outside_is_rung() {
    static REACTOR: Reactor = Reactor::new();
    let _watch = watch();
    let mut parker = Parker::claim(&REACTOR).unwrap();
    let unparker = Unparker::of(&REACTOR);
    unparker.unpark();
    parker.park();
    thread::scope(|scope| {
        scope.spawn(|| parker.park());
        eventually(|| unparker.is_parked_hint());
        unparker.unpark();
    });
    assert_eq!(REACTOR.rings(), 0);
    let wait = parker.begin_external_wait().unwrap();
    assert_eq!(unparker.unpark(), Unpark::External);
    assert_eq!(REACTOR.rings(), 1);
    unparker.unpark();
    assert_eq!(REACTOR.rings(), 1, "one ring for one token");
    assert!(wait.finish());
    unparker.unpark();
    assert_eq!(REACTOR.rings(), 1);
}

#[test]
fn a_deferred_ring_is_made_when_it_is_dropped() {
    static REACTOR: Reactor = Reactor::new();
    let _watch = watch();
    let mut parker = Parker::claim(&REACTOR).unwrap();
    let unparker = Unparker::of(&REACTOR);
    let wait = parker.begin_external_wait().unwrap();
    let pending = unparker.unpark_deferred();
    assert_eq!((pending.result(), REACTOR.rings()), (Unpark::External, 0));
    drop(pending);
    assert_eq!(REACTOR.rings(), 1);
    // One that is forgotten silences nobody: the next one rings, deferred or not.
    assert!(wait.finish());
    let wait = parker.begin_external_wait().unwrap();
    mem::forget(unparker.unpark_deferred());
    assert_eq!(unparker.unpark(), Unpark::External);
    assert_eq!(REACTOR.rings(), 2);
    assert!(wait.finish());
    let wait = parker.begin_external_wait().unwrap();
    mem::forget(unparker.unpark_deferred());
    drop(unparker.unpark_deferred());
    assert_eq!(REACTOR.rings(), 3);
    assert!(wait.finish());
    assert!(!parker.try_park());
}

#[test]
fn a_batch_rings_those_it_can() {
    static REACTOR: Reactor = Reactor::new();
    let _watch = watch();
    let mut parker = Parker::claim(&REACTOR).unwrap();
    let wait = parker.begin_external_wait().unwrap();
    let mut batch = WakeBatch::<1>::new();
    batch.push(Unparker::of(&REACTOR).unpark_deferred()).unwrap();
    assert_eq!((batch.len(), REACTOR.rings()), (1, 0));
    batch.wake_all();
    assert_eq!(REACTOR.rings(), 1);
    assert!(wait.finish());
    // A borrowed slot's caller rings himself, so its wake is none of the batch's business.
    let mut slot = ParkSlot::new();
    let (mut parker, unparker) = slot.split();
    let _wait = parker.begin_external_wait().unwrap();
    let pending = unparker.unpark_deferred();
    assert_eq!(pending.result(), Unpark::External);
    batch.push(pending).unwrap();
    assert!(batch.is_empty());
}

#[cfg(feature = "alloc")]
#[test]
fn wakers_ring() {
    use std::sync::Arc;
    use std::task::Waker;

    let _watch = watch();
    let reactor = Arc::new(Reactor::new());
    let mut parker = Parker::claim(reactor.clone()).unwrap();
    let waker = Waker::from(parker.unparker());
    for by_value in [false, true] {
        let wait = parker.begin_external_wait().unwrap();
        if by_value {
            let fired = waker.clone();
            fired.wake();
        } else {
            waker.wake_by_ref();
        }
        assert!(wait.finish());
    }
    assert_eq!(reactor.rings(), 2);
    let wait = parker.begin_external_wait().unwrap();
    let pending = parker_unparker(&reactor).unpark_deferred();
    assert_eq!(Arc::strong_count(&reactor), 4, "a pending ring keeps its target");
    drop(pending);
    assert!(wait.finish());
    drop((waker, parker));
    assert_eq!((Arc::strong_count(&reactor), reactor.rings()), (1, 3));

    fn parker_unparker(reactor: &Arc<Reactor>) -> Unparker<Arc<Reactor>> {
        Unparker::of(reactor.clone())
    }
}

/// Plain data that the owner leaves for whoever rings.
struct Handing {
    slot: ClaimSlot,
    data: std::cell::UnsafeCell<u64>,
    seen: std::sync::atomic::AtomicU64,
}

// SAFETY: the owner writes `data` while no wait is announced, `ring` reads it while one is.
unsafe impl Sync for Handing {}

impl HasParkSlot for Handing {
    fn park_slot(&self) -> &ClaimSlot {
        &self.slot
    }

    fn ring(&self) {
        // SAFETY: see the impl above.
        let data = unsafe { *self.data.get() };
        self.seen.store(data, Ordering::SeqCst);
    }
}

#[test]
fn a_ring_sees_what_the_owner_did_before() {
    static HANDING: Handing = Handing {
        slot: ClaimSlot::new(),
        data: std::cell::UnsafeCell::new(0),
        seen: std::sync::atomic::AtomicU64::new(0),
    };
    let _watch = watch();
    let mut parker = Parker::claim(&HANDING).unwrap();
    let (give, turns) = std::sync::mpsc::sync_channel::<()>(0);
    thread::scope(|scope| {
        scope.spawn(move || {
            for () in turns {
                Unparker::of(&HANDING).unpark();
            }
        });
        let mut rung = 0;
        for round in crate::support::rounds(20_000, 200_000) {
            give.send(()).unwrap();
            // SAFETY: no wait is announced.
            unsafe { *HANDING.data.get() = round + 1 };
            let Some(wait) = parker.begin_external_wait() else { continue };
            crate::support::race::spin_until(|| HANDING.seen.load(Ordering::SeqCst) == round + 1);
            assert!(wait.finish());
            rung += 1;
        }
        drop(give);
        assert!(rung > 0, "no wait was rung");
    });
}
