//! `core::task::Waker` over a hold: waking is an unpark.

use core::task::{RawWaker, RawWakerVTable, Waker};

use super::halves::Unparker;
use super::hold::HasParkSlot;
use super::hold::sealed::IntoWaker;

/// The vtables of one type of value. Each comes out of one function that is not inlined: a constant
/// that is named in several places may stand at several addresses, and then `will_wake` tells wakers
/// of one owner apart.
struct Tables<T>(core::marker::PhantomData<T>);

impl<T: HasParkSlot> Tables<T> {
    #[inline(never)]
    fn of_static() -> &'static RawWakerVTable {
        &RawWakerVTable::new(
            |data| RawWaker::new(data, Self::of_static()),
            |data| Self::wake_static(data),
            |data| Self::wake_static(data),
            |_| {},
        )
    }

    fn wake_static(data: *const ()) {
        // SAFETY: into_waker() below made it from a `&'static T`.
        let value: &'static T = unsafe { &*data.cast::<T>() };
        Unparker::of(value).unpark();
    }
}

impl<T: HasParkSlot> IntoWaker for &'static T {
    fn into_waker(self) -> Waker {
        let data = core::ptr::from_ref(self).cast();
        // SAFETY: the functions are safe for any thread at any time, since the value is `Sync`,
        // lives for ever, and neither clone nor drop does anything.
        unsafe { Waker::from_raw(RawWaker::new(data, Tables::<T>::of_static())) }
    }
}

#[cfg(feature = "alloc")]
mod shared {
    use alloc::sync::Arc;
    use core::mem::ManuallyDrop;

    use super::{HasParkSlot, IntoWaker, RawWaker, RawWakerVTable, Tables, Unparker, Waker};

    impl<T: HasParkSlot> Tables<T> {
        #[inline(never)]
        fn of_arc() -> &'static RawWakerVTable {
            &RawWakerVTable::new(
                |data| {
                    // SAFETY: `data` is a count that the waker being cloned holds.
                    unsafe { Arc::increment_strong_count(data.cast::<T>()) };
                    RawWaker::new(data, Self::of_arc())
                },
                |data| {
                    // SAFETY: the waker gives its count away by waking.
                    Unparker::of(unsafe { Arc::from_raw(data.cast::<T>()) }).unpark();
                },
                |data| {
                    // SAFETY: the waker keeps its count: this borrow of it is not dropped.
                    let hold = unsafe { Arc::from_raw(data.cast::<T>()) };
                    ManuallyDrop::new(Unparker::of(hold)).unpark();
                },
                |data| {
                    // SAFETY: the waker's own count.
                    drop(unsafe { Arc::from_raw(data.cast::<T>()) });
                },
            )
        }
    }

    impl<T: HasParkSlot> IntoWaker for Arc<T> {
        fn into_waker(self) -> Waker {
            let data = Arc::into_raw(self).cast();
            // SAFETY: the functions keep the count of a `Send + Sync` value.
            unsafe { Waker::from_raw(RawWaker::new(data, Tables::<T>::of_arc())) }
        }
    }
}
