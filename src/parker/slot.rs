//! The word and its protocol.
//!
//! # The handshake
//!
//! Broken: the waker looks, the sleeper decides, and neither sees the other.
//!
//! ```text
//!   unparker                      owner
//!   token := 1                    token == 0
//!   parked == 0, no wake          parked := 1
//!                                 sleeps, token inside
//! ```
//!
//! Here token and announcement are one word, and both sides change it by read-modify-writes:
//!
//! ```text
//!   unparker                      owner
//!   (U1) old := swap(NOTIFIED)    (P1) CAS EMPTY -> PARKED
//!   (U2) wake if old == PARKED    (P2) futex: sleep if word == PARKED, one step
//! ```
//!
//! Forbidden: the owner sleeps in P2 while no unparker that has passed U1 will pass U2. U1 and P1
//! are ordered by the word. U1 first: P1 fails and the owner takes the token. P1 first: U1 reads
//! `PARKED`, so this unparker passes U2; if the compare in P2 comes after U1 it fails, else the owner
//! is queued before U2 looks for it.
//!
//! Every unpark writes, also over a token that is there, so all of them since the last take form one
//! chain of read-modify-writes (a release sequence), and the take, reading its newest link, sees what
//! came before each.

use core::marker::PhantomData;

use super::halves::{Parker, Unparker};
use super::state::{
    EMPTY, EXTERNAL, NOTIFIED, PARKED, Parked, RING_OWED, Unpark, WAKE_OWED, has_token,
};
use crate::shim::atomic::{Ordering, fence};
use crate::spin::{Adaptive, SpinPolicy};
use crate::sys::scope::{Private, Scope, Shared};
use crate::sys::{self, Wait, Word};
use crate::time::Deadline;

/// A place to park: one 32-bit word.
///
/// It can stand in a `static`, inside another struct or in zeroed memory (all zeroes is a valid
/// empty slot), has no destructor and never allocates. The halves that use it are [`Parker`] and
/// [`Unparker`]; see the [module](super) for how to get them.
///
/// # Cost
///
/// 4 bytes, alignment 4. Place it away from data that other threads write often
/// (`crossbeam_utils::CachePadded`) if the owner spins.
///
/// # Examples
///
/// ```
/// use reveille::ParkSlot;
///
/// let mut slot = ParkSlot::new();
/// let (mut parker, unparker) = slot.split();
/// std::thread::scope(|scope| {
///     scope.spawn(move || unparker.unpark());
///     parker.park(); // sleeps until the other thread has given the token
/// });
/// ```
#[repr(transparent)]
pub struct ParkSlot<S: Scope = Private> {
    word: Word,
    scope: PhantomData<S>,
}

impl ParkSlot {
    const_fn! {
        /// An empty slot: no token, nobody parked.
        #[must_use]
        pub const fn new() -> Self {
            Self { word: Word::new(EMPTY), scope: PhantomData }
        }
    }
}

impl ParkSlot<Shared> {
    const_fn! {
        /// An empty slot that every process mapping it may use.
        ///
        /// # Examples
        ///
        /// ```
        /// # #[cfg(target_os = "linux")] {
        /// use reveille::{ParkSlot, platform::Shared};
        ///
        /// // In real use: at the same offset of a shared mapping in both processes.
        /// let mut slot = ParkSlot::<Shared>::new_shared();
        /// let (mut parker, unparker) = slot.split();
        /// unparker.unpark();
        /// assert!(parker.try_park());
        /// # }
        /// ```
        #[must_use]
        pub const fn new_shared() -> Self {
            Self { word: Word::new(EMPTY), scope: PhantomData }
        }
    }
}

impl<S: Scope> ParkSlot<S> {
    /// Splits the slot into its owner and a waking half, both borrowed.
    ///
    /// A token left from an earlier use is still there.
    pub fn split(&mut self) -> (Parker<&Self>, Unparker<&Self>) {
        let slot = &*self;
        (Parker::over(slot, Adaptive::new()), Unparker::over(slot))
    }

    /// The owner's half, on the caller's word that there is no other.
    ///
    /// For types that embed the slot and already know their one owner. With two owners no memory is
    /// touched wrongly, but tokens go to either of them and one may sleep through its wake-up.
    ///
    /// # Safety
    ///
    /// While the returned parker exists, no other parker of this slot is used.
    #[must_use]
    pub unsafe fn parker(&self) -> Parker<&Self> {
        Parker::over(self, Adaptive::new())
    }

