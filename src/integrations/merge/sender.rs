//! The sender's handle, and its destinations.

use alloc::vec::Vec;
use core::{fmt, mem};
use std::collections::HashMap;
use std::io;
use std::sync::PoisonError;

use super::batch::Entry;
use super::builder::Builder;
use super::driver::{Driver, Idle};
use super::lane::Lane;
use super::ready::Report;
use super::sink::Sink;
use super::stats::{Counters, Stats};
use crate::basket::{Basket, Bounded, Drainer, Offerer};
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

/// A destination that the thread does not know yet.
type Entering<S> = (<S as Sink>::Key, Drainer<EntryOf<S>, Bounded>);

/// What the sender, its lanes and its thread share.
pub(super) struct Shared<S: Sink> {
    pub(super) counters: Counters,
    lane_capacity: usize,
    directory: Mutex<Directory<S>>,
    /// Tells the thread that the directory has something for it.
    news: Report,
}

struct Directory<S: Sink> {
    destinations: HashMap<S::Key, Destination<S>>,
    entering: Vec<Entering<S>>,
    closing: Option<Close>,
}

struct Destination<S: Sink> {
    /// The one that the lanes' own are cloned from.
    offerer: Offerer<EntryOf<S>, Bounded>,
    lanes: usize,
}

impl<S: Sink> Shared<S> {
    fn directory<R>(&self, f: impl FnOnce(&mut Directory<S>) -> R) -> R {
        // A key whose hash or comparison panicked has not changed the map.
        f(&mut self.directory.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// An offerer for one more lane of the destination, which is made if it has none.
    pub(super) fn enter(&self, key: &S::Key) -> Offerer<EntryOf<S>, Bounded> {
        let (offerer, is_new) = self.directory(|directory| {
            if let Some(destination) = directory.destinations.get_mut(key) {
                destination.lanes += 1;
                return (destination.offerer.clone(), false);
            }
            let (offerer, drainer) =
                Basket::bounded(self.lane_capacity).expect("the builder saw to the capacity");
            let destination = Destination { offerer: offerer.clone(), lanes: 1 };
            let entering = (key.clone(), drainer);
            directory.destinations.insert(key.clone(), destination);
            // Else the drainer goes, and the basket is closed.
            if directory.closing.is_none() {
                directory.entering.push(entering);
            }
            (offerer, true)
        });
        if is_new {
            self.news.report();
        }
        offerer
    }

    /// A lane of the destination goes. With the last one its basket closes, and when that is drained
    /// the thread forgets the destination.
    pub(super) fn leave(&self, key: &S::Key) {
        let last = self.directory(|directory| {
            let destination = directory.destinations.get_mut(key)?;
            destination.lanes -= 1;
            if destination.lanes == 0 { directory.destinations.remove(key) } else { None }
        });
        drop(last);
    }

    /// For the thread: destinations that are new, and whether to close. None enter after that.
    pub(super) fn take_news(&self) -> (Vec<Entering<S>>, Option<Close>) {
        self.directory(|directory| (mem::take(&mut directory.entering), directory.closing))
    }

    fn close(&self, how: Close) {
        self.directory(|directory| directory.closing = Some(how));
        self.news.report();
    }

    /// The thread is gone: so is whatever was to enter.
    pub(super) fn end(&self) {
        let entering = self.directory(|directory| {
            directory.closing.get_or_insert(Close::Abort);
            mem::take(&mut directory.entering)
        });
        drop(entering);
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
        let idle = Idle::new();
        let directory =
            Directory { destinations: HashMap::new(), entering: Vec::new(), closing: None };
        let shared = Arc::new(Shared {
            counters: Counters::default(),
            lane_capacity: options.lane_capacity,
            directory: Mutex::new(directory),
            news: idle.news.clone(),
        });
        let driver = Driver::new(options, sink, idle, shared.clone());
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
        self.shared.close(how);
        if let Some(thread) = self.thread.take() {
            if !thread::is_current(&thread) {
                // The thread contains what user code throws; it ends without a result.
                drop(thread.join());
            }
        }
    }
}

impl<S: Sink> Drop for MergeSender<S> {
    fn drop(&mut self) {
        if self.thread.is_some() {
            self.shared.close(Close::Drain);
        }
    }
}

impl<S: Sink> fmt::Debug for MergeSender<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MergeSender").field("stats", &self.stats()).finish_non_exhaustive()
    }
}
