//! Signals to a thread that parks, and unparks in handlers.

use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use reveille::parker::{ClaimSlot, Parked, Unpark};
use reveille::{NoSpin, ParkSlot, Parker, Unparker, platform::BACKEND};

use crate::support::race::spin_until;
use crate::support::signal::{Target, handle};
use crate::support::{eventually, scaled, watch};

static HANDLED: AtomicU64 = AtomicU64::new(0);
/// Held by a test that counts signals.
static COUNTING: Mutex<()> = Mutex::new(());

extern "C" fn count(_: libc::c_int) {
    HANDLED.fetch_add(1, Ordering::SeqCst);
}

/// Interrupts a thread so many times, each time until it has noticed.
fn interrupt(target: Target, times: u64) {
    for _ in 0..times {
        let before = HANDLED.load(Ordering::SeqCst);
        target.send(libc::SIGUSR2);
        spin_until(|| HANDLED.load(Ordering::SeqCst) > before);
    }
}

#[test]
fn c06_signals_end_no_park() {
    let _watch = watch();
    let _counting = COUNTING.lock().unwrap_or_else(PoisonError::into_inner);
    for restart in [false, true] {
        handle(libc::SIGUSR2, count, restart);
        let mut slot = ParkSlot::new();
        let (parker, unparker) = slot.split();
        let mut parker = parker.with_policy(NoSpin);
        let (send, target) = mpsc::channel();
        thread::scope(|scope| {
            let sleeper = scope.spawn(move || {
                send.send(Target::this_thread()).unwrap();
                parker.park();
                parker.park_timeout(Duration::from_millis(5))
            });
            let target = target.recv().unwrap();
            eventually(|| unparker.is_parked_hint());
            interrupt(target, scaled(5_000, 50_000) as u64);
            assert!(unparker.is_parked_hint() && !sleeper.is_finished());
            unparker.unpark();
            assert_eq!(sleeper.join().unwrap(), Parked::TimedOut, "one token, one return");
        });
    }
}

#[test]
fn c06_signals_end_no_timed_park_early() {
    let _watch = watch();
    let _counting = COUNTING.lock().unwrap_or_else(PoisonError::into_inner);
    for restart in [false, true] {
        handle(libc::SIGUSR2, count, restart);
        let mut slot = ParkSlot::new();
        let mut parker = slot.split().0.with_policy(NoSpin);
        let (send, target) = mpsc::channel();
        let over = std::sync::atomic::AtomicBool::new(false);
        let (over, done) = (&over, Mutex::new(()));
        thread::scope(|scope| {
            let done = &done;
            scope.spawn(move || {
                // Not to be signalled after it has ended.
                let held = done.lock();
                send.send(Target::this_thread()).unwrap();
                for timeout in [2, 20, 50].map(Duration::from_millis) {
                    let begun = Instant::now();
                    assert_eq!(parker.park_timeout(timeout), Parked::TimedOut);
                    let took = begun.elapsed();
                    assert!(took >= timeout, "early: {took:?}");
                    assert!(took < timeout + Duration::from_secs(5), "late: {took:?}");
                }
                over.store(true, Ordering::SeqCst);
                drop(held);
                spin_until(|| HANDLED.load(Ordering::SeqCst) == u64::MAX);
            });
            let target = target.recv().unwrap();
            let mut interruptions = 0_u64;
            while !over.load(Ordering::SeqCst) {
                interrupt(target, 1);
                interruptions += 1;
            }
            assert!(interruptions > 50, "hardly interrupted: {interruptions} times");
            HANDLED.store(u64::MAX, Ordering::SeqCst);
        });
        HANDLED.store(0, Ordering::SeqCst);
    }
}

static ALARM: ClaimSlot = ClaimSlot::new();
static ANSWER: AtomicI32 = AtomicI32::new(-1);

extern "C" fn unpark(_: libc::c_int) {
    let unpark = Unparker::of(&ALARM).unpark();
    ANSWER.store(unpark as i32, Ordering::SeqCst);
}

#[test]
fn a_handler_may_unpark_and_keeps_errno() {
    let _watch = watch();
    if BACKEND != "futex" {
        eprintln!("SKIPPED: the {BACKEND} backend takes a lock to wake");
        return;
    }
    handle(libc::SIGURG, unpark, false);
    let mut parker = Parker::claim(&ALARM).unwrap().with_policy(NoSpin);
    // SAFETY: this thread's errno.
    let errno = unsafe { libc::__errno_location() };
    thread::scope(|scope| {
        scope.spawn(move || {
            for _ in 0..100 {
                parker.park();
            }
        });
        for _ in 0..100 {
            eventually(|| Unparker::of(&ALARM).is_parked_hint());
            // SAFETY: as above.
            unsafe { *errno = 77 };
            Target::this_thread().send(libc::SIGURG);
            // SAFETY: as above.
            assert_eq!(unsafe { *errno }, 77);
            assert_eq!(ANSWER.load(Ordering::SeqCst), Unpark::Woke as i32);
        }
    });
}

#[test]
fn a_handler_may_unpark_the_thread_that_it_interrupts() {
    static SELF: ClaimSlot = ClaimSlot::new();
    extern "C" fn unpark_self(_: libc::c_int) {
        Unparker::of(&SELF).unpark();
    }

    let _watch = watch();
    if BACKEND != "futex" {
        return;
    }
    handle(libc::SIGWINCH, unpark_self, true);
    let mut parker = Parker::claim(&SELF).unwrap().with_policy(NoSpin);
    let (send, target) = mpsc::channel();
    let parks = AtomicU64::new(0);
    let rounds = scaled(2_000, 50_000) as u64;
    thread::scope(|scope| {
        scope.spawn(|| {
            send.send(Target::this_thread()).unwrap();
            for _ in 0..rounds {
                parker.park();
                parks.fetch_add(1, Ordering::SeqCst);
            }
            // Until the last signal has been sent.
            spin_until(|| parks.load(Ordering::SeqCst) == u64::MAX);
        });
        let target = target.recv().unwrap();
        for round in 0..rounds {
            target.send(libc::SIGWINCH);
            spin_until(|| parks.load(Ordering::SeqCst) == round + 1);
        }
        parks.store(u64::MAX, Ordering::SeqCst);
    });
}
