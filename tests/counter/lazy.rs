//! The form that grows when threads collide.

use std::thread;

use reveille::counter::LazyCounter;

use crate::reset::nothing_is_lost;
use crate::sums::sums_go_up;
use crate::support::{StartLine, rounds, watch};

#[test]
fn one_thread_needs_no_stripes() {
    let counter = LazyCounter::new();
    (0..1000).for_each(|stripe| counter.add_at(stripe, 2));
    counter.increment();
    assert_eq!(counter.sum(), 2001);
    assert!(!counter.is_spread());
    assert_eq!(counter.sum_then_reset(), 2001);
    assert_eq!(counter.sum(), 0);
}

/// All threads meet a counter that has never been used, and a reader with them.
#[test]
fn c24_first_use_by_many_threads_while_a_reader_sums() {
    const THREADS: usize = 4;
    const EACH: u64 = 200;
    let _watch = watch();
    let mut spread = 0;
    for _ in rounds(1_000, 20_000) {
        let counter = LazyCounter::<4>::with_stripes();
        let line = StartLine::new(THREADS);
        thread::scope(|scope| {
            for _ in 1..THREADS {
                scope.spawn(|| {
                    line.wait();
                    (0..EACH).for_each(|_| counter.increment());
                });
            }
            line.wait();
            let mut last = 0;
            for _ in 0..100 {
                let now = counter.sum();
                assert!(now >= last);
                last = now;
            }
        });
        assert_eq!(counter.sum(), EACH * (THREADS as u64 - 1));
        spread += u32::from(counter.is_spread());
    }
    eprintln!("{spread} rounds in which threads collided");
}

#[test]
fn c21_the_lazy_form_loses_nothing() {
    let _watch = watch();
    let counter = LazyCounter::<4>::with_stripes();
    nothing_is_lost(2, |_, n| counter.add(n), || counter.sum_then_reset());
}

#[test]
fn c22_sums_of_the_lazy_form_never_go_back() {
    let _watch = watch();
    let counter = LazyCounter::new();
    sums_go_up(|n| counter.add(n), || counter.sum());
}
