#![doc = include_str!("../README.md")]
#![no_std]
#![warn(unreachable_pub)]
// Of the library alone: tests, examples and benches may use std and its atomics.
#![warn(clippy::disallowed_types, clippy::disallowed_methods, clippy::mem_forget)]
#![warn(clippy::std_instead_of_core, clippy::std_instead_of_alloc, clippy::alloc_instead_of_core)]

#[cfg(any(feature = "alloc", reveille_loom))]
extern crate alloc;
#[cfg(any(feature = "std", reveille_loom, test))]
extern crate std;

#[macro_use]
mod shim;
mod spin;
mod stripe;
mod sys;
mod time;
mod unwind;

pub mod basket;
pub mod bitset;
#[cfg(target_has_atomic = "64")]
pub mod counter;
#[cfg(feature = "merge")]
mod integrations;
#[cfg(feature = "alloc")]
pub mod oneshot;
pub mod parker;

#[cfg(feature = "alloc")]
pub use basket::Basket;
pub use bitset::AtomicBitSet;
#[cfg(target_has_atomic = "64")]
pub use counter::StripedCounter;
#[cfg(feature = "merge")]
pub use integrations::merge;
pub use parker::{ParkSlot, Parker, Unparker};
pub use spin::{Adaptive, Fixed, NoSpin, SpinPolicy};
pub use time::Deadline;

/// What only this platform's wait backend offers.
pub mod platform {
    pub use crate::sys::public::*;
}
