//! The operating system: waiting on a word, waking by address, a clock, and how many CPUs there are.
//!
//! # Contract of a backend
//!
//! * `Word` is a 32-bit atomic (transparent over `AtomicU32` outside the model).
//! * `wait::<S>(word, expected, until)` blocks while `*word == expected`. It compares and goes to
//!   sleep as one step with respect to `wake` on the same address: a `wake` that follows a change of
//!   the word finds either the sleeper or a compare that fails. It may return at any time for no
//!   reason. It gives no memory ordering. It returns `TimedOut` only when the clock has reached
//!   `until`, and never without one.
//! * `wake::<S>(word, count)` wakes up to `count` threads that sleep on that address. It uses the
//!   pointer as an address only, so the word may be gone; `errno` is as before when it returns.
//! * `now()` is a monotonic clock in nanoseconds; `Deadline` values count on it.
//! * The scope `S` says whether other processes take part; a backend that cannot do that does not offer
//!   `Shared` in its `public`.
//! * `several_cpus()`: whether a waker may run while this thread spins, as far as is known. Not cheap
//!   where the answer is no.
//! * None of them panics, allocates (the std fallback may, inside what it uses of std) or uses a
//!   thread-local with a destructor.
//! * `barrier` is an asymmetric fence: see its module.
//! * `rseq` adds to a cell of the CPU that it runs on, by restartable sequences (`rseq(2)`): a few plain
//!   instructions of which the kernel promises that they ran without interruption to the last, which is
//!   the one that writes, or not to there. Where the system has none, `Rseq::find` says so. It looks
//!   at nothing but the two oldest fields that the kernel documents, and registers nothing itself.
//! * `public` holds what only this backend offers to users; `reveille::platform` re-exports it.
//!
//! `RUSTFLAGS='--cfg reveille_backend="fallback"'` (or `"bare"`) forces a backend, so that every one
//! of them can be tested on Linux.

#[cfg_attr(reveille_loom, path = "model.rs")]
#[cfg_attr(
    all(
        not(reveille_loom),
        target_os = "linux",
        not(any(reveille_backend = "fallback", reveille_backend = "bare"))
    ),
    path = "linux.rs"
)]
#[cfg_attr(
    all(
        not(reveille_loom),
        feature = "std",
        not(reveille_backend = "bare"),
        any(not(target_os = "linux"), reveille_backend = "fallback")
    ),
    path = "fallback.rs"
)]
#[cfg_attr(
    all(
        not(reveille_loom),
        any(not(feature = "std"), reveille_backend = "bare"),
        any(not(target_os = "linux"), reveille_backend = "fallback", reveille_backend = "bare")
    ),
    path = "bare.rs"
)]
mod imp;
#[cfg(feature = "rseq")]
#[cfg_attr(
    all(
        not(reveille_loom),
        not(miri),
        not(any(reveille_backend = "fallback", reveille_backend = "bare")),
        target_os = "linux",
        target_env = "gnu",
        target_pointer_width = "64",
        target_endian = "little",
        not(target_feature = "crt-static")
    ),
    cfg_attr(target_arch = "x86_64", path = "rseq/x86_64.rs"),
    cfg_attr(target_arch = "aarch64", path = "rseq/aarch64.rs"),
    cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), path = "rseq/none.rs")
)]
#[cfg_attr(
    not(all(
        not(reveille_loom),
        not(miri),
        not(any(reveille_backend = "fallback", reveille_backend = "bare")),
        target_os = "linux",
        target_env = "gnu",
        target_pointer_width = "64",
        target_endian = "little",
        not(target_feature = "crt-static")
    )),
    path = "rseq/none.rs"
)]
pub(crate) mod rseq;
pub(crate) mod scope;

#[cfg(feature = "alloc")]
pub(crate) use imp::barrier;
pub(crate) use imp::{Word, now, public, several_cpus, wait, wake};

/// Where a count is: a cell for each CPU, and one for what cannot be added there.
#[cfg(feature = "rseq")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cells {
    /// The cell of CPU 0.
    pub(crate) by_cpu: *mut u64,
    /// From one CPU's cell to the next one's, in bytes.
    pub(crate) stride: usize,
    pub(crate) cpus: u32,
    /// Changed by read-modify-writes.
    pub(crate) shared: *mut u64,
}

/// Whether the clock has reached the deadline.
pub(crate) fn has_passed(until: Option<u64>) -> bool {
    until.is_some_and(|deadline| now() >= deadline)
}

/// Why `wait` returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// Woken, interrupted, the word had another value, or no reason at all.
    Returned,
    /// The clock reached the deadline.
    TimedOut,
}
