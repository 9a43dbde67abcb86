//! The draining side.

use core::fmt;
use core::future::{Future, poll_fn};
use core::task::{Context, Poll};
use core::time::Duration;

use super::batch::{Batch, By, Measure, Unweighed};
use super::errors::{Closed, WaitError};
use super::form::{BoundedForm, Form, sealed::Sealed};
use super::gather::Gather;
use super::queue::{Bounded as _, Pulled, Queue};
use crate::parker::Parked;
use crate::spin::{Adaptive, SpinPolicy};
use crate::time::Deadline;
use crate::unwind::to_the_end;

/// Takes items out of a basket: there is one, and it may move between threads.
///
/// Wait with [`wait`](Self::wait) or its kin, then take what is there with [`drain`](Self::drain).
/// Dropping the drainer closes the basket and drops what is left in it.
///
/// # Ordering
///
/// Getting an item happens after everything that happened before its offer; getting [`Closed`]
/// happens after everything before the close.
///
/// # Progress
///
/// Draining never waits for an offerer. Waiting spins as the [`SpinPolicy`] says (by default
/// [`Adaptive`]), then sleeps until an offer wakes it; an idle drainer costs nothing.
pub struct Drainer<T, F: Form<T>, P = Adaptive> {
    shared: <F as Sealed<T>>::Handle,
    local: <<F as Sealed<T>>::Queue as Queue<T>>::Draining,
    policy: P,
    gather: Gather,
}

impl<T, F: Form<T>> Drainer<T, F> {
    pub(super) fn new(shared: <F as Sealed<T>>::Handle) -> Self {
        let local = shared.queue.new_draining();
        Self { shared, local, policy: Adaptive::new(), gather: Gather::new() }
    }
}

impl<T, F: Form<T>, P> Drainer<T, F, P> {
    /// Everything that is there, perhaps nothing. Never waits.
    ///
    /// Every offer that happened before this call is in it, or in what an earlier batch left.
    pub fn drain(&mut self) -> Batch<'_, T, F> {
        self.drain_up_to(usize::MAX)
    }

    /// The first items of what is there, at most so many.
    pub fn drain_up_to(&mut self, items: usize) -> Batch<'_, T, F> {
        self.batch(items, usize::MAX, Unweighed)
    }

    /// The first items of what is there, until they are so many or the next one would bring their
    /// weight above the limit. An item that is heavier than the limit comes alone.
    pub fn drain_weighed<C: FnMut(&T) -> usize>(
        &mut self,
        items: usize,
        weight: usize,
        weigh: C,
    ) -> Batch<'_, T, F, By<C>> {
        self.batch(items, weight, By(weigh))
    }

    fn batch<W: Measure<T>>(
        &mut self,
        items: usize,
        weight: usize,
        weigh: W,
    ) -> Batch<'_, T, F, W> {
        self.shared.queue.settle(&mut self.local);
        let _: Pulled = self.shared.queue.pull(&mut self.local, items);
        Batch::new(&self.shared.queue, &mut self.local, items, weight, weigh)
    }

    /// The next item, if there is one. Never waits.
    pub fn take(&mut self) -> Option<T> {
        self.drain_up_to(1).next()
    }

    /// Whether there is nothing to take now.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.shared.queue.is_empty(&self.local)
    }

    /// How many items there are: exact if nobody offers meanwhile. Unbounded baskets count one by one
    /// batch.
    #[must_use]
    pub fn len(&self) -> usize {
        self.shared.queue.len(&self.local)
    }

    /// Closes the basket: offers fail from now on. What is in it can still be drained.
    ///
    /// `false` if it was closed before.
    pub fn close(&mut self) -> bool {
        self.shared.close()
    }

    /// Whether offers fail.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.shared.queue.is_closed()
    }

    /// Another offerer, also after all are gone; it finds the basket closed then.
    #[must_use]
    pub fn offerer(&self) -> super::Offerer<T, F> {
        super::Offerer::new(self.shared.clone())
    }

    /// The same drainer with another spin policy.
    #[must_use]
    pub fn with_policy<Q: SpinPolicy>(self, policy: Q) -> Drainer<T, F, Q> {
        let this = core::mem::ManuallyDrop::new(self);
        // SAFETY: `this` is neither used nor dropped again; its policy is dropped here.
        let shared = unsafe { core::ptr::read(&raw const this.shared) };
        // SAFETY: as above.
        let local = unsafe { core::ptr::read(&raw const this.local) };
        // SAFETY: as above.
        drop(unsafe { core::ptr::read(&raw const this.policy) });
        Drainer { shared, local, policy, gather: Gather::new() }
    }

    /// As [`wait`](Drainer::wait), for a task: `Ready` when there is an item to take or the end is
    /// reached; else the task's waker is fired once when that changes.
    ///
    /// Cancel-safe: nothing is taken out.
    ///
    /// # Errors
    ///
    /// [`Closed`] when the basket is closed and empty.
    pub fn poll_wait(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Closed>> {
        loop {
            match self.shared.queue.pull(&mut self.local, 1) {
                Pulled::Items => return Poll::Ready(Ok(())),
                Pulled::Closed => return Poll::Ready(Err(Closed(()))),
                Pulled::Empty => {}
            }
            self.shared.signal.expect_task(cx.waker());
            if self.shared.queue.arm(&mut self.local) {
                return Poll::Pending;
            }
        }
    }

    /// The future of [`poll_wait`](Self::poll_wait).
    ///
    /// # Errors
    ///
    /// [`Closed`] when the basket is closed and empty.
    pub fn wait_async(&mut self) -> impl Future<Output = Result<(), Closed>> + use<'_, T, F, P> {
        poll_fn(|cx| self.poll_wait(cx))
    }
}

