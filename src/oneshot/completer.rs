//! The giving side.

use core::fmt;
use core::mem::ManuallyDrop;

use super::cell::Cell;
use crate::parker::WakeBatch;
use crate::shim::Arc;

/// Gives the value, once. Dropped, it resolves the ticket with [`Dropped`](super::Dropped).
///
/// # Ordering
///
/// What happens before [`complete`](Self::complete), or before the drop, happens before the ticket's
/// wait returns.
///
/// # Progress and cost
///
/// Wait-free: one read-modify-write, and one system call if a thread sleeps for it.
#[must_use = "dropping it resolves the ticket without a value"]
pub struct Completer<T> {
    cell: Arc<Cell<T>>,
}

impl<T> Completer<T> {
    pub(super) fn new(cell: Arc<Cell<T>>) -> Self {
        Self { cell }
    }

    /// Hands the value to the ticket and wakes who waits.
    ///
    /// # Errors
    ///
    /// The value, if the ticket is known to be gone. (If it goes at the same moment the value may be
    /// accepted, and is dropped.)
    pub fn complete(self, value: T) -> Result<(), T> {
        // Let go in any case: a waker may panic.
        let cell = self.put(value)?;
        cell.give_token();
        Ok(())
    }

    /// As [`complete`](Self::complete), but leaves the wake-up to `batch`: for one who completes many
    /// and wants to be done with them before the others run.
    ///
    /// # Errors
    ///
    /// The value, if the ticket is known to be gone.
    pub fn complete_into<const N: usize>(
        self,
        value: T,
        batch: &mut WakeBatch<N>,
    ) -> Result<(), T> {
        let cell = self.put(value)?;
        cell.give_token_into(batch);
        Ok(())
    }

    /// Whether the ticket is gone. Once `true` it stays so.
    #[must_use]
    pub fn is_abandoned(&self) -> bool {
        !self.cell.is_wanted()
    }

    /// Leaves the value; the token is still to be given.
    fn put(self, value: T) -> Result<Arc<Cell<T>>, T> {
        if self.is_abandoned() {
            return Err(value);
        }
        // SAFETY: the completer is consumed, and has not given the token.
        unsafe { self.cell.put(value) };
        Ok(self.into_cell())
    }

    /// The cell, without resolving the ticket again.
    fn into_cell(self) -> Arc<Cell<T>> {
        let this = ManuallyDrop::new(self);
        // SAFETY: `this` is neither used nor dropped again.
        unsafe { core::ptr::read(&raw const this.cell) }
    }
}

impl<T> Drop for Completer<T> {
    fn drop(&mut self) {
        self.cell.give_token();
    }
}

impl<T> fmt::Debug for Completer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Completer").field("abandoned", &self.is_abandoned()).finish()
    }
}
