//! A queue with a limit: permits in front of a queue without one.

mod permits;
pub(crate) mod weight;

use core::fmt;
use core::mem::ManuallyDrop;
use core::pin::Pin;
use core::task::Waker;

use self::permits::{Permits, SeenFreed};
use self::weight::Weigh;
use super::pace::Pace;
use super::{Bounded, Offered, Pulled, Queue, Refused};
use crate::parker::{Served, TaskWaiter};
use crate::spin::{Adaptive, NoSpin, SpinPolicy};
use crate::time::Deadline;

/// `Q` with at most so much in it, as `W` weighs it.
pub struct Limited<Q, W> {
    inner: Q,
    permits: Permits,
    weigh: W,
}

/// Room for items that are not in yet.
struct Claimed<'a> {
    permits: &'a Permits,
    weight: usize,
}

impl Drop for Claimed<'_> {
    fn drop(&mut self) {
        if self.weight > 0 {
            self.permits.give_back(self.weight);
        }
    }
}

/// What an offerer keeps.
#[derive(Debug)]
pub struct LimitedOffering<O> {
    inner: O,
    seen: SeenFreed,
}

/// What the drainer keeps.
#[derive(Debug)]
pub struct LimitedDraining<D> {
    inner: D,
    /// Weight of the items that were taken out and not given back, and how many they are.
    weight: usize,
    items: usize,
    pace: Pace,
}

impl<Q, W> Limited<Q, W> {
    pub(crate) fn new(inner: Q, limit: usize, weigh: W) -> Self {
        Self { inner, permits: Permits::new(limit), weigh }
    }

    /// Weighs an item that is to be offered; `Err` if it can never fit.
    fn weigh_new<T>(&self, item: &T) -> Result<usize, Refused>
    where
        W: Weigh<T>,
    {
        let weight = self.weigh.weigh(item);
        if weight > self.permits.limit() { Err(Refused::TooHeavy) } else { Ok(weight) }
    }

    fn refuse<T>(&self, why: Refused) -> Offered
    where
        Q: Queue<T>,
    {
        // An item that fits nowhere is a fact about the item; a basket that is full may be closed too.
        let refused =
            if why == Refused::Full && self.inner.is_closed() { Refused::Closed } else { why };
        Offered { count: 0, refused: Some(refused), wake: false }
    }

    /// Offers one item whose room was claimed.
    #[inline]
    fn offer_claimed<T>(
        &self,
        local: &mut LimitedOffering<Q::Offering>,
        item: &ManuallyDrop<T>,
        claimed: usize,
    ) -> Offered
    where
        Q: Queue<T>,
    {
        let offered = self.inner.offer_one(&mut local.inner, item);
        if offered.count == 0 {
            self.permits.give_back(claimed);
        }
        offered
    }

    /// A wait was given up, with what it had got by then.
    fn cancelled(&self, served: Option<Served>) {
        match served {
            Some(Served::With(claimed)) => self.permits.give_back(claimed),
            // There may be room for a lighter one that waited behind us.
            _ => self.permits.pass_on(),
        }
    }

    /// After a wait.
    fn finish_wait<T>(
        &self,
        local: &mut LimitedOffering<Q::Offering>,
        item: &ManuallyDrop<T>,
        served: Served,
    ) -> Offered
    where
        Q: Queue<T>,
    {
        match served {
            Served::With(claimed) => {
                let offered = self.offer_claimed(local, item, claimed);
                // One thread was woken for all the room there is: whoever is served passes it on.
                self.permits.pass_on();
                offered
            }
            Served::Closed => self.refuse(Refused::Closed),
        }
    }

    /// Gives the room of finished items back.
    fn free<D>(&self, local: &mut LimitedDraining<D>) {
        local.items = 0;
        self.permits.free(core::mem::take(&mut local.weight));
    }

    #[cold]
    fn free_midway<D>(&self, local: &mut LimitedDraining<D>) {
        self.free(local);
        let permits = &self.permits;
        if permits.waits.waiting() > 0 && local.pace.is_due(permits.used(), permits.limit()) {
            permits.pass_on();
        }
    }
}

impl<T, Q: Queue<T>, W: Weigh<T>> Queue<T> for Limited<Q, W> {
    type Offering = LimitedOffering<Q::Offering>;
    type Draining = LimitedDraining<Q::Draining>;

    fn new_offering(&self) -> Self::Offering {
        LimitedOffering { inner: self.inner.new_offering(), seen: SeenFreed::default() }
    }

    fn new_draining(&self) -> Self::Draining {
        LimitedDraining {
            inner: self.inner.new_draining(),
            weight: 0,
            items: 0,
            pace: Pace::new(self.permits.limit()),
        }
    }

    #[inline]
    fn offer(&self, local: &mut Self::Offering, items: &[ManuallyDrop<T>]) -> Offered {
        // As many of the items as fit, from the first on. Given back if weighing one panics.
        let mut claimed = Claimed { permits: &self.permits, weight: 0 };
        let mut count = 0;
        let mut why = None;
        for item in items {
            match self.weigh_new(&**item) {
                Ok(weight) if self.permits.claim(&mut local.seen, weight) => {
                    claimed.weight += weight;
                }
                Ok(_) => why = Some(Refused::Full),
                Err(too_heavy) => why = Some(too_heavy),
            }
            if why.is_some() {
                break;
            }
            count += 1;
        }
        if count == 0 {
            return why
                .map_or(Offered { count, refused: None, wake: false }, |why| self.refuse(why));
        }
        let mut offered = self.inner.offer(&mut local.inner, &items[..count]);
        if offered.count > 0 {
            claimed.weight = 0;
        }
        offered.refused = offered.refused.or(why);
        offered
    }

