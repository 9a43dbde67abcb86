//! The unbounded queue of lanes: every offerer has its own, and an offer is a plain store.
//!
//! # The handshake
//!
//! ```text
//!   offerer                         drainer
//!   (O1) lane.published := n        (D1) flags |= ASLEEP
//!   (O2) light barrier              (D2) heavy barrier
//!   (O3) flags == 0 ?               (D3) any lane.published ahead ?
//! ```
//!
//! Forbidden: O3 reads no flag and D3 reads no item (store buffering). The barriers are an asymmetric
//! pair (`sys::barrier`): `light` costs nothing, `heavy` makes the kernel run a full barrier on every
//! CPU that runs this process, so that either O1 was visible before D3, or O3 comes after D1. While
//! the `FENCE` flag is up, O2 is a `fence(SeqCst)` followed by another look (and so is every other light
//! barrier), and D2 is a fence, too, but where lanes are struck off. It is up where the kernel has no
//! such call, and as long as the calls would cost more than the fences (`payer.rs`).
//!
//! The same pair decides the close. An offer says that it is in progress, makes a light barrier, and
//! looks for `CLOSED` before it publishes. The drainer that finds `CLOSED` makes a heavy barrier and
//! looks again: an offer that it sees neither finished nor in progress will see `CLOSED`. It reports
//! the end when no offer is in progress; one that is will wake it.
//!
//! And it decides which lanes the drainer has on its list. Lanes that were quiet through a few sleeps
//! are *doubted* before a heavy barrier and struck off after it, unless their offerer has begun an
//! offer; it lists its lane again with its next offer. So an idle offerer costs the drainer nothing.
//!
//! Nobody waits for anybody: not even the drainer that is dropped in the middle of an offer. What
//! becomes of that offer is decided by one exchange on the lane's `fate` (see `end`).

#![expect(missing_debug_implementations, reason = "not reachable by users")]

mod chunk;
mod lane;
mod payer;

use alloc::vec::Vec;
use core::marker::PhantomData;
use core::mem::ManuallyDrop;
use core::ptr::{self, NonNull};
use core::slice;
use core::time::Duration;

use crossbeam_utils::CachePadded;

use self::lane::{Emptying, Filling, Lane};
use self::payer::Payer;
use super::{Offered, Pulled, Queue, Refused};
use crate::parker::{ParkSlot, Parked};
use crate::shim::atomic::{AtomicPtr, AtomicU32, Ordering, fence};
use crate::spin::NoSpin;
use crate::sys::barrier;
use crate::time::Deadline;
use crate::unwind::to_the_end;

/// The drainer sleeps: the offerer that takes the flag down wakes it.
const ASLEEP: u32 = 1;
/// No more offers.
const CLOSED: u32 = 2;
/// Offers make fences: the kernel makes no heavy barrier, or it would not be worth it.
const FENCE: u32 = 4;
/// The drainer is gone.
const GONE: u32 = 8;

pub struct Lanes<T> {
    /// Read by every offer, written around sleeps and at the close.
    flags: CachePadded<AtomicU32>,
    /// Lanes that the drainer has not taken over: a stack.
    entered: AtomicPtr<Lane<T>>,
    items: PhantomData<T>,
}

// SAFETY: items are moved in by one thread and out by another, never shared.
unsafe impl<T: Send> Send for Lanes<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for Lanes<T> {}

/// What an offerer keeps: its lane, from its first offer on.
pub struct OwnLane<T>(Option<Filling<T>>);

// SAFETY: the offerer owns its side of the lane.
unsafe impl<T: Send> Send for OwnLane<T> {}
// SAFETY: a shared reference reaches nothing.
unsafe impl<T: Send> Sync for OwnLane<T> {}

/// What the drainer keeps: the lanes that it took over.
pub struct AllLanes<T> {
    lanes: Vec<Emptying<T>>,
    /// The lane that gives the next item.
    current: usize,
    /// Items at hand in all of them.
    at_hand: usize,
    payer: Payer,
}

// SAFETY: the drainer owns its side of the lanes.
unsafe impl<T: Send> Send for AllLanes<T> {}
// SAFETY: a shared reference reaches nothing but counts.
unsafe impl<T: Send> Sync for AllLanes<T> {}

