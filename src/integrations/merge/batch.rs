//! Messages on their way into the sink.

use alloc::collections::VecDeque;
use core::fmt;
use core::task::Waker;

use super::error::CallError;
use super::ticket::Outcome;
use crate::oneshot::Completer;

/// A message and who waits for its reply.
pub(super) struct Entry<M, R, E> {
    pub(super) message: M,
    pub(super) weight: usize,
    pub(super) reply: Option<Reply<M, R, E>>,
}

/// Answers one ticket. Dropped, it resolves the ticket with [`CallError::Dropped`].
#[must_use = "dropping it resolves the ticket without a reply"]
pub struct Reply<M, R, E> {
    completer: Completer<Outcome<M, R, E>>,
}

impl<M, R, E> Reply<M, R, E> {
    pub(super) const fn new(completer: Completer<Outcome<M, R, E>>) -> Self {
        Self { completer }
    }

    /// Answers with a reply, or with why there is none.
    ///
    /// # Errors
    ///
    /// The answer, if nobody waits for it any more.
    pub fn complete(self, answer: Result<R, E>) -> Result<(), Result<R, E>> {
        self.resolve(answer.map_err(CallError::Failed)).map_err(|outcome| match outcome {
            Ok(reply) => Ok(reply),
            Err(CallError::Failed(error)) => Err(error),
            Err(_) => unreachable!("it is the answer given above"),
        })
    }

    /// Whether the ticket is gone, so that nobody waits for the answer.
    #[must_use]
    pub fn is_abandoned(&self) -> bool {
        self.completer.is_abandoned()
    }

    pub(super) fn resolve(self, outcome: Outcome<M, R, E>) -> Result<(), Outcome<M, R, E>> {
        self.completer.complete(outcome)
    }
}

impl<M, R, E> fmt::Debug for Reply<M, R, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reply").field("abandoned", &self.is_abandoned()).finish()
    }
}

/// A message out of a batch, and the handle to answer its ticket if it has one.
pub type Taken<M, R, E> = (M, Option<Reply<M, R, E>>);

/// Goes on with a destination that was blocked. From any thread, any number of times: a resume that is
/// not needed makes the sink look again.
#[derive(Clone, Debug)]
pub struct Resume(Waker);

impl Resume {
    /// The destination may take messages again.
    pub fn resume(&self) {
        self.0.wake_by_ref();
    }
}

/// Messages for one destination, oldest first.
pub struct Batch<'a, M, R, E> {
    pub(super) entries: &'a mut VecDeque<Entry<M, R, E>>,
    pub(super) waker: &'a Waker,
}

impl<M, R, E> Batch<'_, M, R, E> {
    /// How many messages are in it.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether all have been taken out.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// What the messages weigh together.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.entries.iter().map(|entry| entry.weight).sum()
    }

    /// The messages, to be looked at: for a vectored write, say.
    pub fn messages(&self) -> impl ExactSizeIterator<Item = &M> {
        self.entries.iter().map(|entry| &entry.message)
    }

    /// Takes the first message out.
    pub fn take(&mut self) -> Option<Taken<M, R, E>> {
        let Entry { message, reply, .. } = self.entries.pop_front()?;
        Some((message, reply))
    }

    /// Takes the first `count` messages out and answers their tickets with what `reply` makes of them.
    pub fn complete(&mut self, count: usize, mut reply: impl FnMut(M) -> R) {
        for _ in 0..count {
            let Some((message, ticket)) = self.take() else { return };
            let answer = reply(message);
            if let Some(ticket) = ticket {
                drop(ticket.complete(Ok(answer)));
            }
        }
    }

    /// Takes all messages out and answers their tickets with what `reply` makes of them.
    pub fn complete_all(&mut self, reply: impl FnMut(M) -> R) {
        self.complete(usize::MAX, reply);
    }

    /// A way to go on with this destination after [`Sent::Blocked`](super::Sent::Blocked).
    #[must_use]
    pub fn resume(&self) -> Resume {
        Resume(self.waker.clone())
    }
}

impl<M, R, E> fmt::Debug for Batch<'_, M, R, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batch").field("len", &self.len()).finish_non_exhaustive()
    }
}
