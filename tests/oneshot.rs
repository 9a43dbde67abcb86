//! The one-shot from outside: one value or none, told once, to a thread or a task, whatever happens.
#![cfg(feature = "alloc")]

#[path = "support/mod.rs"]
mod support;

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::thread;
use std::time::{Duration, Instant};

use reveille::oneshot::{Completer, Dropped, Ticket, TicketError, pair};
use reveille::parker::WakeBatch;
use static_assertions::{assert_impl_all, assert_not_impl_any};
use support::block_on::block_on;
use support::waker::panicking_waker;
use support::{CountingWaker, Dial, Ledger, Random, StartLine, Tracked, rounds, spin_for, watch};

assert_impl_all!(Ticket<u8>: Send, Sync, Future);
assert_impl_all!(Completer<u8>: Send, Sync);
assert_not_impl_any!(Ticket<u8>: Clone);
assert_not_impl_any!(Completer<u8>: Clone);
assert_not_impl_any!(Ticket<std::rc::Rc<u8>>: Send, Sync);
assert_not_impl_any!(Completer<std::rc::Rc<u8>>: Send, Sync);

#[test]
fn a_value_that_is_there_wins() {
    let (completer, mut ticket) = pair();
    assert_eq!(ticket.try_take(), None);
    assert_eq!(ticket.wait_timeout(Duration::ZERO), Err(TicketError::TimedOut));
    completer.complete(7).unwrap();
    assert_eq!(ticket.wait_timeout(Duration::ZERO), Ok(7));
    assert_eq!(ticket.wait_timeout(Duration::MAX), Err(TicketError::Dropped), "once");
    assert_eq!(ticket.try_take(), Some(Err(Dropped)));
    assert_eq!(block_on(ticket), Err(Dropped));
}

#[test]
fn a_completer_that_goes_is_told() {
    let _watch = watch();
    let (completer, ticket) = pair::<u8>();
    drop(completer);
    assert_eq!(ticket.wait(), Err(Dropped));
    let (completer, ticket) = pair::<u8>();
    thread::scope(|scope| {
        scope.spawn(|| assert_eq!(ticket.wait(), Err(Dropped)));
        thread::sleep(Duration::from_millis(5));
        drop(completer);
    });
}

#[test]
fn a_ticket_that_goes_gives_the_value_back() {
    let ledger = Ledger::new();
    let (completer, ticket) = pair();
    assert!(!completer.is_abandoned());
    drop(ticket);
    assert!(completer.is_abandoned());
    assert_eq!(completer.complete(ledger.make(1)).unwrap_err().number(), 1);
    let (completer, ticket) = pair();
    completer.complete(ledger.make(2)).unwrap();
    drop(ticket);
    ledger.settle();
}

#[test]
fn it_is_never_early() {
    let _watch = watch();
    let (_completer, mut ticket) = pair::<u8>();
    for timeout in [1, 5].map(Duration::from_millis) {
        let begun = Instant::now();
        assert_eq!(ticket.wait_timeout(timeout), Err(TicketError::TimedOut));
        assert!(begun.elapsed() >= timeout);
    }
}

/// A task, then a thread, then a task: the value finds whoever waits last.
#[test]
fn waits_of_different_kinds_follow_each_other() {
    let _watch = watch();
    let (completer, mut ticket) = pair();
    let counters = [(); 2].map(|()| CountingWaker::new());
    for counter in &counters {
        let waker = counter.waker();
        assert!(Pin::new(&mut ticket).poll(&mut Context::from_waker(&waker)).is_pending());
        let waited = ticket.wait_timeout(Duration::from_millis(1));
        assert_eq!(waited, Err(TicketError::TimedOut));
    }
    let waker = counters[1].waker();
    assert!(Pin::new(&mut ticket).poll(&mut Context::from_waker(&waker)).is_pending());
    completer.complete(3).unwrap();
    assert_eq!(counters.each_ref().map(|counter| counter.wakes()), [0, 1]);
    assert_eq!(block_on(ticket), Ok(3));
    drop(waker);
    assert_eq!(counters.each_ref().map(CountingWaker::wakers), [0, 0]);
}

#[test]
fn a_batch_wakes_later() {
    let (completer, ticket) = pair();
    let counter = CountingWaker::new();
    let waker = counter.waker();
    let mut ticket = pin!(ticket);
    assert!(ticket.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    let mut batch = WakeBatch::<2>::new();
    completer.complete_into(5, &mut batch).unwrap();
    assert_eq!(counter.wakes(), 0);
    drop(batch);
    assert_eq!(counter.wakes(), 1);
    let taken = ticket.as_mut().poll(&mut Context::from_waker(&waker));
    assert_eq!(taken, Poll::Ready(Ok(5)));
}

#[test]
fn a_waker_that_panics_loses_nothing() {
    for take in [true, false] {
        let ledger = Ledger::new();
        let (completer, mut ticket) = pair();
        let waker = panicking_waker();
        assert!(Pin::new(&mut ticket).poll(&mut Context::from_waker(&waker)).is_pending());
        let completed = catch_unwind(AssertUnwindSafe(|| completer.complete(ledger.make(1))));
        assert!(completed.is_err());
        if take {
            assert_eq!(ticket.try_take().unwrap().unwrap().number(), 1);
        }
        drop(ticket);
        ledger.settle();
    }
}

/// The value comes just when the time is up: it is taken now or by the next wait.
#[test]
fn a_timeout_that_races_the_value_loses_nothing() {
    const TIMEOUT: Duration = Duration::from_micros(100);
    let _watch = watch();
    let ledger = Ledger::new();
    let mut dial = Dial::new(Duration::from_micros(150), Duration::from_millis(5));
    let mut random = Random::new(1);
    for n in rounds(300, 100_000) {
        let (completer, mut ticket) = pair::<Tracked>();
        let start = StartLine::new(2);
        let delay = dial.delay(&mut random);
        thread::scope(|scope| {
            let (start, ledger) = (&start, &ledger);
            scope.spawn(move || {
                start.wait();
                spin_for(delay);
                drop(completer.complete(ledger.make(n)));
            });
            start.wait();
            let mut waited = ticket.wait_timeout(TIMEOUT);
            dial.turn(waited.is_err());
            match n % 3 {
                0 if waited.is_err() => waited = ticket.wait_timeout(Duration::MAX),
                1 if waited.is_err() => waited = block_on(&mut ticket).map_err(Into::into),
                // Or nobody waits any more.
                _ => {}
            }
            assert!(n % 3 == 2 || waited.is_ok_and(|value| value.number() == n));
        });
    }
    dial.check();
    ledger.settle();
}
