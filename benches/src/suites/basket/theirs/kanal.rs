//! `kanal`: `drain_into` a vector, and `recv` when that brings nothing, as its documentation says.

use kanal::{Receiver, Sender};

use crate::suites::basket::subject::{CAPACITY, Drain, Offer, Subject};

const NAME: &str = "kanal";

pub(in super::super) struct Unbounded;
pub(in super::super) struct Bounded;

/// The receiver and the vector that it fills.
pub(in super::super) struct Drainer {
    receiver: Receiver<u64>,
    items: Vec<u64>,
}

impl Subject for Unbounded {
    const NAME: &'static str = NAME;
    type Offer = Sender<u64>;
    type Drain = Drainer;

    fn pair() -> (Sender<u64>, Drainer) {
        let (sender, receiver) = kanal::unbounded();
        (sender, Drainer { receiver, items: Vec::new() })
    }
}

impl Subject for Bounded {
    const NAME: &'static str = NAME;
    type Offer = Sender<u64>;
    type Drain = Drainer;

    fn pair() -> (Sender<u64>, Drainer) {
        let (sender, receiver) = kanal::bounded(CAPACITY);
        (sender, Drainer { receiver, items: Vec::new() })
    }
}

impl Offer for Sender<u64> {
    #[inline]
    fn offer(&mut self, item: u64) {
        self.send(item).expect("the receiver lives");
    }
}

impl Drain for Drainer {
    fn drain(&mut self, take: impl FnMut(u64)) -> bool {
        let drained = self.receiver.drain_into(&mut self.items).expect("the receiver lives");
        if drained == 0 {
            match self.receiver.recv() {
                Ok(item) => self.items.push(item),
                Err(_) => return false,
            }
        }
        self.items.drain(..).for_each(take);
        true
    }
}
