//! A kernel that refuses to let us sleep: slow, but never wrong.

use std::thread;
use std::time::{Duration, Instant};

use reveille::parker::Parked;
use reveille::{NoSpin, ParkSlot};

use crate::support::seccomp::{Answer, Calls, FUTEX, filter, skipped};
use crate::support::{eventually, watch};

const ERRNOS: [(&str, i32); 8] = [
    ("ENOSYS", libc::ENOSYS),
    ("EINVAL", libc::EINVAL),
    ("EPERM", libc::EPERM),
    ("EAGAIN", libc::EAGAIN),
    ("EINTR", libc::EINTR),
    ("ETIMEDOUT", libc::ETIMEDOUT),
    ("EFAULT", libc::EFAULT),
    ("ENOMEM", libc::ENOMEM),
];

/// Runs `test` in a thread whose futex calls on the slot fail with that number.
fn with_failing_waits(slot: &mut ParkSlot, errno: i32, test: impl FnOnce(&mut ParkSlot) + Send) {
    thread::scope(|scope| {
        scope.spawn(move || {
            let word = slot.as_ptr();
            match filter(Calls::About(FUTEX, word), Answer::Errno(errno)) {
                Ok(()) => test(slot),
                Err(error) => skipped(&error),
            }
        });
    });
}

#[test]
fn c06_a_failing_wait_is_never_early() {
    let _watch = watch();
    for (name, errno) in ERRNOS {
        with_failing_waits(&mut ParkSlot::new(), errno, |slot| {
            let mut parker = slot.split().0.with_policy(NoSpin);
            for timeout in [1, 5, 20].map(Duration::from_millis) {
                let begun = Instant::now();
                assert_eq!(parker.park_timeout(timeout), Parked::TimedOut, "{name}");
                assert!(begun.elapsed() >= timeout, "{name}: early");
            }
        });
    }
}

#[test]
fn c06_a_failing_wait_still_gets_its_token() {
    let _watch = watch();
    for (name, errno) in ERRNOS {
        for timeout in [None, Some(Duration::from_secs(50)), Some(Duration::MAX)] {
            with_failing_waits(&mut ParkSlot::new(), errno, |slot| {
                let (parker, unparker) = slot.split();
                let mut parker = parker.with_policy(NoSpin);
                // This thread's child, so its own wakes fail, too; the owner must look by itself.
                thread::scope(|scope| {
                    let waker = scope.spawn(move || {
                        eventually(|| unparker.is_parked_hint());
                        thread::sleep(Duration::from_millis(5));
                        unparker.unpark();
                    });
                    match timeout {
                        None => parker.park(),
                        Some(timeout) => {
                            assert_eq!(parker.park_timeout(timeout), Parked::Token, "{name}");
                        }
                    }
                    waker.join().unwrap();
                });
                assert!(!parker.try_park(), "{name}: a second token");
            });
        }
    }
}
