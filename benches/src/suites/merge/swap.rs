//! What one would write with a lock today: one list of messages for all destinations, swapped out
//! whole, and a condition that is notified only when the thread sleeps.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use super::subject::{Deliver, Merger, Post, Then};

/// The sender, stopped when dropped.
pub(super) struct Swap {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    posted: Condvar,
}

#[derive(Default)]
struct State {
    messages: Vec<(usize, u64)>,
    asleep: bool,
    stopped: bool,
}

/// A caller's side.
pub(super) struct Caller {
    destination: usize,
    shared: Arc<Shared>,
}

impl Merger for Swap {
    const NAME: &'static str = "mutex-vec-swap";
    type Lane = Caller;

    fn start(deliver: Deliver) -> Self {
        let shared = Arc::<Shared>::default();
        let thread = thread::spawn({
            let shared = Arc::clone(&shared);
            move || shared.send(deliver)
        });
        Self { shared, thread: Some(thread) }
    }

    fn lane(&self, destination: usize) -> Caller {
        Caller { destination, shared: Arc::clone(&self.shared) }
    }
}

impl Drop for Swap {
    fn drop(&mut self) {
        self.shared.state().stopped = true;
        self.shared.posted.notify_one();
        if let Some(thread) = self.thread.take() {
            thread.join().expect("the sender does not panic");
        }
    }
}

impl Post for Caller {
    fn post(&mut self, message: u64) {
        let mut state = self.shared.state();
        state.messages.push((self.destination, message));
        let asleep = core::mem::take(&mut state.asleep);
        drop(state);
        if asleep {
            self.shared.posted.notify_one();
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn send(&self, mut deliver: Deliver) {
        let mut taken = Vec::new();
        let mut batches = BTreeMap::<usize, Vec<u64>>::new();
        while self.take(&mut taken) {
            for (destination, message) in taken.drain(..) {
                batches.entry(destination).or_default().push(message);
            }
            for (&destination, messages) in batches.iter_mut().filter(|(_, some)| !some.is_empty())
            {
                if let Then::Blocked(pause) = deliver(destination, &mut messages.drain(..)) {
                    thread::sleep(pause);
                }
            }
        }
    }

    /// Swaps the messages out, waiting for some; false if there will be none.
    fn take(&self, taken: &mut Vec<(usize, u64)>) -> bool {
        let mut state = self.state();
        while state.messages.is_empty() {
            if state.stopped {
                return false;
            }
            state.asleep = true;
            state = self.posted.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.asleep = false;
        core::mem::swap(&mut state.messages, taken);
        true
    }
}
