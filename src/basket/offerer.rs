//! The offering side.

use core::fmt;
use core::mem::ManuallyDrop;
use core::time::Duration;

use super::errors::OfferError;
use super::form::{BoundedForm, Form, sealed::Sealed};
use super::offering::Offering;
use super::queue::{Bounded as _, Offered, Queue, Refused};
use super::shared::Shared;
use crate::spin::Adaptive;
use crate::time::Deadline;

type QueueOf<T, F> = <F as Sealed<T>>::Queue;
type HandleOf<T, F> = <F as Sealed<T>>::Handle;

/// Puts items into a basket.
///
/// Clone it for every thread that offers. When the last one is dropped the basket is closed: the
/// drainer gets what is in it and then [`Closed`](super::Closed).
///
/// # Ordering
///
/// What happens before an offer happens before the drainer gets the item. Items of one offerer come
/// out in the order in which they were offered. Items of different offerers do so only from
/// [`Ordered`](super::Ordered) and [`Fixed`](super::Fixed) baskets, if one offer happened before the
/// other.
///
/// # Progress
///
/// [`offer`](Self::offer) and [`offer_all`](Self::offer_all) are lock-free and never wait for the
/// drainer. One that stops half-way (its thread was preempted) holds up nobody.
///
/// # Cost
///
/// See the table of forms in the [module](super); plus one system call if the drainer sleeps. An
/// offerer keeps memory for its items from its first offer on: keep it for many, rather than clone one
/// for each.
pub struct Offerer<T, F: Form<T>> {
    pub(super) shared: HandleOf<T, F>,
    pub(super) local: <QueueOf<T, F> as Queue<T>>::Offering,
    policy: Adaptive,
}

/// The item as a queue takes it: it counts as copied only when the queue says so, and until then, as
/// when a function that weighs it panics, it is still ours to drop.
fn to_copy<T>(item: &T) -> &ManuallyDrop<T> {
    // SAFETY: `ManuallyDrop<T>` has the layout of `T`.
    unsafe { &*core::ptr::from_ref(item).cast() }
}

/// Turns what the queue says about one item into a result, and wakes the drainer if that is due.
fn conclude<T, Q: Queue<T>>(
    shared: &Shared<Q>,
    offered: &Offered,
    item: T,
) -> Result<(), OfferError<T>> {
    // It may be in, and wakers may panic.
    let item = ManuallyDrop::new(item);
    if offered.wake {
        shared.signal.wake();
    }
    match offered.refused {
        None => Ok(()),
        // The queue kept no copy.
        Some(refused) => Err(refused.with(ManuallyDrop::into_inner(item))),
    }
}

impl<T, F: Form<T>> Offerer<T, F> {
    pub(super) fn new(shared: HandleOf<T, F>) -> Self {
        shared.add_offerer();
        let local = shared.queue.new_offering();
        Self { shared, local, policy: Adaptive::new() }
    }

    /// Offers an item. Never waits.
    ///
    /// Linearizes where the item is published; after it has returned `Ok`, the item is visible to the
    /// drainer, and the drainer is awake or being woken.
    ///
    /// # Errors
    ///
    /// The item comes back in [`OfferError::Closed`], or, from a bounded basket, in
    /// [`OfferError::Full`].
    #[inline]
    pub fn offer(&mut self, item: T) -> Result<(), OfferError<T>> {
        let offered = self.shared.queue.offer_one(&mut self.local, to_copy(&item));
        conclude(&self.shared, &offered, item)
    }

    /// Offers many items, in order and in one piece: the drainer sees them all at once and is woken
    /// once at the most. Never waits.
    ///
    /// The iterator is run to its end before anything is offered.
    ///
    /// # Errors
    ///
    /// What was not taken comes back, in order: everything in [`OfferError::Closed`]; what found no
    /// room in [`OfferError::Full`]; and from the first item that never fits in
    /// [`OfferError::TooHeavy`].
    #[cfg(feature = "alloc")]
    pub fn offer_all(
        &mut self,
        items: impl IntoIterator<Item = T>,
    ) -> Result<(), OfferError<alloc::vec::Vec<T>>> {
        use alloc::vec::Vec;

        let mut items: Vec<T> = items.into_iter().collect();
        if items.is_empty() {
            return Ok(());
        }
        // SAFETY: `ManuallyDrop<T>` has the layout of `T`; the slice is initialized.
        let view = unsafe { core::slice::from_raw_parts(items.as_ptr().cast(), items.len()) };
        let Offered { count, refused, wake } = self.shared.queue.offer(&mut self.local, view);
        let left = items.len() - count;
        // SAFETY: `count` is at most the length.
        let rest = unsafe { items.as_ptr().add(count) };
        // SAFETY: `left` items are there, and the same Vec has room for them at its front.
        unsafe { core::ptr::copy(rest, items.as_mut_ptr(), left) };
        // SAFETY: those are initialized. The ones that are in the queue are no longer ours.
        unsafe { items.set_len(left) };
        if wake {
            self.shared.signal.wake();
        }
        match refused {
            None => Ok(()),
            Some(refused) => Err(refused.with(items)),
        }
    }

