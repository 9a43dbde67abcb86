//! How long a thread looks for what it waits for before it sleeps.
//!
//! Sleeping and being woken on another CPU costs tens of microseconds; a wake-up that arrives sooner
//! is cheaper to catch awake. But on a CPU shared with the waker, or when the wake is far off, every
//! turn of the loop is a loss. So spinning is bounded, is a policy, and the default one learns.

mod adaptive;
mod backoff;

pub use adaptive::Adaptive;
pub(crate) use backoff::Backoff;

use crate::shim;
use crate::time::Deadline;

/// Decides how long to look before sleeping.
///
/// The owner of a [`Parker`](crate::Parker) or [`Drainer`](crate::basket::Drainer) holds its policy,
/// so an implementation may learn without atomics.
pub trait SpinPolicy {
    /// Calls `ready` until it answers `true`, or until the policy gives up or `until` has passed.
    ///
    /// Returns the last answer. `ready` is one relaxed load. The caller has looked before and will
    /// look again after, so returning `false` at once is always right.
    fn spin(&mut self, until: Deadline, ready: impl FnMut() -> bool) -> bool;
}

/// Sleeps at once: for battery-bound, real-time and oversubscribed threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoSpin;

impl SpinPolicy for NoSpin {
    #[inline(always)]
    fn spin(&mut self, _until: Deadline, _ready: impl FnMut() -> bool) -> bool {
        false
    }
}

/// Looks this many times, whatever happened before: for threads that own their CPU.
///
/// One turn is one `core::hint::spin_loop`, between 3 and 45 ns depending on the CPU. The clock is
/// not read, so a timed wait may overshoot by the length of the loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fixed(
    /// The number of turns.
    pub u32,
);

impl SpinPolicy for Fixed {
    #[inline]
    fn spin(&mut self, _until: Deadline, mut ready: impl FnMut() -> bool) -> bool {
        for _ in 0..shim::spin_probes(self.0) {
            shim::spin_loop();
            if ready() {
                return true;
            }
        }
        false
    }
}
