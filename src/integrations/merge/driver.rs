//! The sender's thread.
//!
//! Each destination's basket has a waker that reports it as ready, fired by the first message after
//! the thread has emptied it; the thread serves the ready ones in turn, one batch each. Emptying a
//! basket and arming its waker is one step of the basket ([`Drainer::poll_wait`]), so no message is
//! left behind beside a sleeping thread; and the thread itself waits for reports at a basket, too.

use alloc::collections::VecDeque;
use alloc::sync::Arc as StdArc;
use alloc::task::Wake;
use alloc::vec::Vec;
use core::panic::AssertUnwindSafe;
use core::task::{Context, Poll, Waker};
use std::collections::HashMap;
use std::panic::catch_unwind;

use super::batch::{Batch, Entry};
use super::builder::Builder;
use super::error::CallError;
use super::patience::Patience;
use super::sender::{Close, EntryOf, Shared};
use super::sink::{Sent, Sink};
use crate::basket::{Bounded, Drainer, Ordered};
use crate::shim::Arc;

/// What the thread is told.
pub(super) enum Event<S: Sink> {
    /// A destination is new.
    Enter(S::Key, Drainer<EntryOf<S>, Bounded>),
    /// A destination has messages, or may take some again, or is closed.
    Ready(Id),
    /// The sender closes.
    Close(Close),
}

/// Names a destination's basket; never used again.
type Id = u64;

/// Reports a destination as ready.
struct Report<S: Sink> {
    id: Id,
    shared: Arc<Shared<S>>,
}

impl<S: Sink> Wake for Report<S> {
    fn wake(self: StdArc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &StdArc<Self>) {
        // Refused only when the thread is gone.
        drop(self.shared.events.offer(Event::Ready(self.id)));
    }
}

struct Destination<S: Sink> {
    key: S::Key,
    incoming: Drainer<EntryOf<S>, Bounded>,
    /// What a blocked send left, to be sent first.
    left: VecDeque<EntryOf<S>>,
    state: State,
    waker: Waker,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Its waker will report.
    Idle,
    /// It is in the queue.
    Queued,
    /// Its send was blocked; a resume will report.
    Blocked,
}

pub(super) struct Driver<S: Sink> {
    sink: S,
    max_batch: usize,
    max_bytes: usize,
    events: Drainer<Event<S>, Ordered>,
    shared: Arc<Shared<S>>,
    destinations: HashMap<Id, Destination<S>>,
    /// How many baskets each key has: more than one while an old one is drained.
    baskets: HashMap<S::Key, usize>,
    /// Those to be served, in turn.
    queue: VecDeque<Id>,
    next_id: Id,
    patience: Patience,
    /// The one that is being served.
    serving: Option<Id>,
    /// The batch in hand.
    batch: VecDeque<EntryOf<S>>,
    closing: Option<Close>,
}

impl<S: Sink> Driver<S> {
    pub(super) fn new(
        options: &Builder,
        sink: S,
        events: Drainer<Event<S>, Ordered>,
        shared: Arc<Shared<S>>,
    ) -> Self {
        Self {
            sink,
            max_batch: options.max_batch,
            max_bytes: options.max_bytes,
            events,
            shared,
            destinations: HashMap::new(),
            baskets: HashMap::new(),
            queue: VecDeque::new(),
            next_id: 0,
            patience: Patience::new(),
            serving: None,
            batch: VecDeque::new(),
            closing: None,
        }
    }

    pub(super) fn run(mut self) {
        while self.closing.is_none() || !self.destinations.is_empty() {
            if self.queue.is_empty() && self.events.is_empty() {
                self.shared.counters.sleep();
                if self.events.wait().is_err() {
                    // Every handle is gone. (The sender's says so first; this is for the model.)
                    self.close(Close::Drain);
                }
            }
            while let Some(event) = self.events.take() {
                self.contain(|driver| driver.handle(event));
            }
            for _ in 0..self.queue.len() {
                self.contain(Self::serve_next);
            }
        }
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
        if let Some(id) = self.serving.take() {
            self.enqueue(id);
        }
    }

