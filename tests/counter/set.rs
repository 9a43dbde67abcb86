//! Several counters in one.

use std::thread;

use reveille::counter::CounterSet;

use crate::sums::while_others_add;
use crate::support::{scaled, watch};

#[test]
fn counters_of_a_set_do_not_mix() {
    static SET: CounterSet<5, 3> = CounterSet::with_stripes();
    let _watch = watch();
    let each = scaled(20_000, 1_000_000) as u64;
    thread::scope(|scope| {
        for thread in 0..6 {
            scope.spawn(move || {
                let stripe = SET.pin();
                for round in 0..each {
                    stripe.add(thread % 5, round % 2);
                    SET.increment(4 - thread % 5);
                }
            });
        }
    });
    let mut wanted = [0; 5];
    for thread in 0..6 {
        wanted[thread % 5] += each / 2;
        wanted[4 - thread % 5] += each;
    }
    assert_eq!(SET.snapshot(), wanted);
    assert_eq!([0, 1, 2, 3, 4].map(|k| SET.sum(k)), wanted);
}

#[test]
fn deltas_of_a_set_add_up() {
    let _watch = watch();
    let set = CounterSet::<2>::new();
    let mut last = [0; 2];
    let mut seen = [0; 2];
    let mut note = |delta: [u64; 2]| (0..2).for_each(|k| seen[k] += delta[k]);
    let total = while_others_add(
        2,
        |n| {
            let stripe = set.pin();
            stripe.add(0, n);
            stripe.increment(1);
        },
        || note(set.delta(&mut last)),
    );
    note(set.delta(&mut last));
    assert_eq!(seen[0], total);
    assert_eq!(seen, set.snapshot());
}

#[test]
#[should_panic = "index out of bounds"]
fn there_is_no_counter_beyond_the_last() {
    CounterSet::<2>::new().increment(2);
}

#[test]
fn a_set_may_be_empty() {
    let set = CounterSet::<0>::new();
    assert_eq!(set.snapshot(), [0; 0]);
}
