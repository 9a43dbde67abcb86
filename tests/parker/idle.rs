//! Waiting costs nothing, and waking is not slow where threads share a CPU.

use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use reveille::parker::Parked;
use reveille::{NoSpin, ParkSlot};

use crate::support::cpu::{pin_to_one, sleeps, thread_id, thread_time};
use crate::support::{eventually, watch};

#[test]
fn c05_two_seconds_of_parking_cost_no_cpu() {
    let _watch = watch();
    let mut slot = ParkSlot::new();
    let (mut parker, unparker) = slot.split();
    thread::scope(|scope| {
        let sleeper = scope.spawn(|| {
            let before = thread_time();
            parker.park();
            thread_time() - before
        });
        thread::sleep(Duration::from_secs(2));
        unparker.unpark();
        let cost = sleeper.join().unwrap();
        assert!(cost < Duration::from_millis(50), "{cost:?} of CPU");
    });
}

#[test]
fn a_parked_thread_is_not_scheduled() {
    let _watch = watch();
    let mut slots = [const { ParkSlot::new() }; 2];
    let halves = slots.each_mut().map(ParkSlot::split);
    let (send, threads) = mpsc::channel();
    thread::scope(|scope| {
        let mut unparkers = Vec::new();
        for (number, (mut parker, unparker)) in halves.into_iter().enumerate() {
            unparkers.push(unparker);
            let send = send.clone();
            scope.spawn(move || {
                send.send(thread_id()).unwrap();
                match number {
                    0 => parker.park(),
                    _ => assert_eq!(parker.park_timeout(Duration::from_secs(50)), Parked::Token),
                }
            });
        }
        let ids: Vec<_> = threads.iter().take(2).collect();
        for unparker in &unparkers {
            eventually(|| unparker.is_parked_hint());
        }
        thread::sleep(Duration::from_millis(50));
        let before = ids.iter().map(|&id| sleeps(id)).sum::<u64>();
        thread::sleep(Duration::from_secs(1));
        let after = ids.iter().map(|&id| sleeps(id)).sum::<u64>();
        for unparker in unparkers {
            unparker.unpark();
        }
        assert_eq!(after - before, 0, "they woke up on the way");
    });
}

#[test]
fn a_wake_up_schedules_no_other_sleeper() {
    // More slots, side by side, than a table of sleepers has places: some share the still one's.
    const SLOTS: usize = 1024;
    let _watch = watch();
    let mut still = ParkSlot::new();
    let mut others = [const { ParkSlot::new() }; SLOTS];
    let (mut parker, unparker) = still.split();
    let (send, started) = mpsc::channel();
    thread::scope(|scope| {
        scope.spawn(move || {
            send.send(thread_id()).unwrap();
            parker.park();
        });
        let sleeper = started.recv().unwrap();
        eventually(|| unparker.is_parked_hint());
        thread::sleep(Duration::from_millis(50));
        let before = sleeps(sleeper);
        let (send, unparkers) = mpsc::channel();
        let slots = others.iter_mut();
        scope.spawn(move || {
            for slot in slots {
                let (parker, unparker) = slot.split();
                send.send(unparker).unwrap();
                parker.with_policy(NoSpin).park();
            }
        });
        for other in unparkers {
            eventually(|| other.is_parked_hint());
            other.unpark();
        }
        let after = sleeps(sleeper);
        unparker.unpark();
        assert_eq!(after - before, 0, "it woke with others");
    });
}

#[test]
fn a_park_of_no_time_does_not_sleep() {
    let _watch = watch();
    let mut slot = ParkSlot::new();
    let (mut parker, _unparker) = slot.split();
    let id = thread_id();
    let before = sleeps(id);
    for _ in 0..1000 {
        assert_eq!(parker.park_timeout(Duration::ZERO), Parked::TimedOut);
        assert!(!parker.try_park());
    }
    assert!(sleeps(id) - before < 5);
}

#[test]
fn c05_ping_pong_on_one_cpu_is_not_slow() {
    const ROUNDS: u32 = 10_000;
    let _watch = watch();
    let (mut here, mut there) = (ParkSlot::new(), ParkSlot::new());
    let (mut mine, my_unparker) = here.split();
    let (mut theirs, their_unparker) = there.split();
    thread::scope(|scope| {
        let one = scope.spawn(move || {
            pin_to_one();
            let begun = (Instant::now(), thread_time());
            for _ in 0..ROUNDS {
                their_unparker.unpark();
                mine.park();
            }
            (begun.0.elapsed(), thread_time() - begun.1)
        });
        let other = scope.spawn(move || {
            pin_to_one();
            let begun = thread_time();
            for _ in 0..ROUNDS {
                theirs.park();
                my_unparker.unpark();
            }
            thread_time() - begun
        });
        let (took, cost) = one.join().unwrap();
        let cost = cost + other.join().unwrap();
        // By the clock 3 s on a machine of one's own; others may be using this one.
        assert!(
            took < Duration::from_secs(3) || cost < Duration::from_secs(1),
            "{took:?}, {cost:?}"
        );
    });
}