impl<T> Lanes<T> {
    pub(crate) fn new() -> Self {
        let flags = if Payer::new(barrier::available()).has_fences() { FENCE } else { 0 };
        Self {
            flags: CachePadded::new(AtomicU32::new(flags)),
            entered: AtomicPtr::new(ptr::null_mut()),
            items: PhantomData,
        }
    }

    fn flags(&self) -> u32 {
        // ORDERING(lanes.flags): Relaxed — ordered by the barrier that every caller makes before or
        // after it; pairs with (lanes.flags) in raise() and lower().
        self.flags.load(Ordering::Relaxed)
    }

    /// Raises flags; answers what was up before.
    fn raise(&self, flags: u32) -> u32 {
        // ORDERING(lanes.flags): Release — what a closing side did, how the drainer sleeps, or what it
        // confessed before it went; pairs with (lanes.flags) in lower(), finish_slow() and is_closed().
        // Relaxed dies in lanes::close_carries_data.
        self.flags.fetch_or(flags, Ordering::Release)
    }

    /// Takes ASLEEP down; whether it was up.
    fn lower(&self) -> bool {
        // ORDERING(lanes.flags): Acquire — how the drainer sleeps; pairs with (lanes.flags) in raise().
        // Relaxed dies in lanes::close_wakes_task.
        self.flags.fetch_and(!ASLEEP, Ordering::Acquire) & ASLEEP != 0
    }

    /// Enters a lane, for the drainer to find.
    #[cold]
    fn enter(&self, lane: NonNull<Lane<T>>) {
        // ORDERING(lanes.enter): Relaxed — a first guess; pairs with the exchange below.
        let mut first = self.entered.load(Ordering::Relaxed);
        loop {
            // SAFETY: our offerer's lane, which the next line enters.
            unsafe { lane::link(lane, first) };
            // ORDERING(lanes.enter): Release — the lane; pairs with (lanes.enter) in take_over().
            // Relaxed dies in lanes::offer_then_drain.
            match self.entered.compare_exchange_weak(
                first,
                lane.as_ptr(),
                Ordering::Release,
                Ordering::Relaxed,
            ) {
                Ok(_) => return,
                Err(current) => first = current,
            }
        }
    }

    /// An offer that found its lane not listed, or flags up, before it published.
    // Not cold: while offers make fences, all of them come here.
    #[inline(never)]
    fn offer_slow(&self, own: &mut Filling<T>, items: &[ManuallyDrop<T>]) -> Offered {
        // ORDERING(lanes.sleep): SeqCst fence — the light barrier where the kernel makes none, between
        // the beginning of the offer and the looks at listing and flags; pairs with (lanes.sleep) in
        // barrier(). Without it lanes_fenced::lane_is_struck dies.
        fence(Ordering::SeqCst);
        if own.list() {
            self.enter(own.lane);
            // ORDERING(lanes.sleep): SeqCst fence — a drainer that closes finds the lane, or we find
            // that it closes; pairs with (lanes.sleep) in barrier(). Without it
            // lanes::close_against_first_offer dies.
            fence(Ordering::SeqCst);
        }
        if self.flags() & CLOSED != 0 {
            own.abandon();
            let wake = self.wake_is_due();
            return Offered { count: 0, refused: Some(Refused::Closed), wake };
        }
        own.publish(items);
        self.finish_slow(own, items.len())
    }

    /// An offer that found flags up after it published.
    #[inline(never)]
    fn finish_slow(&self, own: &Filling<T>, count: usize) -> Offered {
        let wake = self.wake_is_due();
        // ORDERING(lanes.flags): Acquire — what a drainer that goes has confessed comes before what we
        // decide; pairs with (lanes.flags) in raise(). No model can see it: docs/proofs/lanes.md.
        if self.flags.load(Ordering::Acquire) & GONE != 0 && !own.outlived(count) {
            return Offered { count: 0, refused: Some(Refused::Closed), wake };
        }
        Offered { count, refused: None, wake }
    }

    /// An offer that needs a chunk, or a lane.
    #[cold]
    fn offer_cold(&self, own: &mut OwnLane<T>, item: &ManuallyDrop<T>) -> Offered {
        self.offer(own, slice::from_ref(item))
    }

