//! The drainer waits: on a thread, with a deadline, in a task.

use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::thread;
use std::time::{Duration, Instant};

use reveille::basket::{Closed, WaitError};
use reveille::{Adaptive, Basket, Deadline, Fixed, NoSpin};

use crate::support::block_on::block_on;
use crate::support::race::spin_until;
use crate::support::{
    CountingWaker, Dial, Random, StartLine, eventually, rounds, scaled, spin_for, watch,
};

const SOON: Duration = Duration::from_millis(5);
const LONG: Duration = Duration::from_secs(50);

#[test]
fn c08_the_first_offer_meets_the_first_wait() {
    let _watch = watch();
    for round in rounds(1000, 200_000) {
        every_form!(room 2, |form, mut offerer, mut drainer| {
            let start = StartLine::new(2);
            thread::scope(|scope| {
                let start = &start;
                let offering = scope.spawn(move || {
                    start.wait();
                    for _ in 0..round % 64 {
                        std::hint::spin_loop();
                    }
                    offerer.offer(round).unwrap();
                    offerer
                });
                start.wait();
                drainer.wait().unwrap();
                assert_eq!(drainer.take(), Some(round), "{form}");
                // Kept until here: the end must not be what wakes it.
                drop(offering.join().unwrap());
            });
        });
    }
}

#[test]
fn c08_two_first_offers_both_arrive() {
    let _watch = watch();
    for _ in rounds(300, 30_000) {
        every_form!(room 2, |form, offerer, drainer| {
            let mut drainer = drainer.with_policy(NoSpin);
            let start = StartLine::new(3);
            thread::scope(|scope| {
                for n in 0..2 {
                    let (mut offerer, start) = (offerer.clone(), &start);
                    scope.spawn(move || {
                        start.wait();
                        offerer.offer(n).unwrap();
                    });
                }
                start.wait();
                let mut got = 0;
                while got < 2 {
                    drainer.wait().unwrap();
                    got += drainer.drain().count();
                }
                assert_eq!(got, 2, "{form}");
            });
        });
    }
}

#[test]
fn items_end_a_wait_of_any_kind_at_once() {
    let _watch = watch();
    every_form!(room 1, |form, mut offerer, mut drainer| {
        offerer.offer(1).unwrap();
        drainer.wait().unwrap();
        drainer.wait_timeout(Duration::ZERO).unwrap();
        drainer.wait_timeout(Duration::MAX).unwrap();
        drainer.wait_deadline(Deadline::NEVER).unwrap();
        drainer.wait_deadline(Deadline::now()).unwrap();
        drainer.wait_deadline(past()).unwrap();
        block_on(drainer.wait_async()).unwrap();
        assert_eq!(drainer.len(), 1, "{form}");
        // They win over the end, too.
        drainer.close();
        drainer.wait_timeout(Duration::ZERO).unwrap();
        assert_eq!(drainer.take(), Some(1), "{form}");
        assert_eq!(drainer.wait(), Err(Closed(())), "{form}");
        assert_eq!(drainer.wait_timeout(Duration::MAX), Err(WaitError::Closed), "{form}");
        assert_eq!(drainer.wait_deadline(past()), Err(WaitError::Closed), "{form}");
        assert_eq!(block_on(drainer.wait_async()), Err(Closed(())), "{form}");
    });
}

fn past() -> Deadline {
    let deadline = Deadline::now();
    spin_for(Duration::from_micros(10));
    deadline
}

#[test]
fn a_wait_without_items_times_out_and_never_early() {
    let _watch = watch();
    every_form!(room 1, |form, mut offerer, mut drainer| {
        offerer.offer_all([0_u32; 0]).unwrap();
        assert_eq!(drainer.wait_timeout(Duration::ZERO), Err(WaitError::TimedOut), "{form}");
        assert_eq!(drainer.wait_deadline(past()), Err(WaitError::TimedOut), "{form}");
        for timeout in [1, 5, 20].map(Duration::from_millis) {
            let begun = Instant::now();
            assert_eq!(drainer.wait_timeout(timeout), Err(WaitError::TimedOut), "{form}");
            assert!(begun.elapsed() >= timeout, "{form}");
            let begun = Instant::now();
            let deadline = Deadline::after(timeout);
            assert_eq!(drainer.wait_deadline(deadline), Err(WaitError::TimedOut), "{form}");
            assert!(begun.elapsed() >= timeout, "{form}");
        }
        let mut drainer = drainer.with_policy(Fixed(10));
        assert_eq!(drainer.wait_timeout(SOON), Err(WaitError::TimedOut));
        assert_eq!(
            drainer.with_policy(Adaptive::new()).wait_timeout(SOON),
            Err(WaitError::TimedOut)
        );
    });
}

