//! Wakers made from unparkers.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Waker;
use std::thread;

use reveille::parker::{ClaimSlot, HasParkSlot};
use reveille::{Parker, Unparker};

use crate::support::{eventually, rounds, watch};

#[derive(Default)]
struct Worker {
    slot: ClaimSlot,
}

impl HasParkSlot for Worker {
    fn park_slot(&self) -> &ClaimSlot {
        &self.slot
    }
}

#[test]
fn a_waker_gives_the_token() {
    let _watch = watch();
    let mut parker = Parker::new();
    let waker = Waker::from(parker.unparker());
    waker.wake_by_ref();
    waker.wake_by_ref();
    assert!(parker.try_park());
    assert!(!parker.try_park());
    waker.wake();
    assert!(parker.try_park());
}

#[test]
fn a_waker_wakes_a_sleeper() {
    let _watch = watch();
    let mut parker = Parker::new();
    let unparker = parker.unparker();
    let waker = Waker::from(unparker.clone());
    thread::scope(|scope| {
        scope.spawn(move || {
            eventually(|| unparker.is_parked_hint());
            waker.wake();
        });
        parker.park();
    });
}

#[test]
fn wakers_of_an_arc_count_it() {
    let _watch = watch();
    let worker = Arc::new(Worker::default());
    let waker = Waker::from(Unparker::of(worker.clone()));
    assert_eq!(Arc::strong_count(&worker), 2);
    let second = waker.clone();
    let third = second.clone();
    assert_eq!(Arc::strong_count(&worker), 4);
    drop(waker);
    assert_eq!(Arc::strong_count(&worker), 3);
    second.wake_by_ref();
    assert_eq!(Arc::strong_count(&worker), 3);
    second.wake();
    assert_eq!(Arc::strong_count(&worker), 2);
    let mut fourth = third.clone();
    fourth.clone_from(&third);
    assert_eq!(Arc::strong_count(&worker), 3);
    drop((third, fourth));
    assert_eq!(Arc::strong_count(&worker), 1);
    assert!(Parker::claim(worker).unwrap().try_park());
}

#[test]
fn a_waker_keeps_the_slot_alive() {
    let _watch = watch();
    let parker = Parker::new();
    let waker = Waker::from(parker.unparker());
    drop(parker);
    waker.wake_by_ref();
    thread::spawn(move || waker.wake()).join().unwrap();
}

#[test]
fn wakers_of_one_owner_are_alike() {
    let _watch = watch();
    let worker = Arc::new(Worker::default());
    let one = Waker::from(Unparker::of(worker.clone()));
    let two = Waker::from(Unparker::of(worker.clone()));
    let copy = one.clone();
    assert!(one.will_wake(&two) && one.will_wake(&copy) && copy.will_wake(&two));
    let other = Waker::from(Unparker::of(Arc::new(Worker::default())));
    assert!(!one.will_wake(&other));
}

#[test]
fn wakers_of_a_static_are_alike_and_free() {
    static ONE: ClaimSlot = ClaimSlot::new();
    static TWO: ClaimSlot = ClaimSlot::new();
    let _watch = watch();
    let waker = Waker::from(Unparker::of(&ONE));
    let copy = waker.clone();
    assert!(waker.will_wake(&copy));
    assert!(waker.will_wake(&Waker::from(Unparker::of(&ONE))));
    assert!(!waker.will_wake(&Waker::from(Unparker::of(&TWO))));
    drop(waker);
    copy.wake();
    let mut parker = Parker::claim(&ONE).unwrap();
    assert!(parker.try_park());
    assert!(!Parker::claim(&TWO).unwrap().try_park());
}

#[test]
fn wakers_may_be_used_from_many_threads() {
    let _watch = watch();
    let worker = Arc::new(Worker::default());
    let mut parker = Parker::claim(worker.clone()).unwrap();
    let waker = Waker::from(parker.unparker());
    let working = AtomicUsize::new(2);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for round in rounds(20_000, 500_000) {
                    let copy = waker.clone();
                    if round % 2 == 0 { copy.wake() } else { copy.wake_by_ref() }
                }
                working.fetch_sub(1, Ordering::SeqCst);
                waker.wake_by_ref();
            });
        }
        while working.load(Ordering::SeqCst) > 0 {
            parker.park();
        }
    });
    drop((waker, parker));
    assert_eq!(Arc::strong_count(&worker), 1);
}

#[test]
fn a_task_runs_on_a_parker() {
    use crate::support::block_on::block_on;
    use std::future::poll_fn;
    use std::task::Poll;

    let _watch = watch();
    let mut polls = 0;
    let answer = block_on(poll_fn(|cx| {
        polls += 1;
        if polls == 5 {
            return Poll::Ready("done");
        }
        let waker = cx.waker().clone();
        if polls % 2 == 0 {
            waker.wake();
        } else {
            thread::spawn(move || waker.wake());
        }
        Poll::Pending
    }));
    assert_eq!((answer, polls), ("done", 5));
}
