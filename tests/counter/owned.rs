//! One writer.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use reveille::counter::{CounterWriter, OwnedCounter, OwnedSet, SetWriter};

use crate::support::{rounds, spin_for, watch};

#[test]
fn there_is_one_writer_at_a_time() {
    static COUNTER: OwnedCounter = OwnedCounter::new();
    let mut writer: CounterWriter = CounterWriter::claim(&COUNTER).unwrap();
    assert!(COUNTER.writer().is_none());
    assert!(CounterWriter::claim(&COUNTER).is_err());
    writer.add(3);
    drop(writer);
    COUNTER.writer().unwrap().increment();
    assert_eq!(COUNTER.get(), 4);
}

#[test]
fn a_panicking_writer_makes_room() {
    let set = OwnedSet::<2>::new();
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        let mut writer = SetWriter::claim(&set).unwrap();
        writer.increment(1);
        writer.increment(2);
    }));
    assert!(panicked.is_err(), "there is no counter 2");
    set.writer().unwrap().add(0, 2);
    assert_eq!(set.snapshot(), [2, 1]);
}

/// Writers take turns on different threads: none of their counts is lost.
#[test]
fn writers_go_on_where_the_last_one_stopped() {
    let _watch = watch();
    let counter = OwnedCounter::new();
    let each: Vec<u64> = thread::scope(|scope| {
        let threads = [0, 1, 2].map(|_| {
            scope.spawn(|| {
                let mut added = 0;
                for _ in rounds(30_000, 1_000_000) {
                    if let Some(mut writer) = counter.writer() {
                        writer.increment();
                        writer.add(2);
                        added += 3;
                    }
                }
                added
            })
        });
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(counter.get(), each.iter().sum::<u64>());
}

#[test]
fn readers_see_it_go_up() {
    let _watch = watch();
    let counter = OwnedCounter::new();
    let mut last = 0;
    let mut seen = 0;
    let added = thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut writer = counter.writer().unwrap();
            let mut added = 0;
            for _ in rounds(30_000, 5_000_000) {
                writer.add(2);
                added += 2;
            }
            added
        });
        while !writer.is_finished() {
            let before = last;
            seen += counter.delta(&mut last);
            assert!(last >= before && last % 2 == 0);
            spin_for(std::time::Duration::from_micros(1));
        }
        writer.join().unwrap()
    });
    assert_eq!(seen + counter.delta(&mut last), added);
}

#[cfg(feature = "alloc")]
#[test]
fn a_writer_may_share_what_it_owns() {
    use std::sync::Arc;
    let set = Arc::new(OwnedSet::<3>::new());
    let mut writer = SetWriter::claim(Arc::clone(&set)).unwrap();
    let worker = thread::spawn(move || (0..3).for_each(|k| writer.add(k, k as u64)));
    worker.join().unwrap();
    assert_eq!(set.delta(&mut [0; 3]), [0, 1, 2]);
    assert!(set.writer().is_some());
}
