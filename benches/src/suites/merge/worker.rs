//! The senders' threads, as the harness looks at them.

use core::time::Duration;
use std::fs;
use std::sync::mpsc;

use super::subject::{Deliver, Merger, Post as _};
use crate::harness::window::clock;

/// A thread, seen from outside. It must be alive when it is asked for something.
#[derive(Clone, Copy, Debug)]
pub(super) struct Worker {
    id: libc::pid_t,
    clock: libc::clockid_t,
}

impl Worker {
    fn current() -> Self {
        let mut clock = 0;
        // SAFETY: no preconditions.
        let this = unsafe { libc::pthread_self() };
        // SAFETY: the thread is this one, and the clock's id is valid for writing.
        let status = unsafe { libc::pthread_getcpuclockid(this, &raw mut clock) };
        assert_eq!(status, 0, "the CPU clock of this thread");
        // SAFETY: no preconditions.
        Self { id: unsafe { libc::gettid() }, clock }
    }

    pub(super) fn cpu(&self) -> Duration {
        clock(self.clock)
    }

    pub(super) fn voluntary_switches(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/self/task/{}/status", self.id));
        let status = status.expect("the thread lives");
        let line = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
        line.and_then(|count| count.trim().parse().ok()).expect("the kernel counts switches")
    }
}

/// Starts a sender and sends a message through it; `settle` runs on its thread then, to pin it.
pub(super) fn start<M: Merger>(
    settle: impl FnOnce() + Send + 'static,
    mut deliver: Deliver,
) -> (M, Worker) {
    let (sender, receiver) = mpsc::sync_channel(1);
    let mut settle = Some((settle, sender));
    let merger = M::start(Box::new(move |destination, messages| {
        if let Some((settle, sender)) = settle.take() {
            // Before the caller goes on, whose next message might join the batch.
            assert_eq!(messages.count(), 1, "the message that starts it");
            settle();
            sender.send(Worker::current()).expect("the caller waits for it");
            return super::subject::Then::Next;
        }
        deliver(destination, messages)
    }));
    merger.lane(0).post(0);
    let worker = receiver.recv().expect("the thread says who it is");
    (merger, worker)
}