#[test]
fn an_offer_ends_a_wait_without_end() {
    let _watch = watch();
    every_form!(room 1, |form, mut offerer, mut drainer| {
        thread::scope(|scope| {
            scope.spawn(move || {
                for timeout in [LONG, Duration::MAX, Duration::from_secs(u64::MAX / 2)] {
                    assert_eq!(drainer.wait_timeout(timeout), Ok(()), "{form}");
                    assert_eq!(drainer.take(), Some(1), "{form}");
                }
            });
            for _ in 0..3 {
                thread::sleep(SOON);
                eventually(|| offerer.offer(1).is_ok());
            }
        });
    });
}

/// The offer comes just when the time is up. It is seen now or by the next look, once.
#[test]
fn an_offer_that_races_a_timeout_is_seen_once() {
    const TIMEOUT: Duration = Duration::from_micros(100);
    let _watch = watch();
    every_form!(room 2, |form, mut offerer, mut drainer| {
        let mut dial = Dial::new(Duration::from_micros(150), Duration::from_millis(5));
        let mut random = Random::new(8);
        for n in rounds(150, 100_000) {
            let start = StartLine::new(2);
            let delay = dial.delay(&mut random);
            thread::scope(|scope| {
                let (start, offerer) = (&start, &mut offerer);
                scope.spawn(move || {
                    start.wait();
                    spin_for(delay);
                    offerer.offer(n).unwrap();
                });
                start.wait();
                let waited = drainer.wait_timeout(TIMEOUT);
                dial.turn(waited.is_err());
                if waited.is_ok() {
                    assert_eq!(drainer.take(), Some(n), "{form}");
                } else {
                    assert_eq!(waited, Err(WaitError::TimedOut), "{form}");
                    drainer.wait().unwrap();
                    assert_eq!(drainer.take(), Some(n), "{form}");
                }
            });
            assert_eq!(drainer.take(), None, "{form}");
        }
        dial.check();
    });
}

#[test]
fn a_task_is_woken_once_by_the_first_offer() {
    every_form!(room 10, |form, mut offerer, mut drainer| {
        let counter = CountingWaker::new();
        let waker = counter.waker();
        let mut cx = Context::from_waker(&waker);
        for round in 1..5 {
            assert!(drainer.poll_wait(&mut cx).is_pending(), "{form}");
            assert!(drainer.poll_wait(&mut cx).is_pending(), "{form}");
            offerer.offer(1).unwrap();
            offerer.offer(2).unwrap();
            assert_eq!(counter.wakes(), round, "{form}");
            assert_eq!(drainer.poll_wait(&mut cx), Poll::Ready(Ok(())), "{form}");
            assert!(drainer.drain().eq([1, 2]), "{form}");
        }
        drop(offerer);
        assert_eq!(drainer.poll_wait(&mut cx), Poll::Ready(Err(Closed(()))), "{form}");
        drop(drainer);
        drop(waker);
        assert_eq!(counter.wakers(), 0, "{form}: a waker was kept");
    });
}

#[test]
fn the_last_waker_is_the_one_that_counts() {
    every_form!(room 10, |form, mut offerer, mut drainer| {
        let counters = [CountingWaker::new(), CountingWaker::new()];
        for counter in &counters {
            let waker = counter.waker();
            assert!(drainer.poll_wait(&mut Context::from_waker(&waker)).is_pending());
        }
        offerer.offer(1).unwrap();
        assert_eq!(counters.each_ref().map(|counter| counter.wakes()), [0, 1], "{form}");
    });
}

