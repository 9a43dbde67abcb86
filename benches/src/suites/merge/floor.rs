//! No merging, no room for a second message: a word for it and a bare futex. The floor of what the
//! first message can take with a thread that sleeps.

use std::thread::{self, JoinHandle};

use super::subject::{Deliver, Merger, Post, Then};
use crate::peers::hand_off::{self, Giver};

/// The sender, which ends with its last caller.
pub(super) struct Floor {
    giver: Option<Giver>,
    thread: Option<JoinHandle<()>>,
}

impl Merger for Floor {
    const NAME: &'static str = "bare-futex";
    type Lane = Giver;

    fn start(mut deliver: Deliver) -> Self {
        let (giver, mut taker) = hand_off::pair();
        let thread = thread::spawn(move || {
            while let Some(message) = taker.take() {
                if let Then::Blocked(pause) = deliver(0, &mut core::iter::once(message)) {
                    thread::sleep(pause);
                }
            }
        });
        Self { giver: Some(giver), thread: Some(thread) }
    }

    fn lane(&self, destination: usize) -> Giver {
        assert_eq!(destination, 0, "the only one");
        self.giver.clone().expect("not dropped yet")
    }
}

impl Drop for Floor {
    fn drop(&mut self) {
        self.giver = None;
        if let Some(thread) = self.thread.take() {
            thread.join().expect("the sender does not panic");
        }
    }
}

impl Post for Giver {
    fn post(&mut self, message: u64) {
        self.give(message);
    }
}
