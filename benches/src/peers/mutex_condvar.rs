//! The parker of the textbook: a flag under `std::sync::Mutex` and a `Condvar`.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A token that one thread waits for.
#[derive(Debug, Default)]
pub(crate) struct MutexCondvar {
    token: Mutex<bool>,
    given: Condvar,
}

impl MutexCondvar {
    pub(crate) fn park(&self) {
        let mut token = self.lock();
        while !*token {
            token = self.given.wait(token).unwrap_or_else(PoisonError::into_inner);
        }
        *token = false;
    }

    /// Notifies after the lock is free, so that the woken thread does not run into it.
    pub(crate) fn unpark(&self) {
        *self.lock() = true;
        self.given.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, bool> {
        self.token.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
