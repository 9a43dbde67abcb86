//! The parker of the textbook on `parking_lot`, whose `notify_one` costs nothing with nobody asleep.

use parking_lot::{Condvar, Mutex};

/// A token that one thread waits for.
#[derive(Debug, Default)]
pub(crate) struct ParkingLotCondvar {
    token: Mutex<bool>,
    given: Condvar,
}

impl ParkingLotCondvar {
    pub(crate) fn park(&self) {
        let mut token = self.token.lock();
        while !*token {
            self.given.wait(&mut token);
        }
        *token = false;
    }

    /// Notifies after the lock is free, so that the woken thread does not run into it.
    pub(crate) fn unpark(&self) {
        *self.token.lock() = true;
        self.given.notify_one();
    }
}
