//! The forms of a basket, which type its handles.

use core::marker::PhantomData;

use super::queue;
use super::queue::slab::Storage;

/// A form of basket: [`Unbounded`], [`Ordered`], [`Bounded`], [`Weighed`] or
/// [`Fixed`]. Sealed.
pub trait Form<T>: sealed::Sealed<T> {}

/// A form with a limit, whose offerers can wait for room. Sealed.
pub trait BoundedForm<T>: Form<T> + sealed::Sealed<T, Queue: queue::Bounded<T>> {}

/// Without a limit: see [`Basket::unbounded`](super::Basket::unbounded).
#[cfg(feature = "alloc")]
#[derive(Debug)]
pub enum Unbounded {}

/// Without a limit, in one order for all: see [`Basket::ordered`](super::Basket::ordered).
#[cfg(feature = "alloc")]
#[derive(Debug)]
pub enum Ordered {}

/// At most so many items: see [`Basket::bounded`](super::Basket::bounded).
#[cfg(feature = "alloc")]
#[derive(Debug)]
pub enum Bounded {}

/// At most so much weight: see [`Basket::weighed`](super::Basket::weighed).
#[cfg(feature = "alloc")]
#[derive(Debug)]
pub enum Weighed {}

/// A fixed number of slots in the caller's storage, borrowed for `'a`: see
/// [`FixedBasket`](super::FixedBasket).
#[derive(Debug)]
pub struct Fixed<'a, S>(core::convert::Infallible, PhantomData<&'a S>);

#[cfg(feature = "alloc")]
impl<T> Form<T> for Unbounded {}
#[cfg(feature = "alloc")]
impl<T> Form<T> for Ordered {}
#[cfg(feature = "alloc")]
impl<T> Form<T> for Bounded {}
#[cfg(feature = "alloc")]
impl<T> BoundedForm<T> for Bounded {}
#[cfg(feature = "alloc")]
impl<T> Form<T> for Weighed {}
#[cfg(feature = "alloc")]
impl<T> BoundedForm<T> for Weighed {}
impl<'a, T: 'a, S: Storage<T> + 'a> Form<T> for Fixed<'a, S> {}
impl<'a, T: 'a, S: Storage<T> + 'a> BoundedForm<T> for Fixed<'a, S> {}

pub(super) mod sealed {
    use core::ops::Deref;

    use super::super::queue::Queue;
    use super::super::queue::slab::Slab;
    use super::super::shared::Shared;
    use super::{Fixed, Storage};

    pub trait Sealed<T> {
        #[doc(hidden)]
        type Queue: Queue<T>;
        #[doc(hidden)]
        type Handle: Clone + Deref<Target = Shared<Self::Queue>>;
    }

    impl<'a, T: 'a, S: Storage<T> + 'a> Sealed<T> for Fixed<'a, S> {
        type Queue = Slab<T, S>;
        type Handle = &'a Shared<Self::Queue>;
    }

    #[cfg(feature = "alloc")]
    mod heap {
        use super::super::super::queue::lanes::Lanes;
        use super::super::super::queue::limited::Limited;
        use super::super::super::queue::limited::weight::Each;
        use super::super::super::queue::ordered::List;
        use super::super::{Bounded, Ordered, Unbounded, Weighed};
        use super::{Sealed, Shared};
        use crate::shim::Arc;

        impl<T> Sealed<T> for Unbounded {
            type Queue = Lanes<T>;
            type Handle = Arc<Shared<Self::Queue>>;
        }

        impl<T> Sealed<T> for Ordered {
            type Queue = List<T>;
            type Handle = Arc<Shared<Self::Queue>>;
        }

        impl<T> Sealed<T> for Bounded {
            type Queue = Limited<Lanes<T>, Each>;
            type Handle = Arc<Shared<Self::Queue>>;
        }

        impl<T> Sealed<T> for Weighed {
            type Queue = Limited<Lanes<T>, fn(&T) -> usize>;
            type Handle = Arc<Shared<Self::Queue>>;
        }
    }
}
