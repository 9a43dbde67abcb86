//! The hand-written queue at its best: producers push to a vector under a `std::sync::Mutex`, the
//! consumer takes the whole vector and leaves an empty one. A `Condvar` is notified only if somebody
//! sleeps on it, since each notification is a system call.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

#[derive(Debug)]
pub(crate) struct MutexVec {
    state: Mutex<State>,
    filled: Condvar,
    emptied: Condvar,
    /// The most items in the vector. As many more may be in the consumer's hands.
    limit: usize,
}

#[derive(Debug, Default)]
struct State {
    items: Vec<u64>,
    producers: usize,
    /// The consumer sleeps, and nobody has notified it.
    asleep: bool,
    /// Producers that wait for room.
    waiting: usize,
}

/// A producer. The queue is over when all are dropped.
#[derive(Debug)]
pub(crate) struct Producer(Arc<MutexVec>);

/// The consumer, and the vector that it leaves next.
#[derive(Debug)]
pub(crate) struct Consumer {
    queue: Arc<MutexVec>,
    spare: Vec<u64>,
}

pub(crate) fn pair(limit: usize) -> (Producer, Consumer) {
    let state = State { producers: 1, ..State::default() };
    let queue = Arc::new(MutexVec {
        state: Mutex::new(state),
        filled: Condvar::new(),
        emptied: Condvar::new(),
        limit,
    });
    (Producer(Arc::clone(&queue)), Consumer { queue, spare: Vec::new() })
}

impl MutexVec {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state, and then wakes the consumer if it sleeps.
    fn change(&self, mut state: MutexGuard<'_, State>, change: impl FnOnce(&mut State)) {
        change(&mut state);
        let wake = core::mem::take(&mut state.asleep);
        drop(state);
        if wake {
            self.filled.notify_one();
        }
    }
}

impl Producer {
    #[inline]
    pub(crate) fn push(&self, item: u64) {
        let mut state = self.0.lock();
        while state.items.len() >= self.0.limit {
            state.waiting += 1;
            state = self.0.emptied.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.waiting -= 1;
        }
        self.0.change(state, |state| state.items.push(item));
    }

    /// Pushes all under one lock, whatever the limit.
    pub(crate) fn extend(&self, items: impl Iterator<Item = u64>) {
        self.0.change(self.0.lock(), |state| state.items.extend(items));
    }
}

impl Consumer {
    /// Waits until there are items and gives all of them; `None` when it is over.
    pub(crate) fn take(&mut self) -> Option<impl Iterator<Item = u64>> {
        let mut state = self.queue.lock();
        while state.items.is_empty() {
            if state.producers == 0 {
                return None;
            }
            state.asleep = true;
            state = self.queue.filled.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.asleep = false;
        core::mem::swap(&mut state.items, &mut self.spare);
        let wake = state.waiting > 0;
        drop(state);
        if wake {
            self.queue.emptied.notify_all();
        }
        Some(self.spare.drain(..))
    }
}

impl Clone for Producer {
    fn clone(&self) -> Self {
        self.0.lock().producers += 1;
        Self(Arc::clone(&self.0))
    }
}

impl Drop for Producer {
    fn drop(&mut self) {
        self.0.change(self.0.lock(), |state| state.producers -= 1);
    }
}
