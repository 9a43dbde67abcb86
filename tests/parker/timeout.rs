//! Timed parks: never early, never late by much, and no token is lost at the deadline.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Barrier, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use reveille::parker::{Parked, Unpark};
use reveille::{Deadline, Fixed, NoSpin, ParkSlot};

use crate::support::race::{precise_timers, spin_until};
use crate::support::{Dial, Random, rounds, scaled, spin_for, watch};

const YEAR: Duration = Duration::from_secs(366 * 24 * 3600);

#[test]
fn c02_huge_timeouts_keep_waiting_and_still_wake() {
    let _watch = watch();
    let timeouts = [
        Duration::MAX,
        Duration::from_secs(u64::MAX),
        Duration::from_millis(u64::MAX),
        Duration::from_nanos(u64::MAX),
        Duration::from_secs(i64::MAX as u64),
        Duration::from_secs(u32::MAX as u64),
        // Around what 64 bits of nanoseconds hold, signed and unsigned.
        YEAR * 290,
        YEAR * 300,
        YEAR * 500,
    ];
    let mut slots = timeouts.map(|_| ParkSlot::new());
    let mut halves = slots.each_mut().map(ParkSlot::split);
    thread::scope(|scope| {
        let mut threads = Vec::new();
        for ((parker, unparker), timeout) in halves.iter_mut().zip(timeouts) {
            let thread = scope.spawn(move || (parker.park_timeout(timeout), cost()));
            threads.push((thread, unparker, timeout));
        }
        thread::sleep(Duration::from_millis(100));
        for (thread, unparker, timeout) in threads {
            assert!(!thread.is_finished(), "{timeout:?} ended at once");
            unparker.unpark();
            let (parked, cost) = thread.join().unwrap();
            assert_eq!(parked, Parked::Token, "{timeout:?}");
            assert!(cost < Duration::from_millis(20), "{timeout:?} took {cost:?} of CPU");
        }
    });
}

#[cfg(target_os = "linux")]
fn cost() -> Duration {
    crate::support::cpu::thread_time()
}

#[cfg(not(target_os = "linux"))]
fn cost() -> Duration {
    Duration::ZERO
}

#[test]
fn c02_past_deadlines_end_at_once() {
    let _watch = watch();
    let mut slot = ParkSlot::new();
    let (mut parker, unparker) = slot.split();
    let past = Deadline::now();
    thread::sleep(Duration::from_millis(2));
    let begun = Instant::now();
    for _ in 0..100 {
        assert_eq!(parker.park_deadline(past), Parked::TimedOut);
        assert_eq!(parker.park_timeout(Duration::ZERO), Parked::TimedOut);
    }
    assert!(begun.elapsed() < Duration::from_secs(1));
    // The token wins.
    unparker.unpark();
    assert_eq!(parker.park_deadline(past), Parked::Token);
    assert_eq!(parker.park_deadline(past), Parked::TimedOut);
}

#[test]
fn a_timed_park_is_never_early() {
    let _watch = watch();
    let mut slot = ParkSlot::new();
    let (mut parker, _unparker) = slot.split();
    let mut random = Random::new(2);
    for _ in rounds(2_000, 100_000) {
        let timeout = random.micros(400);
        let begun = Instant::now();
        assert_eq!(parker.park_timeout(timeout), Parked::TimedOut);
        assert!(begun.elapsed() >= timeout, "{:?} < {timeout:?}", begun.elapsed());
    }
}

#[test]
fn a_timed_park_is_never_early_whatever_the_policy() {
    let _watch = watch();
    let mut slot = ParkSlot::new();
    for _ in 0..scaled(100, 1000) {
        let timeout = Duration::from_micros(300);
        let begun = Instant::now();
        let parker = slot.split().0;
        assert_eq!(parker.with_policy(NoSpin).park_timeout(timeout), Parked::TimedOut);
        assert!(begun.elapsed() >= timeout);
        let begun = Instant::now();
        let parker = slot.split().0;
        assert_eq!(parker.with_policy(Fixed(10)).park_timeout(timeout), Parked::TimedOut);
        assert!(begun.elapsed() >= timeout);
    }
}

#[test]
fn one_deadline_serves_several_parks() {
    let _watch = watch();
    let mut slot = ParkSlot::new();
    let (mut parker, unparker) = slot.split();
    let begun = Instant::now();
    let deadline = Deadline::after(Duration::from_millis(30));
    thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..5 {
                unparker.unpark();
                thread::sleep(Duration::from_millis(1));
            }
        });
        let mut tokens = 0;
        while parker.park_deadline(deadline) == Parked::Token {
            tokens += 1;
        }
        assert!((1..=5).contains(&tokens));
    });
    assert!(begun.elapsed() >= Duration::from_millis(30));
}

/// One unpark in each round meets the deadline of one park. The dial keeps them close together, on
/// any machine.
#[test]
fn c03_an_unpark_at_the_deadline_gives_its_token_once() {
    let _watch = watch();
    precise_timers();
    let mut slot = ParkSlot::new();
    let (mut parker, unparker) = slot.split();
    let mut random = Random::new(3);
    let mut dial = Dial::new(Duration::from_micros(100), Duration::from_millis(5));
    let (send, orders) = mpsc::sync_channel::<Duration>(0);
    let met = Barrier::new(2);
    thread::scope(|scope| {
        let met = &met;
        scope.spawn(move || {
            for delay in orders {
                spin_for(delay);
                unparker.unpark();
                met.wait();
            }
        });
        for _ in rounds(20_000, 200_000) {
            send.send(dial.delay(&mut random)).unwrap();
            let parked = parker.park_timeout(random.micros(150));
            met.wait();
            let left = parker.park_timeout(Duration::ZERO);
            let tokens = [parked, left].iter().filter(|&&p| p == Parked::Token).count();
            assert_eq!(tokens, 1, "one unpark: {parked:?}, then {left:?}");
            dial.turn(parked == Parked::TimedOut);
        }
        drop(send);
    });
    dial.check();
}

/// As above, but the owner goes on: a token that comes too late for one park ends the next.
#[test]
fn c03_tokens_seen_are_tokens_given() {
    let _watch = watch();
    precise_timers();
    let mut slot = ParkSlot::new();
    let (mut parker, unparker) = slot.split();
    let mut random = Random::new(4);
    let given = scaled(5_000, 50_000) as u64;
    let taken = AtomicU64::new(0);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut random = Random::new(5);
            for n in 0..given {
                spin_for(random.micros(100));
                let unpark = unparker.unpark();
                assert!(matches!(unpark, Unpark::Notified | Unpark::Woke), "{n}: {unpark:?}");
                // The next token waits until this one was taken.
                spin_until(|| taken.load(Ordering::SeqCst) == n + 1);
            }
        });
        let mut timeouts = 0_u64;
        let mut tokens = 0;
        while tokens < given {
            match parker.park_timeout(random.micros(40)) {
                Parked::Token => {
                    tokens += 1;
                    taken.store(tokens, Ordering::SeqCst);
                }
                Parked::TimedOut => timeouts += 1,
            }
        }
        assert!(timeouts > given / 10, "the race was hardly hit: {timeouts} timeouts");
    });
    assert_eq!(parker.park_timeout(Duration::from_millis(1)), Parked::TimedOut);
}
