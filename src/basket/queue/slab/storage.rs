//! Where a bounded basket's slots are.

use super::slot::Slot;

/// Slots for a bounded basket: `[Slot<T>; N]`, `&mut [Slot<T>]`, or (with `alloc`) `Box<[Slot<T>]>`.
/// Sealed.
pub trait Storage<T>: sealed::Sealed<T> {}

impl<T, const N: usize> Storage<T> for [Slot<T>; N] {}
impl<T> Storage<T> for &mut [Slot<T>] {}
#[cfg(feature = "alloc")]
impl<T> Storage<T> for alloc::boxed::Box<[Slot<T>]> {}

mod sealed {
    use super::Slot;

    pub trait Sealed<T> {
        #[doc(hidden)]
        fn slots(&self) -> &[Slot<T>];
    }

    impl<T, const N: usize> Sealed<T> for [Slot<T>; N] {
        fn slots(&self) -> &[Slot<T>] {
            self
        }
    }

    impl<T> Sealed<T> for &mut [Slot<T>] {
        fn slots(&self) -> &[Slot<T>] {
            self
        }
    }

    #[cfg(feature = "alloc")]
    impl<T> Sealed<T> for alloc::boxed::Box<[Slot<T>]> {
        fn slots(&self) -> &[Slot<T>] {
            self
        }
    }
}
