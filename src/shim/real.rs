//! The facade in a normal build: `core`, at no cost.
#![expect(
    clippy::disallowed_types,
    reason = "this module is the facade over these types"
)]

pub(crate) mod atomic {
    pub(crate) use core::sync::atomic::{
        AtomicBool, AtomicPtr, AtomicU32, AtomicUsize, Ordering, compiler_fence, fence,
    };
}

#[cfg(feature = "alloc")]
pub(crate) use alloc::sync::Arc;

/// How many probes of a spin loop are worth making: as many as the policy asks for.
#[inline(always)]
pub(crate) fn spin_probes(wanted: u32) -> u32 {
    wanted
}

/// One polite turn of a spin loop.
#[inline(always)]
pub(crate) fn spin_loop() {
    core::hint::spin_loop();
}

/// A cell whose contents other threads reach; every access names itself as shared or exclusive.
#[repr(transparent)]
pub(crate) struct UnsafeCell<T>(core::cell::UnsafeCell<T>);

impl<T> UnsafeCell<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self(core::cell::UnsafeCell::new(value))
    }

    /// A look at the contents that other looks may overlap.
    #[inline(always)]
    pub(crate) fn with<R>(&self, f: impl FnOnce(*const T) -> R) -> R {
        f(self.0.get())
    }

    /// An access that must be alone.
    #[inline(always)]
    pub(crate) fn with_mut<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
        f(self.0.get())
    }
}

/// Raw memory, which the model tracks.
#[cfg(feature = "alloc")]
pub(crate) mod memory {
    pub(crate) use alloc::alloc::{alloc, dealloc};
}
