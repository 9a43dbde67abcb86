//! A token that one thread sleeps for and anyone may give.
//!
//! A [`ParkSlot`] is one 32-bit word. Its owner, a [`Parker`], waits for a token; any
//! [`Unparker`] makes the token available. There is at most one token: unparking twice before the
//! owner looks is the same as unparking once, and a token given before the owner parks makes that
//! park return at once. Unlike `std::thread::park`, the token belongs to the slot, not to the
//! thread, so nothing else that parks on the same thread can consume it, and no park returns without
//! a token or a passed deadline.
//!
//! # Which form
//!
//! | you have | owner | waking side | size |
//! |---|---|---|---|
//! | nothing yet, and an allocator | [`Parker::new`] | [`Parker::unparker`] | 8 + 8 bytes, one allocation |
//! | a slot on the stack or in a struct, exclusively | [`ParkSlot::split`] | the other half | 4 bytes |
//! | a `static` | [`ClaimSlot`] and [`Parker::claim`] | [`Unparker::of`] | 8 bytes |
//! | your own `Arc<Worker>` | [`HasParkSlot`] and [`Parker::claim`] | [`Unparker::of`] | 8 bytes in the worker |
//! | memory shared between processes | `ParkSlot<Shared>` | `ParkSlot<Shared>` | 4 bytes |
//!
//! # Ordering
//!
//! Everything that happens before an unpark happens before the return of the park that consumes the
//! token, for *every* unpark since the last token was consumed, not only the one that woke the
//! thread. Nothing is promised in the other direction.
//!
//! # What holds where
//!
//! | | futex (Linux) | std fallback | no OS |
//! |---|---|---|---|
//! | unpark without a sleeper makes no system call, takes no lock | yes | yes | yes |
//! | unpark of a sleeper is async-signal-safe, keeps `errno` | yes | no (a lock) | as the backend |
//! | usable in a forked child | yes | if no other thread held a lock | – |
//! | no allocation in park and unpark | yes | std's locks may, once each | yes |
//! | process-shared slot | yes | no | no |
//! | waiting costs no CPU | yes | yes | as the backend; spins without one |
//!
//! # Source
//!
//! The three-state futex parker of Rust's standard library; folly's `Baton` for spinning before
//! sleep. The deferred and the external state are ours. State table and proof: `slot.rs`,
//! `docs/proofs/parker.md`.

mod deferred;
mod external;
mod halves;
mod hold;
#[cfg(feature = "std")]
mod latency;
mod lock;
mod slot;
mod state;
mod wait_list;
mod waker;
mod waker_cell;

pub use crate::sys::scope::{Private, Scope};
pub use deferred::{PendingWake, WakeBatch};
pub use external::ExternalWait;
pub use halves::{ClaimError, Parker, Unparker};
pub use hold::{ClaimSlot, HasParkSlot, Hold};
#[cfg(feature = "std")]
pub use latency::wake_latency;
pub use slot::ParkSlot;
pub use state::{Parked, Unpark};

// What the primitives above build on.
pub(crate) use wait_list::{Served, TaskWaiter, WaitList};
pub(crate) use waker_cell::WakerCell;
