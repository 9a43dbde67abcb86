//! What the tests share. Every test binary uses a part of it.
#![allow(dead_code, unused_imports)]

#[cfg(feature = "alloc")]
pub(crate) mod block_on;
#[cfg(target_os = "linux")]
pub(crate) mod cpu;
pub(crate) mod forget;
#[cfg(target_os = "linux")]
pub(crate) mod fork;
pub(crate) mod race;
pub(crate) mod random;
pub(crate) mod rounds;
#[cfg(target_os = "linux")]
pub(crate) mod seccomp;
#[cfg(target_os = "linux")]
pub(crate) mod signal;
pub(crate) mod tracked;
pub(crate) mod waker;
pub(crate) mod watchdog;

pub(crate) use forget::forget;
pub(crate) use race::{Dial, StartLine, Stop, eventually, spin_for};
pub(crate) use random::Random;
pub(crate) use rounds::{rounds, scaled};
pub(crate) use tracked::{Ledger, Tracked};
pub(crate) use waker::CountingWaker;
pub(crate) use watchdog::watch;
