//! The bounded queue: a fixed number of slots, free ones handed round in a ring.
//!
//! ```text
//! slots   [ item, next, free | item, next, free | … ]
//! ring    the `free` fields, in order: numbers of free slots
//! ```
//!
//! An offerer claims the next free slot of the [ring], fills it, and publishes it in the
//! [head](super::head) like any node, so one that stops half-way holds its own slot and nobody else's
//! item. The drainer takes all published slots at once and returns each to the ring's end, alone and
//! without a read-modify-write. The room left is what is in the ring: it needs no counter.
//!
//! Slots are named by number, not by address, so the storage may move while nobody uses it.

mod laps;
mod ring;
mod slot;
mod storage;

pub(crate) use laps::MOST_SLOTS;
pub use slot::Slot;
pub use storage::Storage;

use core::fmt;
use core::marker::PhantomData;
use core::mem::ManuallyDrop;
use core::pin::Pin;
use core::task::Waker;

use crossbeam_utils::CachePadded;

use self::ring::{Ring, SeenFreed};
use self::slot::{node, slot_of};
use super::head::{Head, NodeAddr};
use super::pace::{GROUP, Pace};
use super::{Bounded, Offered, Pulled, Queue, Refused};
use crate::parker::{Served, TaskWaiter, WaitList};
use crate::shim::atomic::{AtomicUsize, Ordering};
use crate::spin::{Adaptive, NoSpin, SpinPolicy};
use crate::time::Deadline;
use crate::unwind::to_the_end;

pub struct Slab<T, S: Storage<T>> {
    head: CachePadded<Head>,
    ring: Ring,
    /// Offerers that wait for a slot, and slots that came back from one that gave up.
    waits: WaitList<Returned>,
    /// How many came back; written under the lock of `waits`.
    returned: AtomicUsize,
    slots: S,
    items: PhantomData<T>,
}

// SAFETY: items are moved in by one thread and out by another, never shared.
unsafe impl<T: Send, S: Storage<T>> Send for Slab<T, S> {}
// SAFETY: as above; a slot belongs to one offerer, to the head, or to the drainer.
unsafe impl<T: Send, S: Storage<T>> Sync for Slab<T, S> {}

/// Slots outside the ring that nobody uses: the first of a chain of nodes.
struct Returned(NodeAddr);

/// What a drainer of a slab keeps.
#[derive(Debug)]
pub struct Hand {
    /// The oldest slot that was taken, if `len` is not zero.
    oldest: NodeAddr,
    /// The newest.
    newest: NodeAddr,
    /// How many were taken and are not emptied.
    len: usize,
    /// Emptied slots that have not been returned.
    emptied: [usize; GROUP],
    emptied_len: usize,
    pace: Pace,
}

impl<T, S: Storage<T>> Slab<T, S> {
    const_fn! {
        /// An empty slab. `slots.len()` is between 1 and `MOST_SLOTS`.
        pub(crate) const fn new(slots: S, len: usize) -> Self {
            Self {
                head: CachePadded::new(Head::new()),
                ring: Ring::new(len),
                waits: WaitList::new(Returned(0)),
                returned: AtomicUsize::new(0),
                slots,
                items: PhantomData,
            }
        }
    }

    fn slots(&self) -> &[Slot<T>] {
        self.slots.slots()
    }

    /// What a slot is linked to. The caller has the slot: claimed, taken, or (under the lock) returned.
    fn next_of(&self, slot: usize) -> NodeAddr {
        // SAFETY: whoever has a slot has it alone.
        unsafe { self.slots()[slot].next.get() }
    }

    /// Links a slot, which the caller has.
    fn link(&self, slot: usize, next: NodeAddr) {
        // SAFETY: whoever has a slot has it alone.
        unsafe { self.slots()[slot].next.set(next) };
    }

    pub(crate) fn capacity(&self) -> usize {
        self.slots().len()
    }

    /// Whether a claim may succeed, or will say that it is over.
    fn has_room(&self) -> bool {
        self.ring.room(self.slots()) > 0 || self.head.is_closed()
    }

