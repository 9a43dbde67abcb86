//! Which stripe: any number, any count of stripes, threads apart.

use std::thread;

use reveille::StripedCounter;
use reveille::counter::{CounterSet, STRIPES, StripedGauge, thread_stripe};

use crate::support::{StartLine, scaled, watch};

const NUMBERS: [usize; 12] =
    [0, 1, 2, 15, 16, 17, 127, 128, 255, 256, u32::MAX as usize, usize::MAX];

fn any_number<const N: usize>() {
    let counter = Box::new(StripedCounter::<N>::with_stripes());
    let gauge = Box::new(StripedGauge::<N>::with_stripes());
    let set = Box::new(CounterSet::<2, N>::with_stripes());
    let around = [N - 1, N, N + 1];
    let numbers = NUMBERS.into_iter().chain(around);
    for (n, number) in (1..).zip(numbers.clone()) {
        counter.add_at(number, n);
        gauge.add_at(number, -(n as i64));
        set.add_at(number, 1, n);
    }
    let count = numbers.count() as u64;
    let sum = count * (count + 1) / 2;
    assert_eq!(counter.sum(), sum);
    assert_eq!(gauge.sum(), -(sum as i64));
    assert_eq!(set.snapshot(), [0, sum]);
}

#[test]
fn c23_any_stripe_number_any_count_of_stripes() {
    any_number::<1>();
    any_number::<2>();
    any_number::<3>();
    any_number::<7>();
    any_number::<16>();
    any_number::<64>();
    any_number::<1024>();
}

/// How many different stripes of 16 that many threads have which are alive together.
fn spread(threads: usize) -> usize {
    let line = StartLine::new(threads);
    let mut used: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| {
                    let stripe = thread_stripe();
                    line.wait();
                    if cfg!(feature = "std") {
                        assert_eq!(thread_stripe(), stripe, "a thread keeps its stripe");
                    }
                    stripe % STRIPES
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    used.sort_unstable();
    used.dedup();
    used.len()
}

#[test]
fn c25_threads_spread_over_the_stripes() {
    let _watch = watch();
    for before in [0, 64] {
        (0..before).for_each(|_| {
            thread::spawn(thread_stripe).join().unwrap();
        });
        let mut spreads: Vec<_> = (0..scaled(100, 1_000)).map(|_| spread(STRIPES)).collect();
        spreads.sort_unstable();
        assert!(spreads[0] > 2, "{spreads:?}");
        // A stack is a guess: about 10 of 16, as at random.
        let bound = if cfg!(feature = "std") { STRIPES / 2 } else { STRIPES / 3 };
        assert!(spreads[spreads.len() / 2] >= bound, "{spreads:?}");
    }
}

/// A thread that adds by itself uses the stripe that it is told.
#[test]
fn the_seam_is_one() {
    let counter = StripedCounter::new();
    let gauge = StripedGauge::new();
    let number = thread_stripe();
    counter.increment();
    counter.add_at(number, 1);
    drop(gauge.enter_at(number));
    gauge.increment();
    gauge.add_at(number, -1);
    if cfg!(feature = "std") {
        assert_eq!(format!("{:?}", gauge.enter()), format!("{:?}", gauge.enter_at(number)));
    }
    assert_eq!((counter.sum(), gauge.sum()), (2, 0));
}