    /// A waking half. Any number of them may exist.
    #[must_use]
    pub fn unparker(&self) -> Unparker<&Self> {
        Unparker::over(self)
    }

    /// Unparks through a pointer: the slot may be gone as soon as the token can be seen.
    ///
    /// An owner that frees the slot when it gets its token may do so while this call still runs;
    /// after the token is in place, the pointer is used as an address only.
    ///
    /// # Safety
    ///
    /// `this` points to a slot that stays valid until its owner can have consumed the token that
    /// this call gives.
    pub unsafe fn unpark_raw(this: *const Self) -> Unpark {
        // SAFETY: the caller keeps the slot valid up to the swap; no reference outlives it.
        let word = unsafe { &raw const (*this).word };
        // SAFETY: as above.
        let old = unsafe { Self::give(word) };
        Self::after_give(word, old)
    }

    /// The address that the kernel knows the sleeper by, for `FUTEX_WAITV`, io_uring or a debugger.
    ///
    /// Values are private to the crate: read, wait on change, do not write.
    #[must_use]
    pub const fn as_ptr(&self) -> *const u32 {
        (&raw const self.word).cast()
    }

    /// Makes the token available; returns the state it replaced.
    ///
    /// # Safety
    ///
    /// `word` is valid until this returns.
    unsafe fn give(word: *const Word) -> u32 {
        // SAFETY: by contract.
        let word = unsafe { &*word };
        // ORDERING(parker.token): Release — publishes what the unparker did before; pairs with
        // (parker.token) in take(). A swap, also when the token is there: see above. Relaxed dies in
        // park::token_carries_data, skipping it in park::all_unparks_are_seen.
        word.swap(NOTIFIED, Ordering::Release)
    }

    /// What an unparker owes for the state it replaced. Uses the word as an address only.
    fn after_give(word: *const Word, old: u32) -> Unpark {
        match old {
            EMPTY => Unpark::Notified,
            NOTIFIED => Unpark::AlreadyNotified,
            EXTERNAL | RING_OWED => Self::ring_is_due(),
            _ => {
                Self::wake(word);
                Unpark::Woke
            }
        }
    }

    #[cold]
    fn ring_is_due() -> Unpark {
        // ORDERING(parker.ring): Acquire fence — the swap that led here read the owner's
        // announcement, so whoever rings sees what the owner did before it; pairs with (parker.ring)
        // in begin_external(). Without it park::ring_sees_owner dies.
        fence(Ordering::Acquire);
        Unpark::External
    }

    pub(super) fn wake(word: *const Word) {
        sys::wake::<S>(word, 1);
    }

    #[inline]
    pub(crate) fn unpark(&self) -> Unpark {
        let word = &raw const self.word;
        // SAFETY: `self` is valid for the call.
        let old = unsafe { Self::give(word) };
        Self::after_give(word, old)
    }

    /// Makes the token available and leaves the wake-up to the caller: the address to wake if the
    /// owner sleeps.
    pub(super) fn unpark_deferred(&self) -> (Unpark, Option<*const Word>) {
        // ORDERING(parker.look): Relaxed — only a first guess, the exchange decides; pairs with every
        // write of the word.
        let mut old = self.word.load(Ordering::Relaxed);
        loop {
            let new = match old {
                PARKED | WAKE_OWED => WAKE_OWED,
                EXTERNAL | RING_OWED => RING_OWED,
                _ => NOTIFIED,
            };
            // ORDERING(parker.token): Release — as in give(); Relaxed on failure, the value is only
            // looked at. Release weakened dies in park::deferred_carries_data.
            match self.word.compare_exchange_weak(old, new, Ordering::Release, Ordering::Relaxed) {
                Ok(_) => break,
                Err(current) => old = current,
            }
        }
        match old {
            EMPTY => (Unpark::Notified, None),
            NOTIFIED => (Unpark::AlreadyNotified, None),
            EXTERNAL | RING_OWED => (Self::ring_is_due(), None),
            _ => (Unpark::Woke, Some(&raw const self.word)),
        }
    }

