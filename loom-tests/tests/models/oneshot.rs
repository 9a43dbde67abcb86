//! Models of the one-shot: `src/oneshot`, compiled over loom.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use loom::thread;
use reveille_model::Parker;
use reveille_model::oneshot::{Dropped, TicketError, pair};
use reveille_model::parker::WakeBatch;
use reveille_model::platform::expire_timed_waits;

use crate::harness::{Model, Payload};
use crate::scenarios::{LONG, block_on};

/// The value arrives whole and wakes the thread that waits.
#[test]
fn value_arrives() {
    Model::exhaustive(10).check(|| {
        let (completer, ticket) = pair();
        let giver = thread::spawn(move || completer.complete(Payload::written(1)).unwrap());
        assert_eq!(ticket.wait().unwrap().read(), 1);
        giver.join().unwrap();
    });
}

/// The value arrives whole and wakes the task that waits.
#[test]
fn value_arrives_in_task() {
    Model::bounded(4, 10).check(|| {
        let (completer, ticket) = pair();
        let giver = thread::spawn(move || completer.complete(Payload::written(1)).unwrap());
        assert_eq!(block_on(ticket).unwrap().read(), 1);
        giver.join().unwrap();
    });
}

/// A completer that goes without a value wakes who waits, and carries what was done before.
#[test]
fn completer_drops() {
    Model::exhaustive(10).check(|| {
        let data = Payload::new();
        let (completer, ticket) = pair::<()>();
        let giver = thread::spawn({
            let data = data.clone();
            move || {
                data.write(1);
                drop(completer);
            }
        });
        assert_eq!(ticket.wait(), Err(Dropped));
        assert_eq!(data.read(), 1);
        giver.join().unwrap();
    });
}

/// The ticket goes against a completion: the value comes back or is dropped, once.
#[test]
fn ticket_drops() {
    Model::exhaustive(2).check(|| {
        let value = Payload::written(1);
        let (completer, ticket) = pair();
        let giver = thread::spawn({
            let value = value.clone();
            move || drop(completer.complete(value))
        });
        drop(ticket);
        giver.join().unwrap();
        assert_eq!(Arc::strong_count(&value), 1);
    });
}

/// The end of a timed wait against a completion: the value is had now or by the next look.
#[test]
fn timeout_against_completion() {
    Model::bounded(3, 10).check(|| {
        let (completer, mut ticket) = pair();
        let clock = thread::spawn(expire_timed_waits);
        let giver = thread::spawn(move || completer.complete(Payload::written(1)).unwrap());
        let value = match ticket.wait_timeout(LONG) {
            Ok(value) => value,
            Err(TicketError::TimedOut) => ticket.wait().unwrap(),
            Err(TicketError::Dropped) => unreachable!(),
        };
        assert_eq!(value.read(), 1);
        clock.join().unwrap();
        giver.join().unwrap();
    });
}

/// Completions into a batch: nobody sleeps on once the batch has woken.
#[test]
fn completions_into_batch() {
    Model::bounded(3, 10).check(|| {
        let (first, one) = pair();
        let (second, two) = pair();
        let giver = thread::spawn(move || {
            // Room for one: the other is woken at once.
            let mut batch = WakeBatch::<1>::new();
            first.complete_into(Payload::written(1), &mut batch).unwrap();
            second.complete_into(Payload::written(2), &mut batch).unwrap();
        });
        let other = thread::spawn(move || assert_eq!(two.wait().unwrap().read(), 2));
        assert_eq!(one.wait().unwrap().read(), 1);
        giver.join().unwrap();
        other.join().unwrap();
    });
}

/// A task polls with one waker, then with another; then the thread waits instead.
#[test]
fn task_then_thread() {
    Model::bounded(3, 10).check(|| {
        let (completer, ticket) = pair();
        let mut ticket = Box::pin(ticket);
        let giver = thread::spawn(move || completer.complete(Payload::written(1)).unwrap());
        let first = Parker::new();
        let second = Parker::new();
        let mut value = None;
        for parker in [&first, &second] {
            let waker = Waker::from(parker.unparker());
            if value.is_none() {
                if let Poll::Ready(ready) = pin!(&mut ticket).poll(&mut Context::from_waker(&waker))
                {
                    value = Some(ready.unwrap());
                }
            }
        }
        let value = value.unwrap_or_else(|| ticket.wait_timeout(std::time::Duration::MAX).unwrap());
        assert_eq!(value.read(), 1);
        giver.join().unwrap();
    });
}
