//! Slots that one can wait for.
//!
//! A slot that is released while others wait is handed to the one that has waited longest, without
//! becoming free in between. Bits and waiters meet in the [wait list](crate::parker::WaitList): whoever
//! joins it looks at every word once more, and whoever frees a bit looks for waiters after.

use core::fmt;
use core::future::Future;
use core::mem;
use core::pin::Pin;
use core::task::{Context, Poll};
use core::time::Duration;

use super::hint::Hint;
use super::set::BitSet;
use super::storage::Storage;
use crate::parker::{Served, TaskWaiter, WaitList};
use crate::spin::{NoSpin, SpinPolicy};
use crate::time::Deadline;

/// A set of slots: claimed one at a time, by whoever waits longest.
///
/// # Semantics
///
/// The slots are the bits of a [`BitSet`]. A [`Slot`] is a claimed one and releases it when dropped.
/// Claims that wait are served in the order in which they began to wait; a claim that does not wait
/// ([`try_claim`](Self::try_claim)) gets nothing while others do, unless it barges
/// ([`try_barge`](Self::try_barge)). A claim that times out or is cancelled passes on what it had been
/// handed already.
///
/// # Ordering
///
/// What the last owner of a slot did before it released the slot happens before the claim returns.
///
/// # Cost
///
/// A claim and a release that meet nobody waiting: one read-modify-write each, as the set's own. A
/// hand-over takes a lock and wakes one thread. No allocation: waiters stand in their own frames.
///
/// # Examples
///
/// ```
/// use reveille::bitset::{AtomicBitSet, Hint, SlotSet};
///
/// // At most two at once.
/// static SEATS: SlotSet<reveille::bitset::Inline<1>> = SlotSet::new(AtomicBitSet::with_bits(2));
///
/// std::thread::scope(|scope| {
///     for _ in 0..8 {
///         scope.spawn(|| {
///             let seat = SEATS.claim(&mut Hint::default()).unwrap();
///             assert!(seat.index() < 2);
///         });
///     }
/// });
/// assert_eq!(SEATS.bits().count(), 0);
/// ```
pub struct SlotSet<S> {
    bits: BitSet<S>,
    waits: WaitList<()>,
}

/// Why a claim has no slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimError {
    /// The deadline passed first.
    TimedOut,
    /// No slot was free, and the set was closed for waiting.
    Closed,
}

impl fmt::Display for ClaimError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TimedOut => "no slot became free in time",
            Self::Closed => "no slot is free, and the set is closed",
        })
    }
}

impl core::error::Error for ClaimError {}

impl<S: Storage> SlotSet<S> {
    const_fn! {
        /// Slots for the bits of this set. Those that are set are claimed, by whoever set them.
        #[must_use]
        pub const fn new(bits: BitSet<S>) -> Self {
            Self { bits, waits: WaitList::new(()) }
        }
    }

    /// The bits behind the slots: to count, to look. Clearing one of them wakes nobody.
    #[must_use]
    pub const fn bits(&self) -> &BitSet<S> {
        &self.bits
    }