    pub(super) fn is_parked(&self) -> bool {
        // ORDERING(parker.look): Relaxed — a hint; stale by the time it is used.
        matches!(self.word.load(Ordering::Relaxed), PARKED | EXTERNAL)
    }

    /// Whether a token is there to take. It stays until the owner takes it.
    fn token_is_there(&self) -> bool {
        // ORDERING(parker.look): Relaxed — take() synchronizes; pairs with every write of the word.
        has_token(self.word.load(Ordering::Relaxed))
    }

    /// Ends a wait: empties the word, and tells whether that took a token.
    fn take(&self) -> bool {
        // ORDERING(parker.token): Acquire — sees what every unparker since the last take did before;
        // pairs with (parker.token) in give() and unpark_deferred(). A swap, since a token may come
        // in between a look and a store. Relaxed dies in park::token_carries_data.
        has_token(self.word.swap(EMPTY, Ordering::Acquire))
    }

    /// Owner: takes the token if it is there.
    #[inline]
    pub(crate) fn try_take(&self) -> bool {
        self.token_is_there() && self.take()
    }

    /// Owner: waits for the token. The deadline is worked out only if it is not there.
    #[inline]
    pub(crate) fn park(
        &self,
        until: impl FnOnce() -> Deadline,
        policy: &mut impl SpinPolicy,
    ) -> Parked {
        // Without a look first: a swap that finds the token is the cheapest way to it, and one that
        // does not only ends an external wait whose guard was leaked.
        if self.take() { Parked::Token } else { self.park_slow(until(), policy) }
    }

    #[cold]
    fn park_slow(&self, until: Deadline, policy: &mut impl SpinPolicy) -> Parked {
        if until.has_passed() {
            return Parked::TimedOut;
        }
        // What the policy says does not matter: the word decides.
        policy.spin(until, || self.token_is_there());
        let mut over = !self.announce(PARKED, Ordering::Relaxed);
        while !over {
            let wait = sys::wait::<S>(&self.word, PARKED, until.nanos());
            over = self.token_is_there() || wait == Wait::TimedOut;
        }
        if self.take() { Parked::Token } else { Parked::TimedOut }
    }

    /// Owner: writes that it waits, unless a token is there.
    fn announce(&self, state: u32, order: Ordering) -> bool {
        // ORDERING(parker.look): Relaxed — only a first guess; pairs with every write of the word.
        let mut old = self.word.load(Ordering::Relaxed);
        while !has_token(old) {
            // ORDERING(parker.announce): the caller's on success (Relaxed when parking: the unparker
            // that reads it owes a wake and no data), Relaxed on failure; pairs with (parker.token)
            // in give(), whose swap reads it. As a store it would lose a token: dies in
            // park::token_carries_data.
            match self.word.compare_exchange(old, state, order, Ordering::Relaxed) {
                Ok(_) => return true,
                Err(current) => old = current,
            }
        }
        false
    }

    /// Owner: announces a wait outside the slot. `false` if a token was there, which it took.
    pub(crate) fn begin_external(&self) -> bool {
        // ORDERING(parker.ring): Release — whoever rings sees what the owner did before; pairs with
        // (parker.ring) in ring_is_due(). Relaxed dies in park::ring_sees_owner.
        if self.announce(EXTERNAL, Ordering::Release) {
            return true;
        }
        !self.take()
    }

    /// Owner: ends a wait outside the slot, taking the token if there is one.
    pub(super) fn finish_external(&self) -> bool {
        self.take()
    }

    /// Owner: ends a wait outside the slot; a token stays.
    pub(super) fn withdraw_external(&self) {
        // ORDERING(parker.withdraw): Relaxed — only this thread wrote EXTERNAL, nobody needs to see
        // more than the value; pairs with (parker.token) in give(). A store would lose a token: dies
        // in park::external_withdraw.
        let _ = self.word.compare_exchange(EXTERNAL, EMPTY, Ordering::Relaxed, Ordering::Relaxed);
    }
}

impl Default for ParkSlot {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: Scope> core::fmt::Debug for ParkSlot<S> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        // ORDERING(parker.look): Relaxed — for a human.
        let state = match self.word.load(Ordering::Relaxed) {
            EMPTY => "empty",
            PARKED => "parked",
            EXTERNAL => "waiting outside",
            _ => "notified",
        };
        f.debug_tuple("ParkSlot").field(&state).finish()
    }
}
