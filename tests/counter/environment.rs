//! Where they must work: destructors of thread-locals, forked children, signal handlers, many threads,
//! the last CPU.

use std::thread;

use reveille::StripedCounter;

use crate::support::{scaled, watch};

mod thread_locals {
    use std::cell::Cell;
    use std::thread;

    use reveille::StripedCounter;
    use reveille::counter::StripedGauge;

    use crate::support::{scaled, watch};

    static COUNTER: StripedCounter = StripedCounter::new();
    static GAUGE: StripedGauge = StripedGauge::new();

    struct Counts(Cell<bool>);

    impl Drop for Counts {
        fn drop(&mut self) {
            count();
            assert!(self.0.get(), "was used before");
        }
    }

    thread_local! {
        static COUNTS: Counts = const { Counts(Cell::new(false)) };
    }

    fn count() {
        let _in_flight = GAUGE.enter();
        COUNTER.increment();
    }

    fn touch() {
        COUNTS.with(|counts| counts.0.set(true));
    }

    #[test]
    fn counts_in_destructors_of_thread_locals() {
        let _watch = watch();
        let rounds = scaled(250, 1_000);
        for _ in 0..rounds {
            for work in [
                || {
                    touch();
                    count();
                },
                || {
                    count();
                    touch();
                },
                touch,
            ] {
                thread::spawn(work).join().expect("no panic, no abort");
            }
        }
        assert_eq!(COUNTER.sum(), 5 * rounds as u64);
        assert_eq!(GAUGE.sum(), 0);
    }
}

#[test]
fn more_threads_than_stripes() {
    let _watch = watch();
    let counter = StripedCounter::<4>::with_stripes();
    let each = scaled(5_000, 100_000) as u64;
    thread::scope(|scope| {
        for _ in 0..40 {
            scope.spawn(|| (0..each).for_each(|_| counter.increment()));
        }
    });
    assert_eq!(counter.sum(), 40 * each);
}

#[cfg(all(target_os = "linux", not(miri)))]
mod linux {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    use reveille::StripedCounter;
    use reveille::counter::{OwnedCounter, StripedGauge};

    use crate::support::cpu::pin_to_last;
    use crate::support::fork::fork;
    use crate::support::signal::{Target, handle};
    use crate::support::{rounds, watch};

    #[test]
    fn a_forked_child_has_a_copy_of_its_own() {
        let _watch = watch();
        let counter = StripedCounter::new();
        let gauge = StripedGauge::new();
        let owned = OwnedCounter::new();
        let mut writer = owned.writer().unwrap();
        counter.add(5);
        let in_flight = gauge.enter();
        let child = fork(|| {
            counter.add(2);
            writer.add(3);
            assert_eq!((counter.sum(), owned.get(), gauge.sum()), (7, 3, 1));
            drop(gauge.enter());
            assert_eq!(counter.sum_then_reset(), 7);
        });
        child.join();
        drop(in_flight);
        assert_eq!((counter.sum(), owned.get(), gauge.sum()), (5, 0, 0));
    }

    static IN_HANDLER: StripedCounter = StripedCounter::new();
    static HANDLED: AtomicBool = AtomicBool::new(false);

    extern "C" fn count(_: libc::c_int) {
        IN_HANDLER.increment();
        HANDLED.store(true, Ordering::SeqCst);
    }

    /// A handler that interrupts an add on its own thread adds to the same cell.
    #[test]
    fn a_signal_handler_counts() {
        let _watch = watch();
        handle(libc::SIGUSR2, count, true);
        let done = AtomicBool::new(false);
        let (added, signals) = thread::scope(|scope| {
            let me = Target::this_thread();
            let done = &done;
            let sender = scope.spawn(move || {
                let mut signals = 0;
                for _ in rounds(5_000, 100_000) {
                    signals += 1;
                    HANDLED.store(false, Ordering::SeqCst);
                    me.send(libc::SIGUSR2);
                    while !HANDLED.load(Ordering::SeqCst) {
                        thread::yield_now();
                    }
                }
                done.store(true, Ordering::SeqCst);
                signals
            });
            let mut added = 0;
            while !done.load(Ordering::SeqCst) {
                IN_HANDLER.increment();
                added += 1;
            }
            (added, sender.join().unwrap())
        });
        assert_eq!(IN_HANDLER.sum(), signals + added);
    }

    #[test]
    fn c23_on_the_last_cpu() {
        let _watch = watch();
        let counter = StripedCounter::<3>::with_stripes();
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    pin_to_last();
                    (0..1000).for_each(|_| counter.increment());
                });
            }
        });
        assert_eq!(counter.sum(), 4000);
    }
}
