//! The owner and the waking side, over any hold.

use core::fmt;
use core::mem::ManuallyDrop;
use core::task::Waker;
use core::time::Duration;

use super::deferred::PendingWake;
use super::external::ExternalWait;
use super::hold::{DefaultHold, HasParkSlot, Hold, WakeHold};
use super::slot::ParkSlot;
use super::state::{Parked, Unpark};
use crate::spin::{Adaptive, SpinPolicy};
use crate::time::Deadline;

/// The owner of a slot: the one thread that waits there.
///
/// `Parker` alone is the `Arc`-backed form; `Parker<&ParkSlot>` is borrowed; `Parker<&'static T>` and
/// `Parker<Arc<T>>` use your own value. See the [module](super).
///
/// # Ordering
///
/// Each call that consumes a token happens after everything that happened before each unpark since
/// the last token was consumed.
///
/// # Progress
///
/// [`try_park`](Self::try_park) is wait-free. The others spin for as long as the [`SpinPolicy`] says
/// (default [`Adaptive`]: about one wake-up latency at most) and then sleep. They never return for
/// another reason than the one they name.
///
/// # Cost
///
/// A park that finds the token is one load and one read-modify-write. One that sleeps adds two
/// read-modify-writes and a system call. Nothing allocates or panics.
///
/// # Examples
///
/// ```
/// use core::time::Duration;
/// use reveille::{Parker, parker::Parked};
///
/// let mut parker = Parker::new();
/// let unparker = parker.unparker();
///
/// unparker.unpark();
/// unparker.unpark(); // no second token
/// parker.park();
/// assert_eq!(parker.park_timeout(Duration::from_millis(1)), Parked::TimedOut);
///
/// std::thread::spawn(move || unparker.unpark());
/// parker.park();
/// ```
///
/// # When not to use
///
/// To wait for data use [`Basket`](crate::basket); to wait for one of several slots at once, an
/// [external wait](Self::begin_external_wait).
pub struct Parker<H: Hold = DefaultHold, P = Adaptive> {
    hold: H,
    policy: P,
}

/// The waking side of a slot.
///
/// Any thread may use it. `Unparker` alone is the `Arc`-backed form, see [`Parker`].
///
/// # Ordering
///
/// Everything before an unpark happens before the park that consumes the token returns, whether or
/// not it was this unpark that woke the owner.
///
/// # Progress and cost
///
/// Wait-free: one read-modify-write, and one system call only if the owner sleeps. On Linux it may be
/// called from a signal handler.
#[derive(Clone, Copy)]
pub struct Unparker<H: Hold = DefaultHold> {
    hold: H,
}

/// The slot has an owner already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClaimError;

impl fmt::Display for ClaimError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the slot has an owner")
    }
}

impl core::error::Error for ClaimError {}

#[cfg(feature = "alloc")]
impl Parker {
    /// A new slot in an allocation of its own, shared with its unparkers.
    #[must_use]
    #[expect(clippy::missing_panics_doc, reason = "a new slot has no owner")]
    pub fn new() -> Self {
        Self::claim(alloc::sync::Arc::default()).expect("a new slot has no owner")
    }
}

#[cfg(feature = "alloc")]
impl Default for Parker {
    fn default() -> Self {
        Self::new()
    }
}

impl<H: WakeHold> Parker<H> {
    /// Becomes the owner of the value's slot, until the parker is dropped.
    ///
    /// # Errors
    ///
    /// [`ClaimError`] while there is another owner.
    pub fn claim(hold: H) -> Result<Self, ClaimError> {
        if hold.park_slot().try_claim() {
            Ok(Self::over(hold, Adaptive::new()))
        } else {
            Err(ClaimError)
        }
    }
}

impl<H: Hold, P> Parker<H, P> {
    pub(super) const fn over(hold: H, policy: P) -> Self {
        Self { hold, policy }
    }

