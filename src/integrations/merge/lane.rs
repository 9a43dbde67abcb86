//! A caller's way to one destination.

use alloc::vec::Vec;
use core::fmt;
use core::time::Duration;

use super::batch::{Entry, Reply};
use super::error::{CallError, SubmitError};
use super::sender::{EntryOf, Shared};
use super::sink::Sink;
use super::ticket::{Outcome, Ticket};
use crate::Deadline;
use crate::basket::{Bounded, OfferError, Offerer};
use crate::oneshot;
use crate::shim::Arc;

type TicketOf<S> = Ticket<<S as Sink>::Message, <S as Sink>::Reply, <S as Sink>::Error>;
type OutcomeOf<S> = Outcome<<S as Sink>::Message, <S as Sink>::Reply, <S as Sink>::Error>;

/// Submits messages for one destination. Clone it for each thread that does.
///
/// The destination is forgotten when all its lanes are dropped and their messages are sent.
pub struct Lane<S: Sink> {
    pub(super) offerer: Offerer<EntryOf<S>, Bounded>,
    pub(super) key: S::Key,
    pub(super) shared: Arc<Shared<S>>,
}

impl<S: Sink> Lane<S> {
    /// The destination.
    pub const fn key(&self) -> &S::Key {
        &self.key
    }

    /// Submits a message and goes on; the ticket waits for the reply. Never waits.
    ///
    /// # Errors
    ///
    /// The message comes back if the lane is full or the sender closed.
    pub fn submit(&mut self, message: S::Message) -> Result<TicketOf<S>, SubmitError<S::Message>> {
        self.with_ticket(message, Offerer::offer)
    }

    /// As [`submit`](Self::submit), waiting for room in a lane that is full, at most until then.
    ///
    /// # Errors
    ///
    /// The message comes back if there was no room in time, or the sender is closed.
    pub fn submit_deadline(
        &mut self,
        message: S::Message,
        deadline: Deadline,
    ) -> Result<TicketOf<S>, SubmitError<S::Message>> {
        self.with_ticket(message, |offerer, entry| offerer.offer_deadline(entry, deadline))
    }

    /// Submits a message that wants no reply. Never waits.
    ///
    /// # Errors
    ///
    /// The message comes back if the lane is full or the sender closed.
    pub fn post(&mut self, message: S::Message) -> Result<(), SubmitError<S::Message>> {
        self.offer(message, None, Offerer::offer)
    }

    /// As [`post`](Self::post), waiting for room in a lane that is full, at most until then.
    ///
    /// # Errors
    ///
    /// The message comes back if there was no room in time, or the sender is closed.
    pub fn post_deadline(
        &mut self,
        message: S::Message,
        deadline: Deadline,
    ) -> Result<(), SubmitError<S::Message>> {
        self.offer(message, None, |offerer, entry| offerer.offer_deadline(entry, deadline))
    }

    /// Submits messages that want no reply, in order and in one piece: the thread is woken once at the
    /// most. Never waits.
    ///
    /// # Errors
    ///
    /// What was not accepted comes back, in order: what found no room, or everything if the sender is
    /// closed.
    pub fn post_all(
        &mut self,
        messages: impl IntoIterator<Item = S::Message>,
    ) -> Result<(), SubmitError<Vec<S::Message>>> {
        let entries = messages.into_iter().map(|message| {
            let weight = S::weigh(&message);
            Entry { message, weight, reply: None }
        });
        self.offerer.offer_all(entries).map_err(|error| {
            SubmitError::from_offer(error, |entries| {
                entries.into_iter().map(|entry| entry.message).collect()
            })
        })
    }

    /// Submits a message, waiting for room if need be, and waits for its reply: both at most so long.
    ///
    /// # Errors
    ///
    /// [`CallError`] says why there is no reply; [`CallError::Unsent`] has the message.
    pub fn call(
        &mut self,
        message: S::Message,
        timeout: Duration,
    ) -> Result<S::Reply, CallError<S::Message, S::Error>> {
        let deadline = Deadline::after(timeout);
        match self.submit_deadline(message, deadline) {
            Ok(mut ticket) => ticket.wait_deadline(deadline),
            Err(error) => Err(CallError::Unsent(error.into_inner())),
        }
    }

    fn with_ticket(
        &mut self,
        message: S::Message,
        offer: impl FnOnce(
            &mut Offerer<EntryOf<S>, Bounded>,
            EntryOf<S>,
        ) -> Result<(), OfferError<EntryOf<S>>>,
    ) -> Result<TicketOf<S>, SubmitError<S::Message>> {
        let (completer, ticket) = oneshot::pair::<OutcomeOf<S>>();
        self.offer(message, Some(Reply::new(completer)), offer)?;
        Ok(Ticket::new(ticket))
    }

    fn offer(
        &mut self,
        message: S::Message,
        reply: Option<Reply<S::Message, S::Reply, S::Error>>,
        offer: impl FnOnce(
            &mut Offerer<EntryOf<S>, Bounded>,
            EntryOf<S>,
        ) -> Result<(), OfferError<EntryOf<S>>>,
    ) -> Result<(), SubmitError<S::Message>> {
        let weight = S::weigh(&message);
        offer(&mut self.offerer, Entry { message, weight, reply })
            .map_err(|error| SubmitError::from_offer(error, |entry| entry.message))
    }
}

impl<S: Sink> Clone for Lane<S> {
    fn clone(&self) -> Self {
        Self {
            offerer: self.shared.enter(&self.key),
            key: self.key.clone(),
            shared: self.shared.clone(),
        }
    }
}

impl<S: Sink> Drop for Lane<S> {
    fn drop(&mut self) {
        self.shared.leave(&self.key);
    }
}

impl<S: Sink> fmt::Debug for Lane<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lane").field("held", &self.offerer.len()).finish_non_exhaustive()
    }
}