    /// How many slots are in use, handed out or not.
    pub(crate) fn used(&self) -> usize {
        // ORDERING(slab.count): Acquire — slots that came back were claimed before: the claims are in view
        // below, or such a slot would count twice, and the drainer's own as free. Pairs with
        // (slab.count) in count_returned(). Relaxed dies in fixed::length_beside_refused_offers.
        let returned = self.returned.load(Ordering::Acquire);
        let room = self.ring.room(self.slots()) + returned;
        self.capacity() - room.min(self.capacity())
    }

    /// Takes a free slot from the ring.
    fn claim(&self, seen: &mut SeenFreed) -> Option<usize> {
        self.ring.claim(self.slots(), seen)
    }

    /// Takes any free slot. Under the lock of `waits`.
    fn claim_any(&self, seen: &mut SeenFreed, returned: &mut Returned) -> Option<usize> {
        if let Some(slot) = self.claim(seen) {
            return Some(slot);
        }
        if returned.0 == 0 {
            return None;
        }
        let slot = slot_of(returned.0);
        returned.0 = self.next_of(slot);
        self.count_returned(|n| n - 1);
        Some(slot)
    }

    fn count_returned(&self, change: impl FnOnce(usize) -> usize) {
        // ORDERING(slab.count): Relaxed — read and written under the lock, which orders that.
        let returned = change(self.returned.load(Ordering::Relaxed));
        // ORDERING(slab.count): Release — the claims of those slots; pairs with (slab.count) in used().
        // Relaxed dies in fixed::length_beside_refused_offers. To claim_returned() it is a hint.
        self.returned.store(returned, Ordering::Release);
    }

    /// A free slot for an offer that does not wait. Offerers that do are not passed over: slots reach
    /// the ring only after one of them was handed its own.
    #[inline]
    fn claim_now(&self, seen: &mut SeenFreed) -> Option<usize> {
        self.claim(seen).or_else(|| self.claim_returned(seen))
    }

    #[cold]
    fn claim_returned(&self, seen: &mut SeenFreed) -> Option<usize> {
        Ring::see_claims();
        // ORDERING(slab.count): Relaxed — ordered by the fence in see_claims(); the lock decides. Pairs with
        // count_returned().
        if self.returned.load(Ordering::Relaxed) == 0 {
            return None;
        }
        self.waits.with(|returned| self.claim_any(seen, returned))
    }

    /// A slot that was claimed and will not be used goes to the next waiter, or is kept for later.
    fn give_back(&self, slot: usize) {
        self.waits.give(slot, |returned, slot| {
            self.link(slot, returned.0);
            returned.0 = node(slot);
            self.count_returned(|n| n + 1);
        });
    }

    fn fill(&self, slot: usize, item: &ManuallyDrop<T>) {
        self.slots()[slot].item.with_mut(|place| {
            // SAFETY: the slot is ours; the copy counts once it is published.
            unsafe { place.copy_from_nonoverlapping(core::ptr::from_ref(item).cast(), 1) };
        });
    }

    fn publish(&self, newest: usize, oldest: usize) -> Result<bool, ()> {
        self.head.publish(node(newest), |older| self.link(oldest, older))
    }

    /// Offers a copy of the item in a slot that was handed over.
    fn offer_in(&self, slot: usize, item: &ManuallyDrop<T>) -> Offered {
        self.fill(slot, item);
        match self.publish(slot, slot) {
            Ok(wake) => Offered { count: 1, refused: None, wake },
            Err(()) => {
                self.give_back(slot);
                Offered { count: 0, refused: Some(Refused::Closed), wake: false }
            }
        }
    }

    /// Returns emptied slots to the ring.
    fn put_back(&self, hand: &mut Hand) {
        self.ring.put_back(self.slots(), core::iter::from_fn(|| hand.pop_emptied()));
    }

    /// Returns emptied slots in the middle of a batch.
    #[cold]
    fn put_back_midway(&self, hand: &mut Hand) {
        self.put_back(hand);
        if self.waits.waiting() > 0 && hand.pace.is_due(self.used(), self.capacity()) {
            self.pass_on();
        }
    }

