//! What the other files leave open of the table of states and operations in `docs/proofs/parker.md`.

use std::mem;
use std::time::Duration;

use reveille::ParkSlot;
use reveille::parker::{Parked, Unpark};

use crate::support::watch;

const MOMENT: Duration = Duration::from_millis(2);

#[test]
fn an_owed_ring_leaves_its_token_to_whoever_looks() {
    let _watch = watch();
    let mut slot = ParkSlot::new();
    let (mut parker, unparker) = slot.split();
    for look in 0..4 {
        let wait = parker.begin_external_wait().unwrap();
        mem::forget(unparker.unpark_deferred());
        assert!(!unparker.is_parked_hint(), "it has its token");
        drop(wait);
        match look {
            0 => assert!(parker.try_park()),
            1 => parker.park(),
            2 => assert_eq!(parker.park_timeout(Duration::ZERO), Parked::Token),
            _ => assert!(parker.begin_external_wait().is_none()),
        }
        assert_eq!(parker.park_timeout(MOMENT), Parked::TimedOut, "once");
    }
}

#[test]
fn unparks_over_a_token_that_was_rung_add_nothing() {
    let _watch = watch();
    let mut slot = ParkSlot::new();
    let (mut parker, unparker) = slot.split();
    let wait = parker.begin_external_wait().unwrap();
    assert_eq!(unparker.unpark(), Unpark::External);
    assert_eq!(unparker.unpark(), Unpark::AlreadyNotified, "who gave it rings");
    assert_eq!(unparker.unpark_deferred().result(), Unpark::AlreadyNotified);
    assert!(wait.finish());
    assert!(!parker.try_park());
}

#[test]
fn a_plain_unpark_pays_what_is_owed_and_leaves_nothing_owed() {
    let _watch = watch();
    let mut slot = ParkSlot::new();
    let (mut parker, unparker) = slot.split();
    let wait = parker.begin_external_wait().unwrap();
    mem::forget(unparker.unpark_deferred());
    assert_eq!(unparker.unpark(), Unpark::External);
    assert_eq!(unparker.unpark(), Unpark::AlreadyNotified);
    assert!(wait.finish());
}

#[test]
fn an_owner_may_go_with_an_owed_ring_behind() {
    let _watch = watch();
    let mut slot = ParkSlot::new();
    {
        let (mut parker, unparker) = slot.split();
        mem::forget(parker.begin_external_wait().unwrap());
        mem::forget(unparker.unpark_deferred());
    }
    let (mut parker, unparker) = slot.split();
    assert_eq!(unparker.unpark(), Unpark::External, "it is owed to whoever owns the slot");
    assert_eq!(parker.park_timeout(MOMENT), Parked::Token);
    assert_eq!(parker.park_timeout(MOMENT), Parked::TimedOut);
}

#[test]
fn an_announcement_is_a_hint_while_it_stands() {
    let _watch = watch();
    let mut slot = ParkSlot::new();
    let (mut parker, unparker) = slot.split();
    assert!(!unparker.is_parked_hint());
    let wait = parker.begin_external_wait().unwrap();
    assert!(unparker.is_parked_hint());
    drop(wait);
    assert!(!unparker.is_parked_hint());
    mem::forget(parker.begin_external_wait().unwrap());
    assert!(unparker.is_parked_hint(), "leaked, it stands");
    assert!(!parker.try_park());
    assert!(unparker.is_parked_hint(), "a look does not end it");
    assert_eq!(parker.park_timeout(Duration::ZERO), Parked::TimedOut);
    assert!(!unparker.is_parked_hint(), "a park does");
}

#[test]
fn what_is_owed_to_a_leaked_guard_is_owed_on() {
    let _watch = watch();
    let mut slot = ParkSlot::new();
    let (mut parker, unparker) = slot.split();
    mem::forget(parker.begin_external_wait().unwrap());
    mem::forget(unparker.unpark_deferred());
    assert_eq!(unparker.unpark_deferred().result(), Unpark::External, "paid by the caller");
    mem::forget(unparker.unpark_deferred());
    assert_eq!(unparker.unpark(), Unpark::External, "forgotten, it is owed on");
    assert_eq!(unparker.unpark(), Unpark::AlreadyNotified);
    assert_eq!(parker.park_timeout(Duration::ZERO), Parked::Token);
    mem::forget(parker.begin_external_wait().unwrap());
    mem::forget(unparker.unpark_deferred());
    assert_eq!(parker.park_timeout(Duration::ZERO), Parked::Token);
    assert_eq!(parker.park_timeout(Duration::ZERO), Parked::TimedOut);
}
