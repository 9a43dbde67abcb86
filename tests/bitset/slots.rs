//! Slots that one waits for.

use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::thread;
use std::time::{Duration, Instant};

use reveille::bitset::{AtomicBitSet, ClaimError, Hint, Inline, SlotSet, words_for};
use reveille::{Adaptive, Deadline};

use crate::support::block_on::block_on;
use crate::support::{
    CountingWaker, Random, StartLine, eventually, rounds, scaled, spin_for, watch,
};

type Slots = SlotSet<Inline<{ words_for(64) }>>;

fn slots(count: usize) -> Slots {
    SlotSet::new(AtomicBitSet::with_bits(count))
}

const SOON: Duration = Duration::from_millis(5);
const LONG: Duration = Duration::from_secs(30);

#[test]
fn a_guard_releases_its_slot() {
    let slots = slots(1);
    let slot = slots.try_claim(&mut Hint::default()).unwrap();
    assert_eq!(slot.index(), 0);
    assert!(slots.try_claim(&mut Hint::default()).is_none());
    assert!(slots.try_barge(&mut Hint::default()).is_none());
    drop(slot);
    assert_eq!(slots.bits().count(), 0);

    let index = slots.claim(&mut Hint::default()).unwrap().into_index();
    assert_eq!(slots.bits().count(), 1);
    assert!(slots.release(index));
    assert!(!slots.release(index), "a second release is refused");
    assert_eq!(slots.bits().count(), 0);
}

/// A policy that panics while its claim waits: the claim leaves the list, with its frame.
#[test]
fn a_policy_may_panic() {
    struct Bad<'a>(&'a dyn Fn());

    impl reveille::SpinPolicy for Bad<'_> {
        fn spin(&mut self, _: Deadline, _: impl FnMut() -> bool) -> bool {
            (self.0)();
            panic!("a policy of the user's")
        }
    }

    let slots = slots(1);
    let held = std::cell::Cell::new(slots.try_claim(&mut Hint::default()));
    // Once with nothing, once with a slot that was handed over just before.
    for release in [false, true] {
        let before_the_panic = || {
            if release {
                drop(held.take());
            }
        };
        let claim = || {
            let mut policy = Bad(&before_the_panic);
            drop(slots.claim_with(&mut Hint::default(), Deadline::NEVER, &mut policy));
        };
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(claim)).is_err());
        assert_eq!(slots.waiting(), 0);
    }
    assert_eq!(slots.bits().count(), 0, "it was handed back");
    assert!(slots.try_claim(&mut Hint::default()).is_some());
}

/// A claim is for one slot.
#[test]
#[should_panic(expected = "polled after it was ready")]
fn a_claim_that_was_ready_is_over() {
    let slots = slots(2);
    let mut claiming = pin!(slots.claim_async(Hint::default()));
    let mut cx = Context::from_waker(std::task::Waker::noop());
    let Poll::Ready(Ok(_slot)) = claiming.as_mut().poll(&mut cx) else { panic!("two are free") };
    let _ = claiming.as_mut().poll(&mut cx);
}

/// Closing ends waiting, and nothing else.
#[test]
fn what_is_free_can_be_claimed_after_the_close() {
    let slots = slots(3);
    slots.close();
    let held = [
        slots.claim(&mut Hint::default()).unwrap(),
        block_on(slots.claim_async(Hint::default())).unwrap(),
        slots.claim_timeout(&mut Hint::default(), LONG).unwrap(),
    ];
    let none = block_on(slots.claim_async(Hint::default()));
    assert_eq!(none.err(), Some(ClaimError::Closed));
    drop(held);
    assert!(block_on(slots.claim_async(Hint::default())).is_ok());
}

/// A task that finds a free slot takes no lock: it announces nothing that others would respect.
#[test]
fn tasks_that_find_a_slot_disturb_nobody() {
    let _watch = watch();
    let slots = slots(64);
    thread::scope(|scope| {
        let tasks = scope.spawn(|| {
            for _ in rounds(10_000, 1_000_000) {
                drop(block_on(slots.claim_async(Hint::sticky(0))).unwrap());
            }
        });
        while !tasks.is_finished() {
            assert!(slots.try_claim(&mut Hint::sticky(32)).is_some());
        }
    });
}

#[test]
fn no_slot_in_time() {
    for slots in [slots(0), slots(1)] {
        let held = slots.try_claim(&mut Hint::default());
        for timeout in [Duration::ZERO, SOON] {
            let begun = Instant::now();
            let claim = slots.claim_timeout(&mut Hint::default(), timeout);
            assert_eq!(claim.err(), Some(ClaimError::TimedOut));
            assert!(begun.elapsed() >= timeout);
        }
        let claim = slots.claim_deadline(&mut Hint::default(), Deadline::now());
        assert_eq!(claim.err(), Some(ClaimError::TimedOut));
        assert_eq!(slots.waiting(), 0);
        drop(held);
    }
}

