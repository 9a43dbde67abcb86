//! Items on their way out.

use core::fmt;
use core::iter::FusedIterator;
use core::marker::PhantomData;

use super::form::{Form, sealed::Sealed};
use super::queue::Queue;

/// Items that a drainer hands out, oldest first.
///
/// What has not been taken when the batch is dropped or forgotten stays in the basket and comes first
/// in the next batch. Items offered while a batch is being taken are in a later one, so every batch
/// ends.
///
/// # Cost
///
/// Taking an item moves it, without a read-modify-write. A bounded basket gets its room back in
/// groups (a quarter of the capacity, 32 at most) and when the batch is dropped; if it is forgotten,
/// at the drainer's next call.
#[must_use = "what is not taken out stays in the basket"]
pub struct Batch<'a, T, F: Form<T>, W: Measure<T> = Unweighed> {
    queue: &'a <F as Sealed<T>>::Queue,
    local: &'a mut <<F as Sealed<T>>::Queue as Queue<T>>::Draining,
    /// How many more to give at the most, and there are so many.
    items: usize,
    weight: Budget,
    weigh: W,
    /// Whoever has the batch has items: `peek` shows one, so it is `Sync` only if they are.
    owned: PhantomData<T>,
}

/// How much weight may still be given.
#[derive(Clone, Copy)]
struct Budget {
    left: usize,
    /// Nothing has been given: one item passes, whatever it weighs.
    untouched: bool,
}

/// What an item counts against a batch's weight limit. Sealed.
pub trait Measure<T>: sealed::Measure<T> {}

/// No weight limit.
#[derive(Clone, Copy, Debug)]
pub struct Unweighed;

/// Weight by a function of the item.
pub struct By<C>(pub(super) C);

impl<C> fmt::Debug for By<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("By(..)")
    }
}

impl<T> Measure<T> for Unweighed {}
impl<T, C: FnMut(&T) -> usize> Measure<T> for By<C> {}

mod sealed {
    use super::{By, Unweighed};

    pub trait Measure<T> {
        #[doc(hidden)]
        const WEIGHS: bool;
        #[doc(hidden)]
        fn weigh(&mut self, item: &T) -> usize;
    }

    impl<T> Measure<T> for Unweighed {
        const WEIGHS: bool = false;
        fn weigh(&mut self, _item: &T) -> usize {
            0
        }
    }

    impl<T, C: FnMut(&T) -> usize> Measure<T> for By<C> {
        const WEIGHS: bool = true;
        fn weigh(&mut self, item: &T) -> usize {
            (self.0)(item)
        }
    }
}

impl<'a, T, F: Form<T>, W: Measure<T>> Batch<'a, T, F, W> {
    pub(super) fn new(
        queue: &'a <F as Sealed<T>>::Queue,
        local: &'a mut <<F as Sealed<T>>::Queue as Queue<T>>::Draining,
        items: usize,
        weight: usize,
        weigh: W,
    ) -> Self {
        let items = items.min(queue.at_hand(local));
        let weight = Budget { left: weight, untouched: true };
        Self { queue, local, items, weight, weigh, owned: PhantomData }
    }

    /// The item that [`next`](Iterator::next) would give, limits aside.
    #[must_use]
    pub fn peek(&self) -> Option<&T> {
        self.queue.peek(self.local).filter(|_| self.items > 0)
    }

    /// Whether the weight limit lets the next item through.
    fn fits(&mut self) -> bool {
        let Some(item) = self.queue.peek(self.local) else {
            return false;
        };
        let weight = self.weigh.weigh(item);
        match self.weight.left.checked_sub(weight) {
            Some(left) => self.weight.left = left,
            // Too heavy for any batch: it comes alone.
            None if self.weight.untouched => self.items = 1,
            None => return false,
        }
        self.weight.untouched = false;
        true
    }
}

impl<T, F: Form<T>, W: Measure<T>> Iterator for Batch<'_, T, F, W> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        if self.items == 0 {
            return None;
        }
        if W::WEIGHS && !self.fits() {
            self.items = 0;
            return None;
        }
        self.items -= 1;
        self.queue.next(self.local)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let least = if W::WEIGHS { 0 } else { self.items };
        (least, Some(self.items))
    }
}

impl<T, F: Form<T>> ExactSizeIterator for Batch<'_, T, F> {}
impl<T, F: Form<T>, W: Measure<T>> FusedIterator for Batch<'_, T, F, W> {}

impl<T, F: Form<T>, W: Measure<T>> Drop for Batch<'_, T, F, W> {
    fn drop(&mut self) {
        self.queue.settle(self.local);
    }
}

impl<T, F: Form<T>, W: Measure<T>> fmt::Debug for Batch<'_, T, F, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batch").field("items", &self.items).finish_non_exhaustive()
    }
}
