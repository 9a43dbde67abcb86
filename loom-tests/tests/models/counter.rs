//! Models of the counters: `src/counter` and `src/stripe`, compiled over loom.
//!
//! What they must not lose are counts, so nearly every model ends with a sum at rest.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use loom::sync::atomic::{AtomicU64, Ordering};
use loom::thread;
use reveille_model::StripedCounter;
use reveille_model::counter::{
    CounterSet, LazyCounter, OwnedCounter, OwnedSet, StripedGauge, thread_stripe,
};

use crate::harness::Model;

type Counter = StripedCounter<2>;

fn shared<T>(value: T) -> Arc<T> {
    Arc::new(value)
}

/// Runs on a thread of its own.
fn spawn<T: Send + Sync + 'static, R: 'static>(
    of: &Arc<T>,
    run: impl FnOnce(&T) -> R + 'static,
) -> thread::JoinHandle<R> {
    let of = Arc::clone(of);
    thread::spawn(move || run(&of))
}

/// Two adds on one stripe, one on another, and a collector: each add is in one of its answers.
#[test]
fn sum_then_reset_loses_nothing() {
    Model::exhaustive(275).check(|| {
        let counter = shared(Counter::with_stripes());
        let one = spawn(&counter, |counter| {
            counter.add_at(0, 1);
            counter.add_at(1, 2);
        });
        let other = spawn(&counter, |counter| counter.add_at(0, 4));
        let taken = counter.sum_then_reset();
        one.join().unwrap();
        other.join().unwrap();
        assert_eq!(taken + counter.sum_then_reset(), 7);
        assert_eq!(counter.sum(), 0);
    });
}

/// The broken twin: a cell is read, then set to zero.
#[test]
#[should_panic = "assertion `left == right` failed"]
fn canary_reset_in_two_steps() {
    Model::exhaustive(0).check(|| {
        let cell = shared(AtomicU64::new(0));
        let adder = spawn(&cell, |cell| cell.fetch_add(1, Ordering::Relaxed));
        let taken = cell.load(Ordering::Relaxed);
        cell.store(0, Ordering::Relaxed);
        adder.join().unwrap();
        assert_eq!(taken + cell.load(Ordering::Relaxed), 1);
    });
}

/// Two collectors share what there is.
#[test]
fn two_collectors_share() {
    Model::exhaustive(250).check(|| {
        let counter = shared(Counter::with_stripes());
        counter.add_at(0, 1);
        let adder = spawn(&counter, |counter| counter.add_at(1, 2));
        let collector = spawn(&counter, Counter::sum_then_reset);
        let taken = counter.sum_then_reset();
        adder.join().unwrap();
        assert_eq!(taken + collector.join().unwrap() + counter.sum_then_reset(), 3);
    });
}

/// One reader's sums never go back, and its deltas add up to what was added.
#[test]
fn deltas_do_not_go_back() {
    Model::exhaustive(8700).check(|| {
        let counter = shared(Counter::with_stripes());
        let adders = [
            spawn(&counter, |counter| {
                counter.add_at(0, 1);
                counter.add_at(1, 2);
            }),
            spawn(&counter, |counter| counter.add_at(0, 4)),
        ];
        let mut last = 0;
        let first = counter.delta(&mut last);
        let second = counter.delta(&mut last);
        assert!(first <= 7 && second <= 7, "{first}, {second}");
        assert_eq!(first + second, last);
        adders.into_iter().for_each(|adder| adder.join().unwrap());
        assert_eq!(first + second + counter.delta(&mut last), 7);
    });
}

/// A sum includes the adds that happen before it, here through an acquired message.
#[test]
fn a_sum_includes_what_happened_before() {
    Model::exhaustive(138).check(|| {
        let counter = shared((Counter::with_stripes(), AtomicU64::new(0)));
        let adder = spawn(&counter, |(counter, told)| {
            counter.add_at(0, 1);
            counter.add_at(1, 1);
            told.store(1, Ordering::Release);
            counter.add_at(0, 1);
        });
        let (sums, told) = &*counter;
        let before = told.load(Ordering::Acquire);
        let sum = sums.sum();
        assert!(before == 0 || sum >= 2, "{sum}");
        adder.join().unwrap();
        assert_eq!(sums.sum(), 3);
    });
}

/// Threads choose their stripes by themselves: all they add is there, and with `std` they are apart.
#[test]
fn threads_find_their_stripes() {
    Model::exhaustive(8).check(|| {
        let counter = shared(Counter::with_stripes());
        let adders = [0, 1].map(|_| {
            spawn(&counter, |counter| {
                counter.increment();
                let stripe = thread_stripe();
                counter.increment();
                assert_eq!(thread_stripe(), stripe);
                stripe
            })
        });
        let [one, other] = adders.map(|adder| adder.join().unwrap());
        assert!(cfg!(not(feature = "std")) || one != other, "{one}, {other}");
        assert_eq!(counter.sum(), 4);
    });
}

/// A guard that leaves in a panic, one that leaves on another thread, and a reader that never sees
/// less than nothing nor more than were ever in flight.
#[test]
fn guards_leave_whatever_happens() {
    Model::exhaustive(2640).check(|| {
        let gauge = shared(StripedGauge::<2>::with_stripes());
        let panics = spawn(&gauge, |gauge| {
            let panicked = catch_unwind(AssertUnwindSafe(|| {
                let _in_flight = gauge.enter_at(0);
                std::panic::resume_unwind(Box::new("in flight"));
            }));
            assert!(panicked.is_err());
        });
        let moves = spawn(&gauge, |gauge| drop(gauge.enter_at(1)));
        for _ in 0..2 {
            let sum = gauge.sum();
            assert!((0..=2).contains(&sum), "{sum}");
        }
        panics.join().unwrap();
        moves.join().unwrap();
        assert_eq!(gauge.sum(), 0);
    });
}