    #[inline]
    fn offer_one(&self, local: &mut Self::Offering, item: &ManuallyDrop<T>) -> Offered {
        match self.weigh_new(&**item) {
            Ok(weight) if self.permits.claim(&mut local.seen, weight) => {
                self.offer_claimed(local, item, weight)
            }
            Ok(_) => self.refuse(Refused::Full),
            Err(too_heavy) => self.refuse(too_heavy),
        }
    }

    fn leave(&self, local: &mut Self::Offering) -> bool {
        self.inner.leave(&mut local.inner)
    }

    #[inline]
    fn pull(&self, local: &mut Self::Draining, wanted: usize) -> Pulled {
        let pulled = self.inner.pull(&mut local.inner, wanted);
        if pulled != Pulled::Items {
            // Nothing more to do: whoever waits must not wait for us.
            self.free(local);
            self.permits.serve();
        }
        pulled
    }

    fn at_hand(&self, local: &Self::Draining) -> usize {
        self.inner.at_hand(&local.inner)
    }

    fn peek<'a>(&'a self, local: &'a Self::Draining) -> Option<&'a T> {
        self.inner.peek(&local.inner)
    }

    #[inline]
    fn next(&self, local: &mut Self::Draining) -> Option<T> {
        if local.items >= local.pace.group() {
            self.free_midway(local);
        }
        // Weighed before it is out: should that panic, it is still in.
        let weight = self.weigh.weigh(self.inner.peek(&local.inner)?);
        local.weight += weight;
        local.items += 1;
        self.inner.next(&mut local.inner)
    }

    fn settle(&self, local: &mut Self::Draining) {
        self.inner.settle(&mut local.inner);
        if local.items > 0 {
            self.free(local);
            self.permits.pass_on();
        }
    }

    fn enough(&self) -> usize {
        // Offerers wait when it is full: do not come near that.
        (self.permits.limit() / 8).min(self.inner.enough())
    }

    fn len(&self, local: &Self::Draining) -> usize {
        self.inner.len(&local.inner)
    }

    fn is_empty(&self, local: &Self::Draining) -> bool {
        self.inner.is_empty(&local.inner)
    }

    fn arm(&self, local: &mut Self::Draining) -> bool {
        self.inner.arm(&mut local.inner)
    }

    fn disarm(&self) -> bool {
        self.inner.disarm()
    }

    fn is_armed(&self) -> bool {
        self.inner.is_armed()
    }

    fn is_idle(&self, local: &Self::Draining) -> bool {
        self.inner.is_idle(&local.inner)
    }

    fn close(&self) -> Option<bool> {
        let closed = self.inner.close();
        if closed.is_some() {
            self.permits.waits.close();
        }
        closed
    }

    fn is_closed(&self) -> bool {
        self.inner.is_closed()
    }

    fn end(&self, local: &mut Self::Draining) {
        self.inner.end(&mut local.inner);
    }

    fn retire(&self, local: &mut Self::Draining) {
        self.settle(local);
        self.inner.retire(&mut local.inner);
    }
}

impl<T, Q: Queue<T>, W: Weigh<T>> Bounded<T> for Limited<Q, W> {
    fn capacity(&self) -> usize {
        self.permits.limit()
    }

    fn used(&self) -> usize {
        self.permits.used()
    }

    fn offer_waiting(
        &self,
        local: &mut Self::Offering,
        item: &ManuallyDrop<T>,
        until: Deadline,
        policy: &mut Adaptive,
    ) -> Option<Offered> {
        let weight = match self.weigh_new(&**item) {
            Ok(weight) => weight,
            Err(too_heavy) => return Some(self.refuse(too_heavy)),
        };
        // The drainer may be about to make room: look for that before making it wake us.
        let ready = || self.permits.has_room(weight) || self.inner.is_closed();
        if policy.spin(until, ready) && self.permits.claim(&mut local.seen, weight) {
            return Some(self.offer_claimed(local, item, weight));
        }
        let permits = &self.permits;
        let seen = &mut local.seen;
        let take = |(): &mut (), wanted| permits.claim(seen, wanted).then_some(wanted);
        let Some(served) =
            permits.waits.wait(weight, until, &mut NoSpin, take, |served| self.cancelled(served))
        else {
            // There may be room for a lighter one that waited behind us.
            permits.pass_on();
            return None;
        };
        Some(self.finish_wait(local, item, served))
    }

    fn poll_offer(
        &self,
        local: &mut Self::Offering,
        item: &ManuallyDrop<T>,
        waiter: Pin<&mut TaskWaiter>,
        waker: &Waker,
    ) -> Option<Offered> {
        let weight = match self.weigh_new(&**item) {
            Ok(weight) => weight,
            Err(too_heavy) => return Some(self.refuse(too_heavy)),
        };
        let permits = &self.permits;
        let seen = &mut local.seen;
        let take = |(): &mut (), wanted| permits.claim(seen, wanted).then_some(wanted);
        let served = waiter.poll(&permits.waits, weight, waker, take)?;
        Some(self.finish_wait(local, item, served))
    }

    fn cancel_offer(&self, waiter: Pin<&mut TaskWaiter>) {
        self.cancelled(waiter.cancel(&self.permits.waits));
    }
}

impl<Q, W> fmt::Debug for Limited<Q, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Limited").field("used", &self.permits.used()).finish_non_exhaustive()
    }
}
