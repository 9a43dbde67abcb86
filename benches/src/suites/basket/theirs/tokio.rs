//! `tokio::sync::mpsc` between threads: `blocking_recv_many` into a vector.

use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

use crate::suites::basket::subject::{Drain, MOST, Offer, Subject};

pub(in super::super) struct Unbounded;

/// The receiver and the vector that it fills.
pub(in super::super) struct Drainer {
    receiver: UnboundedReceiver<u64>,
    items: Vec<u64>,
}

impl Subject for Unbounded {
    const NAME: &'static str = "tokio";
    const SLOWER: u64 = 8;
    type Offer = UnboundedSender<u64>;
    type Drain = Drainer;

    fn pair() -> (UnboundedSender<u64>, Drainer) {
        let (sender, receiver) = mpsc::unbounded_channel();
        (sender, Drainer { receiver, items: Vec::new() })
    }
}

impl Offer for UnboundedSender<u64> {
    #[inline]
    fn offer(&mut self, item: u64) {
        self.send(item).expect("the receiver lives");
    }
}

impl Drain for Drainer {
    fn drain(&mut self, take: impl FnMut(u64)) -> bool {
        let drained = self.receiver.blocking_recv_many(&mut self.items, MOST);
        self.items.drain(..).for_each(take);
        drained > 0
    }
}