/// The guard lowers the stripe that it raised, on whatever thread it is dropped: a reader that looked
/// into the first stripe too early does not find it lowered in the second.
#[test]
fn a_guard_that_moves_is_not_negative() {
    Model::exhaustive(10).check(|| {
        let gauge: &'static StripedGauge<2> = Box::leak(Box::default());
        let enters = thread::spawn(|| {
            // The first thread that asks, so this is stripe 0.
            let guard = gauge.enter();
            thread::spawn(move || drop(guard)).join().unwrap();
        });
        let sum = gauge.sum();
        assert!((0..=1).contains(&sum), "{sum}");
        enters.join().unwrap();
        assert_eq!(gauge.sum(), 0);
    });
}

/// The broken twin: raised in one stripe, lowered in another.
#[test]
#[should_panic = "less than nothing"]
fn canary_a_gauge_lowered_elsewhere() {
    Model::exhaustive(0).check(|| {
        let gauge = shared(StripedGauge::<2>::with_stripes());
        let changes = spawn(&gauge, |gauge| {
            gauge.add_at(0, 1);
            gauge.add_at(1, -1);
        });
        assert!(gauge.sum() >= 0, "less than nothing");
        changes.join().unwrap();
    });
}

/// Counters of a set do not mix, and are reset one by one.
#[test]
fn counters_of_a_set_are_apart() {
    Model::exhaustive(85).check(|| {
        let set = shared(CounterSet::<2, 2>::with_stripes());
        let adders = [
            spawn(&set, |set| {
                let stripe = set.pin_at(0);
                stripe.add(0, 1);
                stripe.add(1, 2);
            }),
            spawn(&set, |set| set.add_at(0, 1, 4)),
        ];
        let taken = set.sum_then_reset(1);
        adders.into_iter().for_each(|adder| adder.join().unwrap());
        let [first, second] = set.snapshot();
        assert_eq!((first, taken + second), (1, 6));
    });
}

/// Two threads want to be the writer; nobody's counts are lost, and readers see them go up.
#[test]
fn a_writer_goes_on_where_the_last_one_stopped() {
    Model::exhaustive(19).check(|| {
        let counter = shared(OwnedCounter::new());
        let add = |counter: &OwnedCounter| {
            counter.writer().map_or(0, |mut writer| {
                writer.increment();
                writer.add(2);
                3
            })
        };
        let others = [spawn(&counter, add), spawn(&counter, add)];
        let first = counter.get();
        assert!(first <= counter.get());
        let added: u64 = others.into_iter().map(|other| other.join().unwrap()).sum();
        assert_eq!(counter.get(), added);
        assert_eq!(add(&counter), 3, "the last one made room");
        assert_eq!(counter.get(), added + 3);
    });
}

/// The same for several counts.
#[test]
fn a_set_has_one_writer() {
    Model::exhaustive(9).check(|| {
        let set = shared(OwnedSet::<2>::new());
        let add = |set: &OwnedSet<2>| {
            set.writer().map_or(0, |mut writer| {
                writer.increment(1);
                1
            })
        };
        let other = spawn(&set, add);
        let added = add(&set) + other.join().unwrap();
        assert_eq!(set.snapshot(), [0, added]);
    });
}

/// The broken twin: two writers at once.
#[test]
#[should_panic = "assertion `left == right` failed"]
fn canary_two_writers() {
    Model::exhaustive(0).check(|| {
        let cell = shared(AtomicU64::new(0));
        let add = |cell: &AtomicU64| {
            let before = cell.load(Ordering::Relaxed);
            cell.store(before + 1, Ordering::Relaxed);
        };
        let other = spawn(&cell, add);
        add(&cell);
        other.join().unwrap();
        assert_eq!(cell.load(Ordering::Relaxed), 2);
    });
}

/// Two threads collide on a lazy counter while a third sums: the stripes are seen zeroed, no table
/// leaks, no count is lost.
#[test]
fn stripes_are_made_while_a_reader_sums() {
    Model::bounded(2, 369).check(|| {
        let counter = shared(LazyCounter::<1>::with_stripes());
        let reader = spawn(&counter, |counter| {
            let first = counter.sum();
            let second = counter.sum();
            assert!(first <= second && second <= 3, "{first}, {second}");
        });
        let adder = spawn(&counter, |counter| counter.add_at(0, 1));
        counter.add_at(0, 2);
        reader.join().unwrap();
        adder.join().unwrap();
        assert_eq!(counter.sum(), 3);
    });
}

/// Three threads collide: two of them may both make stripes.
#[test]
fn one_table_of_several_is_kept() {
    Model::bounded(2, 320).check(|| {
        let counter = shared(LazyCounter::<1>::with_stripes());
        let adders = [1, 2].map(|n| spawn(&counter, move |counter| counter.add_at(0, n)));
        counter.add_at(0, 4);
        adders.into_iter().for_each(|adder| adder.join().unwrap());
        assert_eq!(counter.sum(), 7);
    });
}

/// A reset while threads collide.
#[test]
fn a_lazy_reset_loses_nothing() {
    Model::bounded(3, 345).check(|| {
        let counter = shared(LazyCounter::<2>::with_stripes());
        let adders = [1, 2].map(|n| spawn(&counter, move |counter| counter.add_at(n, n as u64)));
        let taken = counter.sum_then_reset();
        adders.into_iter().for_each(|adder| adder.join().unwrap());
        assert_eq!(taken + counter.sum_then_reset(), 3);
        assert_eq!(counter.sum(), 0);
    });
}
