//! What people write by hand.

use core::ops::Range;

use crate::peers::hand_off::{self, Giver, Taker};
use crate::peers::mutex_vec::{self, Consumer, Producer};
use crate::suites::basket::subject::{CAPACITY, Drain, Offer, Subject};

/// `Mutex<Vec>` and `Condvar`, without a limit.
pub(in super::super) struct Vector;
/// The same with a limit.
pub(in super::super) struct BoundedVector;
/// Room for a single item, and a futex.
pub(in super::super) struct BareFutex;

impl Subject for Vector {
    const NAME: &'static str = "mutex-vec";
    type Offer = Producer;
    type Drain = Consumer;

    fn pair() -> (Producer, Consumer) {
        mutex_vec::pair(usize::MAX)
    }
}

impl Subject for BoundedVector {
    const NAME: &'static str = "mutex-vec";
    type Offer = Producer;
    type Drain = Consumer;

    fn pair() -> (Producer, Consumer) {
        mutex_vec::pair(CAPACITY)
    }
}

impl Offer for Producer {
    #[inline]
    fn offer(&mut self, item: u64) {
        self.push(item);
    }

    fn offer_all(&mut self, items: Range<u64>) {
        self.extend(items);
    }
}

impl Drain for Consumer {
    fn drain(&mut self, take: impl FnMut(u64)) -> bool {
        self.take().is_some_and(|items| {
            items.for_each(take);
            true
        })
    }
}

impl Subject for BareFutex {
    const NAME: &'static str = "bare-futex";
    type Offer = Giver;
    type Drain = Taker;

    fn pair() -> (Giver, Taker) {
        hand_off::pair()
    }
}

impl Offer for Giver {
    fn offer(&mut self, item: u64) {
        self.give(item);
    }
}

impl Drain for Taker {
    fn drain(&mut self, take: impl FnMut(u64)) -> bool {
        self.take().map(take).is_some()
    }
}
