//! Models of the batch sender with its own thread: `src/integrations/merge`, compiled over loom.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use loom::sync::atomic::AtomicUsize;
use loom::thread;
use reveille_model::merge::{self, Batch, CallError, Close, MergeSender, Sent};

use crate::harness::Model;

fn sender() -> MergeSender<impl merge::Sink<Key = (), Message = u32, Reply = u32, Error = ()>> {
    let sink = merge::sink_fn(|_: &(), batch: &mut Batch<'_, u32, u32, ()>| {
        batch.complete_all(|message| message + 1);
        Ok(Sent::Done)
    });
    MergeSender::new(sink).unwrap()
}

/// A message that comes while the thread falls asleep is sent: no timeout would help it.
#[test]
fn nothing_is_stranded() {
    Model::bounded(1, 2900).full(Some(1)).check(|| {
        let sender = sender();
        let mut lane = sender.lane(());
        assert_eq!(lane.submit(1).unwrap().wait(), Ok(2));
        assert_eq!(lane.submit(2).unwrap().wait(), Ok(3));
        drop(lane);
        sender.close(Close::Drain);
    });
}

/// Two messages of one destination in batches of one: the second is not left behind.
#[test]
fn two_in_a_row() {
    Model::bounded(1, 3000).full(Some(1)).check(|| {
        let sink = merge::sink_fn(|_: &(), batch: &mut Batch<'_, u32, u32, ()>| {
            assert_eq!(batch.len(), 1);
            batch.complete_all(|message| message + 1);
            Ok(Sent::Done)
        });
        let sender = merge::Builder::new().max_batch(1).spawn(sink).unwrap();
        let mut lane = sender.lane(());
        let first = lane.submit(1).unwrap();
        assert_eq!(lane.submit(2).unwrap().wait(), Ok(3));
        assert_eq!(first.wait(), Ok(2));
        drop(lane);
        sender.close(Close::Drain);
    });
}

/// A lane outlives its sender: the close does not wait for it, and it is refused.
#[test]
fn lane_outlives_its_sender() {
    Model::bounded(1, 29).full(Some(1)).check(|| {
        let sender = sender();
        let mut lane = sender.lane(());
        sender.close(Close::Drain);
        assert_eq!(lane.submit(1).unwrap_err().into_inner(), 1);
    });
}

/// Two callers of two destinations: each is answered, whoever wakes the thread.
#[test]
fn two_destinations() {
    Model::bounded(0, 110).check(|| {
        let sink = merge::sink_fn(|key: &u32, batch: &mut Batch<'_, u32, u32, ()>| {
            batch.complete_all(|message| message + key);
            Ok(Sent::Done)
        });
        let sender = MergeSender::new(sink).unwrap();
        let mut lane = sender.lane(10);
        let caller = thread::spawn({
            let mut lane = sender.lane(20);
            move || assert_eq!(lane.submit(1).unwrap().wait(), Ok(21))
        });
        assert_eq!(lane.submit(2).unwrap().wait(), Ok(12));
        caller.join().unwrap();
        drop(lane);
        sender.close(Close::Drain);
    });
}

/// A destination that was blocked, against its resume: it goes on, with what was left first.
#[test]
fn resume_against_block() {
    Model::bounded(1, 2100).check(|| {
        let (handles, resumes) = std::sync::mpsc::channel();
        let mut blocked = false;
        let sink = merge::sink_fn(move |_: &(), batch: &mut Batch<'_, u32, u32, ()>| {
            if !std::mem::replace(&mut blocked, true) {
                handles.send(batch.resume()).unwrap();
                return Ok(Sent::Blocked);
            }
            batch.complete_all(|message| message + 1);
            Ok(Sent::Done)
        });
        let sender = MergeSender::new(sink).unwrap();
        let mut lane = sender.lane(());
        let ticket = lane.submit(1).unwrap();
        let resume = loop {
            match resumes.try_recv() {
                Ok(resume) => break resume,
                Err(_) => thread::yield_now(),
            }
        };
        resume.resume();
        assert_eq!(ticket.wait(), Ok(2));
        drop((lane, resume));
        sender.close(Close::Drain);
    });
}

/// Close against a call: it is answered or comes back, once.
#[test]
fn close_against_call() {
    Model::bounded(1, 4600).full(Some(1)).check(|| {
        let sender = sender();
        let mut lane = sender.lane(());
        let caller = thread::spawn(move || match lane.submit(1) {
            Ok(ticket) => match ticket.wait() {
                Ok(reply) => assert_eq!(reply, 2),
                Err(CallError::Unsent(message)) => assert_eq!(message, 1),
                Err(other) => panic!("{other:?}"),
            },
            Err(error) => assert_eq!(error.into_inner(), 1),
        });
        sender.close(Close::Abort);
        caller.join().unwrap();
    });
}

// Canaries: what is broken here the models must see. (A deadlock they see, too, but it unwinds through
// the sender's thread, and no test survives that: it is left to the mutants.)

/// A message posted before an abort may be sent, and may not: both orders are explored.
#[test]
#[should_panic(expected = "the abort was first")]
fn canary_abort_wins() {
    Model::bounded(1, 0).check(|| {
        let sent = Arc::new(AtomicUsize::new(0));
        let sink = merge::sink_fn({
            let sent = sent.clone();
            move |_: &(), batch: &mut Batch<'_, (), (), ()>| {
                sent.fetch_add(batch.len(), Relaxed);
                Ok(Sent::Done)
            }
        });
        let sender = MergeSender::new(sink).unwrap();
        let mut lane = sender.lane(());
        lane.post(()).unwrap();
        drop(lane);
        sender.close(Close::Abort);
        assert_eq!(sent.load(Relaxed), 1, "the abort was first");
    });
}

/// A ticket that is forgotten leaks its cell.
#[test]
#[should_panic(expected = "leaked")]
fn canary_leak() {
    Model::bounded(0, 0).check(|| {
        let sender = sender();
        let mut lane = sender.lane(());
        std::mem::forget(lane.submit(1).unwrap());
        drop(lane);
        sender.close(Close::Drain);
    });
}
