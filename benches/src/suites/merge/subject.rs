//! What every batch sender here can do.

use core::time::Duration;

use super::ours::Reveille;
use super::seata::{Parking, Polling, Seata};
use super::swap::Swap;

/// A kind of batch sender. Dropped, it stops its thread, which has sent everything by then.
pub(super) trait Merger: 'static {
    /// Its name in tables.
    const NAME: &'static str;
    type Lane: Post;

    /// Starts the thread, which calls `deliver`.
    fn start(deliver: Deliver) -> Self;

    /// A way to a destination, for one caller.
    fn lane(&self, destination: usize) -> Self::Lane;
}

/// A caller's side.
pub(super) trait Post: Send + 'static {
    /// Hands a message over and goes on.
    fn post(&mut self, message: u64);
}

/// What is done with a batch: called with its destination and its messages, all of which it takes.
pub(super) type Deliver = Box<dyn FnMut(usize, &mut dyn Iterator<Item = u64>) -> Then + Send>;

/// What comes after a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Then {
    Next,
    /// The destination takes nothing more for so long.
    Blocked(Duration),
}

/// Something made for every kind of sender.
pub(super) trait ForEach {
    type Output;

    fn make<M: Merger>() -> Self::Output;
}

/// Ours and every peer.
pub(super) fn everyone<F: ForEach>() -> Vec<F::Output> {
    vec![
        F::make::<Reveille>(),
        F::make::<Seata<Polling>>(),
        F::make::<Seata<Parking>>(),
        F::make::<Swap>(),
    ]
}
