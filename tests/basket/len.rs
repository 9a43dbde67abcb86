//! How many there are: exact at rest, never absurd.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use crate::support::{scaled, watch};

#[test]
fn c10_one_in_one_out_is_empty_at_every_chunk_edge() {
    every_form!(room 1, |form, mut offerer, mut drainer| {
        for n in 0..5000 {
            offerer.offer(n).unwrap();
            assert_eq!((drainer.len(), drainer.is_empty()), (1, false), "{form}: {n}");
            assert_eq!(drainer.drain_up_to(1).next(), Some(n), "{form}");
            assert_eq!((drainer.len(), drainer.is_empty()), (0, true), "{form}: {n}");
        }
    });
}

#[test]
fn c10_blocks_of_any_size_leave_nothing() {
    every_form!(room 1100, |form, mut offerer, mut drainer| {
        for block in [1, 2, 31, 32, 33, 63, 64, 65, 511, 512, 1023, 1024, 1025] {
            for _ in 0..3 {
                for n in 0..block {
                    offerer.offer(n).unwrap();
                    assert_eq!(drainer.len(), n + 1, "{form}: {block}");
                }
                for left in (0..block).rev() {
                    assert!(drainer.take().is_some(), "{form}: {block}");
                    assert_eq!(drainer.len(), left, "{form}: {block}");
                }
                assert!(drainer.is_empty(), "{form}: {block}");
            }
        }
    });
}

#[test]
fn several_offerers_are_counted_together() {
    every_form!(room 1000, |form, offerer, mut drainer| {
        let mut offerers: Vec<_> = (0..10).map(|_| offerer.clone()).collect();
        for (n, offerer) in offerers.iter_mut().enumerate() {
            offerer.offer_all(0..n).unwrap();
        }
        assert_eq!(drainer.len(), 45, "{form}");
        drop(offerers);
        assert_eq!(drainer.len(), 45, "{form}");
        assert_eq!(drainer.drain_up_to(20).count(), 20, "{form}");
        assert_eq!(drainer.len(), 25, "{form}");
    });
}

#[test]
fn c10_a_length_is_never_absurd_under_load() {
    const OFFERERS: usize = 2;
    const ROOM: usize = 16;
    let _watch = watch();
    let each = scaled(20_000, 1_000_000);
    bounded_forms!(room ROOM, |form, offerer, mut drainer| {
        let over = AtomicBool::new(false);
        thread::scope(|scope| {
            let observer = drainer.offerer();
            let looking = scope.spawn(|| {
                let mut looks = 0_u64;
                while !over.load(Ordering::Relaxed) {
                    assert!(observer.len() <= ROOM, "{form}");
                    assert_eq!(observer.capacity(), ROOM, "{form}");
                    looks += 1;
                }
                drop(observer);
                looks
            });
            for _ in 0..OFFERERS {
                let mut offerer = offerer.clone();
                scope.spawn(move || (0..each).for_each(|n| offerer.offer_blocking(n).unwrap()));
            }
            drop(offerer);
            let mut got = 0;
            while got < OFFERERS * each {
                drainer.wait().unwrap();
                assert!(!drainer.is_empty(), "{form}");
                let len = drainer.len();
                assert!((1..=ROOM).contains(&len), "{form}: {len}");
                let found = drainer.drain_up_to(got % 7 + 1).count();
                assert!(found > 0, "{form}");
                got += found;
            }
            over.store(true, Ordering::Relaxed);
            assert!(looking.join().unwrap() > 0, "{form}");
        });
    });
    every_form!(room OFFERERS * each, |form, offerer, mut drainer| {
        let offered = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..OFFERERS {
                let (mut offerer, offered) = (offerer.clone(), &offered);
                scope.spawn(move || {
                    for n in 0..each {
                        offered.fetch_add(1, Ordering::SeqCst);
                        offerer.offer(n).unwrap();
                    }
                });
            }
            drop(offerer);
            let mut got = 0;
            while drainer.wait().is_ok() {
                let len = drainer.len();
                assert!(len >= 1 && len <= offered.load(Ordering::SeqCst) - got, "{form}: {len}");
                got += drainer.drain_up_to(100).count();
            }
            assert_eq!(got, OFFERERS * each, "{form}");
        });
    });
}

/// What a forgotten batch took out is not counted, though its room has not been given back.
#[test]
fn c10_a_forgotten_batch_does_not_make_it_wrong() {
    every_form!(room 10, |form, mut offerer, mut drainer| {
        offerer.offer_all(0..10).unwrap();
        for left in (0..10).rev() {
            let mut batch = drainer.drain();
            assert!(batch.next().is_some(), "{form}");
            std::mem::forget(batch);
            assert_eq!(drainer.len(), left, "{form}");
            assert_eq!(drainer.is_empty(), left == 0, "{form}");
        }
    });
}

/// Refused offers borrow room for a moment: the drainer's count stays what it is.
#[test]
fn c10_offers_to_a_closed_basket_do_not_make_it_wrong() {
    const ROOM: usize = 2048;
    let _watch = watch();
    for _ in 0..scaled(5, 500) {
        bounded_forms!(room ROOM, |form, mut offerer, mut drainer| {
            offerer.offer_all(0..10).unwrap();
            let mut batch = drainer.drain();
            assert_eq!(batch.nth(4), Some(4), "{form}");
            std::mem::forget(batch);
            drainer.close();
            thread::scope(|scope| {
                let mut refused = offerer.clone();
                let flood = scope.spawn(move || {
                    (0..2 * ROOM).for_each(|n| assert!(refused.offer(n).is_err()));
                });
                while !flood.is_finished() {
                    let len = drainer.len();
                    assert!((5..=ROOM).contains(&len), "{form}: {len}");
                }
            });
            assert_eq!(drainer.len(), 5, "{form}");
        });
    }
}