#[test]
fn a_panic_releases_the_slot() {
    let slots = slots(1);
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let _slot = slots.claim(&mut Hint::default()).unwrap();
        panic!("while it has a slot");
    }));
    assert!(panicked.is_err());
    assert!(slots.try_claim(&mut Hint::default()).is_some());
}

#[test]
fn waiters_are_served_in_turn_and_not_overtaken() {
    let _watch = watch();
    let slots = slots(1);
    let turn = AtomicUsize::new(0);
    let slot = slots.claim(&mut Hint::default()).unwrap();
    thread::scope(|scope| {
        for place in 0..5 {
            let (slots, turn) = (&slots, &turn);
            scope.spawn(move || {
                let slot = slots.claim(&mut Hint::default()).unwrap();
                assert_eq!(turn.fetch_add(1, Ordering::Relaxed), place);
                drop(slot);
            });
            eventually(|| slots.waiting() == place + 1);
        }
        assert!(slots.try_claim(&mut Hint::default()).is_none());
        drop(slot);
    });
    assert_eq!(turn.into_inner(), 5);
    assert_eq!((slots.bits().count(), slots.waiting()), (0, 0));
}

#[test]
fn only_barging_overtakes() {
    let _watch = watch();
    let slots = slots(2);
    let first = slots.claim(&mut Hint::default()).unwrap();
    let second = slots.claim(&mut Hint::default()).unwrap();
    thread::scope(|scope| {
        let waiter = scope.spawn(|| slots.claim(&mut Hint::default()).unwrap().index());
        eventually(|| slots.waiting() == 1);
        // Behind the back of the slots: nobody is served.
        assert!(slots.bits().release(second.into_index()));
        assert!(slots.try_claim(&mut Hint::default()).is_none(), "somebody waits");
        let barged = slots.try_barge(&mut Hint::default());
        assert!(barged.is_some());
        drop(first);
        waiter.join().unwrap();
        drop(barged);
    });
}

#[test]
fn closing_ends_the_waits_and_not_the_claims() {
    let _watch = watch();
    let slots = slots(1);
    let slot = slots.claim(&mut Hint::default()).unwrap();
    thread::scope(|scope| {
        let waiters: Vec<_> =
            (0..3).map(|_| scope.spawn(|| slots.claim(&mut Hint::default()).err())).collect();
        eventually(|| slots.waiting() == 3);
        slots.close();
        for waiter in waiters {
            assert_eq!(waiter.join().unwrap(), Some(ClaimError::Closed));
        }
    });
    let late = slots.claim_timeout(&mut Hint::default(), LONG);
    assert_eq!(late.err(), Some(ClaimError::Closed));
    drop(slot);
    assert!(slots.claim(&mut Hint::default()).is_ok(), "it is free");
}

#[test]
fn tasks_and_threads_wait_in_one_line() {
    let _watch = watch();
    let slots = slots(1);
    let slot = slots.claim(&mut Hint::default()).unwrap();
    let counting = CountingWaker::new();
    let waker = counting.waker();
    let mut cx = Context::from_waker(&waker);
    let mut first = pin!(slots.claim_async(Hint::default()));
    let mut second = pin!(slots.claim_async(Hint::default()));
    assert!(first.as_mut().poll(&mut cx).is_pending());
    assert!(second.as_mut().poll(&mut cx).is_pending());
    thread::scope(|scope| {
        let third = scope.spawn(|| slots.claim(&mut Hint::default()).map(drop));
        eventually(|| slots.waiting() == 3);
        drop(slot);
        assert_eq!(counting.wakes(), 1);
        let Poll::Ready(Ok(slot)) = first.as_mut().poll(&mut cx) else { panic!("it was served") };
        assert!(second.as_mut().poll(&mut cx).is_pending());
        drop(slot);
        let Poll::Ready(Ok(slot)) = second.as_mut().poll(&mut cx) else { panic!("it was served") };
        drop(slot);
        assert_eq!(third.join().unwrap(), Ok(()));
    });
    assert_eq!((slots.bits().count(), slots.waiting()), (0, 0));
}

#[test]
fn a_cancelled_task_passes_its_slot_on() {
    let _watch = watch();
    let slots = slots(1);
    let counting = CountingWaker::new();
    let waker = counting.waker();
    let mut cx = Context::from_waker(&waker);
    let slot = slots.claim(&mut Hint::default()).unwrap();
    let mut first = Box::pin(slots.claim_async(Hint::default()));
    let mut second = Box::pin(slots.claim_async(Hint::default()));
    assert!(first.as_mut().poll(&mut cx).is_pending());
    assert!(second.as_mut().poll(&mut cx).is_pending());
    drop(slot);
    drop(first); // It had been handed the slot.
    assert_eq!(counting.wakes(), 2);
    assert!(second.as_mut().poll(&mut cx).is_ready());
    drop(second);
    assert_eq!(slots.bits().count(), 0);
    // One that never waited, and one that waits no more, leave nothing behind.
    let slot = slots.claim(&mut Hint::default()).unwrap();
    drop(slots.claim_async(Hint::default()));
    let mut third = Box::pin(slots.claim_async(Hint::default()));
    assert!(third.as_mut().poll(&mut cx).is_pending());
    drop(third);
    assert_eq!(slots.waiting(), 0);
    drop(slot);
    assert_eq!(slots.bits().count(), 0);
    assert_eq!(counting.wakers(), 1);
}

