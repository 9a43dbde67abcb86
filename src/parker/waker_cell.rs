//! A place for one task's waker that the task replaces and anyone fires.
//!
//! The task and its wakers run at the same time, so the waker itself is guarded by two bits:
//!
//! ```text
//!   EMPTY|IDLE --register--> REGISTERING --> IDLE        (no wake in between)
//!                            REGISTERING|WAKING --> IDLE (a wake came: the registrant fires itself)
//!   IDLE --wake--> WAKING --> IDLE                       (takes the waker out and fires it)
//! ```
//!
//! Whoever sets its bit while the word is idle holds the waker. A wake that meets a registration
//! leaves its bit for the registrant; one that meets another wake has nothing to add.
//!
//! The cell hands wakers over and nothing else. It does not order what the waking thread did before
//! with what the task does after: the task looks again when it is polled, at a word that does.
//!
//! Source: the state machine of futures' `AtomicWaker`.

use core::task::Waker;

use crate::shim::UnsafeCell;
use crate::shim::atomic::{AtomicU32, Ordering};

const IDLE: u32 = 0;
const REGISTERING: u32 = 1;
const WAKING: u32 = 2;

pub(crate) struct WakerCell {
    state: AtomicU32,
    waker: UnsafeCell<Option<Waker>>,
}

// SAFETY: the state word lets one thread at a time at the waker, which is `Send`.
unsafe impl Sync for WakerCell {}
// SAFETY: as above.
unsafe impl Send for WakerCell {}

impl WakerCell {
    const_fn! {
        pub(crate) const fn new() -> Self {
            Self { state: AtomicU32::new(IDLE), waker: UnsafeCell::new(None) }
        }
    }

    /// Makes `waker` the one to fire. Only the one task that waits calls it.
    ///
    /// A wake that comes before this returns fires `waker` or the one before it; one that comes after
    /// fires `waker`.
    pub(crate) fn register(&self, waker: &Waker) {
        // ORDERING(waker.hold): Acquire — sees the waker as the last wake left it; pairs with
        // (waker.hold) in take(). Relaxed dies in waits::waker_changes. Relaxed on failure: only the
        // value counts.
        if self
            .state
            .compare_exchange(IDLE, REGISTERING, Ordering::Acquire, Ordering::Relaxed)
            .is_err()
        {
            // A wake is under way: it fires the old waker, this one fires itself.
            waker.wake_by_ref();
            return;
        }
        let old = self.waker.with_mut(|place| {
            // SAFETY: the REGISTERING bit is ours and was set while idle.
            let place = unsafe { &mut *place };
            match place {
                Some(current) if current.will_wake(waker) => None,
                _ => place.replace(waker.clone()),
            }
        });
        // ORDERING(waker.hold): Release — publishes the waker to the next wake; pairs with
        // (waker.hold) in take(). Relaxed dies in oneshot::task_then_task. Relaxed on failure:
        // a wake that finds us registering touches nothing.
        let released =
            self.state.compare_exchange(REGISTERING, IDLE, Ordering::Release, Ordering::Relaxed);
        if released.is_err() {
            // A wake came and left the waker to us. Nobody else takes it while both bits are set.
            let mine = self.waker.with_mut(|place| {
                // SAFETY: as above.
                unsafe { &mut *place }.take()
            });
            // ORDERING(waker.hold): Release — the waker as we leave it; pairs with (waker.hold) in
            // take(). A swap, since more wakes may have come. Relaxed would do for those who use the
            // cell now: their next wake answers an announcement that the task makes after this.
            self.state.swap(IDLE, Ordering::Release);
            if let Some(waker) = mine {
                waker.wake();
            }
        }
        // User code: outside the bits.
        drop(old);
    }

    /// Takes the waker out, to fire or to drop it. `None` if none is registered or another thread
    /// sees to it.
    pub(crate) fn take(&self) -> Option<Waker> {
        // ORDERING(waker.hold): Acquire — sees the registered waker; pairs with (waker.hold) in
        // register() and below. Relaxed dies in oneshot::task_then_task.
        match self.state.fetch_or(WAKING, Ordering::Acquire) {
            IDLE => {
                let waker = self.waker.with_mut(|place| {
                    // SAFETY: the WAKING bit is ours and was set while idle.
                    unsafe { &mut *place }.take()
                });
                // ORDERING(waker.hold): Release — the waker as we leave it; pairs with (waker.hold) in
                // register() and above. Relaxed dies in waits::waker_changes.
                self.state.fetch_and(!WAKING, Ordering::Release);
                waker
            }
            _ => None,
        }
    }
}
