//! Options of a sender.

use alloc::string::String;
use std::io;

use super::sender::MergeSender;
use super::sink::Sink;

/// Makes a [`MergeSender`] with other than the usual options.
///
/// # Examples
///
/// ```
/// use reveille::merge::{self, Batch, Builder, Sent};
///
/// let sink = merge::sink_fn(|_: &u16, batch: &mut Batch<'_, String, (), ()>| {
///     batch.complete_all(drop);
///     Ok(Sent::Done)
/// });
/// let sender = Builder::new().max_batch(64).thread_name("to-the-log").spawn(sink).unwrap();
/// sender.lane(514).post("up and running".into()).unwrap();
/// ```
#[derive(Clone, Debug)]
pub struct Builder {
    pub(super) max_batch: usize,
    pub(super) max_bytes: usize,
    pub(super) lane_capacity: usize,
    pub(super) thread_name: String,
}

impl Default for Builder {
    fn default() -> Self {
        Self::new()
    }
}

impl Builder {
    /// The usual options.
    #[must_use]
    pub fn new() -> Self {
        Self {
            max_batch: 1024,
            max_bytes: 1 << 20,
            lane_capacity: 1 << 16,
            thread_name: "reveille-merge".into(),
        }
    }

    /// The most messages in a batch; usually 1024. Zero counts as one.
    #[must_use]
    pub fn max_batch(mut self, messages: usize) -> Self {
        self.max_batch = messages.max(1);
        self
    }

    /// The most that the messages of a batch weigh together, by [`Sink::weigh`]; usually 1 MiB. A
    /// message that weighs more is sent alone.
    #[must_use]
    pub fn max_bytes(mut self, bytes: usize) -> Self {
        self.max_bytes = bytes;
        self
    }

    /// The most messages that a destination holds back; usually 65,536. Zero counts as one, and a
    /// number that cannot be counted as no limit.
    #[must_use]
    pub fn lane_capacity(mut self, messages: usize) -> Self {
        self.lane_capacity = messages.clamp(1, usize::MAX >> 4);
        self
    }

    /// The name of the sender's thread.
    #[must_use]
    pub fn thread_name(mut self, name: impl Into<String>) -> Self {
        self.thread_name = name.into();
        self
    }

    /// Starts the sender's thread.
    ///
    /// # Errors
    ///
    /// If the thread cannot be started, or its name has a NUL in it.
    pub fn spawn<S: Sink>(self, sink: S) -> io::Result<MergeSender<S>> {
        MergeSender::spawn(&self, sink)
    }
}