    /// O2 and O3 of an offer that is over, with a barrier of its own.
    fn wake_is_due(&self) -> bool {
        // ORDERING(lanes.sleep): SeqCst fence — as in offer_slow(). Without it
        // lanes_fenced::close_against_offer dies.
        fence(Ordering::SeqCst);
        self.flags() & ASLEEP != 0 && self.lower()
    }

    /// Takes over lanes that were entered.
    fn take_over(&self, all: &mut AllLanes<T>) {
        // ORDERING(lanes.enter): Relaxed — most looks find nothing; an enter that happened before is
        // seen by coherence. Pairs with (lanes.enter) in enter().
        if self.entered.load(Ordering::Relaxed).is_null() {
            return;
        }
        // ORDERING(lanes.enter): Acquire — sees the lanes; pairs with (lanes.enter) in enter(). Relaxed
        // dies in lanes::offer_then_drain.
        let mut next = self.entered.swap(ptr::null_mut(), Ordering::Acquire);
        while let Some(lane) = NonNull::new(next) {
            // SAFETY: it stays entered until we strike it off.
            next = unsafe { lane::linked(lane) };
            // SAFETY: taken out of the stack, so nobody else empties it.
            all.lanes.push(unsafe { Emptying::new(lane) });
        }
    }

    /// Looks into every lane, and frees those that are over.
    fn look(&self, all: &mut AllLanes<T>) {
        self.take_over(all);
        let before = all.at_hand;
        let mut index = 0;
        while let Some(lane) = all.lanes.get_mut(index) {
            all.at_hand += lane.look();
            if lane.is_over() {
                let lane = all.lanes.swap_remove(index);
                // SAFETY: its offerer left.
                unsafe { lane.free() };
            } else {
                index += 1;
            }
        }
        all.current = 0;
        if all.payer.saw(all.at_hand - before) {
            self.give_up_fences();
        }
    }

    /// D2: after it, an offer that is not to be seen will see the flags that were raised before it, and
    /// the doubt of its lane if that is `doubted`.
    fn barrier(&self, all: &mut AllLanes<T>, doubted: bool) {
        if all.payer.takes_call(doubted) {
            // ORDERING(lanes.sleep): heavy barrier — pairs with the light ones (lanes.sleep) in offer()
            // and offer_one(), and with the fences of offers that saw a flag. Without it
            // lanes::items_arrive_whole dies.
            if barrier::heavy() {
                return;
            }
            self.fall_back(all);
        }
        // ORDERING(lanes.sleep): SeqCst fence — where offerers make one, too; pairs with (lanes.sleep)
        // in offer_slow() and wake_is_due(). Without it lanes_fenced::offer_against_sleep dies.
        fence(Ordering::SeqCst);
    }

    /// From now on offers make fences. This is the last barrier without them: what an offer that does not
    /// see the flag has done is seen after it.
    #[cold]
    fn ask_for_fences(&self, all: &mut AllLanes<T>) {
        self.raise(FENCE);
        // ORDERING(lanes.sleep): heavy barrier — pairs with the light ones (lanes.sleep) in offer() and
        // offer_one(). No model can see it, whose light barriers are fences; ci/spin/lanes.pml has it as
        // BROKEN=8.
        if !barrier::heavy() {
            self.fall_back(all);
        }
    }

    #[cold]
    fn give_up_fences(&self) {
        // ORDERING(lanes.flags): Relaxed — an offer that misses it makes fences that it need not; pairs
        // with (lanes.flags) in raise().
        self.flags.fetch_and(!FENCE, Ordering::Relaxed);
    }

    /// D2 and D3: a look that misses no offer which misses the flag raised before it.
    fn look_after_barrier(&self, all: &mut AllLanes<T>, doubted: bool) {
        self.barrier(all, doubted);
        self.look(all);
    }

    /// Whether nothing is at hand and nothing will come.
    fn is_over(&self, all: &mut AllLanes<T>) -> bool {
        if self.flags() & CLOSED == 0 {
            return false;
        }
        self.look_after_barrier(all, false);
        all.at_hand == 0 && all.lanes.iter().all(Emptying::is_quiet)
    }

