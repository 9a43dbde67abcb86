//! Ports of Seata's merged-send thread: the one that polls, and the proposal that parks.
//!
//! One thread for all destinations, a queue under a lock for each. A caller offers, looks whether the
//! thread is sending, and if not takes the lock of the condition and notifies. Java's volatile flag
//! and its queues are sequentially consistent; the flag here must be, too.

use core::marker::PhantomData;
use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock};
use std::thread::{self, JoinHandle};

use super::subject::{Deliver, Merger, Post, Then};

/// How the thread waits.
pub(super) trait Waiting: Send + Sync + 'static {
    const NAME: &'static str;
    /// `None`: until notified, unless there is something to send. Otherwise so long, each time round,
    /// before it looks.
    const POLL: Option<Duration>;
}

/// Seata's main branch: 1 ms at most in every round.
pub(super) struct Polling;
/// The proposal: no timeout, and at once.
pub(super) struct Parking;

impl Waiting for Polling {
    const NAME: &'static str = "seata-poll";
    const POLL: Option<Duration> = Some(Duration::from_millis(1));
}

impl Waiting for Parking {
    const NAME: &'static str = "mutex-condvar";
    const POLL: Option<Duration> = None;
}

/// The sender, stopped when dropped.
pub(super) struct Seata<W> {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    waiting: PhantomData<W>,
}

#[derive(Default)]
struct Shared {
    /// By destination.
    baskets: RwLock<Vec<Arc<Basket>>>,
    lock: Mutex<()>,
    offered: Condvar,
    sending: AtomicBool,
    stopped: AtomicBool,
}

#[derive(Default)]
struct Basket(Mutex<VecDeque<u64>>);

impl Basket {
    fn queue(&self) -> MutexGuard<'_, VecDeque<u64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A caller's side.
pub(super) struct Caller {
    basket: Arc<Basket>,
    shared: Arc<Shared>,
}

impl<W: Waiting> Merger for Seata<W> {
    const NAME: &'static str = W::NAME;
    type Lane = Caller;

    fn start(deliver: Deliver) -> Self {
        let shared = Arc::<Shared>::default();
        let thread = thread::spawn({
            let shared = Arc::clone(&shared);
            move || shared.send::<W>(deliver)
        });
        Self { shared, thread: Some(thread), waiting: PhantomData }
    }

    fn lane(&self, destination: usize) -> Caller {
        let mut baskets = self.shared.baskets.write().unwrap_or_else(PoisonError::into_inner);
        if baskets.len() <= destination {
            baskets.resize_with(destination + 1, Arc::default);
        }
        Caller { basket: Arc::clone(&baskets[destination]), shared: Arc::clone(&self.shared) }
    }
}

impl<W> Drop for Seata<W> {
    fn drop(&mut self) {
        self.shared.stopped.store(true, Ordering::SeqCst);
        self.shared.notify();
        if let Some(thread) = self.thread.take() {
            thread.join().expect("the sender does not panic");
        }
    }
}

impl Post for Caller {
    fn post(&mut self, message: u64) {
        self.basket.queue().push_back(message);
        core::sync::atomic::fence(Ordering::SeqCst);
        if !self.shared.sending.load(Ordering::SeqCst) {
            self.shared.notify();
        }
    }
}

impl Shared {
    fn notify(&self) {
        let held = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        self.offered.notify_all();
        drop(held);
    }

    fn send<W: Waiting>(&self, mut deliver: Deliver) {
        loop {
            self.wait::<W>();
            self.sending.store(true, Ordering::SeqCst);
            let baskets = self.baskets.read().unwrap_or_else(PoisonError::into_inner).clone();
            for (destination, basket) in baskets.iter().enumerate() {
                if basket.queue().is_empty() {
                    continue;
                }
                let mut messages = core::iter::from_fn(|| basket.queue().pop_front());
                // One thread serves all: it waits for whoever blocks.
                if let Then::Blocked(pause) = deliver(destination, &mut messages) {
                    thread::sleep(pause);
                }
            }
            self.sending.store(false, Ordering::SeqCst);
            core::sync::atomic::fence(Ordering::SeqCst);
            if self.stopped.load(Ordering::SeqCst) && self.is_empty() {
                return;
            }
        }
    }

    fn wait<W: Waiting>(&self) {
        let mut held = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(poll) = W::POLL {
            drop(self.offered.wait_timeout(held, poll).unwrap_or_else(PoisonError::into_inner));
            return;
        }
        while self.is_empty() && !self.stopped.load(Ordering::SeqCst) {
            held = self.offered.wait(held).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn is_empty(&self) -> bool {
        let baskets = self.baskets.read().unwrap_or_else(PoisonError::into_inner);
        baskets.iter().all(|basket| basket.queue().is_empty())
    }
}
