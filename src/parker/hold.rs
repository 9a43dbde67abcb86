//! How a half reaches its slot: by reference, through a `static`, or through an `Arc`.

use core::ops::Deref;
use core::task::Waker;

use super::slot::ParkSlot;
use crate::shim::atomic::{AtomicU32, Ordering};
use crate::sys::scope::{Private, Scope};

/// A value that one thread parks in, and that its wakers own or outlive: a worker, a reactor.
///
/// Implement it to reuse your own `Arc` or `static` for [`Parker`](super::Parker),
/// [`Unparker`](super::Unparker) and [`Waker`], without a second allocation.
///
/// # Examples
///
/// ```
/// use std::sync::Arc;
/// use core::task::Waker;
/// use reveille::parker::{ClaimSlot, HasParkSlot};
/// use reveille::{Parker, Unparker};
///
/// #[derive(Default)]
/// struct Worker {
///     slot: ClaimSlot,
///     // … queues, statistics
/// }
///
/// impl HasParkSlot for Worker {
///     fn park_slot(&self) -> &ClaimSlot {
///         &self.slot
///     }
/// }
///
/// let worker = Arc::new(Worker::default());
/// let mut parker = Parker::claim(worker.clone()).unwrap();
/// assert!(Parker::claim(worker.clone()).is_err()); // one owner at a time
/// let waker: Waker = Unparker::of(worker).into();
/// waker.wake();
/// parker.park();
/// ```
pub trait HasParkSlot: Send + Sync + 'static {
    /// The slot: the same one at every call.
    fn park_slot(&self) -> &ClaimSlot;

    /// Ends the owner's wait outside the slot: writes to the eventfd, posts to the ring.
    ///
    /// Called after the token is in place, when the owner is in an
    /// [external wait](super::Parker::begin_external_wait), on the unparking thread. It sees
    /// everything that the owner did before it began that wait.
    fn ring(&self) {}
}

/// A [`ParkSlot`] that knows whether it has an owner, so that sharing it is safe.
///
/// # Cost
///
/// 8 bytes, `const`; all zeroes is a valid, unclaimed and empty one.
///
/// # Examples
///
/// ```
/// use reveille::parker::ClaimSlot;
/// use reveille::{Parker, Unparker};
///
/// static IDLE: ClaimSlot = ClaimSlot::new();
///
/// let mut parker = Parker::claim(&IDLE).unwrap();
/// Unparker::of(&IDLE).unpark();
/// parker.park();
/// drop(parker);
/// assert!(Parker::claim(&IDLE).is_ok()); // free again
/// ```
#[derive(Debug)]
pub struct ClaimSlot {
    slot: ParkSlot,
    claimed: AtomicU32,
}

const FREE: u32 = 0;
const CLAIMED: u32 = 1;

impl ClaimSlot {
    const_fn! {
        /// An empty slot without an owner.
        #[must_use]
        pub const fn new() -> Self {
            Self { slot: ParkSlot::new(), claimed: AtomicU32::new(FREE) }
        }
    }

    /// The word itself.
    #[must_use]
    pub const fn slot(&self) -> &ParkSlot {
        &self.slot
    }

    pub(super) fn try_claim(&self) -> bool {
        // ORDERING(parker.claim): Acquire — the new owner comes after all that the last one did with
        // the slot; pairs with (parker.claim) in release(). Relaxed dies in park::claim_passes_on.
        self.claimed.compare_exchange(FREE, CLAIMED, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    pub(super) fn release(&self) {
        // ORDERING(parker.claim): Release — see try_claim(); only the owner writes here.
        self.claimed.store(FREE, Ordering::Release);
    }
}

impl Default for ClaimSlot {
    fn default() -> Self {
        Self::new()
    }
}

impl HasParkSlot for ClaimSlot {
    fn park_slot(&self) -> &ClaimSlot {
        self
    }
}

/// A pointer to a slot: `&ParkSlot`, `&'static T` or `Arc<T>` with `T:`[`HasParkSlot`]. Sealed.
pub trait Hold: sealed::Sealed {}

impl<S: Scope> Hold for &ParkSlot<S> {}
impl<T: HasParkSlot> Hold for &'static T {}
#[cfg(feature = "alloc")]
impl<T: HasParkSlot> Hold for alloc::sync::Arc<T> {}

/// A [`Hold`] that can stand behind a [`Waker`]: all but the borrowed ones. Sealed.
pub trait WakeHold: Hold + sealed::IntoWaker + Deref<Target: HasParkSlot> {}

impl<T: HasParkSlot> WakeHold for &'static T {}
#[cfg(feature = "alloc")]
impl<T: HasParkSlot> WakeHold for alloc::sync::Arc<T> {}

pub(super) mod sealed {
    use super::{HasParkSlot, ParkSlot, Private, Scope, Waker};

    pub trait Sealed {
        type Scope: Scope;

        #[doc(hidden)]
        fn slot(&self) -> &ParkSlot<Self::Scope>;

        /// Rings the owner up; borrowed slots leave that to the caller.
        #[doc(hidden)]
        fn ring(&self) {}

        /// Gives the claim back.
        #[doc(hidden)]
        fn release(&self) {}

        /// A waker for a batch, where the hold can make one.
        #[doc(hidden)]
        fn into_ringer(self) -> Option<Waker>
        where
            Self: Sized,
        {
            None
        }
    }

    pub trait IntoWaker {
        #[doc(hidden)]
        fn into_waker(self) -> Waker;
    }

    impl<S: Scope> Sealed for &ParkSlot<S> {
        type Scope = S;

        fn slot(&self) -> &ParkSlot<S> {
            self
        }
    }

    impl<T: HasParkSlot> Sealed for &'static T {
        type Scope = Private;

        fn slot(&self) -> &ParkSlot {
            self.park_slot().slot()
        }

        fn ring(&self) {
            (**self).ring();
        }

        fn release(&self) {
            self.park_slot().release();
        }

        fn into_ringer(self) -> Option<Waker> {
            Some(self.into_waker())
        }
    }

    #[cfg(feature = "alloc")]
    impl<T: HasParkSlot> Sealed for alloc::sync::Arc<T> {
        type Scope = Private;

        fn slot(&self) -> &ParkSlot {
            self.park_slot().slot()
        }

        fn ring(&self) {
            (**self).ring();
        }

        fn release(&self) {
            self.park_slot().release();
        }

        fn into_ringer(self) -> Option<Waker> {
            Some(self.into_waker())
        }
    }
}

/// What `Parker` and `Unparker` hold when nothing else is said.
#[cfg(feature = "alloc")]
pub(super) type DefaultHold = alloc::sync::Arc<ClaimSlot>;
/// What `Parker` and `Unparker` hold when nothing else is said.
#[cfg(not(feature = "alloc"))]
pub(super) type DefaultHold = &'static ClaimSlot;
