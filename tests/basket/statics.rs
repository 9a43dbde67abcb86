//! What the types are.

use static_assertions::{assert_impl_all, assert_not_impl_any};
use std::cell::Cell;
use std::error::Error;
use std::fmt::Debug;
use std::rc::Rc;

use reveille::basket::{
    By, CapacityError, Closed, Drainer, Fixed, FixedBasket, OfferError, Offerer, Slot, Unweighed,
    WaitError,
};

type Array<T> = [Slot<T>; 4];
type InArray<T> = Fixed<'static, Array<T>>;

#[test]
fn sizes() {
    let word = size_of::<usize>();
    assert_eq!(size_of::<Slot<usize>>(), 3 * word, "the item and two words");
    assert_eq!(size_of::<Slot<()>>(), 2 * word);
    assert_eq!(size_of::<Closed<()>>(), 0);
    assert_eq!(size_of::<WaitError>(), 1);
    assert_eq!(size_of::<CapacityError>(), 1);
    assert!(size_of::<Result<(), OfferError<usize>>>() <= 2 * word);
}

// Handles move between threads if the items do. There is one drainer.
assert_impl_all!(Offerer<u8, InArray<u8>>: Send, Clone, Debug);
assert_impl_all!(Drainer<u8, InArray<u8>>: Send, Debug);
assert_impl_all!(FixedBasket<u8, Array<u8>>: Send, Sync, Debug);
assert_impl_all!(FixedBasket<Cell<u8>, Array<Cell<u8>>>: Send, Sync);
assert_not_impl_any!(Drainer<u8, InArray<u8>>: Clone, Copy);
assert_not_impl_any!(Offerer<Rc<u8>, InArray<Rc<u8>>>: Send, Sync);
assert_not_impl_any!(Drainer<Rc<u8>, InArray<Rc<u8>>>: Send, Sync);
assert_not_impl_any!(FixedBasket<Rc<u8>, Array<Rc<u8>>>: Send, Sync);
assert_not_impl_any!(Slot<Rc<u8>>: Sync, Send);

assert_impl_all!(OfferError<Rc<u8>>: Error, Debug, PartialEq, Clone);
assert_impl_all!(Closed<Rc<u8>>: Error, Debug, PartialEq, Clone);
assert_impl_all!(WaitError: Error, Send, Sync, Copy);
assert_impl_all!(CapacityError: Error, Send, Sync, Copy);
assert_impl_all!(Unweighed: Send, Sync);
assert_not_impl_any!(By<Rc<u8>>: Send, Sync);

/// An item that cannot be shown can be handed back.
struct Mute;
assert_impl_all!(OfferError<Mute>: Error, Debug);

#[cfg(feature = "alloc")]
mod on_the_heap {
    use super::{Cell, Debug, Drainer, Mute, Offerer, Rc, assert_impl_all, assert_not_impl_any};
    use std::future::Future;

    use reveille::basket::{Batch, Bounded, Offering, Ordered, SharedOfferer, Unbounded, Weighed};

    macro_rules! form {
        ($form:ty) => {
            assert_impl_all!(Offerer<Mute, $form>: Send, Clone, Debug);
            assert_impl_all!(Drainer<Mute, $form>: Send, Debug);
            assert_impl_all!(Offerer<Cell<u8>, $form>: Send);
            assert_impl_all!(Drainer<Cell<u8>, $form>: Send);
            assert_impl_all!(Batch<'static, u8, $form>: Send, Sync, Debug);
            // `peek` shares the item.
            assert_not_impl_any!(Batch<'static, Cell<u8>, $form>: Sync);
            assert_not_impl_any!(Batch<'static, Rc<u8>, $form>: Send, Sync);
            assert_not_impl_any!(Drainer<u8, $form>: Clone, Copy);
            assert_not_impl_any!(Offerer<Rc<u8>, $form>: Send, Sync);
            assert_not_impl_any!(Drainer<Rc<u8>, $form>: Send, Sync);
        };
    }
    form!(Unbounded);
    form!(Ordered);
    form!(Bounded);
    form!(Weighed);

    assert_impl_all!(SharedOfferer<Mute>: Send, Sync, Clone, Debug);
    assert_not_impl_any!(SharedOfferer<Rc<u8>>: Send, Sync);
    assert_impl_all!(Offering<'static, u8, Bounded>: Future, Send, Debug);
    assert_not_impl_any!(Offering<'static, u8, Bounded>: Unpin);
    assert_not_impl_any!(Offering<'static, Rc<u8>, Bounded>: Send);
    assert_not_impl_any!(Offering<'static, Cell<u8>, Bounded>: Sync);
}