#[test]
fn c20a_more_waiters_than_slots_all_get_on() {
    let _watch = watch();
    let slots = slots(4);
    let inside = AtomicUsize::new(0);
    thread::scope(|scope| {
        for owner in 0..32 {
            let (slots, inside) = (&slots, &inside);
            scope.spawn(move || {
                let mut hint = Hint::of_owner(owner);
                for round in 0..scaled(500, 20_000) {
                    let slot = match round % 4 {
                        0 => block_on(slots.claim_async(hint)),
                        1 => slots.claim_with(&mut hint, Deadline::NEVER, &mut Adaptive::new()),
                        _ => slots.claim(&mut hint),
                    };
                    let slot = slot.unwrap();
                    assert!(inside.fetch_add(1, Ordering::Relaxed) < 4);
                    spin_for(Duration::from_nanos(50));
                    inside.fetch_sub(1, Ordering::Relaxed);
                    drop(slot);
                }
            });
        }
    });
    assert_eq!((slots.bits().count(), slots.waiting()), (0, 0));
}

/// `releases` slots are released at one moment while `waiters` wait: so many are served, no more.
fn released_together(waiters: usize, releases: usize) {
    let slots = slots(releases);
    let held: Vec<_> =
        (0..releases).map(|_| slots.claim(&mut Hint::default()).unwrap().into_index()).collect();
    let served = AtomicUsize::new(0);
    let kept = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..waiters {
            scope.spawn(|| {
                let index = slots.claim(&mut Hint::default()).unwrap().into_index();
                kept.fetch_or(1 << index, Ordering::Relaxed);
                served.fetch_add(1, Ordering::Release);
            });
        }
        eventually(|| slots.waiting() == waiters);
        let release = |indices: &[usize]| {
            let start = StartLine::new(2);
            let (half, rest) = indices.split_at(indices.len() / 2);
            let go = |part: &[usize]| {
                start.wait();
                part.iter().for_each(|&index| assert!(slots.release(index)));
            };
            thread::scope(|scope| {
                scope.spawn(|| go(rest));
                go(half);
            });
        };
        let mut in_hand = held.clone();
        let mut expected = 0;
        while expected < waiters {
            release(&in_hand);
            expected = (expected + in_hand.len()).min(waiters);
            eventually(|| served.load(Ordering::Acquire) == expected);
            assert_eq!(slots.waiting(), waiters - expected);
            let mask = kept.swap(0, Ordering::Relaxed);
            in_hand = (0..releases).filter(|index| mask & (1 << index) != 0).collect();
        }
    });
    assert_eq!(slots.waiting(), 0);
}

#[test]
fn c20b_slots_released_at_once_serve_as_many() {
    let _watch = watch();
    rounds(300, 20_000).for_each(|_| released_together(4, 4));
}

#[test]
fn c20c_slots_released_at_once_serve_no_more() {
    let _watch = watch();
    rounds(300, 20_000).for_each(|_| released_together(9, 4));
}

/// Timeouts and cancellations against releases: no slot is lost.
#[test]
fn a_slot_handed_to_one_who_gives_up_goes_on() {
    let _watch = watch();
    let slots = slots(2);
    let claims = AtomicUsize::new(0);
    thread::scope(|scope| {
        for thread in 0..8 {
            let (slots, claims) = (&slots, &claims);
            scope.spawn(move || {
                let mut random = Random::new(thread);
                let mut hint = Hint::default();
                for _ in 0..scaled(1_000, 50_000) {
                    let timeout = random.micros(200);
                    if random.one_in(3) {
                        let waker = CountingWaker::new().waker();
                        let mut claiming = pin!(slots.claim_async(hint));
                        let polled = claiming.as_mut().poll(&mut Context::from_waker(&waker));
                        spin_for(timeout / 8);
                        claims.fetch_add(usize::from(polled.is_ready()), Ordering::Relaxed);
                    } else if let Ok(_slot) = slots.claim_timeout(&mut hint, timeout) {
                        spin_for(timeout / 8);
                        claims.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    assert!(claims.into_inner() > 0);
    assert_eq!((slots.bits().count(), slots.waiting()), (0, 0));
    assert!(slots.claim_timeout(&mut Hint::default(), LONG).is_ok());
}
