//! What every queue here can do.

use core::ops::Range;

/// A kind of queue that many offer to and one drains.
pub(super) trait Subject: 'static {
    /// Its name in tables.
    const NAME: &'static str;
    /// Divides the number of items, for those that would take seconds.
    const SLOWER: u64 = 1;
    type Offer: Offer;
    type Drain: Drain;

    /// A new queue, empty.
    fn pair() -> (Self::Offer, Self::Drain);
}

/// The side that offers. The queue is over when all of them are dropped.
pub(super) trait Offer: Clone + Send + 'static {
    /// Offers an item, waiting for room if the queue has a limit.
    fn offer(&mut self, item: u64);

    /// Offers many, in one piece if the queue can do that.
    fn offer_all(&mut self, items: Range<u64>) {
        items.for_each(|item| self.offer(item));
    }
}

/// The side that drains.
pub(super) trait Drain: Send + 'static {
    /// Waits until there are items, then takes what is there, oldest first. `false`: there are none
    /// and will be none.
    fn drain(&mut self, take: impl FnMut(u64)) -> bool;
}

/// The limit of queues that have one.
pub(super) const CAPACITY: usize = 1024;

/// The most items that a peer without a batch of its own takes at a time.
pub(super) const MOST: usize = 4096;

/// Takes the item that was waited for, and then what is there: for queues that give one at a time.
#[inline]
pub(super) fn take_many(
    first: Option<u64>,
    next: impl FnMut() -> Option<u64>,
    mut take: impl FnMut(u64),
) -> bool {
    let Some(first) = first else {
        return false;
    };
    take(first);
    core::iter::from_fn(next).take(MOST - 1).for_each(take);
    true
}
