//! The owner frees the slot as soon as it has its token, while the waker is still at it.

use std::sync::mpsc;
use std::thread;

use reveille::parker::Unpark;
use reveille::{NoSpin, ParkSlot};

use crate::support::{Random, rounds, spin_for, watch};

struct Address(*const ParkSlot);

// SAFETY: `unpark_raw` may be called on any thread.
unsafe impl Send for Address {}

#[test]
fn a_slot_may_be_freed_right_after_its_token() {
    let _watch = watch();
    let (send, addresses) = mpsc::sync_channel::<Address>(1);
    let mut random = Random::new(6);
    thread::scope(|scope| {
        let waker = scope.spawn(move || {
            let mut random = Random::new(7);
            let mut woke = 0;
            for Address(slot) in addresses {
                spin_for(random.micros(20));
                // SAFETY: the owner frees it when it has this token.
                match unsafe { ParkSlot::unpark_raw(slot) } {
                    Unpark::Woke => woke += 1,
                    Unpark::Notified => {}
                    other => panic!("a fresh slot, but {other:?}"),
                }
            }
            woke
        });
        let mut all = 0;
        for _ in rounds(50_000, 500_000) {
            all += 1;
            let slot = Box::new(ParkSlot::new());
            send.send(Address(&raw const *slot)).unwrap();
            if random.one_in(2) {
                spin_for(random.micros(20));
            }
            // SAFETY: the only parker of this slot.
            unsafe { slot.parker() }.with_policy(NoSpin).park();
            // As a use after free shows best: other contents at once.
            drop(slot);
            let reused = Box::new(u32::MAX);
            assert_eq!(*reused, u32::MAX, "written after the token was seen");
        }
        drop(send);
        let woke = waker.join().unwrap();
        assert!(woke * 50 > all, "the owner hardly ever slept: {woke} of {all}");
    });
}

#[test]
fn an_unpark_by_pointer_says_what_it_did() {
    let _watch = watch();
    let slot = ParkSlot::new();
    let raw = &raw const slot;
    // SAFETY: the slot lives on.
    assert_eq!(unsafe { ParkSlot::unpark_raw(raw) }, Unpark::Notified);
    // SAFETY: as above.
    assert_eq!(unsafe { ParkSlot::unpark_raw(raw) }, Unpark::AlreadyNotified);
    // SAFETY: the only parker of this slot.
    let mut parker = unsafe { slot.parker() };
    assert!(parker.try_park());
    let wait = parker.begin_external_wait().unwrap();
    // SAFETY: as above.
    assert_eq!(unsafe { ParkSlot::unpark_raw(raw) }, Unpark::External);
    assert!(wait.finish());
}
