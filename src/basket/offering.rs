//! An offer that waits for room in a task.

use core::fmt;
use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll};

use super::errors::OfferError;
use super::form::BoundedForm;
use super::offerer::Offerer;
use super::queue::Bounded as _;
use crate::parker::TaskWaiter;

/// The future of [`Offerer::offer_async`].
#[must_use = "nothing is offered unless it is polled"]
pub struct Offering<'a, T, F: BoundedForm<T>> {
    offerer: &'a mut Offerer<T, F>,
    /// `None` once it is in or given back.
    item: Option<T>,
    waiter: TaskWaiter,
    polled: bool,
}

impl<'a, T, F: BoundedForm<T>> Offering<'a, T, F> {
    pub(super) fn new(offerer: &'a mut Offerer<T, F>, item: T) -> Self {
        Self { offerer, item: Some(item), waiter: TaskWaiter::new(), polled: false }
    }

    /// Gives up and takes the item out. `None` if it is in the basket.
    pub fn cancel(self: Pin<&mut Self>) -> Option<T> {
        let (offerer, item, waiter, _) = self.project();
        offerer.shared.queue.cancel_offer(waiter);
        item.take()
    }

    fn project(
        self: Pin<&mut Self>,
    ) -> (&mut Offerer<T, F>, &mut Option<T>, Pin<&mut TaskWaiter>, &mut bool) {
        // SAFETY: only the waiter is pinned, and it is not moved.
        let this = unsafe { self.get_unchecked_mut() };
        // SAFETY: it is pinned with us.
        let waiter = unsafe { Pin::new_unchecked(&mut this.waiter) };
        (this.offerer, &mut this.item, waiter, &mut this.polled)
    }
}

impl<T, F: BoundedForm<T>> Future for Offering<'_, T, F> {
    type Output = Result<(), OfferError<T>>;

    /// # Panics
    ///
    /// If it is polled after it was ready or cancelled.
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let (offerer, place, waiter, polled) = self.project();
        let item = place.take().expect("polled after it was ready");
        let first = !core::mem::replace(polled, true);
        match offerer.poll_offer(item, waiter, cx, first) {
            Ok(result) => Poll::Ready(result),
            Err(item) => {
                *place = Some(item);
                Poll::Pending
            }
        }
    }
}

impl<T, F: BoundedForm<T>> Drop for Offering<'_, T, F> {
    fn drop(&mut self) {
        // SAFETY: it is not moved before it is gone.
        let waiter = unsafe { Pin::new_unchecked(&mut self.waiter) };
        self.offerer.shared.queue.cancel_offer(waiter);
    }
}

impl<T, F: BoundedForm<T>> fmt::Debug for Offering<'_, T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Offering").field("pending", &self.item.is_some()).finish_non_exhaustive()
    }
}
