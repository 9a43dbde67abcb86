//! The waiting side.

use core::fmt;
use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll};
use core::time::Duration;

use super::cell::Cell;
use crate::parker::Parked;
use crate::shim::Arc;
use crate::spin::{NoSpin, SpinPolicy};
use crate::time::Deadline;

/// The completer was dropped, or the value has been taken already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dropped;

/// Why a timed wait returned without the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TicketError {
    /// The deadline passed first; the ticket can be waited for again.
    TimedOut,
    /// As [`Dropped`].
    Dropped,
}

impl fmt::Display for Dropped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the completer was dropped")
    }
}

impl fmt::Display for TicketError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TimedOut => "the deadline passed before the value came",
            Self::Dropped => "the completer was dropped",
        })
    }
}

impl core::error::Error for Dropped {}
impl core::error::Error for TicketError {}

impl From<Dropped> for TicketError {
    fn from(_: Dropped) -> Self {
        Self::Dropped
    }
}

/// Waits for the value: as a thread, or as a future.
///
/// Dropped, it tells the completer that nobody waits any more.
///
/// # Ordering
///
/// Getting the value happens after everything before the completion.
///
/// # Cost
///
/// A wait does not spin: a ticket is used once and cannot learn whether that pays. A caller with many
/// tickets can keep a policy and pass it to [`wait_with`](Self::wait_with).
#[must_use = "a ticket that is dropped is abandoned"]
pub struct Ticket<T> {
    cell: Arc<Cell<T>>,
    /// The token was taken, and with it the value.
    spent: bool,
}

impl<T> Ticket<T> {
    pub(super) fn new(cell: Arc<Cell<T>>) -> Self {
        Self { cell, spent: false }
    }

    /// Waits for the value, however long that takes.
    ///
    /// # Errors
    ///
    /// [`Dropped`] if none will come.
    pub fn wait(mut self) -> Result<T, Dropped> {
        self.wait_with(Deadline::NEVER, &mut NoSpin).map_err(|_| Dropped)
    }

    /// Waits for the value, at most this long. `Duration::ZERO` looks and returns; `Duration::MAX`
    /// waits for ever.
    ///
    /// # Errors
    ///
    /// [`TicketError`] says which end was reached. A value that is there wins over a deadline.
    pub fn wait_timeout(&mut self, timeout: Duration) -> Result<T, TicketError> {
        self.finish(|cell| cell.wait_token(|| Deadline::after(timeout), &mut NoSpin))
    }

    /// Waits for the value, at most until that moment.
    ///
    /// # Errors
    ///
    /// As [`wait_timeout`](Self::wait_timeout).
    pub fn wait_deadline(&mut self, deadline: Deadline) -> Result<T, TicketError> {
        self.wait_with(deadline, &mut NoSpin)
    }

    /// As [`wait_deadline`](Self::wait_deadline), with a spin policy that the caller keeps.
    ///
    /// # Errors
    ///
    /// As [`wait_timeout`](Self::wait_timeout).
    pub fn wait_with(
        &mut self,
        deadline: Deadline,
        policy: &mut impl SpinPolicy,
    ) -> Result<T, TicketError> {
        self.finish(|cell| cell.wait_token(|| deadline, policy))
    }

    /// The value if it is there; `None` if the completer has still to decide.
    ///
    /// # Errors
    ///
    /// [`Dropped`] if none will come.
    pub fn try_take(&mut self) -> Option<Result<T, Dropped>> {
        if self.spent {
            return Some(Err(Dropped));
        }
        self.cell.try_token().then(|| self.redeem())
    }

    fn finish(&mut self, wait: impl FnOnce(&Cell<T>) -> Parked) -> Result<T, TicketError> {
        if self.spent {
            return Err(TicketError::Dropped);
        }
        match wait(&self.cell) {
            Parked::Token => Ok(self.redeem()?),
            Parked::TimedOut => Err(TicketError::TimedOut),
        }
    }

    /// The token was taken.
    fn redeem(&mut self) -> Result<T, Dropped> {
        self.spent = true;
        // SAFETY: there is one token, and we took it.
        unsafe { self.cell.take() }.ok_or(Dropped)
    }
}

impl<T> Future for Ticket<T> {
    type Output = Result<T, Dropped>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        if this.spent {
            return Poll::Ready(Err(Dropped));
        }
        if this.cell.poll_token(cx.waker()) { Poll::Ready(this.redeem()) } else { Poll::Pending }
    }
}

impl<T> Drop for Ticket<T> {
    fn drop(&mut self) {
        self.cell.abandon();
    }
}

impl<T> fmt::Debug for Ticket<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ticket").field("spent", &self.spent).finish_non_exhaustive()
    }
}
