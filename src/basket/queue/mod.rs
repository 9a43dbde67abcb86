//! The queues behind the forms of a basket, and what their handles see of them.
//!
//! | queue | form | where an item becomes visible |
//! |---|---|---|
//! | `lanes` | `Unbounded` | a count in the offerer's own lane |
//! | `limited` over `lanes` | `Bounded`, `Weighed` | as above, after a claim of room |
//! | `ordered` | `Ordered` | the shared [`head`] |
//! | `slab` | `Fixed` | the shared [`head`], after a claim of a slot |

pub(crate) mod head;
pub(crate) mod pace;
pub(crate) mod slab;

#[cfg(feature = "alloc")]
pub(crate) mod lanes;
#[cfg(feature = "alloc")]
pub(crate) mod limited;
#[cfg(feature = "alloc")]
pub(crate) mod ordered;

use core::mem::ManuallyDrop;
use core::pin::Pin;
use core::slice;
use core::task::Waker;

use super::errors::OfferError;
use crate::parker::TaskWaiter;
use crate::spin::Adaptive;
use crate::time::Deadline;

/// What a drainer's look brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pulled {
    /// Items are at hand.
    Items,
    /// Nothing now.
    Empty,
    /// Nothing, and nothing will come.
    Closed,
}

impl Pulled {
    pub(crate) const fn of(at_hand: usize, closed: bool) -> Self {
        match (at_hand, closed) {
            (0, false) => Self::Empty,
            (0, true) => Self::Closed,
            _ => Self::Items,
        }
    }
}

/// What became of items that were to be offered.
#[derive(Debug)]
pub struct Offered {
    /// How many, from the first on, are in. The caller forgets its copies of those.
    pub count: usize,
    /// Why not all.
    pub refused: Option<Refused>,
    /// Whether the drainer sleeps and the caller must wake it now.
    pub wake: bool,
}

/// Why an item is not in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// No room.
    Full,
    /// Room for it there will never be.
    TooHeavy,
    /// No more offers.
    Closed,
}

impl Refused {
    pub fn with<T>(self, item: T) -> OfferError<T> {
        match self {
            Self::Full => OfferError::Full(item),
            Self::TooHeavy => OfferError::TooHeavy(item),
            Self::Closed => OfferError::Closed(item),
        }
    }
}

/// A queue of one form: many offer, one drains.
///
/// The drainer's announcement (`arm` and its kin) and the offers share one handshake: after a
/// successful `arm`, exactly one offer or close says `wake`, and it says so after it has taken effect.
pub trait Queue<T>: Sized {
    /// What one offerer keeps for itself.
    type Offering;
    /// What the drainer keeps for itself.
    type Draining;

    fn new_offering(&self) -> Self::Offering;
    fn new_draining(&self) -> Self::Draining;

    /// Offers copies of these items, in order.
    fn offer(&self, local: &mut Self::Offering, items: &[ManuallyDrop<T>]) -> Offered;

    /// Offers a copy of one item.
    #[inline]
    fn offer_one(&self, local: &mut Self::Offering, item: &ManuallyDrop<T>) -> Offered {
        self.offer(local, slice::from_ref(item))
    }

    /// An offerer goes away. Answers whether the drainer must be woken.
    fn leave(&self, local: &mut Self::Offering) -> bool;

    /// Brings what there is to hand, unless so many items are at hand already.
    fn pull(&self, local: &mut Self::Draining, wanted: usize) -> Pulled;
    /// How many items are at hand.
    fn at_hand(&self, local: &Self::Draining) -> usize;
    /// The next of those.
    fn peek<'a>(&'a self, local: &'a Self::Draining) -> Option<&'a T>;
    /// Takes the next of those.
    fn next(&self, local: &mut Self::Draining) -> Option<T>;
    /// The drainer pauses: what it finished goes back to the offerers.
    fn settle(&self, local: &mut Self::Draining);
    /// A batch of so many is worth fetching as it is.
    fn enough(&self) -> usize {
        256
    }
    /// How many items there are, at hand or not.
    fn len(&self, local: &Self::Draining) -> usize;
    /// Whether there are none.
    fn is_empty(&self, local: &Self::Draining) -> bool;

    /// Announces that the drainer will sleep; `false`: there is something to pull.
    fn arm(&self, local: &mut Self::Draining) -> bool;
    /// Takes that back; `false`: a wake is coming or came.
    fn disarm(&self) -> bool;
    fn is_armed(&self) -> bool;
    /// Whether a pull would bring nothing new.
    fn is_idle(&self, local: &Self::Draining) -> bool;

    /// Refuses offers from now on. `Some(wake)`; `None`: it was closed.
    fn close(&self) -> Option<bool>;
    fn is_closed(&self) -> bool;

    /// The drainer of a closed queue goes: brings to hand what an offer in progress may have added.
    fn end(&self, _local: &mut Self::Draining) {}
    /// The drainer of an ended, empty queue has gone.
    fn retire(&self, local: &mut Self::Draining) {
        self.settle(local);
    }
}

/// A queue with a limit, for which offerers can wait.
pub trait Bounded<T>: Queue<T> {
    /// The limit.
    fn capacity(&self) -> usize;
    /// How much of it is in use.
    fn used(&self) -> usize;
    /// Waits for room on this thread, then offers a copy of the item. `None`: the deadline passed.
    fn offer_waiting(
        &self,
        local: &mut Self::Offering,
        item: &ManuallyDrop<T>,
        until: Deadline,
        policy: &mut Adaptive,
    ) -> Option<Offered>;
    /// Waits for room in a task, then offers a copy of the item. `None`: pending.
    fn poll_offer(
        &self,
        local: &mut Self::Offering,
        item: &ManuallyDrop<T>,
        waiter: Pin<&mut TaskWaiter>,
        waker: &Waker,
    ) -> Option<Offered>;
    /// Gives up that wait.
    fn cancel_offer(&self, waiter: Pin<&mut TaskWaiter>);
}
