//! `crossfire`: `recv`, then `try_recv` until there is nothing.

use crossfire::mpsc::{self, Array, List};
use crossfire::{MTx, Rx, detect_backoff_cfg};

use crate::suites::basket::subject::{CAPACITY, Drain, Offer, Subject, take_many};

const NAME: &str = "crossfire";

pub(in super::super) struct Unbounded;
pub(in super::super) struct Bounded;

impl Subject for Unbounded {
    const NAME: &'static str = NAME;
    type Offer = MTx<List<u64>>;
    type Drain = Rx<List<u64>>;

    fn pair() -> (Self::Offer, Self::Drain) {
        detect_backoff_cfg();
        mpsc::unbounded_blocking()
    }
}

impl Subject for Bounded {
    const NAME: &'static str = NAME;
    type Offer = MTx<Array<u64>>;
    type Drain = Rx<Array<u64>>;

    fn pair() -> (Self::Offer, Self::Drain) {
        detect_backoff_cfg();
        mpsc::bounded_blocking(CAPACITY)
    }
}

impl Offer for MTx<List<u64>> {
    #[inline]
    fn offer(&mut self, item: u64) {
        self.send(item).expect("the receiver lives");
    }
}

impl Offer for MTx<Array<u64>> {
    #[inline]
    fn offer(&mut self, item: u64) {
        self.send(item).expect("the receiver lives");
    }
}

impl Drain for Rx<List<u64>> {
    fn drain(&mut self, take: impl FnMut(u64)) -> bool {
        take_many(self.recv().ok(), || self.try_recv().ok(), take)
    }
}

impl Drain for Rx<Array<u64>> {
    fn drain(&mut self, take: impl FnMut(u64)) -> bool {
        take_many(self.recv().ok(), || self.try_recv().ok(), take)
    }
}