    /// Closes the basket: offers by anyone fail from now on, and the drainer gets what is in it and
    /// then [`Closed`](super::Closed). `false` if it was closed before.
    pub fn close(&self) -> bool {
        self.shared.close()
    }

    /// Whether offers fail. Once `true` it stays so, and what the closing side did before is visible.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.shared.queue.is_closed()
    }
}

impl<T, F: BoundedForm<T>> Offerer<T, F> {
    /// The most items that can be in the basket.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.shared.queue.capacity()
    }

    /// How much of the capacity is in use, never more than it: items in the basket, items being
    /// offered, and up to 32 that a batch in progress has handed out.
    #[must_use]
    pub fn len(&self) -> usize {
        self.shared.queue.used()
    }

    /// Whether nothing is in use: an answer about a moment that has passed when you get it, unless
    /// nobody offers or drains.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Offers an item, waiting for room as long as it takes. Offerers that wait are served first come,
    /// first served.
    ///
    /// # Errors
    ///
    /// The item comes back in [`OfferError::Closed`], or in [`OfferError::TooHeavy`].
    pub fn offer_blocking(&mut self, item: T) -> Result<(), OfferError<T>> {
        self.offer_deadline(item, Deadline::NEVER)
    }

    /// As [`offer_blocking`](Self::offer_blocking), but at most this long. `Duration::ZERO` does not
    /// wait; `Duration::MAX` waits for ever.
    ///
    /// # Errors
    ///
    /// As above, and [`OfferError::TimedOut`].
    pub fn offer_timeout(&mut self, item: T, timeout: Duration) -> Result<(), OfferError<T>> {
        match self.offer(item) {
            Err(OfferError::Full(item)) if timeout.is_zero() => Err(OfferError::TimedOut(item)),
            Err(OfferError::Full(item)) => self.wait_to_offer(item, Deadline::after(timeout)),
            done => done,
        }
    }

    /// As [`offer_blocking`](Self::offer_blocking), but at most until that moment.
    ///
    /// # Errors
    ///
    /// As above, and [`OfferError::TimedOut`].
    pub fn offer_deadline(&mut self, item: T, deadline: Deadline) -> Result<(), OfferError<T>> {
        match self.offer(item) {
            Err(OfferError::Full(item)) => self.wait_to_offer(item, deadline),
            done => done,
        }
    }

    #[cold]
    fn wait_to_offer(&mut self, item: T, until: Deadline) -> Result<(), OfferError<T>> {
        let queue = &self.shared.queue;
        match queue.offer_waiting(&mut self.local, to_copy(&item), until, &mut self.policy) {
            None => Err(OfferError::TimedOut(item)),
            Some(offered) => conclude(&self.shared, &offered, item),
        }
    }

    /// Offers an item as soon as there is room, in a task. First come, first served, together with
    /// the threads that wait.
    ///
    /// Dropping the future gives up its place; room that had been handed to it goes to the next. The
    /// item is dropped with it, unless [`Offering::cancel`] takes it out.
    pub fn offer_async(&mut self, item: T) -> Offering<'_, T, F> {
        Offering::new(self, item)
    }

    /// For the future: an offer that does not wait, or one that does.
    pub(super) fn poll_offer(
        &mut self,
        item: T,
        waiter: core::pin::Pin<&mut crate::parker::TaskWaiter>,
        cx: &core::task::Context<'_>,
        first: bool,
    ) -> Result<Result<(), OfferError<T>>, T> {
        let queue = &self.shared.queue;
        let mut offered = None;
        if first {
            offered = Some(queue.offer_one(&mut self.local, to_copy(&item)));
        }
        if !first || matches!(&offered, Some(Offered { refused: Some(Refused::Full), .. })) {
            offered = queue.poll_offer(&mut self.local, to_copy(&item), waiter, cx.waker());
        }
        match offered {
            None => Err(item),
            Some(offered) => Ok(conclude(&self.shared, &offered, item)),
        }
    }
}

impl<T, F: Form<T>> Clone for Offerer<T, F> {
    fn clone(&self) -> Self {
        Self::new(self.shared.clone())
    }
}

impl<T, F: Form<T>> Drop for Offerer<T, F> {
    fn drop(&mut self) {
        let wake = self.shared.queue.leave(&mut self.local);
        if self.shared.remove_offerer() {
            self.shared.close();
        }
        // Last: a waker may panic.
        if wake {
            self.shared.signal.wake();
        }
    }
}

impl<T, F: Form<T>> fmt::Debug for Offerer<T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Offerer").field("closed", &self.is_closed()).finish_non_exhaustive()
    }
}