    /// The kernel has stopped making barriers: from now on offerers make theirs.
    ///
    /// An offer that began before it could see the flag may still be without one. Its store leaves
    /// the CPU's buffer long before the pause is over.
    #[cold]
    fn fall_back(&self, all: &mut AllLanes<T>) {
        all.payer.has_no_call();
        self.raise(FENCE);
        let pause = || Deadline::after(Duration::from_millis(1));
        let _: Parked = ParkSlot::new().park(pause, &mut NoSpin);
    }
}

impl<T> Queue<T> for Lanes<T> {
    type Offering = OwnLane<T>;
    type Draining = AllLanes<T>;

    fn new_offering(&self) -> OwnLane<T> {
        OwnLane(None)
    }

    fn new_draining(&self) -> AllLanes<T> {
        let payer = Payer::new(barrier::available());
        AllLanes { lanes: Vec::new(), current: 0, at_hand: 0, payer }
    }

    fn offer(&self, own: &mut OwnLane<T>, items: &[ManuallyDrop<T>]) -> Offered {
        let own = match &mut own.0 {
            Some(own) => own,
            // Nobody might come to free a lane.
            None if self.flags() & CLOSED != 0 => {
                return Offered { count: 0, refused: Some(Refused::Closed), wake: false };
            }
            place => place.insert(Filling::new()),
        };
        own.begin();
        // ORDERING(lanes.sleep): light barrier — a drainer that closes or strikes lanes off sees that we
        // have begun, or we see that it does; pairs with the heavy one (lanes.sleep) in barrier(). Without
        // it lanes::close_against_batch dies.
        barrier::light();
        if self.flags() | own.unlisted() != 0 {
            return self.offer_slow(own, items);
        }
        own.publish(items);
        // ORDERING(lanes.sleep): light barrier (O2) — pairs with (lanes.sleep) in barrier(). Without it
        // lanes::batch_against_sleep dies.
        barrier::light();
        if self.flags() != 0 {
            return self.finish_slow(own, items.len());
        }
        Offered { count: items.len(), refused: None, wake: false }
    }

    #[inline]
    fn offer_one(&self, own: &mut OwnLane<T>, item: &ManuallyDrop<T>) -> Offered {
        match &mut own.0 {
            Some(own) if own.has_room() => {
                own.begin();
                // ORDERING(lanes.sleep): light barrier — as in offer(). Without it
                // lanes::close_against_offer dies.
                barrier::light();
                if self.flags() | own.unlisted() != 0 {
                    return self.offer_slow(own, slice::from_ref(item));
                }
                own.publish_one(item);
                // ORDERING(lanes.sleep): light barrier (O2) — as in offer(). Without it
                // lanes::offer_against_sleep dies.
                barrier::light();
                if self.flags() != 0 {
                    return self.finish_slow(own, 1);
                }
                Offered { count: 1, refused: None, wake: false }
            }
            _ => self.offer_cold(own, item),
        }
    }

    fn leave(&self, own: &mut OwnLane<T>) -> bool {
        if let Some(own) = own.0.take() {
            own.leave();
        }
        false
    }

    #[inline]
    fn pull(&self, all: &mut AllLanes<T>, wanted: usize) -> Pulled {
        if all.at_hand >= wanted {
            return Pulled::Items;
        }
        self.look(all);
        let over = all.at_hand == 0 && self.is_over(all);
        Pulled::of(all.at_hand, over)
    }

    fn at_hand(&self, all: &AllLanes<T>) -> usize {
        all.at_hand
    }

    fn peek<'a>(&'a self, all: &'a AllLanes<T>) -> Option<&'a T> {
        all.lanes[all.current.min(all.lanes.len())..].iter().find_map(Emptying::peek)
    }

    #[inline]
    fn next(&self, all: &mut AllLanes<T>) -> Option<T> {
        if all.at_hand == 0 {
            return None;
        }
        while all.lanes[all.current].at_hand() == 0 {
            all.current += 1;
        }
        all.at_hand -= 1;
        Some(all.lanes[all.current].next())
    }

    fn settle(&self, _all: &mut AllLanes<T>) {}

