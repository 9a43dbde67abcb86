//! Parking in the middle of a panic.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;
use std::time::Duration;

use reveille::ParkSlot;
use reveille::parker::{Parked, Unpark};

use crate::support::watch;

struct ParksWhenDropped;

impl Drop for ParksWhenDropped {
    fn drop(&mut self) {
        let mut slot = ParkSlot::new();
        let (mut parker, unparker) = slot.split();
        assert_eq!(parker.park_timeout(Duration::from_millis(1)), Parked::TimedOut);
        assert_eq!(unparker.unpark(), Unpark::Notified);
        parker.park();
        thread::scope(|scope| {
            scope.spawn(|| unparker.unpark());
            parker.park();
        });
    }
}

#[test]
fn c06_a_destructor_may_park_while_unwinding() {
    let _watch = watch();
    let outcome = catch_unwind(|| {
        let _parks = ParksWhenDropped;
        std::panic::resume_unwind(Box::new("the first panic"));
    });
    assert_eq!(outcome.unwrap_err().downcast_ref(), Some(&"the first panic"));
}

#[test]
fn c06_a_panic_of_the_owner_leaves_the_slot_usable() {
    let _watch = watch();
    let mut slot = ParkSlot::new();
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let (parker, unparker) = slot.split();
        unparker.unpark();
        let _parker = parker;
        std::panic::resume_unwind(Box::new(()));
    }));
    assert!(outcome.is_err());
    let (mut parker, unparker) = slot.split();
    assert!(parker.try_park(), "the token is still there");
    unparker.unpark();
    parker.park();
}
