//! What can go wrong, with the message given back where there is one.

use core::error::Error;
use core::fmt;

use crate::basket::OfferError;

/// Why a message was not accepted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum SubmitError<M> {
    /// The lane has as many messages as it may.
    Full(M),
    /// The deadline passed while it had.
    TimedOut(M),
    /// The sender is closed.
    Closed(M),
}

/// Why a call has no reply.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum CallError<M, E> {
    /// The sender was closed before the sink got the message.
    Unsent(M),
    /// The sink failed to send it, or answered so.
    Failed(E),
    /// The sink panicked while it had the batch.
    Panicked,
    /// The sink let go of the message without an answer.
    Dropped,
    /// The deadline passed first; the ticket can be waited for again.
    TimedOut,
}

impl<M> SubmitError<M> {
    /// The message.
    pub fn into_inner(self) -> M {
        match self {
            Self::Full(message) | Self::TimedOut(message) | Self::Closed(message) => message,
        }
    }

    pub(super) fn from_offer<T>(error: OfferError<T>, message: impl FnOnce(T) -> M) -> Self {
        match error {
            OfferError::Full(entry) | OfferError::TooHeavy(entry) => Self::Full(message(entry)),
            OfferError::TimedOut(entry) => Self::TimedOut(message(entry)),
            OfferError::Closed(entry) => Self::Closed(message(entry)),
        }
    }
}

// By hand: a message need not be `Debug` to be handed back.

impl<M> fmt::Debug for SubmitError<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Full(_) => "Full(..)",
            Self::TimedOut(_) => "TimedOut(..)",
            Self::Closed(_) => "Closed(..)",
        })
    }
}

impl<M> fmt::Display for SubmitError<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Full(_) => "the lane is full",
            Self::TimedOut(_) => "the deadline passed while the lane was full",
            Self::Closed(_) => "the sender is closed",
        })
    }
}

impl<M, E: fmt::Debug> fmt::Debug for CallError<M, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsent(_) => f.write_str("Unsent(..)"),
            Self::Failed(error) => f.debug_tuple("Failed").field(error).finish(),
            Self::Panicked => f.write_str("Panicked"),
            Self::Dropped => f.write_str("Dropped"),
            Self::TimedOut => f.write_str("TimedOut"),
        }
    }
}

impl<M, E: fmt::Display> fmt::Display for CallError<M, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsent(_) => f.write_str("the sender was closed before the message was sent"),
            Self::Failed(error) => write!(f, "the message was not sent: {error}"),
            Self::Panicked => f.write_str("the sink panicked"),
            Self::Dropped => f.write_str("the sink dropped the message"),
            Self::TimedOut => f.write_str("the deadline passed before the reply came"),
        }
    }
}

impl<M> Error for SubmitError<M> {}

impl<M, E: Error + 'static> Error for CallError<M, E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Failed(error) => Some(error),
            _ => None,
        }
    }
}
