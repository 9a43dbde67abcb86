//! Where the drainer sleeps: a thread in a slot, or a task behind its waker.

use core::task::Waker;

use crate::parker::{ParkSlot, Parked, WakerCell};
use crate::shim::atomic::{AtomicU32, Ordering};
use crate::spin::NoSpin;
use crate::time::Deadline;

const THREAD: u32 = 0;
const TASK: u32 = 1;

pub(super) struct Signal {
    slot: ParkSlot,
    /// Who sleeps. Written by the drainer before it announces that it does.
    sleeper: AtomicU32,
    waker: WakerCell,
}

impl Signal {
    const_fn! {
        pub(super) const fn new() -> Self {
            Self {
                slot: ParkSlot::new(),
                sleeper: AtomicU32::new(THREAD),
                waker: WakerCell::new(),
            }
        }
    }

    /// Drainer: the next wake is for this thread.
    pub(super) fn expect_thread(&self) {
        // ORDERING(basket.sleeper): Relaxed — published by the announcement that follows; pairs with
        // the load in wake().
        self.sleeper.store(THREAD, Ordering::Relaxed);
    }

    /// Drainer: the next wake is for this task.
    pub(super) fn expect_task(&self, waker: &Waker) {
        self.waker.register(waker);
        // ORDERING(basket.sleeper): Relaxed — as in expect_thread().
        self.sleeper.store(TASK, Ordering::Relaxed);
    }

    /// Drainer: sleeps until a wake, or until the deadline. May return for no reason: a wake that was
    /// owed for an earlier sleep can come late.
    pub(super) fn sleep(&self, until: Deadline) -> Parked {
        self.slot.park(|| until, &mut NoSpin)
    }

    /// Wakes the sleeper. For the one who read the announcement.
    #[cold]
    pub(super) fn wake(&self) {
        // ORDERING(basket.sleeper): Relaxed — ordered by the announcement that the caller read; if the
        // drainer has gone to sleep anew since, in another way, this wake was not needed and the right
        // one is still to come. Pairs with the stores above.
        if self.sleeper.load(Ordering::Relaxed) == THREAD {
            self.slot.unpark();
        } else if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }

    /// The waker of a task that no longer waits, to be dropped.
    pub(super) fn take_task(&self) -> Option<Waker> {
        self.waker.take()
    }
}
