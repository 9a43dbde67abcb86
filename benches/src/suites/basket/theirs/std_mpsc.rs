//! `std::sync::mpsc`: `recv`, then `try_recv` until there is nothing.

use std::sync::mpsc::{self, Receiver, Sender, SyncSender};

use crate::suites::basket::subject::{CAPACITY, Drain, Offer, Subject, take_many};

const NAME: &str = "std-mpsc";

pub(in super::super) struct Unbounded;
pub(in super::super) struct Bounded;

impl Subject for Unbounded {
    const NAME: &'static str = NAME;
    type Offer = Sender<u64>;
    type Drain = Receiver<u64>;

    fn pair() -> (Sender<u64>, Receiver<u64>) {
        mpsc::channel()
    }
}

impl Subject for Bounded {
    const NAME: &'static str = NAME;
    type Offer = SyncSender<u64>;
    type Drain = Receiver<u64>;

    fn pair() -> (SyncSender<u64>, Receiver<u64>) {
        mpsc::sync_channel(CAPACITY)
    }
}

impl Offer for Sender<u64> {
    #[inline]
    fn offer(&mut self, item: u64) {
        self.send(item).expect("the receiver lives");
    }
}

impl Offer for SyncSender<u64> {
    #[inline]
    fn offer(&mut self, item: u64) {
        self.send(item).expect("the receiver lives");
    }
}

impl Drain for Receiver<u64> {
    fn drain(&mut self, take: impl FnMut(u64)) -> bool {
        take_many(self.recv().ok(), || self.try_recv().ok(), take)
    }
}
