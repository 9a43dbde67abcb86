//! Where batches go.

use core::fmt;
use core::hash::Hash;
use core::marker::PhantomData;

use super::batch::Batch;

/// Sends batches. Called by the sender's thread, one batch at a time.
pub trait Sink: Send + 'static {
    /// Names a destination.
    type Key: Clone + Eq + Hash + Send + Sync + 'static;
    /// What callers submit.
    type Message: Send + 'static;
    /// What their tickets get.
    type Reply: Send + 'static;
    /// Why a send failed; every caller of the batch gets one.
    type Error: Clone + Send + 'static;

    /// Sends a batch, which is not empty, to a destination.
    ///
    /// The sink takes messages out ([`Batch::take`], [`Batch::complete_all`]) and answers or keeps
    /// their [`Reply`](super::Reply) handles. What is still in the batch when it returns
    /// - [`Sent::Done`] is dropped ([`CallError::Dropped`](super::CallError::Dropped) for the tickets);
    /// - [`Sent::Blocked`] stays first in the lane, which is set aside until it is resumed;
    /// - an error fails with it.
    ///
    /// # Errors
    ///
    /// Whatever the callers are to be told.
    fn send(
        &mut self,
        key: &Self::Key,
        batch: &mut Batch<'_, Self::Message, Self::Reply, Self::Error>,
    ) -> Result<Sent, Self::Error>;

    /// What a message counts against [`Builder::max_bytes`](super::Builder::max_bytes). Called on the
    /// thread that submits.
    fn weigh(_message: &Self::Message) -> usize {
        0
    }

    /// The last lane of a destination is gone: what the sink keeps for it can go.
    fn forget(&mut self, _key: &Self::Key) {}
}

/// How a send ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sent {
    /// The batch was dealt with.
    Done,
    /// The destination takes no more now. See [`Batch::resume`].
    Blocked,
}

/// A function as a sink: see [`sink_fn`].
pub struct FnSink<K, M, R, E, F> {
    send: F,
    types: PhantomData<Types<K, M, R, E>>,
}

/// Takes and gives such values, and has none: it is `Send` whatever they are.
type Types<K, M, R, E> = fn(K, M) -> (R, E);

/// A sink that calls a function.
///
/// See the [module](super) for an example.
pub fn sink_fn<K, M, R, E, F>(send: F) -> FnSink<K, M, R, E, F>
where
    F: FnMut(&K, &mut Batch<'_, M, R, E>) -> Result<Sent, E> + Send + 'static,
{
    FnSink { send, types: PhantomData }
}

impl<K, M, R, E, F> Sink for FnSink<K, M, R, E, F>
where
    K: Clone + Eq + Hash + Send + Sync + 'static,
    M: Send + 'static,
    R: Send + 'static,
    E: Clone + Send + 'static,
    F: FnMut(&K, &mut Batch<'_, M, R, E>) -> Result<Sent, E> + Send + 'static,
{
    type Key = K;
    type Message = M;
    type Reply = R;
    type Error = E;

    fn send(&mut self, key: &K, batch: &mut Batch<'_, M, R, E>) -> Result<Sent, E> {
        (self.send)(key, batch)
    }
}

impl<K, M, R, E, F> fmt::Debug for FnSink<K, M, R, E, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FnSink(..)")
    }
}
