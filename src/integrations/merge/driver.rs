//! The sender's thread.
//!
//! Each destination's basket has a waker that [reports](super::ready) it, fired by the first message
//! after the thread has emptied it; the thread serves the reported ones in turn, one batch each.
//! Emptying a basket and arming its waker is one step of the basket ([`Drainer::poll_wait`]), so no
//! message is left behind beside a sleeping thread.

use alloc::collections::VecDeque;
use alloc::sync::Arc as StdArc;
use alloc::vec;
use alloc::vec::Vec;
use core::panic::AssertUnwindSafe;
use core::task::{Context, Poll, Waker};
use std::collections::HashMap;
use std::panic::catch_unwind;

use super::batch::{Batch, Entry};
use super::builder::Builder;
use super::error::CallError;
use super::patience::Patience;
use super::ready::{Ready, Report};
use super::sender::{Close, EntryOf, Shared};
use super::sink::{Sent, Sink};
use crate::Adaptive;
use crate::basket::{Bounded, Drainer};
use crate::parker::Parker;
use crate::shim::Arc;

/// Reported when the directory has news. Destinations are numbered from one.
const NEWS: usize = 0;

struct Destination<S: Sink> {
    key: S::Key,
    incoming: Drainer<EntryOf<S>, Bounded>,
    /// What a blocked send left, to be sent first.
    left: VecDeque<EntryOf<S>>,
    /// Its last send was blocked: a resume will report it.
    blocked: bool,
    waker: Waker,
}

pub(super) struct Driver<S: Sink> {
    sink: S,
    max_batch: usize,
    max_bytes: usize,
    parker: Parker,
    ready: Ready,
    shared: Arc<Shared<S>>,
    /// By number.
    destinations: Vec<Option<Destination<S>>>,
    /// Numbers that destinations had which are gone. What is reported late under one costs a look.
    free: Vec<usize>,
    /// How many baskets each key has: more than one while an old one is drained.
    baskets: HashMap<S::Key, usize>,
    patience: Patience,
    /// The one that is being served.
    serving: Option<usize>,
    /// The batch in hand.
    batch: VecDeque<EntryOf<S>>,
    closing: Option<Close>,
}

/// The thread's parker and what it is told by, before there is a thread.
pub(super) struct Idle {
    parker: Parker,
    ready: Ready,
    /// For the directory.
    pub(super) news: Report,
}

impl Idle {
    pub(super) fn new() -> Self {
        let mut parker = Parker::new();
        *parker.policy_mut() = Adaptive::new().wary();
        let mut ready = Ready::new(parker.unparker());
        let news = ready.report_of(NEWS);
        Self { parker, ready, news }
    }
}

impl<S: Sink> Driver<S> {
    pub(super) fn new(options: &Builder, sink: S, idle: Idle, shared: Arc<Shared<S>>) -> Self {
        Self {
            sink,
            max_batch: options.max_batch,
            max_bytes: options.max_bytes,
            parker: idle.parker,
            ready: idle.ready,
            shared,
            destinations: vec![None],
            free: Vec::new(),
            baskets: HashMap::new(),
            patience: Patience::new(),
            serving: None,
            batch: VecDeque::new(),
            closing: None,
        }
    }

    pub(super) fn run(mut self) {
        while self.closing.is_none() || self.destinations.iter().any(Option::is_some) {
            if !self.serve_ready() && !self.parker.try_park() {
                self.shared.counters.sleep();
                self.parker.park();
            }
        }
    }

    /// Deals with all that is reported, once each. Whether there was something.
    fn serve_ready(&mut self) -> bool {
        let mut some = false;
        for segment in 0..self.ready.segments() {
            for number in self.ready.take(segment) {
                some = true;
                match number {
                    NEWS => self.hear_news(),
                    _ => self.contain(|driver| driver.serve(number)),
                }
            }
        }
        some
    }

    /// Runs a step that runs user code: destructors, wakers. What that throws concerns the batch in
    /// hand only.
    fn contain(&mut self, step: impl FnOnce(&mut Self)) {
        if catch_unwind(AssertUnwindSafe(|| step(self))).is_ok() {
            return;
        }
        self.shared.counters.failure();
        // A message whose destructor panics, too, takes nobody else with it.
        while !self.batch.is_empty() {
            drop(catch_unwind(AssertUnwindSafe(|| self.fail_batch(|| CallError::Panicked))));
        }
        if let Some(number) = self.serving.take() {
            self.ready.set(number);
        }
    }