/// A task that gave up, then a thread, then a task again.
#[test]
fn waits_of_different_kinds_follow_each_other() {
    let _watch = watch();
    every_form!(room 10, |form, mut offerer, mut drainer| {
        let counter = CountingWaker::new();
        let waker = counter.waker();
        let mut cx = Context::from_waker(&waker);
        for n in 0..50_u32 {
            {
                let mut wait = pin!(drainer.wait_async());
                assert!(wait.as_mut().poll(&mut cx).is_pending(), "{form}");
            }
            if n % 3 == 0 {
                let waited = drainer.wait_timeout(Duration::from_micros(100));
                assert_eq!(waited, Err(WaitError::TimedOut), "{form}");
            }
            thread::scope(|scope| {
                let offerer = &mut offerer;
                scope.spawn(move || {
                    spin_for(Duration::from_micros(u64::from(n) * 4));
                    offerer.offer(n).unwrap();
                });
                drainer.wait().unwrap();
            });
            assert_eq!(drainer.take(), Some(n), "{form}");
        }
    });
}

#[test]
fn tasks_and_threads_take_turns_under_load() {
    let _watch = watch();
    every_form!(room 4000, |form, mut offerer, mut drainer| {
        let mut random = Random::new(3);
        thread::scope(|scope| {
            scope.spawn(move || {
                let mut random = Random::new(4);
                for n in 0..2000 {
                    offerer.offer(n).unwrap();
                    if random.one_in(4) {
                        spin_for(random.micros(30));
                    }
                }
            });
            let mut next = 0;
            loop {
                let end = match random.below(4) {
                    0 => drainer.wait().is_err(),
                    1 => block_on(drainer.wait_async()).is_err(),
                    2 => {
                        let waker = CountingWaker::new().waker();
                        drainer.poll_wait(&mut Context::from_waker(&waker))
                            == Poll::Ready(Err(Closed(())))
                    }
                    _ => drainer.wait_timeout(random.micros(50)) == Err(WaitError::Closed),
                };
                if end {
                    break;
                }
                for n in drainer.drain_up_to(3) {
                    assert_eq!(n, next, "{form}");
                    next += 1;
                }
            }
            assert_eq!(next, 2000, "{form}");
        });
    });
}

/// So that the lanes' drainer takes the barriers over from the offers and hands them back, over and over.
#[test]
fn floods_and_trickles_take_turns() {
    let _watch = watch();
    let phases = scaled(300, 30_000);
    let (offerer, mut drainer) = Basket::unbounded();
    let (offered, drained) = (AtomicU64::new(0), AtomicU64::new(0));
    thread::scope(|scope| {
        for seed in [5, 6] {
            let (mut offerer, offered, drained) = (offerer.clone(), &offered, &drained);
            scope.spawn(move || {
                let mut random = Random::new(seed);
                for _ in 0..phases {
                    if random.one_in(8) {
                        (0..3000).for_each(|_| offerer.offer(1).unwrap());
                        offered.fetch_add(3000, Ordering::Relaxed);
                    }
                    // Items that a sleeping drainer must not miss: each waits for its turn.
                    for _ in 0..random.below(6) {
                        let before = drained.load(Ordering::Relaxed);
                        offerer.offer(1).unwrap();
                        offered.fetch_add(1, Ordering::Relaxed);
                        spin_until(|| drained.load(Ordering::Relaxed) > before);
                    }
                }
            });
        }
        drop(offerer);
        while drainer.wait().is_ok() {
            drained.fetch_add(drainer.drain().sum(), Ordering::Relaxed);
        }
    });
    assert_eq!(drained.into_inner(), offered.into_inner());
}

#[test]
fn the_drainer_moves_between_threads() {
    let _watch = watch();
    every_form!(room 10, |form, mut offerer, drainer| {
        let drainer = std::sync::Mutex::new(drainer);
        for n in 0..20 {
            thread::scope(|scope| {
                scope.spawn(|| {
                    let mut drainer = drainer.lock().unwrap();
                    drainer.wait().unwrap();
                    assert_eq!(drainer.take(), Some(n), "{form}");
                });
                offerer.offer(n).unwrap();
            });
        }
    });
}
