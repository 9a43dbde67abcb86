//! `reveille`'s.

use core::time::Duration;
use std::sync::mpsc;
use std::thread;
use std::time::Instant;

use reveille::merge::{Batch, Lane, MergeSender, Resume, Sent, Sink};

use super::subject::{Deliver, Merger, Post, Then};

/// [`MergeSender`] as it comes.
pub(super) struct Reveille(MergeSender<Delivery>);

/// Delivers, and has blocked destinations resumed.
pub(super) struct Delivery {
    deliver: Deliver,
    blocked: Option<mpsc::Sender<(Instant, Resume)>>,
}

impl Delivery {
    fn resume_after(&mut self, pause: Duration, resume: Resume) {
        let blocked = self.blocked.get_or_insert_with(|| {
            let (sender, receiver) = mpsc::channel();
            thread::spawn(move || resume_each(&receiver));
            sender
        });
        blocked.send((Instant::now() + pause, resume)).expect("the thread listens");
    }
}

/// All pauses are alike, so they end in the order in which they began.
fn resume_each(blocked: &mpsc::Receiver<(Instant, Resume)>) {
    for (when, resume) in blocked {
        thread::sleep(when.saturating_duration_since(Instant::now()));
        resume.resume();
    }
}

impl Sink for Delivery {
    type Key = usize;
    type Message = u64;
    type Reply = ();
    type Error = ();

    fn send(&mut self, key: &usize, batch: &mut Batch<'_, u64, (), ()>) -> Result<Sent, ()> {
        let resume = batch.resume();
        let mut messages = core::iter::from_fn(|| Some(batch.take()?.0));
        match (self.deliver)(*key, &mut messages) {
            Then::Next => Ok(Sent::Done),
            Then::Blocked(pause) => {
                self.resume_after(pause, resume);
                Ok(Sent::Blocked)
            }
        }
    }
}

impl Merger for Reveille {
    const NAME: &'static str = "reveille";
    type Lane = Lane<Delivery>;

    fn start(deliver: Deliver) -> Self {
        Self(MergeSender::new(Delivery { deliver, blocked: None }).expect("a thread"))
    }

    fn lane(&self, destination: usize) -> Self::Lane {
        self.0.lane(destination)
    }
}

impl Post for Lane<Delivery> {
    fn post(&mut self, message: u64) {
        Self::post(self, message).expect("room and an open sender");
    }
}