    /// Serves the next offerers that wait, if there is room: tasks, and the first thread after them.
    fn pass_on(&self) {
        let mut seen = SeenFreed(0);
        self.waits.serve_next(|returned, _| self.claim_any(&mut seen, returned));
    }

    /// Serves offerers that wait while there is room.
    fn serve_waits(&self) {
        let mut seen = SeenFreed(0);
        self.waits.serve(|returned, _| self.claim_any(&mut seen, returned));
    }
}

impl Hand {
    fn pop_emptied(&mut self) -> Option<usize> {
        self.emptied_len = self.emptied_len.checked_sub(1)?;
        Some(self.emptied[self.emptied_len])
    }
}

impl<T, S: Storage<T>> Queue<T> for Slab<T, S> {
    type Offering = SeenFreed;
    type Draining = Hand;

    fn new_offering(&self) -> SeenFreed {
        SeenFreed(0)
    }

    fn new_draining(&self) -> Hand {
        Hand {
            oldest: 0,
            newest: 0,
            len: 0,
            emptied: [0; GROUP],
            emptied_len: 0,
            pace: Pace::new(self.capacity()),
        }
    }

    #[inline]
    fn offer(&self, seen: &mut SeenFreed, items: &[ManuallyDrop<T>]) -> Offered {
        let mut oldest = None;
        let mut newest = 0;
        let mut count = 0;
        for item in items {
            let Some(slot) = self.claim_now(seen) else {
                break;
            };
            self.fill(slot, item);
            match oldest {
                None => oldest = Some(slot),
                Some(_) => self.link(slot, node(newest)),
            }
            newest = slot;
            count += 1;
        }
        let Some(oldest) = oldest else {
            let refused = if self.head.is_closed() { Refused::Closed } else { Refused::Full };
            return Offered { count: 0, refused: Some(refused), wake: false };
        };
        match self.publish(newest, oldest) {
            Ok(wake) => {
                let refused = (count < items.len()).then_some(Refused::Full);
                Offered { count, refused, wake }
            }
            Err(()) => {
                let mut slot = newest;
                for _ in 1..count {
                    let older = slot_of(self.next_of(slot));
                    self.give_back(slot);
                    slot = older;
                }
                self.give_back(slot);
                Offered { count: 0, refused: Some(Refused::Closed), wake: false }
            }
        }
    }

    fn leave(&self, _seen: &mut SeenFreed) -> bool {
        false
    }

    #[inline]
    fn pull(&self, hand: &mut Hand, wanted: usize) -> Pulled {
        if hand.len >= wanted {
            return Pulled::Items;
        }
        let taken = self.head.take();
        if taken.newest == 0 {
            self.settle(hand);
            self.serve_waits();
            return Pulled::of(hand.len, taken.closed);
        }
        // Turn the chain around, oldest first.
        let before = hand.len;
        let mut newer = 0;
        let mut next = taken.newest;
        while next != 0 {
            let older = self.next_of(slot_of(next));
            self.link(slot_of(next), newer);
            newer = next;
            next = older;
            hand.len += 1;
        }
        if before == 0 {
            hand.oldest = newer;
        } else {
            self.link(slot_of(hand.newest), newer);
        }
        hand.newest = taken.newest;
        Pulled::Items
    }

    fn at_hand(&self, hand: &Hand) -> usize {
        hand.len
    }

    fn peek<'a>(&'a self, hand: &'a Hand) -> Option<&'a T> {
        if hand.len == 0 {
            return None;
        }
        let slot = &self.slots()[slot_of(hand.oldest)];
        // SAFETY: the slot is full and in our hand, and stays so while `hand` is borrowed.
        Some(slot.item.with(|item| unsafe { &*item.cast::<T>() }))
    }

    #[inline]
    fn next(&self, hand: &mut Hand) -> Option<T> {
        if hand.len == 0 {
            return None;
        }
        if hand.emptied_len >= hand.pace.group() {
            self.put_back_midway(hand);
        }
        let number = slot_of(hand.oldest);
        let slot = &self.slots()[number];
        // SAFETY: the slot is full and in our hand; it counts as empty from here on.
        let item = slot.item.with(|item| unsafe { item.cast::<T>().read() });
        hand.oldest = self.next_of(number);
        hand.len -= 1;
        hand.emptied[hand.emptied_len] = number;
        hand.emptied_len += 1;
        Some(item)
    }