    fn handle(&mut self, event: Event<S>) {
        match event {
            Event::Enter(key, incoming) => self.enter(key, incoming),
            Event::Ready(id) => self.enqueue(id),
            Event::Close(how) => self.close(how),
        }
    }

    fn enter(&mut self, key: S::Key, mut incoming: Drainer<EntryOf<S>, Bounded>) {
        if self.closing.is_some() {
            incoming.close();
        }
        let id = self.next_id;
        self.next_id += 1;
        *self.baskets.entry(key.clone()).or_insert(0) += 1;
        let waker = Waker::from(StdArc::new(Report { id, shared: self.shared.clone() }));
        let left = VecDeque::new();
        let state = State::Queued;
        self.destinations.insert(id, Destination { key, incoming, left, state, waker });
        self.queue.push_back(id);
    }

    fn enqueue(&mut self, id: Id) {
        if let Some(destination) = self.destinations.get_mut(&id) {
            if destination.state != State::Queued {
                destination.state = State::Queued;
                self.queue.push_back(id);
            }
        }
    }

    fn close(&mut self, how: Close) {
        // An abort may follow a drain that takes too long.
        self.closing = Some(how);
        // The oldest first, whatever the map's order is.
        let mut ids: Vec<Id> = self.destinations.keys().copied().collect();
        ids.sort_unstable();
        for id in ids {
            let Some(destination) = self.destinations.get_mut(&id) else { continue };
            destination.incoming.close();
            if how == Close::Abort {
                self.batch.append(&mut destination.left);
                self.batch.extend(destination.incoming.drain());
            }
            // Those that are blocked wait for their resume, unless there is nothing to send any more.
            let has_messages = !destination.left.is_empty() || !destination.incoming.is_empty();
            let waits = destination.state == State::Blocked && how == Close::Drain && has_messages;
            if destination.state != State::Queued && !waits {
                destination.state = State::Queued;
                self.queue.push_back(id);
            }
        }
        self.give_back_batch();
    }

    /// Sends a batch of the destination whose turn it is.
    fn serve_next(&mut self) {
        let Some(id) = self.queue.pop_front() else { return };
        let Some(destination) = self.destinations.get_mut(&id) else { return };
        destination.state = State::Idle;
        self.serving = Some(id);
        if destination.left.is_empty() {
            self.patience.step_back(|| destination.incoming.len());
        }
        if destination.left.is_empty() {
            let (items, bytes) = (self.max_batch, self.max_bytes);
            self.batch
                .extend(destination.incoming.drain_weighed(items, bytes, |entry| entry.weight));
        } else {
            core::mem::swap(&mut self.batch, &mut destination.left);
        }
        if self.closing == Some(Close::Abort) {
            // Accepted while the abort was on its way.
            self.give_back_batch();
        }
        if self.batch.is_empty() || self.send(id) == Sent::Done {
            self.look_after(id);
        }
        self.serving = None;
    }

    /// Gives the batch in hand to the sink.
    fn send(&mut self, id: Id) -> Sent {
        let Some(destination) = self.destinations.get_mut(&id) else { return Sent::Done };
        let counters = &self.shared.counters;
        counters.batch(self.batch.len());
        let mut batch = Batch { entries: &mut self.batch, waker: &destination.waker };
        let send = || self.sink.send(&destination.key, &mut batch);
        match catch_unwind(AssertUnwindSafe(send)) {
            Ok(Ok(Sent::Blocked)) => {
                core::mem::swap(&mut self.batch, &mut destination.left);
                destination.state = State::Blocked;
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
    fn look_after(&mut self, id: Id) {
        let Some(destination) = self.destinations.get_mut(&id) else { return };
        let mut cx = Context::from_waker(&destination.waker);
        match destination.incoming.poll_wait(&mut cx) {
            Poll::Pending => {}
            Poll::Ready(Ok(())) => self.enqueue(id),
            Poll::Ready(Err(_)) => self.forget(id),
        }
    }

    /// The destination's basket is closed and empty.
    fn forget(&mut self, id: Id) {
        let Some(destination) = self.destinations.remove(&id) else { return };
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