    fn len(&self, all: &AllLanes<T>) -> usize {
        // ORDERING(lanes.enter): Acquire — sees the lanes; pairs with (lanes.enter) in enter(). Relaxed
        // dies in lanes::length_beside_offer.
        let mut next = self.entered.load(Ordering::Acquire);
        let mut len = all.at_hand + all.lanes.iter().map(Emptying::ahead).sum::<usize>();
        while let Some(lane) = NonNull::new(next) {
            // SAFETY: it stays entered until the drainer, who asks, takes it over.
            next = unsafe { lane::linked(lane) };
            // SAFETY: looked at only, and dropped without freeing.
            len += unsafe { Emptying::new(lane) }.ahead();
        }
        len
    }

    fn is_empty(&self, all: &AllLanes<T>) -> bool {
        self.len(all) == 0
    }

    fn arm(&self, all: &mut AllLanes<T>) -> bool {
        if all.payer.before_sleep() {
            self.ask_for_fences(all);
        }
        self.raise(ASLEEP);
        let quiet = all.lanes.iter_mut().map(|lane| usize::from(lane.rest())).sum();
        let doubted = all.payer.strikes_off(quiet)
            && all.lanes.iter_mut().map(Emptying::doubt).fold(false, |any, one| any | one);
        self.look_after_barrier(all, doubted);
        all.lanes.retain_mut(|lane| !lane.strike());
        if all.at_hand == 0 && !self.is_over(all) {
            all.payer.sleeps();
            return true;
        }
        self.lower();
        false
    }

    fn disarm(&self) -> bool {
        self.lower()
    }

    fn is_armed(&self) -> bool {
        self.flags() & ASLEEP != 0
    }

    fn is_idle(&self, all: &AllLanes<T>) -> bool {
        // ORDERING(lanes.enter): Relaxed — a hint; pairs with (lanes.enter) in enter().
        let nothing_new = self.entered.load(Ordering::Relaxed).is_null()
            && all.lanes.iter().all(|lane| lane.ahead() == 0);
        // The end is something new, unless an offer in progress is in its way, which will wake us.
        let at_the_end = || self.flags() & CLOSED != 0 && all.lanes.iter().all(Emptying::is_quiet);
        nothing_new && !at_the_end()
    }

    fn close(&self) -> Option<bool> {
        if self.raise(CLOSED) & CLOSED != 0 {
            return None;
        }
        Some(self.lower())
    }

    fn is_closed(&self) -> bool {
        // ORDERING(lanes.flags): Acquire — what the closing side did; pairs with (lanes.flags) in
        // raise(). Relaxed dies in lanes::closed_is_seen.
        self.flags.load(Ordering::Acquire) & CLOSED != 0
    }

    fn end(&self, all: &mut AllLanes<T>) {
        // Offers that begin now are refused. One that is in progress may still be published, and its
        // offerer must learn whether somebody will take it. Items seen so far are confessed before
        // GONE is raised. Then whoever is first, the offerer (which finds GONE after its publish) or we
        // (who see the publish after the barrier), decides by one exchange.
        self.take_over(all);
        all.lanes.iter().for_each(Emptying::confess);
        self.raise(GONE);
        self.barrier(all, false);
        self.take_over(all);
        all.lanes.iter_mut().for_each(Emptying::decide);
        all.current = 0;
        all.at_hand = all.lanes.iter().map(Emptying::at_hand).sum();
    }

    fn retire(&self, all: &mut AllLanes<T>) {
        all.lanes.drain(..).for_each(Emptying::let_go);
    }
}

impl<T> Drop for Lanes<T> {
    fn drop(&mut self) {
        // Lanes whose drainer was dropped are empty. Those of one that was forgotten are not.
        let mut all = self.new_draining();
        self.take_over(&mut all);
        all.lanes.iter_mut().for_each(Emptying::decide);
        to_the_end(|| {
            let Some(lane) = all.lanes.last_mut() else {
                return false;
            };
            if lane.at_hand() > 0 {
                drop(lane.next());
            } else if let Some(lane) = all.lanes.pop() {
                // SAFETY: every handle is gone.
                unsafe { lane.free() };
            }
            true
        });
    }
}
