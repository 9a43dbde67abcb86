//! What an item counts against a limit.

/// A way to weigh items. Sealed.
pub trait Weigh<T> {
    /// The weight of an item: the same at every call.
    fn weigh(&self, item: &T) -> usize;
}

/// Every item counts one.
#[derive(Clone, Copy, Debug)]
pub struct Each;

impl<T> Weigh<T> for Each {
    #[inline(always)]
    fn weigh(&self, _item: &T) -> usize {
        1
    }
}

impl<T> Weigh<T> for fn(&T) -> usize {
    fn weigh(&self, item: &T) -> usize {
        self(item)
    }
}
