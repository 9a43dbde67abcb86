//! A bounded basket in storage that the caller supplies.

use core::fmt;

use super::Sides;
use super::drainer::Drainer;
use super::errors::CapacityError;
use super::form::Fixed;
use super::offerer::Offerer;
use super::queue::slab::{MOST_SLOTS, Slab, Slot, Storage};
use super::shared::Shared;
use crate::shim::atomic::{AtomicU32, Ordering};

/// A bounded basket over slots that the caller supplies: no allocator needed.
///
/// The storage is an array `[Slot<T>; N]`, which may stand in a `static`, or a `&mut [Slot<T>]`.
///
/// # Examples
///
/// In a `static`:
///
/// ```
/// use reveille::basket::{FixedBasket, Slot};
///
/// static EVENTS: FixedBasket<u32, [Slot<u32>; 8]> = FixedBasket::in_array([const { Slot::new() }; 8]);
///
/// let (mut offerer, mut drainer) = EVENTS.claim().expect("claimed once");
/// offerer.offer(7).unwrap();
/// assert!(drainer.drain().eq([7]));
/// ```
///
/// Over a slice:
///
/// ```
/// use reveille::basket::{FixedBasket, Slot};
///
/// let mut slots = [const { Slot::new() }; 3];
/// let mut basket = FixedBasket::new(&mut slots[..]).unwrap();
/// let (mut offerer, mut drainer) = basket.split();
/// offerer.offer("one").unwrap();
/// assert_eq!(drainer.take(), Some("one"));
/// ```
pub struct FixedBasket<T, S: Storage<T>> {
    shared: Shared<Slab<T, S>>,
    claimed: AtomicU32,
}

const UNCLAIMED: u32 = 0;
const CLAIMED: u32 = 1;

impl<T, const N: usize> FixedBasket<T, [Slot<T>; N]> {
    const_fn! {
        /// An empty basket in an array; for statics.
        ///
        /// An array of no slots does not compile.
        #[must_use]
        pub const fn in_array(slots: [Slot<T>; N]) -> Self {
            const { assert!(N > 0 && N <= MOST_SLOTS, "a basket has at least one slot") };
            Self { shared: Shared::new(Slab::new(slots, N)), claimed: AtomicU32::new(UNCLAIMED) }
        }
    }
}

impl<T, S: Storage<T>> FixedBasket<T, S> {
    /// An empty basket in these slots.
    ///
    /// # Errors
    ///
    /// [`CapacityError::Zero`] if there are none.
    pub fn new(slots: S) -> Result<Self, CapacityError> {
        let len = slots.slots().len();
        CapacityError::check(len)?;
        Ok(Self { shared: Shared::new(Slab::new(slots, len)), claimed: AtomicU32::new(UNCLAIMED) })
    }

    /// The two sides, for as long as the basket is borrowed. It starts empty and open, whatever was
    /// done with it before.
    pub fn split(&mut self) -> Sides<T, Fixed<'_, S>> {
        self.shared.reset();
        // Its end closes the basket, so there is nothing left to claim.
        self.claimed = AtomicU32::new(CLAIMED);
        let shared = &self.shared;
        (Offerer::new(shared), Drainer::new(shared))
    }

    /// The two sides of a basket that is shared, the first time it is called; `None` after that, and
    /// after a [`split`](Self::split).
    pub fn claim(&self) -> Option<Sides<T, Fixed<'_, S>>> {
        // ORDERING(basket.claim): Relaxed — a basket starts empty, nothing is handed over; pairs with
        // itself: one exchange succeeds.
        self.claimed
            .compare_exchange(UNCLAIMED, CLAIMED, Ordering::Relaxed, Ordering::Relaxed)
            .ok()
            .map(|_| (Offerer::new(&self.shared), Drainer::new(&self.shared)))
    }
}

impl<T, S: Storage<T>> fmt::Debug for FixedBasket<T, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FixedBasket")
            .field("used", &self.shared.queue.used())
            .finish_non_exhaustive()
    }
}
