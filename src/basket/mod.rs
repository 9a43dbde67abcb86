//! Many offer, one drains: put the item in first, then wake the drainer if it sleeps.
//!
//! A [`Basket`] is a multi-producer, single-consumer queue whose consumer takes everything at once and
//! really sleeps when there is nothing. Whether an offer has to wake it is decided by the same step
//! that makes the item visible, or on both sides of a barrier: no wake-up is lost and none is wasted,
//! at most one per sleep, however many offer.
//!
//! # Which form
//!
//! | form | limit | order between offerers | memory | shared read-modify-writes of an offer |
//! |---|---|---|---|---|
//! | [`Unbounded`] | none | none | a lane of chunks for each offerer | none |
//! | [`Ordered`] | none | the order of the offers | chunks, filled by each offerer | 1 per offer or batch |
//! | [`Bounded`] | items | none | as [`Unbounded`] | 1 |
//! | [`Weighed`] | weight | none | as [`Unbounded`] | 1 |
//! | [`Fixed`] | slots | the order of the offers | the caller's: an array, a static, a slice; no allocator | 1 per item, 1 per offer or batch |
//!
//! Take the first one unless you need another. In every form the items of one offerer stay in order,
//! and an offerer that is stopped in the middle of an offer holds up nobody else's items.
//!
//! # Ends
//!
//! Both sides may close a basket. Closed by its offerers (explicitly, or because the last is dropped)
//! it refuses offers and hands out what it has, then reports [`Closed`]. Closed by the drainer
//! ([`Drainer::close`]) it does the same; dropped with the drainer, it drops what is in it. An item
//! that is refused comes back in the error. So every item that was accepted is drained or dropped,
//! once.
//!
//! # Ordering
//!
//! What happens before an offer happens before the item is drained. After an offer returned, a drain
//! that begins later (in the sense of happens-before) finds its item, or the drainer is awake to find
//! it.
//!
//! # Examples
//!
//! ```
//! use reveille::Basket;
//!
//! let (offerer, mut drainer) = Basket::unbounded();
//! let workers: Vec<_> = (0..4)
//!     .map(|n| {
//!         let mut offerer = offerer.clone();
//!         std::thread::spawn(move || offerer.offer(n).unwrap())
//!     })
//!     .collect();
//! drop(offerer); // the basket closes with the last one
//!
//! let mut sum = 0;
//! while drainer.wait().is_ok() {
//!     sum += drainer.drain().sum::<i32>();
//! }
//! assert_eq!(sum, 0 + 1 + 2 + 3);
//! # for worker in workers { worker.join().unwrap() }
//! ```
//!
//! # When not to use
//!
//! With several consumers use an MPMC channel. For a value that only the newest matters of, a
//! [`Parker`](crate::Parker) and an atomic are enough.
//!
//! # Source
//!
//! The lanes and their asymmetric barrier: folly's and liburcu's use of `membarrier(2)`. The ordered
//! list: a Treiber stack taken whole and turned around (Linux `llist`), with the sleeper announced in
//! its head (folly's `AtomicNotificationQueue`, JCTools' blocking consumer queue). Proofs:
//! `docs/proofs/`.

mod batch;
mod drainer;
mod errors;
mod fixed;
mod form;
mod gather;
mod offerer;
mod offering;
mod queue;
mod shared;
mod signal;

#[cfg(feature = "alloc")]
mod heap;

/// The two sides of a basket of form `F`.
pub type Sides<T, F> = (Offerer<T, F>, Drainer<T, F>);

pub use batch::{Batch, By, Measure, Unweighed};
pub use drainer::Drainer;
pub use errors::{CapacityError, Closed, OfferError, WaitError};
pub use fixed::FixedBasket;
pub use form::{BoundedForm, Fixed, Form};
pub use offerer::Offerer;
pub use offering::Offering;
pub use queue::slab::{Slot, Storage};

#[cfg(feature = "alloc")]
pub use form::{Bounded, Ordered, Unbounded, Weighed};
#[cfg(feature = "alloc")]
pub use heap::{Basket, SharedOfferer};