impl<T, F: BoundedForm<T>, P> Drainer<T, F, P> {
    /// The most items that can be in the basket.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.shared.queue.capacity()
    }
}

impl<T, F: Form<T>, P: SpinPolicy> Drainer<T, F, P> {
    /// Waits until there is an item to take, as long as that takes.
    ///
    /// # Errors
    ///
    /// [`Closed`] when the basket is closed and empty.
    pub fn wait(&mut self) -> Result<(), Closed> {
        self.wait_deadline(Deadline::NEVER).map_err(|_| Closed(()))
    }

    /// As [`wait`](Self::wait), but at most this long. `Duration::ZERO` looks and returns;
    /// `Duration::MAX` waits for ever.
    ///
    /// # Errors
    ///
    /// [`WaitError`] says which end was reached. Items win over both.
    pub fn wait_timeout(&mut self, timeout: Duration) -> Result<(), WaitError> {
        match self.shared.queue.pull(&mut self.local, 1) {
            Pulled::Items => Ok(()),
            Pulled::Closed => Err(WaitError::Closed),
            Pulled::Empty => self.wait_deadline(Deadline::after(timeout)),
        }
    }

    /// As [`wait`](Self::wait), but at most until that moment.
    ///
    /// # Errors
    ///
    /// [`WaitError`] says which end was reached. Items win over both.
    pub fn wait_deadline(&mut self, deadline: Deadline) -> Result<(), WaitError> {
        let Self { shared, local, policy, gather } = self;
        let queue = &shared.queue;
        loop {
            match queue.pull(local, 1) {
                Pulled::Items => {
                    let found = queue.at_hand(local);
                    gather.pause(found, queue.enough(), || {
                        let _: Pulled = queue.pull(local, usize::MAX);
                        queue.at_hand(local) - found
                    });
                    return Ok(());
                }
                Pulled::Closed => return Err(WaitError::Closed),
                Pulled::Empty if deadline.has_passed() => return Err(WaitError::TimedOut),
                Pulled::Empty => {}
            }
            queue.settle(local);
            if policy.spin(deadline, || !queue.is_idle(local)) {
                continue;
            }
            shared.signal.expect_thread();
            if !queue.arm(local) {
                continue;
            }
            // A wake that was owed for an earlier sleep can come late: the announcement counts.
            while queue.is_armed() {
                if shared.signal.sleep(deadline) == Parked::TimedOut && queue.disarm() {
                    return Err(WaitError::TimedOut);
                }
            }
        }
    }
}

impl<T, F: Form<T>, P> Drop for Drainer<T, F, P> {
    fn drop(&mut self) {
        let Self { shared, local, .. } = self;
        // Before the close, which would wake it; dropped last, being code of users.
        let _task = shared.signal.take_task();
        shared.close();
        let queue = &shared.queue;
        let mut ended = false;
        to_the_end(|| {
            if !ended && queue.pull(local, 1) != Pulled::Items {
                queue.end(local);
                ended = true;
            }
            let item = queue.next(local);
            if item.is_none() {
                queue.retire(local);
            }
            item.is_some()
        });
    }
}

impl<T, F: Form<T>, P> fmt::Debug for Drainer<T, F, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Drainer").field("closed", &self.is_closed()).finish_non_exhaustive()
    }
}
