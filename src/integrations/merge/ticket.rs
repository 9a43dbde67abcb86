//! Waiting for a reply.

use core::fmt;
use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll};
use core::time::Duration;

use super::error::CallError;
use crate::Deadline;
use crate::oneshot::{self, TicketError};
use crate::{NoSpin, SpinPolicy};

/// What a ticket is resolved with.
pub(super) type Outcome<M, R, E> = Result<R, CallError<M, E>>;

/// Waits for the reply to a message: as a thread, or as a future.
///
/// Resolved exactly once: with the reply, or with why there is none. Dropped, it abandons the call:
/// the message may still be sent, and its reply is dropped.
#[must_use = "a ticket that is dropped abandons its call"]
pub struct Ticket<M, R, E> {
    inner: oneshot::Ticket<Outcome<M, R, E>>,
}

impl<M, R, E> Ticket<M, R, E> {
    pub(super) const fn new(inner: oneshot::Ticket<Outcome<M, R, E>>) -> Self {
        Self { inner }
    }

    /// Waits for the reply, however long that takes.
    ///
    /// # Errors
    ///
    /// [`CallError`] says why there is none.
    pub fn wait(self) -> Result<R, CallError<M, E>> {
        self.inner.wait().unwrap_or(Err(CallError::Dropped))
    }

    /// Waits for the reply, at most this long. `Duration::ZERO` looks and returns; `Duration::MAX`
    /// waits for ever.
    ///
    /// # Errors
    ///
    /// [`CallError`] says why there is none; after [`CallError::TimedOut`] the ticket can be waited
    /// for again.
    pub fn wait_timeout(&mut self, timeout: Duration) -> Result<R, CallError<M, E>> {
        flatten(self.inner.wait_timeout(timeout))
    }

    /// Waits for the reply, at most until that moment.
    ///
    /// # Errors
    ///
    /// As [`wait_timeout`](Self::wait_timeout).
    pub fn wait_deadline(&mut self, deadline: Deadline) -> Result<R, CallError<M, E>> {
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
    ) -> Result<R, CallError<M, E>> {
        flatten(self.inner.wait_with(deadline, policy))
    }

    /// The reply if it is there, or why there is none; `None` if that is still open.
    pub fn try_take(&mut self) -> Option<Result<R, CallError<M, E>>> {
        Some(self.inner.try_take()?.unwrap_or(Err(CallError::Dropped)))
    }
}

fn flatten<M, R, E>(waited: Result<Outcome<M, R, E>, TicketError>) -> Outcome<M, R, E> {
    waited.unwrap_or_else(|error| {
        Err(match error {
            TicketError::TimedOut => CallError::TimedOut,
            TicketError::Dropped => CallError::Dropped,
        })
    })
}

impl<M, R, E> Future for Ticket<M, R, E> {
    type Output = Result<R, CallError<M, E>>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.inner).poll(cx).map(|outcome| outcome.unwrap_or(Err(CallError::Dropped)))
    }
}

impl<M, R, E> fmt::Debug for Ticket<M, R, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ticket").finish_non_exhaustive()
    }
}
