//! Models that must fail: the basket's handshakes, each with the step left out that the real ones
//! stand on. If one of these passed, loom or the harness would not see what the models are there for.

use std::ptr;
use std::sync::Arc;

use loom::alloc::Track;
use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering, fence};
use loom::thread;
use reveille_model::basket::Basket;
use reveille_model::platform::{Barriers, set_barriers};

use crate::handshakes;
use crate::harness::Model;

/// Two words, one thread that waits: what a handshake looks like without the crate.
#[derive(Default)]
struct Words {
    items: AtomicUsize,
    asleep: AtomicBool,
}

/// A wake-up through a plain flag: both sides look too early.
#[test]
#[should_panic(expected = "deadlock")]
fn flag_without_fences() {
    Model::exhaustive(1).check(|| flag(|| {}));
}

/// The same with the fence on one side only: it takes two.
#[test]
#[should_panic(expected = "deadlock")]
fn flag_with_one_fence() {
    Model::exhaustive(1).check(|| {
        let mut first = true;
        flag(move || {
            if std::mem::take(&mut first) {
                fence(Ordering::SeqCst);
            }
        });
    });
}

fn flag(mut barrier: impl FnMut()) {
    let words = Arc::new(Words::default());
    let drainer = thread::spawn({
        let words = words.clone();
        move || {
            words.asleep.swap(true, Ordering::Relaxed);
            if words.items.load(Ordering::Acquire) == 0 {
                thread::park();
            }
        }
    });
    words.items.store(1, Ordering::Release);
    barrier();
    if words.asleep.load(Ordering::Relaxed) {
        drainer.thread().unpark();
    }
    drainer.join().unwrap();
}

/// The ordered form with emptiness looked at first and announced after.
#[test]
#[should_panic(expected = "deadlock")]
fn looked_then_armed() {
    const ARMED: usize = 1;
    Model::exhaustive(1).check(|| {
        let head = Arc::new(AtomicUsize::new(0));
        let drainer = thread::spawn({
            let head = head.clone();
            move || {
                if head.load(Ordering::Acquire) == 0 {
                    head.swap(ARMED, Ordering::AcqRel);
                    while head.load(Ordering::Acquire) == ARMED {
                        thread::park();
                    }
                }
            }
        });
        if head.swap(4, Ordering::AcqRel) == ARMED {
            drainer.thread().unpark();
        }
        drainer.join().unwrap();
    });
}

/// An item published without release.
#[test]
#[should_panic(expected = "Causality violation")]
fn published_without_release() {
    Model::exhaustive(1).check(|| {
        struct Lane(UnsafeCell<u32>, AtomicUsize);
        // SAFETY: that accesses are ordered is what the model denies.
        unsafe impl Sync for Lane {}
        let lane = Arc::new(Lane(UnsafeCell::new(0), AtomicUsize::new(0)));
        let offerer = thread::spawn({
            let lane = lane.clone();
            move || {
                // SAFETY: loom checks that nothing overlaps.
                lane.0.with_mut(|item| unsafe { *item = 1 });
                lane.1.store(1, Ordering::Relaxed);
            }
        });
        if lane.1.load(Ordering::Acquire) == 1 {
            // SAFETY: as above.
            lane.0.with(|item| assert_eq!(unsafe { *item }, 1));
        }
        offerer.join().unwrap();
    });
}

/// A node that nobody frees if the publish came too late to be seen.
#[test]
#[should_panic(expected = "leaked")]
fn node_leaks() {
    Model::exhaustive(1).check(|| {
        let head = Arc::new(AtomicPtr::new(ptr::null_mut()));
        let publisher = thread::spawn({
            let head = head.clone();
            move || {
                let node = Box::into_raw(Box::new(Track::new(1)));
                head.store(node, Ordering::Release);
            }
        });
        let seen = head.swap(ptr::null_mut(), Ordering::Acquire);
        publisher.join().unwrap();
        if !seen.is_null() {
            // SAFETY: made of a box above, and taken out once.
            drop(unsafe { Box::from_raw(seen) });
        }
    });
}

/// The lanes themselves, over barriers that order nothing: an offer and a sleep miss each other.
#[test]
#[should_panic(expected = "an offer that has returned has woken the drainer")]
fn lanes_without_barriers() {
    Model::bounded(3, 1).check(|| {
        set_barriers(Barriers::Void);
        handshakes::one_wake_per_sleep(Basket::unbounded());
    });
}

/// The lanes' close, over such barriers: an accepted offer is not drained.
#[test]
#[should_panic(expected = "accepted is drained before the end")]
fn lanes_closed_without_barriers() {
    Model::bounded(3, 1).check(|| {
        set_barriers(Barriers::Void);
        handshakes::close_against_offer(Basket::unbounded());
    });
}

/// Waiting for room with a count that is looked at and raised without fences: the drainer frees room
/// and sees nobody, the offerer sees none.
#[test]
#[should_panic(expected = "deadlock")]
fn room_without_fences() {
    Model::exhaustive(1).check(|| {
        let room = Arc::new((AtomicUsize::new(0), AtomicUsize::new(0)));
        let offerer = thread::spawn({
            let room = room.clone();
            move || {
                room.1.fetch_add(1, Ordering::AcqRel);
                while room.0.load(Ordering::Acquire) == 0 {
                    thread::park();
                }
            }
        });
        room.0.store(1, Ordering::Release);
        if room.1.load(Ordering::Acquire) > 0 {
            offerer.thread().unpark();
        }
        offerer.join().unwrap();
    });
}