    /// The same owner with another spin policy.
    ///
    /// # Examples
    ///
    /// ```
    /// use reveille::{NoSpin, Parker};
    ///
    /// let mut parker = Parker::new().with_policy(NoSpin);
    /// parker.unparker().unpark();
    /// parker.park();
    /// ```
    #[must_use]
    pub fn with_policy<Q: SpinPolicy>(self, policy: Q) -> Parker<H, Q> {
        let this = ManuallyDrop::new(self);
        // SAFETY: `this` is neither used nor dropped again; its policy is dropped here.
        let hold = unsafe { core::ptr::read(&raw const this.hold) };
        // SAFETY: as above.
        drop(unsafe { core::ptr::read(&raw const this.policy) });
        Parker { hold, policy }
    }

    /// The spin policy, for looking at what it learnt or for setting it.
    #[must_use]
    pub const fn policy_mut(&mut self) -> &mut P {
        &mut self.policy
    }

    /// A waking half.
    #[must_use]
    pub fn unparker(&self) -> Unparker<H>
    where
        H: Clone,
    {
        Unparker { hold: self.hold.clone() }
    }

    /// Takes the token if it is there. Never waits. Wait-free.
    #[inline]
    #[must_use = "the token is consumed"]
    pub fn try_park(&mut self) -> bool {
        self.hold.slot().try_take()
    }

    /// Announces that this thread will wait outside the slot: in `epoll_wait`, on a ring, in a
    /// device driver. `None` if the token was there; it is consumed then.
    ///
    /// While the guard lives, an unpark answers [`Unpark::External`] and, through
    /// [`HasParkSlot`], calls [`ring`](HasParkSlot::ring), which must end that wait. The call
    /// happens after everything that this thread did before.
    ///
    /// # Examples
    ///
    /// ```
    /// use reveille::{ParkSlot, parker::Unpark};
    ///
    /// let mut slot = ParkSlot::new();
    /// let (mut parker, unparker) = slot.split();
    ///
    /// let wait = parker.begin_external_wait().expect("no token yet");
    /// // … epoll_wait; on another thread:
    /// assert_eq!(unparker.unpark(), Unpark::External); // that thread now writes to the eventfd
    /// assert!(wait.finish()); // it was the token that ended the wait
    /// ```
    #[must_use = "the announcement ends when the guard is dropped"]
    pub fn begin_external_wait(&mut self) -> Option<ExternalWait<'_, H>> {
        self.hold.slot().begin_external().then_some(ExternalWait::new(&self.hold))
    }
}

impl<H: Hold, P: SpinPolicy> Parker<H, P> {
    /// Waits for the token and takes it, however long that is.
    ///
    /// Returns for no other reason, and has no timeout underneath.
    #[inline]
    pub fn park(&mut self) {
        let parked = self.park_deadline(Deadline::NEVER);
        debug_assert_eq!(parked, Parked::Token);
    }

    /// As [`park`](Self::park), but at most this long. `Duration::ZERO` looks and returns;
    /// `Duration::MAX` waits for ever.
    #[inline]
    pub fn park_timeout(&mut self, timeout: Duration) -> Parked {
        self.hold.slot().park(|| Deadline::after(timeout), &mut self.policy)
    }

    /// As [`park`](Self::park), but at most until that moment. Never gives up earlier, whatever
    /// signals arrive. A token that is there wins over a deadline that has passed.
    #[inline]
    pub fn park_deadline(&mut self, deadline: Deadline) -> Parked {
        self.hold.slot().park(|| deadline, &mut self.policy)
    }
}

impl<H: Hold, P> Drop for Parker<H, P> {
    fn drop(&mut self) {
        self.hold.release();
    }
}

impl<H: Hold> Unparker<H> {
    pub(super) const fn over(hold: H) -> Self {
        Self { hold }
    }

    /// Makes the token available and wakes the owner if it sleeps.
    ///
    /// The result says what happened; ignore it, unless the slot is borrowed and its owner uses
    /// external waits: then [`Unpark::External`] asks the caller to ring.
    #[inline]
    pub fn unpark(&self) -> Unpark {
        let unpark = self.hold.slot().unpark();
        if unpark == Unpark::External {
            self.hold.ring();
        }
        unpark
    }

