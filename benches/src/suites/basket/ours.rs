//! `reveille`'s baskets.

use core::ops::Range;

use reveille::basket::{
    Bounded, Drainer, Fixed, FixedBasket, Form, Offerer, Ordered, Sides, Slot, Unbounded,
};
use reveille::{Basket, NoSpin, SpinPolicy};

use super::subject::{CAPACITY, Drain, Offer, Subject};

/// `Basket::unbounded`.
pub(super) struct Lanes;
/// `Basket::ordered`.
pub(super) struct OneOrder;
/// `Basket::unbounded`, whose drainer sleeps at once.
pub(super) struct Sleeper;
/// `Basket::bounded`.
pub(super) struct Limited;
/// `FixedBasket` over slots on the heap.
pub(super) struct Slots;

/// What such a basket's slots are in.
type Storage = Box<[Slot<u64>]>;

impl Subject for Lanes {
    const NAME: &'static str = "reveille";
    type Offer = Offerer<u64, Unbounded>;
    type Drain = Drainer<u64, Unbounded>;

    fn pair() -> Sides<u64, Unbounded> {
        Basket::unbounded()
    }
}

impl Subject for OneOrder {
    const NAME: &'static str = "reveille:ordered";
    type Offer = Offerer<u64, Ordered>;
    type Drain = Drainer<u64, Ordered>;

    fn pair() -> Sides<u64, Ordered> {
        Basket::ordered()
    }
}

impl Subject for Sleeper {
    const NAME: &'static str = "reveille:nospin";
    type Offer = Offerer<u64, Unbounded>;
    type Drain = Drainer<u64, Unbounded, NoSpin>;

    fn pair() -> (Self::Offer, Self::Drain) {
        let (offerer, drainer) = Basket::unbounded();
        (offerer, drainer.with_policy(NoSpin))
    }
}

impl Subject for Limited {
    const NAME: &'static str = "reveille";
    type Offer = Offerer<u64, Bounded>;
    type Drain = Drainer<u64, Bounded>;

    fn pair() -> Sides<u64, Bounded> {
        Basket::bounded(CAPACITY).expect("the capacity is small")
    }
}

impl Subject for Slots {
    const NAME: &'static str = "reveille:fixed";
    type Offer = Offerer<u64, Fixed<'static, Storage>>;
    type Drain = Drainer<u64, Fixed<'static, Storage>>;

    /// Leaks the basket: 24 KiB a turn.
    fn pair() -> Sides<u64, Fixed<'static, Storage>> {
        let slots: Storage = (0..CAPACITY).map(|_| Slot::new()).collect();
        let basket = FixedBasket::new(slots).expect("the capacity is small");
        Box::leak(Box::new(basket)).claim().expect("it is new")
    }
}

impl Offer for Offerer<u64, Unbounded> {
    #[inline]
    fn offer(&mut self, item: u64) {
        Self::offer(self, item).expect("the drainer lives");
    }

    fn offer_all(&mut self, items: Range<u64>) {
        Self::offer_all(self, items).expect("the drainer lives");
    }
}

impl Offer for Offerer<u64, Ordered> {
    #[inline]
    fn offer(&mut self, item: u64) {
        Self::offer(self, item).expect("the drainer lives");
    }

    fn offer_all(&mut self, items: Range<u64>) {
        Self::offer_all(self, items).expect("the drainer lives");
    }
}

impl Offer for Offerer<u64, Bounded> {
    #[inline]
    fn offer(&mut self, item: u64) {
        self.offer_blocking(item).expect("the drainer lives");
    }
}

impl Offer for Offerer<u64, Fixed<'static, Storage>> {
    #[inline]
    fn offer(&mut self, item: u64) {
        self.offer_blocking(item).expect("the drainer lives");
    }
}

impl<F, P> Drain for Drainer<u64, F, P>
where
    F: Form<u64>,
    P: SpinPolicy,
    Self: Send + 'static,
{
    fn drain(&mut self, take: impl FnMut(u64)) -> bool {
        if self.wait().is_err() {
            return false;
        }
        Self::drain(self).for_each(take);
        true
    }
}
