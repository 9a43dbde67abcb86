//! The sender's handle, and its destinations.

use core::fmt;
use std::collections::HashMap;
use std::io;
use std::sync::PoisonError;

use super::batch::Entry;
use super::builder::Builder;
use super::driver::{Driver, Event};
use super::lane::Lane;
use super::sink::Sink;
use super::stats::{Counters, Stats};
use crate::Adaptive;
use crate::basket::{Basket, Bounded, Offerer, SharedOfferer};
use crate::shim::Arc;
use crate::shim::thread::{self, JoinHandle, Mutex};

/// Merges the messages of many callers into batches and sends them from a thread of its own. See the
/// [module](super).
///
/// Dropped, it closes with [`Close::Drain`] and does not wait for the end.
pub struct MergeSender<S: Sink> {
    shared: Arc<Shared<S>>,
    thread: Option<JoinHandle<()>>,
}

/// What becomes of messages that have not been sent when a sender closes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Close {
    /// They are sent. A destination that is blocked keeps the sender from ending until it is resumed.
    Drain,
    /// They go back to their tickets, in [`CallError::Unsent`](super::CallError::Unsent).
    Abort,
}

pub(super) type EntryOf<S> = Entry<<S as Sink>::Message, <S as Sink>::Reply, <S as Sink>::Error>;

/// What the sender, its lanes and its thread share.
pub(super) struct Shared<S: Sink> {
    pub(super) events: SharedOfferer<Event<S>>,
    pub(super) counters: Counters,
    lane_capacity: usize,
    destinations: Mutex<HashMap<S::Key, Destination<S>>>,
}

struct Destination<S: Sink> {
    /// The one that the lanes' own are cloned from.
    offerer: Offerer<EntryOf<S>, Bounded>,
    lanes: usize,
}

impl<S: Sink> Shared<S> {
    fn destinations<R>(&self, f: impl FnOnce(&mut HashMap<S::Key, Destination<S>>) -> R) -> R {
        // A key whose hash or comparison panicked has not changed the map.
        f(&mut self.destinations.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// An offerer for one more lane of the destination, which is made if it has none.
    pub(super) fn enter(&self, key: &S::Key) -> Offerer<EntryOf<S>, Bounded> {
        self.destinations(|destinations| {
            let destination = destinations.entry(key.clone()).or_insert_with(|| {
                let (offerer, drainer) =
                    Basket::bounded(self.lane_capacity).expect("the builder saw to the capacity");
                // If the thread is gone, so is the drainer now, and the basket is closed.
                drop(self.events.offer(Event::Enter(key.clone(), drainer)));
                Destination { offerer, lanes: 0 }
            });
            destination.lanes += 1;
            destination.offerer.clone()
        })
    }

    /// A lane of the destination goes. With the last one its basket closes, and when that is drained
    /// the thread forgets the destination.
    pub(super) fn leave(&self, key: &S::Key) {
        let last = self.destinations(|destinations| {
            let destination = destinations.get_mut(key)?;
            destination.lanes -= 1;
            if destination.lanes == 0 { destinations.remove(key) } else { None }
        });
        drop(last);
    }
}

impl<S: Sink> MergeSender<S> {
    /// Starts a sender with the usual options; see [`Builder`] for others.
    ///
    /// # Errors
    ///
    /// If its thread cannot be started.
    pub fn new(sink: S) -> io::Result<Self> {
        Builder::new().spawn(sink)
    }

    pub(super) fn spawn(options: &Builder, sink: S) -> io::Result<Self> {
        if options.thread_name.contains('\0') {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "a NUL in the thread's name"));
        }
        let (events, incoming) = Basket::ordered();
        let incoming = incoming.with_policy(Adaptive::new().wary());
        let shared = Arc::new(Shared {
            events: events.share(),
            counters: Counters::default(),
            lane_capacity: options.lane_capacity,
            destinations: Mutex::new(HashMap::new()),
        });
        let driver = Driver::new(options, sink, incoming, shared.clone());
        let thread = thread::spawn(&options.thread_name, move || driver.run())?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// A caller's way to a destination. Keep it, and clone it for each thread that submits.
    ///
    /// Takes a lock, and wakes the sender's thread if the destination is new.
    #[must_use]
    pub fn lane(&self, key: S::Key) -> Lane<S> {
        let offerer = self.shared.enter(&key);
        Lane { offerer, key, shared: self.shared.clone() }
    }

    /// What the sender has done so far.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.shared.counters.read()
    }

    /// Refuses messages from now on, deals with those that it has, and waits until its thread has
    /// ended. (Called by the sink itself it does not wait.)
    pub fn close(mut self, how: Close) {
        self.begin_close(how);
        if let Some(thread) = self.thread.take() {
            if !thread::is_current(&thread) {
                // The thread contains what user code throws; it ends without a result.
                drop(thread.join());
            }
        }
    }

    fn begin_close(&self, how: Close) {
        drop(self.shared.events.offer(Event::Close(how)));
    }
}

impl<S: Sink> Drop for MergeSender<S> {
    fn drop(&mut self) {
        if self.thread.is_some() {
            self.begin_close(Close::Drain);
        }
    }
}

impl<S: Sink> fmt::Debug for MergeSender<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MergeSender").field("stats", &self.stats()).finish_non_exhaustive()
    }
}
