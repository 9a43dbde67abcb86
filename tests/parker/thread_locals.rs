//! Parking while a thread's locals are being destroyed.

use std::cell::Cell;
use std::thread;
use std::time::Duration;

use reveille::ParkSlot;
use reveille::parker::Parked;

use crate::support::{scaled, watch};

/// Parks when it is destroyed, with a slot of its own.
struct Parks(Cell<bool>);

impl Drop for Parks {
    fn drop(&mut self) {
        use_parker();
        assert!(self.0.get(), "was used before");
    }
}

thread_local! {
    static PARKS: Parks = const { Parks(Cell::new(false)) };
}

fn use_parker() {
    let mut slot = ParkSlot::new();
    let (mut parker, unparker) = slot.split();
    assert_eq!(parker.park_timeout(Duration::from_micros(50)), Parked::TimedOut);
    unparker.unpark();
    parker.park();
}

fn touch() {
    PARKS.with(|parks| parks.0.set(true));
}

fn run_threads(work: fn()) {
    for _ in 0..scaled(250, 1_000) {
        thread::spawn(work).join().expect("no panic, no abort");
    }
}

#[test]
fn c07_parks_in_a_local_that_is_older_than_the_first_park() {
    let _watch = watch();
    run_threads(|| {
        touch();
        use_parker();
    });
}

#[test]
fn c07_parks_in_a_local_that_is_younger_than_the_first_park() {
    let _watch = watch();
    run_threads(|| {
        use_parker();
        touch();
    });
}

#[test]
fn c07_parks_in_a_local_of_a_thread_that_never_parked() {
    let _watch = watch();
    run_threads(touch);
}
