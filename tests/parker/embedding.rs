//! Every way to hold a slot.

use std::mem;
use std::thread;
use std::time::Duration;

use reveille::parker::{ClaimError, ClaimSlot, Hold, Parked, Unpark};
use reveille::{ParkSlot, Parker, Unparker};

use crate::support::{eventually, watch};

/// What must hold however the slot is held.
fn exercise<H: Hold + Clone + Send + Sync>(parker: &mut Parker<H>, unparker: &Unparker<H>) {
    assert!(!parker.try_park());
    assert_eq!(unparker.unpark(), Unpark::Notified);
    assert_eq!(unparker.clone().unpark(), Unpark::AlreadyNotified);
    parker.park();
    assert_eq!(parker.park_timeout(Duration::from_millis(1)), Parked::TimedOut);
    assert!(unparker.same_owner(&parker.unparker()));
    thread::scope(|scope| {
        scope.spawn(|| {
            eventually(|| unparker.is_parked_hint());
            assert_eq!(unparker.unpark(), Unpark::Woke);
        });
        parker.park();
    });
    drop(unparker.unpark_deferred());
    assert!(parker.try_park());
}

#[test]
fn a_slot_on_the_stack() {
    let _watch = watch();
    let mut slot = ParkSlot::new();
    for _ in 0..3 {
        let (mut parker, unparker) = slot.split();
        exercise(&mut parker, &unparker);
    }
}

#[test]
fn a_slot_inside_a_struct_that_knows_its_owner() {
    let _watch = watch();
    struct Worker {
        _before: u8,
        slot: ParkSlot,
    }
    let worker = Worker { _before: 1, slot: ParkSlot::default() };
    // SAFETY: the only parker of this slot.
    let mut parker = unsafe { worker.slot.parker() };
    exercise(&mut parker, &worker.slot.unparker());
}

#[test]
fn a_slot_in_zeroed_memory() {
    let _watch = watch();
    // SAFETY: documented as valid and empty.
    let mut slot: ParkSlot = unsafe { mem::zeroed() };
    let (mut parker, unparker) = slot.split();
    exercise(&mut parker, &unparker);
    // SAFETY: documented as valid, empty and unclaimed.
    let slot: ClaimSlot = unsafe { mem::zeroed() };
    let slot: &'static ClaimSlot = &*Box::leak(Box::new(slot));
    exercise(&mut Parker::claim(slot).unwrap(), &Unparker::of(slot));
    reclaim(slot);
}

/// Frees what a test leaked, so that leak checkers stay quiet.
fn reclaim<T>(leaked: &'static T) {
    // SAFETY: leaked from a box by the caller, who does not use it again.
    drop(unsafe { Box::from_raw(core::ptr::from_ref(leaked).cast_mut()) });
}

#[test]
fn a_slot_can_be_moved_while_nobody_uses_it() {
    let _watch = watch();
    let mut slot = ParkSlot::new();
    slot.split().1.unpark();
    let mut moved = Box::new(slot);
    assert!(moved.split().0.try_park());
    let (mut parker, unparker) = moved.split();
    exercise(&mut parker, &unparker);
}

static IN_A_STATIC: ClaimSlot = ClaimSlot::new();

#[test]
fn a_static_slot_has_one_owner_at_a_time() {
    let _watch = watch();
    for _ in 0..3 {
        let mut parker = Parker::claim(&IN_A_STATIC).unwrap();
        assert_eq!(Parker::claim(&IN_A_STATIC).unwrap_err(), ClaimError);
        exercise(&mut parker, &Unparker::of(&IN_A_STATIC));
    }
    // Changing the policy keeps the claim; so does a token.
    let parker = Parker::claim(&IN_A_STATIC).unwrap().with_policy(reveille::NoSpin);
    assert!(Parker::claim(&IN_A_STATIC).is_err());
    Unparker::of(&IN_A_STATIC).unpark();
    drop(parker);
    assert!(Parker::claim(&IN_A_STATIC).unwrap().try_park());
}

#[test]
fn a_claim_is_won_by_one() {
    static CONTESTED: ClaimSlot = ClaimSlot::new();
    let _watch = watch();
    for _ in crate::support::rounds(2_000, 100_000) {
        let start = crate::support::StartLine::new(2);
        let claims: usize = thread::scope(|scope| {
            let tries = [(); 2].map(|()| {
                scope.spawn(|| {
                    start.wait();
                    Parker::claim(&CONTESTED).ok()
                })
            });
            tries.map(|t| t.join().unwrap()).iter().flatten().count()
        });
        assert_eq!(claims, 1);
    }
}

#[cfg(feature = "alloc")]
mod shared {
    use std::sync::Arc;

    use reveille::parker::{ClaimSlot, HasParkSlot};
    use reveille::{Parker, Unparker};

    use super::exercise;
    use crate::support::watch;

    #[derive(Default)]
    struct Worker {
        _jobs: Vec<u32>,
        slot: ClaimSlot,
    }

    impl HasParkSlot for Worker {
        fn park_slot(&self) -> &ClaimSlot {
            &self.slot
        }
    }

    #[test]
    fn a_pair_of_its_own() {
        let _watch = watch();
        let mut parker = Parker::new();
        let unparker = parker.unparker();
        exercise(&mut parker, &unparker);
        let mut parker = Parker::default();
        let unparker = parker.unparker();
        exercise(&mut parker, &unparker);
    }

    #[test]
    fn the_users_own_arc() {
        let _watch = watch();
        let worker = Arc::new(Worker::default());
        let mut parker = Parker::claim(worker.clone()).unwrap();
        assert!(Parker::claim(worker.clone()).is_err());
        exercise(&mut parker, &Unparker::of(worker.clone()));
        drop(parker);
        assert!(Parker::claim(worker.clone()).is_ok());
        assert_eq!(Arc::strong_count(&worker), 1, "handles were leaked");
    }

    #[test]
    fn halves_as_pointers() {
        let _watch = watch();
        let worker = Arc::new(Worker::default());
        let parker = Parker::claim(worker.clone()).unwrap();
        let unparker = parker.unparker();
        unparker.unpark();
        let owner = Parker::into_raw(parker);
        let waking = Unparker::into_raw(unparker);
        assert_eq!(owner, waking);
        assert_eq!(owner, Arc::as_ptr(&worker));
        assert!(Parker::claim(worker.clone()).is_err(), "the claim was lost");
        assert_eq!(Arc::strong_count(&worker), 3);
        // SAFETY: from into_raw of the same type, once.
        let mut parker = unsafe { Parker::<Arc<Worker>>::from_raw(owner) };
        // SAFETY: as above.
        let unparker = unsafe { Unparker::<Arc<Worker>>::from_raw(waking) };
        assert!(parker.try_park(), "the token was lost");
        exercise(&mut parker, &unparker);
        drop((parker, unparker));
        assert!(Parker::claim(worker.clone()).is_ok());
        assert_eq!(Arc::strong_count(&worker), 1);
    }

    #[test]
    fn an_unparker_may_outlive_the_parker() {
        let _watch = watch();
        let parker = Parker::new();
        let unparker = parker.unparker();
        drop(parker);
        unparker.unpark();
        unparker.unpark();
    }
}
