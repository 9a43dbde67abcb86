//! One token at most, which belongs to the slot.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use reveille::ParkSlot;
use reveille::parker::{Parked, Unpark};

use crate::support::race::spin_until;
use crate::support::{Random, StartLine, eventually, rounds, watch};

const LONG: Duration = Duration::from_secs(5);
const SHORT: Duration = Duration::from_millis(20);

#[test]
fn c01_a_stored_token_is_honoured_by_a_timed_park() {
    let _watch = watch();
    let mut slot = ParkSlot::new();
    let (mut parker, unparker) = slot.split();
    assert_eq!(unparker.unpark(), Unpark::Notified);
    assert_eq!(unparker.unpark(), Unpark::AlreadyNotified);
    assert_eq!(unparker.unpark(), Unpark::AlreadyNotified);
    let begun = Instant::now();
    assert_eq!(parker.park_timeout(LONG), Parked::Token);
    assert!(begun.elapsed() < Duration::from_secs(1));
}

#[test]
fn c01_tokens_do_not_add_up() {
    let _watch = watch();
    let mut slot = ParkSlot::new();
    let (mut parker, unparker) = slot.split();
    for _ in 0..3 {
        let _: Unpark = unparker.unpark();
    }
    assert_eq!(parker.park_timeout(LONG), Parked::Token);
    let begun = Instant::now();
    assert_eq!(parker.park_timeout(SHORT), Parked::TimedOut);
    assert!(begun.elapsed() >= SHORT);
}

#[test]
fn c01_a_park_of_no_time_takes_the_token_once() {
    let _watch = watch();
    let mut slot = ParkSlot::new();
    let (mut parker, unparker) = slot.split();
    unparker.unpark();
    assert_eq!(parker.park_timeout(Duration::ZERO), Parked::Token);
    assert_eq!(parker.park_timeout(Duration::ZERO), Parked::TimedOut);
}

#[test]
fn c01_the_token_is_not_that_of_the_thread() {
    let _watch = watch();
    let mut slot = ParkSlot::new();
    let (mut parker, unparker) = slot.split();
    thread::current().unpark();
    assert_eq!(parker.park_timeout(SHORT), Parked::TimedOut);
    thread::park(); // the thread's own token is still there

    unparker.unpark();
    // The thread may wake for no reason, so once in a few tries is enough.
    let waited = (0..5).any(|_| {
        let begun = Instant::now();
        thread::park_timeout(SHORT);
        begun.elapsed() >= SHORT
    });
    assert!(waited, "our token ended the thread's park");
    assert_eq!(parker.park_timeout(Duration::ZERO), Parked::Token);
}

#[test]
fn try_park_takes_the_token_and_never_waits() {
    let _watch = watch();
    let mut slot = ParkSlot::new();
    let (mut parker, unparker) = slot.split();
    assert!(!parker.try_park());
    unparker.unpark();
    assert!(parker.try_park());
    assert!(!parker.try_park());
    let begun = Instant::now();
    for _ in 0..1000 {
        assert!(!parker.try_park());
    }
    assert!(begun.elapsed() < Duration::from_secs(1));
}

#[test]
fn an_unpark_of_a_sleeper_says_so() {
    let _watch = watch();
    let mut slot = ParkSlot::new();
    let (mut parker, unparker) = slot.split();
    thread::scope(|scope| {
        scope.spawn(|| parker.park());
        eventually(|| unparker.is_parked_hint());
        assert_eq!(unparker.unpark(), Unpark::Woke);
    });
    assert!(!unparker.is_parked_hint());
    assert_eq!(unparker.unpark(), Unpark::Notified);
}

#[test]
fn a_token_survives_the_halves() {
    let _watch = watch();
    let mut slot = ParkSlot::new();
    slot.split().1.unpark();
    assert!(slot.split().0.try_park());
    assert!(!slot.split().0.try_park());
}

#[test]
fn a_park_is_ended_by_its_own_slot_only() {
    let _watch = watch();
    let mut slots = [const { ParkSlot::new() }; 64];
    let halves = slots.each_mut().map(ParkSlot::split);
    thread::scope(|scope| {
        let mut unparkers = Vec::new();
        let mut threads = Vec::new();
        for (mut parker, unparker) in halves {
            unparkers.push(unparker);
            threads.push(scope.spawn(move || parker.park()));
        }
        let mut order: Vec<usize> = (0..threads.len()).collect();
        let mut random = Random::new(1);
        for last in (1..order.len()).rev() {
            order.swap(last, random.below(last + 1));
        }
        for (count, &chosen) in order.iter().enumerate() {
            unparkers[chosen].unpark();
            eventually(|| threads[chosen].is_finished());
            let finished = threads.iter().filter(|thread| thread.is_finished()).count();
            assert_eq!(finished, count + 1, "a park returned without its token");
        }
    });
}

/// Plain memory that a token hands over.
struct Plain(UnsafeCell<u64>);

// SAFETY: the tests below hand it over with a token, or read it after a join.
unsafe impl Sync for Plain {}

impl Plain {
    fn set(&self, value: u64) {
        // SAFETY: see the impl above.
        unsafe { *self.0.get() = value };
    }

    fn get(&self) -> u64 {
        // SAFETY: see the impl above.
        unsafe { *self.0.get() }
    }
}

#[test]
fn one_park_sees_what_came_before_every_unpark() {
    let _watch = watch();
    for round in rounds(20_000, 2_000_000) {
        let mut slot = ParkSlot::new();
        let (mut parker, unparker) = slot.split();
        let data = [const { Plain(UnsafeCell::new(0)) }; 2];
        // Set after the unpark, and giving no order of its own.
        let given = [const { AtomicBool::new(false) }; 2];
        let start = StartLine::new(3);
        thread::scope(|scope| {
            for (data, given) in data.iter().zip(&given) {
                let start = &start;
                scope.spawn(move || {
                    start.wait();
                    data.set(round + 1);
                    unparker.unpark();
                    given.store(true, Ordering::Relaxed);
                });
            }
            start.wait();
            spin_until(|| given.iter().all(|given| given.load(Ordering::Relaxed)));
            parker.park();
            assert_eq!([data[0].get(), data[1].get()], [round + 1; 2]);
            assert!(!parker.try_park());
        });
    }
}

#[test]
fn halves_know_whom_they_wake() {
    let _watch = watch();
    let (mut one, mut two) = (ParkSlot::new(), ParkSlot::new());
    let (first, second) = (one.split().1, two.split().1);
    let copy = first;
    assert!(first.same_owner(&copy));
    assert!(!first.same_owner(&second));
}

#[test]
fn debug_names_the_state() {
    let _watch = watch();
    let mut slot = ParkSlot::new();
    assert_eq!(format!("{slot:?}"), r#"ParkSlot("empty")"#);
    let (mut parker, unparker) = slot.split();
    unparker.unpark();
    assert_eq!(format!("{unparker:?}"), r#"Unparker(ParkSlot("notified"))"#);
    assert!(parker.try_park());
    let wait = parker.begin_external_wait();
    assert_eq!(format!("{unparker:?}"), r#"Unparker(ParkSlot("waiting outside"))"#);
    drop(wait);
    assert_eq!(format!("{parker:?}"), r#"Parker(ParkSlot("empty"))"#);
}
