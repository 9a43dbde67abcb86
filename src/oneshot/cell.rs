//! What the two sides share.
//!
//! The completer writes the value and then unparks the slot; the ticket takes the token and then the
//! value. A ticket that waits as a task announces an external wait, and is rung by its waker. Nothing
//! but the slot's own protocol orders the two sides.

use core::task::Waker;

use crate::parker::{ParkSlot, Parked, Unpark, WakeBatch, WakerCell};
use crate::shim::UnsafeCell;
use crate::shim::atomic::{AtomicU32, Ordering};
use crate::spin::SpinPolicy;
use crate::time::Deadline;

const WANTED: u32 = 0;
const UNWANTED: u32 = 1;

pub(super) struct Cell<T> {
    slot: ParkSlot,
    ticket: AtomicU32,
    waker: WakerCell,
    /// Written by the completer before the token is there, read by the ticket after it took it.
    value: UnsafeCell<Option<T>>,
}

// SAFETY: the value moves from the completer to the ticket; the token says whose it is.
unsafe impl<T: Send> Send for Cell<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for Cell<T> {}

impl<T> Cell<T> {
    pub(super) fn new() -> Self {
        Self {
            slot: ParkSlot::new(),
            ticket: AtomicU32::new(WANTED),
            waker: WakerCell::new(),
            value: UnsafeCell::new(None),
        }
    }

    /// Ticket: it goes.
    pub(super) fn abandon(&self) {
        // ORDERING(oneshot.wanted): Relaxed — advice to the completer, which may come late; pairs with
        // is_wanted().
        self.ticket.store(UNWANTED, Ordering::Relaxed);
        drop(self.waker.take());
    }

    /// Completer: whether the ticket is there.
    pub(super) fn is_wanted(&self) -> bool {
        // ORDERING(oneshot.wanted): Relaxed — as in abandon().
        self.ticket.load(Ordering::Relaxed) == WANTED
    }

    /// Completer: leaves the value.
    ///
    /// # Safety
    ///
    /// Called once, before the token is given.
    pub(super) unsafe fn put(&self, value: T) {
        self.value.with_mut(|place| {
            // SAFETY: by contract the ticket does not read it yet.
            unsafe { *place = Some(value) }
        });
    }

    /// Completer: gives the token, and wakes the ticket.
    pub(super) fn give_token(&self) {
        if self.slot.unpark() == Unpark::External {
            if let Some(waker) = self.waker.take() {
                waker.wake();
            }
        }
    }

    /// Completer: gives the token, and leaves the wake-up to the batch; if that is full, makes it.
    pub(super) fn give_token_into<const N: usize>(&self, batch: &mut WakeBatch<N>) {
        if batch.is_full() {
            return self.give_token();
        }
        let pending = self.slot.unparker().unpark_deferred();
        if pending.result() == Unpark::External {
            if let Some(waker) = self.waker.take() {
                drop(batch.push_waker(waker));
            }
        }
        drop(batch.push(pending));
    }

    /// Ticket: takes what came with the token.
    ///
    /// # Safety
    ///
    /// The token was taken.
    pub(super) unsafe fn take(&self) -> Option<T> {
        self.value.with_mut(|place| {
            // SAFETY: by contract the completer is done with it.
            unsafe { (*place).take() }
        })
    }

    /// Ticket: takes the token if it is there.
    pub(super) fn try_token(&self) -> bool {
        self.slot.try_take()
    }

    /// Ticket: waits for the token.
    pub(super) fn wait_token(
        &self,
        until: impl FnOnce() -> Deadline,
        policy: &mut impl SpinPolicy,
    ) -> Parked {
        self.slot.park(until, policy)
    }

    /// Ticket: takes the token if it is there, else has `waker` fired when it comes.
    pub(super) fn poll_token(&self, waker: &Waker) -> bool {
        if self.slot.try_take() {
            return true;
        }
        self.waker.register(waker);
        !self.slot.begin_external()
    }
}
