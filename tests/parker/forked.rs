//! Slots in a forked child.

use std::thread;
use std::time::{Duration, Instant};

use reveille::parker::{ClaimSlot, Parked, Unpark};
use reveille::{ParkSlot, Parker, Unparker};

use crate::support::fork::{children_may_wait, fork};
use crate::support::{eventually, watch};

#[test]
fn a_child_uses_a_slot_of_its_parent() {
    let _watch = watch();
    if !children_may_wait() {
        return;
    }
    let mut slot = ParkSlot::new();
    let (mut parker, unparker) = slot.split();
    unparker.unpark();
    let child = fork(|| {
        assert!(parker.try_park(), "the token came along");
        let begun = Instant::now();
        assert_eq!(parker.park_timeout(Duration::from_millis(5)), Parked::TimedOut);
        assert!(begun.elapsed() >= Duration::from_millis(5));
        assert_eq!(unparker.unpark(), Unpark::Notified);
        parker.park();
        drop(unparker.unpark_deferred());
        parker.park();
    });
    child.join();
    assert!(parker.try_park(), "a child's tokens are its own");
}

#[test]
fn a_child_may_wake_what_sleeps_in_the_parent_only() {
    static SLOT: ClaimSlot = ClaimSlot::new();
    let _watch = watch();
    if !children_may_wait() {
        return;
    }
    let mut parker = Parker::claim(&SLOT).unwrap();
    let unparker = Unparker::of(&SLOT);
    thread::scope(|scope| {
        let sleeper = scope.spawn(move || parker.park());
        eventually(|| unparker.is_parked_hint());
        let child = fork(|| {
            // The sleeper is not in this process: its word says so, and nobody is there to wake.
            assert_eq!(unparker.unpark(), Unpark::Woke);
            assert_eq!(unparker.unpark(), Unpark::AlreadyNotified);
            assert!(Parker::claim(&SLOT).is_err(), "the claim came along");
        });
        child.join();
        assert!(!sleeper.is_finished(), "the child woke a thread of its parent");
        assert_eq!(unparker.unpark(), Unpark::Woke);
        sleeper.join().unwrap();
    });
}