    /// Makes the token available now and wakes the owner when the returned value is dropped: for a
    /// caller that holds a lock which the woken thread would run into.
    ///
    /// If that value is forgotten, the owner sleeps until the next unpark of any kind, which wakes
    /// it.
    ///
    /// # Examples
    ///
    /// ```
    /// # let parker = reveille::Parker::new();
    /// # let unparker = parker.unparker();
    /// # let list = std::sync::Mutex::new(vec![1]);
    /// let pending = {
    ///     let mut list = list.lock().unwrap();
    ///     list.push(2);
    ///     unparker.unpark_deferred()
    /// };
    /// drop(pending); // the lock is free when the owner runs
    /// ```
    pub fn unpark_deferred(&self) -> PendingWake<H>
    where
        H: Clone,
    {
        let (unpark, word) = self.hold.slot().unpark_deferred();
        PendingWake::new(unpark, word, || self.hold.clone())
    }

    /// Whether the owner sleeps or is about to: out of date when you read it, for statistics and
    /// for choosing whom to wake.
    #[must_use]
    pub fn is_parked_hint(&self) -> bool {
        self.hold.slot().is_parked()
    }

    /// Whether both wake the same owner.
    #[must_use]
    pub fn same_owner(&self, other: &Self) -> bool {
        core::ptr::eq(self.hold.slot(), other.hold.slot())
    }
}

impl<H: WakeHold> Unparker<H> {
    /// The waking side of that value's slot.
    #[must_use]
    pub const fn of(hold: H) -> Self {
        Self { hold }
    }
}

#[cfg(feature = "alloc")]
impl<T: HasParkSlot> Unparker<alloc::sync::Arc<T>> {
    /// Turns the half into a pointer, to be kept where types cannot go.
    #[must_use = "without from_raw the slot is leaked"]
    pub fn into_raw(this: Self) -> *const T {
        alloc::sync::Arc::into_raw(this.hold)
    }

    /// The half that [`into_raw`](Self::into_raw) gave away.
    ///
    /// # Safety
    ///
    /// `raw` comes from `into_raw` of the same type, and is used once.
    #[must_use]
    pub unsafe fn from_raw(raw: *const T) -> Self {
        // SAFETY: by contract.
        Self { hold: unsafe { alloc::sync::Arc::from_raw(raw) } }
    }
}

#[cfg(feature = "alloc")]
impl<T: HasParkSlot> Parker<alloc::sync::Arc<T>> {
    /// Turns the owner into a pointer, to be kept where types cannot go. The claim is kept, what the
    /// spin policy learnt is not.
    #[must_use = "without from_raw the slot is leaked and stays claimed"]
    pub fn into_raw(this: Self) -> *const T {
        let this = ManuallyDrop::new(this);
        // SAFETY: `this` is neither used nor dropped again.
        alloc::sync::Arc::into_raw(unsafe { core::ptr::read(&raw const this.hold) })
    }

    /// The owner that [`into_raw`](Self::into_raw) gave away.
    ///
    /// # Safety
    ///
    /// `raw` comes from `into_raw` of the same type, and is used once.
    #[must_use]
    pub unsafe fn from_raw(raw: *const T) -> Self {
        // SAFETY: by contract.
        let hold = unsafe { alloc::sync::Arc::from_raw(raw) };
        Self::over(hold, Adaptive::new())
    }
}

impl<H: WakeHold> From<Unparker<H>> for Waker {
    fn from(unparker: Unparker<H>) -> Self {
        unparker.hold.into_waker()
    }
}

impl<H: Hold, P> fmt::Debug for Parker<H, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Parker").field(self.hold.slot()).finish()
    }
}

impl<H: Hold> fmt::Debug for Unparker<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Unparker").field(self.hold.slot()).finish()
    }
}

// Not Sync: one thread parks. (`&mut self` already says so; this keeps `&Parker` at home as well.)
const _: () = {
    const fn waking_side_is_shared<T: Send + Sync>() {}
    waking_side_is_shared::<Unparker<&ParkSlot>>();
    waking_side_is_shared::<Unparker<&'static super::ClaimSlot>>();
};
