//! `flume`: `recv`, then `drain`, which takes the whole queue under one lock.

use flume::{Receiver, Sender};

use crate::suites::basket::subject::{CAPACITY, Drain, Offer, Subject};

const NAME: &str = "flume";

pub(in super::super) struct Unbounded;
pub(in super::super) struct Bounded;

impl Subject for Unbounded {
    const NAME: &'static str = NAME;
    type Offer = Sender<u64>;
    type Drain = Receiver<u64>;

    fn pair() -> (Sender<u64>, Receiver<u64>) {
        flume::unbounded()
    }
}

impl Subject for Bounded {
    const NAME: &'static str = NAME;
    type Offer = Sender<u64>;
    type Drain = Receiver<u64>;

    fn pair() -> (Sender<u64>, Receiver<u64>) {
        flume::bounded(CAPACITY)
    }
}

impl Offer for Sender<u64> {
    #[inline]
    fn offer(&mut self, item: u64) {
        self.send(item).expect("the receiver lives");
    }
}

impl Drain for Receiver<u64> {
    fn drain(&mut self, mut take: impl FnMut(u64)) -> bool {
        let Ok(first) = self.recv() else {
            return false;
        };
        take(first);
        Self::drain(self).for_each(take);
        true
    }
}
