//! `crossbeam-queue` with a consumer that never sleeps, but spins and then yields: it burns a CPU, and
//! shows what a queue costs without a wait.

use std::sync::Arc;

use crossbeam_queue::{ArrayQueue, SegQueue};
use crossbeam_utils::Backoff;

use crate::suites::basket::subject::{CAPACITY, Drain, Offer, Subject, take_many};

/// `SegQueue`.
pub(in super::super) struct Unbounded;
/// `ArrayQueue`.
pub(in super::super) struct Bounded;

impl Subject for Unbounded {
    const NAME: &'static str = "segqueue-spin";
    type Offer = Arc<SegQueue<u64>>;
    type Drain = Arc<SegQueue<u64>>;

    fn pair() -> (Self::Offer, Self::Drain) {
        let queue = Arc::new(SegQueue::new());
        (Arc::clone(&queue), queue)
    }
}

impl Subject for Bounded {
    const NAME: &'static str = "arrayqueue-spin";
    type Offer = Arc<ArrayQueue<u64>>;
    type Drain = Arc<ArrayQueue<u64>>;

    fn pair() -> (Self::Offer, Self::Drain) {
        let queue = Arc::new(ArrayQueue::new(CAPACITY));
        (Arc::clone(&queue), queue)
    }
}

impl Offer for Arc<SegQueue<u64>> {
    #[inline]
    fn offer(&mut self, item: u64) {
        self.push(item);
    }
}

impl Offer for Arc<ArrayQueue<u64>> {
    #[inline]
    fn offer(&mut self, item: u64) {
        let backoff = Backoff::new();
        while self.push(item).is_err() {
            backoff.snooze();
        }
    }
}

impl Drain for Arc<SegQueue<u64>> {
    fn drain(&mut self, take: impl FnMut(u64)) -> bool {
        take_many(poll(self, SegQueue::pop), || self.pop(), take)
    }
}

impl Drain for Arc<ArrayQueue<u64>> {
    fn drain(&mut self, take: impl FnMut(u64)) -> bool {
        take_many(poll(self, ArrayQueue::pop), || self.pop(), take)
    }
}

/// Looks until there is an item. `None`: there is none, and only the consumer is left.
fn poll<Q>(queue: &mut Arc<Q>, pop: impl Fn(&Q) -> Option<u64>) -> Option<u64> {
    let backoff = Backoff::new();
    loop {
        let alone = Arc::get_mut(queue).is_some();
        let item = pop(queue);
        if item.is_some() || alone {
            return item;
        }
        backoff.snooze();
    }
}
