//! Many offer, one drains: put the item in first, then wake the drainer if it sleeps.
//!
//! A [`Basket`] is a multi-producer, single-consumer queue whose consumer takes everything at once
//! and really sleeps when there is nothing. One word decides both whether an item is in and whether a
//! wake is due, so no wake-up is lost and none is wasted: at most one per sleep, however many offer.
//!
//! | form | limit | memory | offer |
//! |---|---|---|---|
//! | [`Unbounded`] | none | 4 KiB chunks, filled by each offerer | 1 read-modify-write per batch |
//! | [`Bounded`] | slots | one allocation at the start | 1 per item and 1 per batch |
//! | [`Fixed`] | slots | the caller's: array, static, slice | as above; no allocator |
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
//! A Treiber stack taken whole and turned around (Linux `llist`), with the sleeper announced in its
//! head (folly's `AtomicNotificationQueue`, JCTools' blocking consumer queue). Proof:
//! `docs/proofs/basket.md`.

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