    fn hear_news(&mut self) {
        let (entering, closing) = self.shared.take_news();
        for (key, incoming) in entering {
            self.contain(|driver| driver.enter(key, incoming));
        }
        if let Some(how) = closing.filter(|_| closing != self.closing) {
            self.closing = closing;
            for number in 0..self.destinations.len() {
                self.contain(|driver| driver.close(number, how));
            }
        }
    }

    fn enter(&mut self, key: S::Key, incoming: Drainer<EntryOf<S>, Bounded>) {
        *self.baskets.entry(key.clone()).or_insert(0) += 1;
        let number = self.free.pop().unwrap_or_else(|| {
            self.destinations.push(None);
            self.destinations.len() - 1
        });
        let waker = Waker::from(StdArc::new(self.ready.report_of(number)));
        let left = VecDeque::new();
        self.destinations[number] =
            Some(Destination { key, incoming, left, blocked: false, waker });
        self.ready.set(number);
    }

    fn close(&mut self, number: usize, how: Close) {
        let Some(destination) = &mut self.destinations[number] else { return };
        // Those that are blocked wait for their resume, unless there is nothing to send any more.
        let has_messages = !destination.left.is_empty() || !destination.incoming.is_empty();
        let waits = destination.blocked && how == Close::Drain && has_messages;
        if !waits {
            self.ready.set(number);
        }
        destination.incoming.close();
    }

    /// Sends a batch of the destination whose turn it is.
    fn serve(&mut self, number: usize) {
        let Some(destination) = self.destinations.get_mut(number).and_then(Option::as_mut) else {
            return;
        };
        destination.blocked = false;
        self.serving = Some(number);
        if destination.left.is_empty() {
            self.patience.step_back(|| destination.incoming.len());
            let (items, bytes) = (self.max_batch, self.max_bytes);
            self.batch
                .extend(destination.incoming.drain_weighed(items, bytes, |entry| entry.weight));
        } else {
            core::mem::swap(&mut self.batch, &mut destination.left);
        }
        if self.closing == Some(Close::Abort) {
            self.give_back_batch();
        }
        if self.batch.is_empty() || self.send(number) == Sent::Done {
            self.look_after(number);
        }
        self.serving = None;
    }

    /// Gives the batch in hand to the sink.
    fn send(&mut self, number: usize) -> Sent {
        let Some(destination) = &mut self.destinations[number] else { return Sent::Done };
        let counters = &self.shared.counters;
        counters.batch(self.batch.len());
        let mut batch = Batch { entries: &mut self.batch, waker: &destination.waker };
        let send = || self.sink.send(&destination.key, &mut batch);
        match catch_unwind(AssertUnwindSafe(send)) {
            Ok(Ok(Sent::Blocked)) => {
                core::mem::swap(&mut self.batch, &mut destination.left);
                destination.blocked = true;
                return Sent::Blocked;
            }
            Ok(Ok(_)) => self.batch.clear(),
            Ok(Err(error)) => {
                counters.failure();
                self.fail_batch(|| CallError::Failed(error.clone()));
            }
            Err(_) => {
                counters.failure();
                self.fail_batch(|| CallError::Panicked);
            }
        }
        Sent::Done
    }

    /// After a send: the destination takes its next turn, or its waker will report, or it is over.
    fn look_after(&mut self, number: usize) {
        let Some(destination) = &mut self.destinations[number] else { return };
        let mut cx = Context::from_waker(&destination.waker);
        match destination.incoming.poll_wait(&mut cx) {
            Poll::Pending => {}
            Poll::Ready(Ok(())) => self.ready.set(number),
            Poll::Ready(Err(_)) => self.forget(number),
        }
    }

    /// The destination's basket is closed and empty.
    fn forget(&mut self, number: usize) {
        let Some(destination) = self.destinations[number].take() else { return };
        self.free.push(number);
        if let Some(baskets) = self.baskets.get_mut(&destination.key) {
            *baskets -= 1;
            if *baskets == 0 {
                self.baskets.remove(&destination.key);
                self.sink.forget(&destination.key);
            }
        }
    }

    /// The batch in hand is not sent, for this reason.
    fn fail_batch(&mut self, why: impl Fn() -> CallError<S::Message, S::Error>) {
        while let Some(Entry { reply, .. }) = self.batch.pop_front() {
            if let Some(reply) = reply {
                drop(reply.resolve(Err(why())));
            }
        }
    }

    /// The batch in hand was not given to the sink: the tickets get their messages back.
    fn give_back_batch(&mut self) {
        while let Some(Entry { message, reply, .. }) = self.batch.pop_front() {
            if let Some(reply) = reply {
                drop(reply.resolve(Err(CallError::Unsent(message))));
            }
        }
    }
}

impl<S: Sink> Drop for Driver<S> {
    fn drop(&mut self) {
        self.shared.end();
    }
}
