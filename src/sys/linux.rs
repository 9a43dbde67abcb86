//! Linux: `futex(2)`, `CLOCK_MONOTONIC`, `membarrier(2)`.
//!
//! Waiting goes through rustix (it holds a reference, so the word is alive; one absolute deadline,
//! 64-bit time on 32-bit systems too; `errno` untouched). Waking goes through `libc::syscall`,
//! because the word may be unmapped by then and rustix asks for a reference.
#![expect(clippy::disallowed_types, reason = "the word is the kernel's: a plain AtomicU32")]

use core::num::NonZeroU32;
use core::sync::atomic::{AtomicU32, Ordering};

use rustix::io::Errno;
use rustix::thread::futex::{Flags, Timespec, wait_bitset};
use rustix::time::{ClockId, clock_gettime};

use super::scope::Scope;
use super::{Wait, has_passed};

#[cfg(feature = "alloc")]
#[path = "membarrier.rs"]
pub(crate) mod barrier;

pub(crate) type Word = AtomicU32;

/// Wake-ups of any channel: we use no bitset, only the absolute deadline that comes with this call.
const ANY: NonZeroU32 = NonZeroU32::MAX;

pub(crate) fn wait<S: Scope>(word: &Word, expected: u32, until: Option<u64>) -> Wait {
    let flags = if S::PRIVATE { Flags::PRIVATE } else { Flags::empty() };
    let limit = until.map(timespec);
    match wait_bitset(word, flags, expected, limit.as_ref(), ANY) {
        Ok(()) => Wait::Returned,
        // EINTR comes back even under SA_RESTART once there is a deadline; the caller looks again.
        Err(Errno::AGAIN | Errno::INTR) if !has_passed(until) => Wait::Returned,
        Err(Errno::TIMEDOUT) if has_passed(until) => Wait::TimedOut,
        Err(_) => no_futex(until),
    }
}

/// The kernel refuses to wait (no futex, a seccomp filter): give the CPU away and look again. Slow,
/// but no deadline is missed, nothing panics, and a token is still seen.
#[cold]
fn no_futex(until: Option<u64>) -> Wait {
    if has_passed(until) {
        return Wait::TimedOut;
    }
    rustix::thread::sched_yield();
    Wait::Returned
}

fn timespec(nanos: u64) -> Timespec {
    const NANOS_PER_SEC: u64 = 1_000_000_000;
    Timespec { tv_sec: (nanos / NANOS_PER_SEC) as _, tv_nsec: (nanos % NANOS_PER_SEC) as _ }
}

pub(crate) fn wake<S: Scope>(word: *const Word, count: u32) {
    let private = if S::PRIVATE { libc::FUTEX_PRIVATE_FLAG } else { 0 };
    let operation = libc::FUTEX_WAKE | private;
    // The kernel takes the count as signed and wakes one for a negative number.
    let count = count.min(i32::MAX as u32);
    let saved = errno();
    // SAFETY: FUTEX_WAKE only uses the address to find sleepers; a stale one is answered with 0,
    // EFAULT or EINVAL, none of which matters to us.
    unsafe {
        libc::syscall(libc::SYS_futex, word.cast_mut().cast::<u32>(), operation, count);
    }
    set_errno(saved);
}

fn errno() -> libc::c_int {
    // SAFETY: the call has no preconditions.
    let place = unsafe { libc::__errno_location() };
    // SAFETY: it points to this thread's errno.
    unsafe { *place }
}

fn set_errno(value: libc::c_int) {
    // SAFETY: the call has no preconditions.
    let place = unsafe { libc::__errno_location() };
    // SAFETY: it points to this thread's errno.
    unsafe { *place = value };
}

pub(crate) fn now() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    (time.tv_sec as u64).saturating_mul(1_000_000_000).saturating_add(time.tv_nsec as u64)
}

pub(crate) fn several_cpus() -> bool {
    /// No thread has asked.
    const NONE: u32 = 0;
    /// Threads may run on different CPUs.
    const SEVERAL: u32 = u32::MAX;
    /// `NONE`, `SEVERAL`, or 1 + the only CPU that the threads which asked may run on.
    static SEEN: AtomicU32 = AtomicU32::new(NONE);

    let note = |thread: i32| {
        let Ok(set) = rustix::thread::sched_getaffinity(rustix::thread::Pid::from_raw(thread))
        else {
            return;
        };
        let seen = match (0..rustix::thread::CpuSet::MAX_CPU).find(|&cpu| set.is_set(cpu)) {
            Some(cpu) if set.count() == 1 => cpu as u32 + 1,
            _ => SEVERAL,
        };
        // ORDERING(sys.cpus): Relaxed — the number stands for itself; pairs with the load below.
        let before = SEEN
            .compare_exchange(NONE, seen, Ordering::Relaxed, Ordering::Relaxed)
            .unwrap_or_else(|old| old);
        if before != NONE && before != seen {
            // ORDERING(sys.cpus): Relaxed — as above.
            SEEN.store(SEVERAL, Ordering::Relaxed);
        }
    };
    // ORDERING(sys.cpus): Relaxed — the number stands for itself; pairs with the stores in note.
    if SEEN.load(Ordering::Relaxed) != SEVERAL {
        // A pinned thread may be woken from another CPU: ask for the process's first thread, too, and
        // remember what earlier askers were pinned to.
        note(0);
        // SAFETY: the call has no preconditions.
        note(unsafe { libc::getpid() });
    }
    // ORDERING(sys.cpus): Relaxed — as above.
    SEEN.load(Ordering::Relaxed) == SEVERAL
}

pub(crate) mod public {
    /// The wait backend in use, by name.
    pub const BACKEND: &str = "futex";

    pub use super::super::scope::Shared;
}
