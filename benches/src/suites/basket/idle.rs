//! `idle-10s`: drainers of every kind that wait for ten seconds, in which nothing is offered.

use std::io;

use super::roll::{self, ForEach};
use super::subject::{Drain as _, Subject};
use crate::harness::Session;
use crate::harness::asleep::{self, Herd};

/// Waiting drainers of each kind.
const THREADS: usize = 16;

pub(super) fn run(session: &mut Session) -> io::Result<()> {
    let who = format!("{THREADS} waiting drainers");
    asleep::watch(session, &who, || roll::blocking(&Waiting))
}

struct Waiting;

impl ForEach for Waiting {
    type Output = Herd;

    fn make<S: Subject>(&self) -> Herd {
        Herd::start(S::NAME, THREADS, |ready| {
            let (offerer, mut drainer) = S::pair();
            ready.wake_by(move || drop(offerer));
            let more = drainer.drain(|_| ());
            assert!(!more, "{}: nothing was offered", S::NAME);
        })
    }
}
