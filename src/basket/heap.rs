//! Baskets on the heap.

use core::convert::Infallible;
use core::fmt;
use core::marker::PhantomData;
use core::mem::ManuallyDrop;

use super::Sides;
use super::drainer::Drainer;
use super::errors::{CapacityError, Closed};
use super::form::{Bounded, Ordered, Unbounded, Weighed};
use super::offerer::Offerer;
use super::queue::lanes::Lanes;
use super::queue::limited::Limited;
use super::queue::limited::weight::Each;
use super::queue::ordered::List;
use super::shared::Shared;
use crate::shim::Arc;

/// Makes baskets. See the [module](super).
#[derive(Debug)]
pub struct Basket<T>(Infallible, PhantomData<T>);

impl<T> Basket<T> {
    /// A basket without a limit, for the highest rates.
    ///
    /// Every offerer has a lane of its own, so an offer is a few plain stores: no read-modify-write
    /// and, at high rates, no fence. The drainer pays when it goes to sleep, with a system call that makes a
    /// barrier on the other CPUs (`membarrier` on Linux). Until it has had some hundred items without a sleep,
    /// again when it sleeps after every few, and always where there is no such call, each offer makes two
    /// fences instead.
    ///
    /// The first basket of a process registers it for that call, which takes ten milliseconds and more if
    /// the process has several threads by then: programs that mind make one early.
    ///
    /// # Ordering
    ///
    /// Items of *one* offerer come out in the order in which they were offered. Items of *different*
    /// offerers come out in any order, even if one offer happened before the other; where that
    /// matters use [`ordered`](Self::ordered).
    ///
    /// # Cost
    ///
    /// An offerer's lane takes 512 bytes from its first offer on (1 KiB on s390x, whose cache lines are
    /// longer), and grows with what is in it (chunks of up to 4 KiB, of which one is kept). A drain looks
    /// into the lanes of offerers that were active between the last few sleeps; idle ones are left out as
    /// soon as looking at them has cost more than that does.
    /// A drainer that stops draining stops nobody, and memory grows.
    ///
    /// # Examples
    ///
    /// ```
    /// let (mut offerer, mut drainer) = reveille::Basket::unbounded();
    /// offerer.offer_all([1, 2, 3]).unwrap();
    /// assert!(drainer.drain().eq([1, 2, 3]));
    /// ```
    #[must_use]
    pub fn unbounded() -> Sides<T, Unbounded> {
        let shared = Arc::new(Shared::new(Lanes::new()));
        (Offerer::new(shared.clone()), Drainer::new(shared))
    }

    /// A basket without a limit, in which all offers are in one order.
    ///
    /// # Ordering
    ///
    /// Offers are linearized: if one happened before another, its item comes out first, whoever made
    /// them.
    ///
    /// # Cost
    ///
    /// One read-modify-write for an offer or a batch, on a word that all offerers share: several times
    /// [`unbounded`](Self::unbounded) when many offer at once. Memory: chunks of up to 4 KiB, filled
    /// by each offerer and freed by the drainer, with 16 bytes for each batch.
    ///
    /// # Examples
    ///
    /// ```
    /// let (mut first, mut drainer) = reveille::Basket::ordered();
    /// let mut second = first.clone();
    /// first.offer("cause").unwrap();
    /// second.offer("effect").unwrap();
    /// assert!(drainer.drain().eq(["cause", "effect"]));
    /// ```
    #[must_use]
    pub fn ordered() -> Sides<T, Ordered> {
        let shared = Arc::new(Shared::new(List::new()));
        (Offerer::new(shared.clone()), Drainer::new(shared))
    }

    /// A basket for at most `capacity` items.
    ///
    /// Otherwise as [`unbounded`](Self::unbounded); an offer makes one read-modify-write, to claim its
    /// room.
    ///
    /// # Errors
    ///
    /// [`CapacityError`] if `capacity` is zero (there is no rendezvous form) or cannot be counted.
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
    pub fn bounded(capacity: usize) -> Result<Sides<T, Bounded>, CapacityError> {
        CapacityError::check(capacity)?;
        let shared = Arc::new(Shared::new(Limited::new(Lanes::new(), capacity, Each)));
        Ok((Offerer::new(shared.clone()), Drainer::new(shared)))
    }

    /// A basket for items that weigh at most `limit` together: bytes, say.
    ///
    /// `weigh` must give the same weight for an item whenever it is asked. Otherwise as
    /// [`bounded`](Self::bounded).
    ///
    /// # Errors
    ///
    /// [`CapacityError`] if `limit` is zero or cannot be counted.
    ///
    /// # Examples
    ///
    /// ```
    /// use reveille::basket::{Basket, OfferError};
    ///
    /// let (mut offerer, mut drainer) = Basket::weighed(10, |text: &&str| text.len()).unwrap();
    /// offerer.offer("four").unwrap();
    /// offerer.offer("five!").unwrap();
    /// assert_eq!(offerer.offer("two"), Err(OfferError::Full("two")));
    /// assert_eq!(offerer.offer("more than ten"), Err(OfferError::TooHeavy("more than ten")));
    /// assert_eq!(drainer.drain().count(), 2);
    /// ```
    pub fn weighed(
        limit: usize,
        weigh: fn(&T) -> usize,
    ) -> Result<Sides<T, Weighed>, CapacityError> {
        CapacityError::check(limit)?;
        let shared = Arc::new(Shared::new(Limited::new(Lanes::new(), limit, weigh)));
        Ok((Offerer::new(shared.clone()), Drainer::new(shared)))
    }
}

/// Offers to an [ordered](Basket::ordered) basket through a shared reference, for callers that cannot
/// keep an [`Offerer`] each.
///
/// Counts as an offerer: the basket stays open while it lives.
///
/// # Cost
///
/// An allocation for each offer. An [`Offerer`] needs one for every 4 KiB.
///
/// # Examples
///
/// ```
/// let (offerer, mut drainer) = reveille::Basket::ordered();
/// let shared = offerer.share();
/// std::thread::scope(|scope| {
///     for n in 0..2 {
///         let shared = &shared;
///         scope.spawn(move || shared.offer(n).unwrap());
///     }
/// });
/// assert_eq!(drainer.drain().sum::<i32>(), 1);
/// ```
pub struct SharedOfferer<T> {
    shared: Arc<Shared<List<T>>>,
}

impl<T> Offerer<T, Ordered> {
    /// Another way to offer to this basket: slower, by `&self` from any thread.
    #[must_use]
    pub fn share(&self) -> SharedOfferer<T> {
        self.shared.add_offerer();
        SharedOfferer { shared: self.shared.clone() }
    }

    /// Whether the drainer has fetched everything that was offered: an answer about a moment that has
    /// passed when you get it, unless nobody offers.
    #[must_use]
    pub fn is_drained(&self) -> bool {
        self.shared.queue.is_drained()
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
    pub fn offerer(&self) -> Offerer<T, Ordered> {
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
