//! The only door to atomics, cells, fences, spin hints and shared ownership.
//!
//! Everything that another thread may touch goes through here, so that the model checker sees it
//! all. `real.rs` re-exports `core`; `model.rs` re-exports loom. No other module tests the model
//! cfg (but `sys/mod.rs`, which picks the wait backend).

/// Defines a constructor that is `const` in a normal build. loom's atomics have none.
#[cfg(not(reveille_loom))]
macro_rules! const_fn {
    ($(#[$meta:meta])* $vis:vis const fn $($rest:tt)*) => { $(#[$meta])* $vis const fn $($rest)* };
}
/// Defines a constructor that is `const` in a normal build. loom's atomics have none.
#[cfg(reveille_loom)]
macro_rules! const_fn {
    ($(#[$meta:meta])* $vis:vis const fn $($rest:tt)*) => { $(#[$meta])* $vis fn $($rest)* };
}

/// An array of values that are each made anew: `array![value; count]`, `const` in a normal build.
#[cfg(all(not(reveille_loom), target_has_atomic = "64"))]
macro_rules! array {
    ($value:expr; $count:expr) => {
        [const { $value }; $count]
    };
}
/// An array of values that are each made anew: `array![value; count]`, `const` in a normal build.
#[cfg(reveille_loom)]
macro_rules! array {
    ($value:expr; $count:expr) => {
        core::array::from_fn::<_, { $count }, _>(|_| $value)
    };
}

/// Defines a static. A model makes it anew for each execution.
#[cfg(all(not(reveille_loom), feature = "std"))]
macro_rules! global {
    ($(#[$meta:meta])* static $name:ident: $type:ty = $value:expr;) => {
        $(#[$meta])* static $name: $type = $value;
    };
}
/// Defines a static. A model makes it anew for each execution.
#[cfg(all(reveille_loom, feature = "std"))]
macro_rules! global {
    ($(#[$meta:meta])* static $name:ident: $type:ty = $value:expr;) => {
        loom::lazy_static! { $(#[$meta])* static ref $name: $type = $value; }
    };
}

#[cfg_attr(not(reveille_loom), path = "real.rs")]
#[cfg_attr(reveille_loom, path = "model.rs")]
mod imp;

pub(crate) use imp::*;

/// Bytes of a full-sized chunk of items. In a model so few that one or two larger items fill it.
#[cfg(feature = "alloc")]
pub(crate) const CHUNK_BYTES: usize = if cfg!(reveille_loom) { 256 } else { 4096 };

/// More items than this without a sleep of the drainer are worth its system call, and so are as many looks
/// into quiet lanes. Few in a model.
#[cfg(feature = "alloc")]
pub(crate) const WORTH_A_CALL: usize = if cfg!(reveille_loom) { 2 } else { 512 };

/// So many sleeps of a drainer in a row that were not worth its system call, and offers make fences.
#[cfg(feature = "alloc")]
pub(crate) const POOR_SLEEPS: u32 = if cfg!(reveille_loom) { 4 } else { 16 };

/// Whether offers make fences until the drainer has seen so many. The models begin without them, which is
/// the harder case.
#[cfg(feature = "alloc")]
pub(crate) const FENCES_AT_FIRST: bool = !cfg!(reveille_loom);

/// A plain value that threads hand to each other: whoever has it reads and writes it, and the model
/// checks that they take turns.
pub(crate) struct Passed<T>(UnsafeCell<T>);

impl<T: Copy> Passed<T> {
    const_fn! {
        pub(crate) const fn new(value: T) -> Self {
            Self(UnsafeCell::new(value))
        }
    }

    /// # Safety
    ///
    /// Nobody writes it meanwhile.
    #[inline(always)]
    pub(crate) unsafe fn get(&self) -> T {
        // SAFETY: by contract.
        self.0.with(|value| unsafe { *value })
    }

    /// # Safety
    ///
    /// Nobody else uses it meanwhile.
    #[inline(always)]
    pub(crate) unsafe fn set(&self, value: T) {
        // SAFETY: by contract.
        self.0.with_mut(|place| unsafe { *place = value });
    }
}
