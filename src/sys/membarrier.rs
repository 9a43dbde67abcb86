//! An asymmetric fence: nearly free on the side that runs often, a system call on the other.
//!
//! `light()` and `heavy()` order memory against each other like two `fence(SeqCst)`: of two threads
//! that each write, fence and read the other's word, at least one sees the other's write. `light`
//! stops only the compiler; `heavy` makes the kernel run a full barrier on every CPU that runs a
//! thread of this process (`membarrier(2)`, private expedited), somewhere between its start and end.
//!
//! The kernel may lack the call or a seccomp filter may forbid it: then [`available`] says so, and
//! both sides must use `fence(SeqCst)`.
#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "process-wide facts about the kernel"
)]

use core::sync::atomic::{AtomicU32, Ordering, compiler_fence, fence};

use rustix::thread::{MembarrierCommand, membarrier};

const UNKNOWN: u32 = 0;
const REGISTERED: u32 = 1;
const MISSING: u32 = 2;

static STATE: AtomicU32 = AtomicU32::new(UNKNOWN);

/// Whether `heavy` works in this process. Registers the process on the first call.
pub(crate) fn available() -> bool {
    // ORDERING(sys.membarrier): Relaxed — the answer stands for itself; pairs with the store below.
    match STATE.load(Ordering::Relaxed) {
        UNKNOWN => {
            let works = register_and_try();
            let state = if works { REGISTERED } else { MISSING };
            // ORDERING(sys.membarrier): Relaxed — racing threads find the same answer.
            STATE.store(state, Ordering::Relaxed);
            works
        }
        state => state == REGISTERED,
    }
}

fn register_and_try() -> bool {
    membarrier(MembarrierCommand::RegisterPrivateExpedited).is_ok()
        && membarrier(MembarrierCommand::PrivateExpedited).is_ok()
}

/// The side that runs often. Only a pair with a `heavy` that returned `true`.
#[inline(always)]
pub(crate) fn light() {
    // ORDERING(sys.membarrier): SeqCst, for the compiler only — the other side makes the CPU's; pairs
    // with (sys.membarrier) in heavy().
    compiler_fence(Ordering::SeqCst);
}

/// The rare side. `false` when the kernel refused: a process that was forked or confined since, and
/// no registration helped.
#[must_use]
pub(crate) fn heavy() -> bool {
    let made = membarrier(MembarrierCommand::PrivateExpedited).is_ok() || register_and_try();
    // ORDERING(sys.membarrier): SeqCst fence — the call is a full barrier on this CPU, too, of which the
    // language knows nothing; pairs with light().
    fence(Ordering::SeqCst);
    made
}
