//! Threads that change the same words.

use std::panic::RefUnwindSafe;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use reveille::AtomicBitSet;
use reveille::bitset::{BitSet, Hint, Storage};

use crate::bits::{EachKind, on_each_kind};
use crate::support::{Random, StartLine, rounds, scaled, watch};

const THREADS: usize = 8;

struct Disjoint;

impl EachKind for Disjoint {
    fn run<S: Storage + Sync + RefUnwindSafe>(&self, set: &BitSet<S>) {
        let bits = set.capacity();
        let start = StartLine::new(THREADS);
        thread::scope(|scope| {
            for thread in 0..THREADS {
                let (start, mine) = (&start, move || (thread..bits).step_by(THREADS));
                scope.spawn(move || {
                    start.wait();
                    mine().for_each(|bit| assert!(set.claim_at(bit)));
                    for _ in 0..scaled(100, 10_000) {
                        mine().for_each(|bit| {
                            if bit / THREADS % 2 == 0 {
                                assert!(set.release(bit), "nobody else has it");
                            } else {
                                assert!(!set.set(bit), "it stays set");
                            }
                        });
                        mine().filter(|bit| bit / THREADS % 2 == 0).for_each(|bit| {
                            assert!(set.set(bit), "nobody else sets it");
                        });
                    }
                    mine().filter(|bit| bit / THREADS % 2 == 0).for_each(|bit| {
                        assert!(set.clear(bit));
                    });
                });
            }
        });
        assert!(set.iter().eq((0..bits).filter(|bit| bit / THREADS % 2 == 1)));
        set.clear_all();
    }
}

#[test]
fn c16_neighbours_do_not_lose_each_others_bits() {
    let _watch = watch();
    on_each_kind(512, Disjoint);
    on_each_kind(100, Disjoint);
}

#[test]
fn c17_one_of_two_claims_wins() {
    let _watch = watch();
    let set = AtomicBitSet::<1>::new();
    for _ in rounds(20_000, 1_000_000) {
        let start = StartLine::new(2);
        let claim = || {
            start.wait();
            set.claim_at(5)
        };
        let won = thread::scope(|scope| {
            let other = scope.spawn(claim);
            [claim(), other.join().unwrap()]
        });
        assert_eq!(won.iter().filter(|won| **won).count(), 1);
        assert!(set.release(5));
    }
}

#[test]
fn c19_one_of_two_releases_counts() {
    let _watch = watch();
    let set = AtomicBitSet::<1>::new();
    for _ in rounds(20_000, 200_000) {
        assert!(set.claim_at(9));
        let start = StartLine::new(2);
        let release = || {
            start.wait();
            set.release(9)
        };
        let counted = thread::scope(|scope| {
            let other = scope.spawn(release);
            [release(), other.join().unwrap()]
        });
        assert_eq!(counted.iter().filter(|counted| **counted).count(), 1);
        assert_eq!(set.count(), 0);
    }
}

struct Exhaust;

impl EachKind for Exhaust {
    fn run<S: Storage + Sync + RefUnwindSafe>(&self, set: &BitSet<S>) {
        for _ in 0..scaled(20, 2_000) {
            let start = StartLine::new(THREADS);
            let mut claimed: Vec<_> = thread::scope(|scope| {
                let threads: Vec<_> = (0..THREADS)
                    .map(|owner| {
                        let start = &start;
                        scope.spawn(move || {
                            let mut hint = Hint::of_owner(owner);
                            start.wait();
                            std::iter::from_fn(|| set.claim(&mut hint)).collect::<Vec<_>>()
                        })
                    })
                    .collect();
                threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
            });
            claimed.sort_unstable();
            assert!(claimed.into_iter().eq(0..set.capacity()));
            set.clear_all();
        }
    }
}

#[test]
fn c17_claims_until_none_hand_out_each_bit_once() {
    let _watch = watch();
    [64, 65, 300].into_iter().for_each(|bits| on_each_kind(bits, Exhaust));
}

struct Spare;

impl EachKind for Spare {
    /// The last bit is nobody else's, and clear when a claim begins.
    fn run<S: Storage + Sync + RefUnwindSafe>(&self, set: &BitSet<S>) {
        let last = set.capacity() - 1;
        let done = AtomicUsize::new(0);
        set.set_all();
        thread::scope(|scope| {
            for thread in 0..3 {
                let done = &done;
                scope.spawn(move || {
                    let mut random = Random::new(thread);
                    for _ in 0..scaled(3_000, 300_000) {
                        let bit = random.below(last);
                        if set.clear(bit) {
                            set.set(bit);
                        }
                    }
                    done.fetch_add(1, Ordering::Relaxed);
                });
            }
            while done.load(Ordering::Relaxed) < 3 {
                assert!(set.release(last));
                let claimed = set.claim(&mut Hint::sticky(0)).expect("the last bit is clear");
                if claimed != last {
                    set.release(claimed);
                    assert!(set.claim_at(last));
                }
            }
        });
        set.clear_all();
    }
}

#[test]
fn a_bit_that_is_clear_throughout_is_found() {
    let _watch = watch();
    [64, 300, 1000].into_iter().for_each(|bits| on_each_kind(bits, Spare));
}

struct SetAndTake;

impl EachKind for SetAndTake {
    fn run<S: Storage + Sync + RefUnwindSafe>(&self, set: &BitSet<S>) {
        const SETTERS: usize = 3;
        let rounds = scaled(2_000, 100_000);
        let set_in_all = AtomicUsize::new(0);
        let finished = AtomicUsize::new(0);
        let taken = thread::scope(|scope| {
            for setter in 0..SETTERS {
                let (set_in_all, finished) = (&set_in_all, &finished);
                scope.spawn(move || {
                    let mut random = Random::new(setter as u64);
                    for _ in 0..rounds {
                        if set.set(random.below(set.capacity())) {
                            set_in_all.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                    finished.fetch_add(1, Ordering::Release);
                });
            }
            let taker = scope.spawn(|| {
                let mut hint = Hint::rotating(0);
                let mut taken = 0;
                loop {
                    let over = finished.load(Ordering::Acquire) == SETTERS;
                    let more = match taken % 3 {
                        0 => set.take_any(&mut hint).map_or(0, |_| 1),
                        1 => set.take_word(&mut hint).map_or(0, |bits| bits.len()),
                        _ => set.drain().count(),
                    };
                    taken += more;
                    if over && more == 0 && !set.any() {
                        return taken;
                    }
                }
            });
            taker.join().unwrap()
        });
        assert_eq!(taken, set_in_all.load(Ordering::Relaxed), "each change is taken once");
    }
}

#[test]
fn what_is_set_is_taken_once() {
    let _watch = watch();
    [10, 100, 1000].into_iter().for_each(|bits| on_each_kind(bits, SetAndTake));
}