    fn enough(&self) -> usize {
        // Offerers wait when it is full: do not come near that.
        (self.capacity() / 8).min(256)
    }

    fn settle(&self, hand: &mut Hand) {
        if hand.emptied_len > 0 {
            self.put_back(hand);
            self.pass_on();
        }
    }

    fn len(&self, hand: &Hand) -> usize {
        self.used() - hand.emptied_len
    }

    fn is_empty(&self, hand: &Hand) -> bool {
        hand.len == 0 && self.head.newest() == 0
    }

    fn arm(&self, _hand: &mut Hand) -> bool {
        self.head.arm()
    }

    fn disarm(&self) -> bool {
        self.head.disarm()
    }

    fn is_armed(&self) -> bool {
        self.head.is_armed()
    }

    fn is_idle(&self, _hand: &Hand) -> bool {
        self.head.is_idle()
    }

    fn close(&self) -> Option<bool> {
        let closed = self.head.close();
        if closed.is_some() {
            self.waits.close();
        }
        closed
    }

    fn is_closed(&self) -> bool {
        self.head.is_closed()
    }
}

impl<T, S: Storage<T>> Bounded<T> for Slab<T, S> {
    fn capacity(&self) -> usize {
        self.slots().len()
    }

    fn used(&self) -> usize {
        self.used()
    }

    fn offer_waiting(
        &self,
        seen: &mut SeenFreed,
        item: &ManuallyDrop<T>,
        until: Deadline,
        policy: &mut Adaptive,
    ) -> Option<Offered> {
        // The drainer may be about to make room: look for that before making it wake us.
        if policy.spin(until, || self.has_room()) {
            if let Some(slot) = self.claim_now(seen) {
                return Some(self.offer_in(slot, item));
            }
        }
        let take = |returned: &mut Returned, _| self.claim_any(seen, returned);
        let served =
            self.waits.wait(1, until, &mut NoSpin, take, |served| self.cancelled(served))?;
        Some(self.finish_wait(served, item))
    }

    fn poll_offer(
        &self,
        seen: &mut SeenFreed,
        item: &ManuallyDrop<T>,
        waiter: Pin<&mut TaskWaiter>,
        waker: &Waker,
    ) -> Option<Offered> {
        let served =
            waiter.poll(&self.waits, 1, waker, |returned, _| self.claim_any(seen, returned))?;
        Some(self.finish_wait(served, item))
    }

    fn cancel_offer(&self, waiter: Pin<&mut TaskWaiter>) {
        self.cancelled(waiter.cancel(&self.waits));
    }
}

impl<T, S: Storage<T>> Slab<T, S> {
    /// A wait was given up, with what it had got by then.
    fn cancelled(&self, served: Option<Served>) {
        if let Some(Served::With(slot)) = served {
            self.give_back(slot);
        }
    }

    fn finish_wait(&self, served: Served, item: &ManuallyDrop<T>) -> Offered {
        match served {
            Served::With(slot) => {
                let offered = self.offer_in(slot, item);
                self.pass_on();
                offered
            }
            Served::Closed => Offered { count: 0, refused: Some(Refused::Closed), wake: false },
        }
    }
}

impl<T, S: Storage<T>> Slab<T, S> {
    /// Drops the items that are in, and makes everything as new.
    pub(crate) fn reset(&mut self) {
        self.drop_items();
        self.head = CachePadded::new(Head::new());
        self.ring.reset(self.slots.slots());
        self.waits = WaitList::new(Returned(0));
        self.returned = AtomicUsize::new(0);
    }

    fn drop_items(&mut self) {
        let mut hand = self.new_draining();
        to_the_end(|| {
            self.pull(&mut hand, 1);
            self.next(&mut hand).is_some()
        });
    }
}

impl<T, S: Storage<T>> Drop for Slab<T, S> {
    fn drop(&mut self) {
        self.drop_items();
    }
}

impl<T, S: Storage<T>> fmt::Debug for Slab<T, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Slab").field("used", &self.used()).finish_non_exhaustive()
    }
}
