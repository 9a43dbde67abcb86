//! The parker from outside: what its contract promises, in every embedding and under bad conditions.
//!
//! Tests named `c01_…` to `c07_…` are faults that users of comparable systems reported.

#[path = "../support/mod.rs"]
mod support;

mod deadline;
mod deferred;
mod embedding;
mod external;
mod handshake;
mod spin;
mod states;
mod teardown;
mod timeout;
mod token;
mod unwind;
#[cfg(feature = "alloc")]
mod waker;

#[cfg(all(target_os = "linux", not(miri)))]
mod epoll;
#[cfg(all(target_os = "linux", not(miri)))]
mod errno;
#[cfg(all(target_os = "linux", not(miri)))]
mod forked;
#[cfg(target_os = "linux")]
mod idle;
#[cfg(all(target_os = "linux", not(miri)))]
mod shared;
#[cfg(all(target_os = "linux", not(miri)))]
mod signals;
#[cfg(not(miri))]
mod thread_locals;