    /// How many claims wait, at some moment of the past.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.waits.waiting()
    }

    /// Claims a slot if one is free and nobody waits. It may miss one while another claim that found
    /// none begins to wait.
    #[inline]
    pub fn try_claim(&self, hint: &mut Hint) -> Option<Slot<'_, S>> {
        if self.waits.waiting() > 0 { None } else { self.try_barge(hint) }
    }

    /// Claims a slot if one is free, past those that wait: for claims that must not wait and are
    /// short.
    #[inline]
    pub fn try_barge(&self, hint: &mut Hint) -> Option<Slot<'_, S>> {
        self.bits.claim(hint).map(|index| Slot { set: self, index })
    }

    /// Claims a slot, and waits for one if need be.
    ///
    /// # Errors
    ///
    /// If the set is [closed](Self::close) and no slot was free.
    #[inline]
    pub fn claim(&self, hint: &mut Hint) -> Result<Slot<'_, S>, ClaimError> {
        self.claim_deadline(hint, Deadline::NEVER)
    }

    /// As [`claim`](Self::claim), waiting at most so long.
    ///
    /// # Errors
    ///
    /// If no slot became free in time, or the set is [closed](Self::close) and none was free.
    pub fn claim_timeout(
        &self,
        hint: &mut Hint,
        timeout: Duration,
    ) -> Result<Slot<'_, S>, ClaimError> {
        match self.try_claim(hint) {
            Some(slot) => Ok(slot),
            None => self.claim_deadline(hint, Deadline::after(timeout)),
        }
    }

    /// As [`claim`](Self::claim), waiting at most until then.
    ///
    /// # Errors
    ///
    /// If no slot became free in time, or the set is [closed](Self::close) and none was free.
    #[inline]
    pub fn claim_deadline(
        &self,
        hint: &mut Hint,
        deadline: Deadline,
    ) -> Result<Slot<'_, S>, ClaimError> {
        self.claim_with(hint, deadline, &mut NoSpin)
    }

    /// As [`claim_deadline`](Self::claim_deadline), with a spin policy of the caller's: slots that are
    /// held for less than a wake-up takes are worth waiting for awake.
    ///
    /// # Errors
    ///
    /// If no slot became free in time, or the set is [closed](Self::close) and none was free.
    #[inline]
    pub fn claim_with(
        &self,
        hint: &mut Hint,
        deadline: Deadline,
        policy: &mut impl SpinPolicy,
    ) -> Result<Slot<'_, S>, ClaimError> {
        match self.try_claim(hint) {
            Some(slot) => Ok(slot),
            None => self.wait(hint, deadline, policy),
        }
    }

    #[cold]
    fn wait(
        &self,
        hint: &mut Hint,
        deadline: Deadline,
        policy: &mut impl SpinPolicy,
    ) -> Result<Slot<'_, S>, ClaimError> {
        let take = |(): &mut (), _| self.bits.claim(hint);
        let served = self.waits.wait(1, deadline, policy, take, |served| self.cancelled(served));
        match served {
            Some(served) => self.served(served, hint),
            None => Err(ClaimError::TimedOut),
        }
    }

    fn served(&self, served: Served, hint: &mut Hint) -> Result<Slot<'_, S>, ClaimError> {
        match served {
            Served::With(index) => Ok(Slot { set: self, index }),
            // Nobody waits any more, so nobody is overtaken.
            Served::Closed => self.try_barge(hint).ok_or(ClaimError::Closed),
        }
    }

    /// A wait was given up, with what it had got by then.
    fn cancelled(&self, served: Option<Served>) {
        if let Some(Served::With(index)) = served {
            self.pass_on(index);
        }
    }

    /// A slot for a task: the future waits in the same order as everybody else. Dropped, it gives up
    /// its place.
    pub fn claim_async(&self, hint: Hint) -> Claiming<'_, S> {
        Claiming { set: self, hint: Some(hint), waiter: TaskWaiter::new() }
    }

    /// Releases a slot by its index, for owners that keep the index and not the [`Slot`]
    /// ([`Slot::into_index`]). `false` if it was not claimed.
    ///
    /// As with [`BitSet::release`], an index is no proof. Unlike that of a [`Slot`], such a slot is
    /// free for a moment on its way to who waits.
    ///
    /// # Panics
    ///
    /// If there is no such slot.
    #[inline]
    pub fn release(&self, index: usize) -> bool {
        let released = self.bits.release_before_look(index);
        if released {
            self.waits.serve_after_seq_cst(|(), _| self.bits.claim(&mut Hint::sticky(index)));
        }
        released
    }

    /// Passes a slot of the caller's to who has waited longest, or releases it.
    #[inline]
    fn pass_on(&self, index: usize) {
        if self.waits.waiting() > 0 {
            self.waits.give(index, |(), index| {
                self.bits.release(index);
            });
        } else {
            self.release(index);
        }
    }

    /// Ends all waiting: claims that wait fail, and from now on none waits. Slots that are free can be
    /// claimed as before.
    pub fn close(&self) {
        self.waits.close();
    }
}

/// A claimed slot. Dropped, it is released.
#[must_use = "dropped, it is released"]
pub struct Slot<'a, S: Storage> {
    set: &'a SlotSet<S>,
    index: usize,
}

impl<S: Storage> Slot<'_, S> {
    /// Which slot it is.
    #[inline]
    #[must_use]
    pub const fn index(&self) -> usize {
        self.index
    }

    /// Keeps it claimed and forgets about the guard: see [`SlotSet::release`].
    #[must_use = "the slot stays claimed until this is released"]
    pub fn into_index(self) -> usize {
        let index = self.index;
        #[expect(clippy::mem_forget, reason = "the index takes over; the guard is a reference")]
        mem::forget(self);
        index
    }
}

impl<S: Storage> Drop for Slot<'_, S> {
    #[inline]
    fn drop(&mut self) {
        self.set.pass_on(self.index);
    }
}

/// The future of [`SlotSet::claim_async`].
///
/// # Panics
///
/// If it is polled again after it was ready.
#[must_use = "nothing is claimed unless it is polled"]
pub struct Claiming<'a, S: Storage> {
    set: &'a SlotSet<S>,
    /// `None` once it was ready.
    hint: Option<Hint>,
    waiter: TaskWaiter,
}

impl<'a, S: Storage> Future for Claiming<'a, S> {
    type Output = Result<Slot<'a, S>, ClaimError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        // SAFETY: only the waiter is pinned, and it is not moved.
        let this = unsafe { self.get_unchecked_mut() };
        // SAFETY: it is pinned with us.
        let waiter = unsafe { Pin::new_unchecked(&mut this.waiter) };
        let set = this.set;
        let hint = this.hint.as_mut().expect("polled after it was ready");
        let at_once = if waiter.has_joined() { None } else { set.try_claim(hint) };
        let result = match at_once {
            Some(slot) => Ok(slot),
            None => {
                let take = |(): &mut (), _| set.bits.claim(hint);
                match waiter.poll(&set.waits, 1, cx.waker(), take) {
                    Some(served) => set.served(served, hint),
                    None => return Poll::Pending,
                }
            }
        };
        this.hint = None;
        Poll::Ready(result)
    }
}

impl<S: Storage> Drop for Claiming<'_, S> {
    fn drop(&mut self) {
        // SAFETY: it is not moved before it is gone.
        let waiter = unsafe { Pin::new_unchecked(&mut self.waiter) };
        self.set.cancelled(waiter.cancel(&self.set.waits));
    }
}

impl<S: Storage> fmt::Debug for SlotSet<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SlotSet")
            .field("claimed", &self.bits)
            .field("waiting", &self.waiting())
            .finish()
    }
}

impl<S: Storage> fmt::Debug for Slot<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Slot").field(&self.index).finish()
    }
}

impl<S: Storage> fmt::Debug for Claiming<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Claiming").field("hint", &self.hint).finish_non_exhaustive()
    }
}
