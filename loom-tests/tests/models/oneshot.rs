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
    Model::exhaustive(126).check(|| {
        let (completer, ticket) = pair();
        let giver = thread::spawn(move || completer.complete(Payload::written(1)).unwrap());
        assert_eq!(ticket.wait().unwrap().read(), 1);
        giver.join().unwrap();
    });
}

/// The value arrives whole and wakes the task that waits.
#[test]
fn value_arrives_in_task() {
    Model::exhaustive(549).check(|| {
        let (completer, ticket) = pair();
        let giver = thread::spawn(move || completer.complete(Payload::written(1)).unwrap());
        assert_eq!(block_on(ticket).unwrap().read(), 1);
        giver.join().unwrap();
    });
}

/// A completer that goes without a value wakes who waits, and carries what was done before.
#[test]
fn completer_drops() {
    Model::exhaustive(126).check(|| {
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
    Model::exhaustive(18).check(|| {
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
    Model::exhaustive(15_100).check(|| {
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
    Model::bounded(3, 4200).check(|| {
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
    Model::exhaustive(372).check(|| {
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

/// A task polls with a waker that nobody listens to, then waits with another: that one is fired.
#[test]
fn task_then_task() {
    Model::exhaustive(2800).check(|| {
        let (completer, mut ticket) = pair();
        let giver = thread::spawn(move || completer.complete(Payload::written(1)).unwrap());
        let first = pin!(&mut ticket).poll(&mut Context::from_waker(Waker::noop()));
        let value = match first {
            Poll::Ready(value) => value.unwrap(),
            Poll::Pending => block_on(ticket).unwrap(),
        };
        assert_eq!(value.read(), 1);
        giver.join().unwrap();
    });
}

/// A completion into a batch, for a task: the batch fires its waker.
#[test]
fn batch_wakes_a_task() {
    Model::exhaustive(250).check(|| {
        let (completer, ticket) = pair();
        let giver = thread::spawn(move || {
            let mut batch = WakeBatch::<2>::new();
            completer.complete_into(Payload::written(1), &mut batch).unwrap();
            batch.wake_all();
        });
        assert_eq!(block_on(ticket).unwrap().read(), 1);
        giver.join().unwrap();
    });
}

/// The ticket looks without waiting, against a completion: what it finds is whole.
#[test]
fn look_against_completion() {
    Model::exhaustive(169).check(|| {
        let (completer, mut ticket) = pair();
        let giver = thread::spawn(move || completer.complete(Payload::written(1)).unwrap());
        let value = match ticket.try_take() {
            Some(value) => value.unwrap(),
            None => ticket.wait().unwrap(),
        };
        assert_eq!(value.read(), 1);
        giver.join().unwrap();
    });
}

/// A task that waited goes, against a completion into a batch: its waker is dropped or fired, and the
/// value dropped or given back.
#[test]
fn task_goes() {
    Model::exhaustive(454).check(|| {
        let value = Payload::written(1);
        let (completer, ticket) = pair();
        let giver = thread::spawn({
            let value = value.clone();
            move || {
                let mut batch = WakeBatch::<2>::new();
                drop(completer.complete_into(value, &mut batch));
            }
        });
        let mut parker = Parker::new();
        let waker = Waker::from(parker.unparker());
        let mut ticket = Box::pin(ticket);
        let looked = ticket.as_mut().poll(&mut Context::from_waker(&waker));
        drop(looked);
        drop(ticket);
        giver.join().unwrap();
        let _ = parker.try_park();
        assert_eq!(Arc::strong_count(&value), 1);
    });
}

// Canaries: what is broken here the models must see.

/// A completer that is forgotten resolves nothing.
#[test]
#[should_panic(expected = "deadlock")]
fn canary_completer_forgotten() {
    Model::exhaustive(0).check(|| {
        let (completer, ticket) = pair::<()>();
        let giver = thread::spawn(move || std::mem::forget(completer));
        let _ = ticket.wait();
        giver.join().unwrap();
    });
}

/// A side that is forgotten leaks the cell.
#[test]
#[should_panic(expected = "leaked")]
fn canary_leak() {
    Model::exhaustive(0).check(|| {
        let (completer, ticket) = pair();
        std::mem::forget(ticket);
        completer.complete(1).unwrap();
    });
}

/// What is written after the completion does not come with the value.
#[test]
#[should_panic(expected = "Causality violation")]
fn canary_written_after_the_value() {
    Model::exhaustive(0).check(|| {
        let (completer, ticket) = pair();
        let giver = thread::spawn(move || {
            let value = Payload::new();
            completer.complete(value.clone()).unwrap();
            value.write(1);
        });
        let _ = ticket.wait().unwrap().read();
        giver.join().unwrap();
    });
}
