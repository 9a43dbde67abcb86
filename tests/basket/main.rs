//! The basket from outside: what its contract promises, in every form and under bad conditions.
//!
//! Tests named `c08_…` to `c15_…` are faults that users of comparable systems reported.

#[path = "../support/mod.rs"]
mod support;

#[cfg(feature = "alloc")]
#[macro_use]
mod forms;

#[cfg(feature = "alloc")]
mod allocation;
#[cfg(feature = "alloc")]
mod batch;
#[cfg(feature = "alloc")]
mod blocking;
#[cfg(feature = "alloc")]
mod close;
#[cfg(feature = "alloc")]
mod drops;
#[cfg(feature = "alloc")]
mod len;
#[cfg(feature = "alloc")]
mod limits;
#[cfg(feature = "alloc")]
mod offer;
#[cfg(feature = "alloc")]
mod offer_all;
#[cfg(feature = "alloc")]
mod order;
#[cfg(feature = "alloc")]
mod panics;
#[cfg(feature = "alloc")]
mod states;
mod statics;
mod storage;
#[cfg(feature = "alloc")]
mod tasks;
#[cfg(feature = "alloc")]
mod wait;
#[cfg(feature = "alloc")]
mod weight;

#[cfg(all(feature = "alloc", target_os = "linux", not(miri)))]
mod forked;
#[cfg(all(feature = "alloc", target_os = "linux", not(miri)))]
mod idle;
#[cfg(all(feature = "alloc", target_os = "linux", not(miri)))]
mod stopped;
