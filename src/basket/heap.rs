//! Baskets on the heap.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::convert::Infallible;
use core::fmt;
use core::marker::PhantomData;
use core::mem::ManuallyDrop;

use super::drainer::Drainer;
use super::errors::{CapacityError, Closed};
use super::form::{Bounded, Unbounded};
use super::list::List;
use super::offerer::Offerer;
use super::shared::Shared;
use super::slab::{Slab, Slot};
use crate::shim::Arc;

/// Makes baskets. See the [module](super).
#[derive(Debug)]
pub struct Basket<T>(Infallible, PhantomData<T>);

impl<T> Basket<T> {
    /// A basket without a limit.
    ///
    /// Memory: an offerer fills chunks (256 bytes at first, then up to 4 KiB, or one item if that is
    /// more); the drainer frees them. A drainer that stops draining stops nobody, and memory grows.
    ///
    /// # Examples
    ///
    /// ```
    /// let (mut offerer, mut drainer) = reveille::Basket::unbounded();
    /// offerer.offer_all([1, 2, 3]).unwrap();
    /// assert!(drainer.drain().eq([1, 2, 3]));
    /// ```
    #[must_use]
    pub fn unbounded() -> (Offerer<T, Unbounded>, Drainer<T, Unbounded>) {
        let shared = Arc::new(Shared::new(List::new()));
        (Offerer::new(shared.clone()), Drainer::new(shared))
    }

    /// A basket for at most `capacity` items, allocated now; offering to it allocates nothing.
    ///
    /// # Errors
    ///
    /// [`CapacityError`] if `capacity` is zero (there is no rendezvous form) or the slots do not fit
    /// into memory.
    ///
    /// # Examples
    ///
    /// ```
    /// use reveille::basket::{Basket, OfferError};
    ///
    /// let (mut offerer, mut drainer) = Basket::bounded(2).unwrap();
    /// offerer.offer('a').unwrap();
    /// offerer.offer('b').unwrap();
    /// assert_eq!(offerer.offer('c'), Err(OfferError::Full('c')));
    /// assert_eq!(drainer.take(), Some('a'));
    /// offerer.offer('c').unwrap();
    /// ```
    pub fn bounded(capacity: usize) -> Result<(Offerer<T, Bounded>, Drainer<T, Bounded>), CapacityError> {
        CapacityError::check(capacity)?;
        let mut slots = Vec::<Slot<T>>::new();
        slots.try_reserve_exact(capacity).map_err(|_| CapacityError::TooLarge)?;
        slots.resize_with(capacity, Slot::new);
        let slots: Box<[Slot<T>]> = slots.into_boxed_slice();
        let shared = Arc::new(Shared::new(Slab::new(slots, capacity)));
        Ok((Offerer::new(shared.clone()), Drainer::new(shared)))
    }
}

/// Offers to an unbounded basket through a shared reference, for callers that cannot keep an
/// [`Offerer`] each.
///
/// Counts as an offerer: the basket stays open while it lives.
///
/// # Cost
///
/// An allocation for each offer. An [`Offerer`] needs one for every 4 KiB.
pub struct SharedOfferer<T> {
    shared: Arc<Shared<List<T>>>,
}

impl<T> Offerer<T, Unbounded> {
    /// Another way to offer to this basket: slower, by `&self` from any thread.
    #[must_use]
    pub fn share(&self) -> SharedOfferer<T> {
        self.shared.add_offerer();
        SharedOfferer { shared: self.shared.clone() }
    }
}

impl<T> SharedOfferer<T> {
    /// Offers an item. Never waits. See [`Offerer::offer`].
    ///
    /// # Errors
    ///
    /// [`Closed`], with the item.
    pub fn offer(&self, item: T) -> Result<(), Closed<T>> {
        let item = ManuallyDrop::new(item);
        let offered = self.shared.queue.offer_alone(&item);
        if offered.wake {
            self.shared.signal.wake();
        }
        match offered.refused {
            None => Ok(()),
            Some(_) => Err(Closed(ManuallyDrop::into_inner(item))),
        }
    }

    /// An offerer for one thread.
    #[must_use]
    pub fn offerer(&self) -> Offerer<T, Unbounded> {
        Offerer::new(self.shared.clone())
    }

    /// Closes the basket; `false` if it was closed before.
    pub fn close(&self) -> bool {
        self.shared.close()
    }
}

impl<T> Clone for SharedOfferer<T> {
    fn clone(&self) -> Self {
        self.shared.add_offerer();
        Self { shared: self.shared.clone() }
    }
}

impl<T> Drop for SharedOfferer<T> {
    fn drop(&mut self) {
        if self.shared.remove_offerer() {
            self.shared.close();
        }
    }
}

impl<T> fmt::Debug for SharedOfferer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedOfferer").finish_non_exhaustive()
    }
}
