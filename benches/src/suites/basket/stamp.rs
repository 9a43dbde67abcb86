//! Items that say when they were offered.

use core::time::Duration;
use std::time::Instant;

/// A clock that all threads of a turn share.
#[derive(Clone, Copy)]
pub(super) struct Clock(Instant);

impl Clock {
    pub(super) fn start() -> Self {
        Self(Instant::now())
    }

    /// Nanoseconds since its start.
    #[inline]
    pub(super) fn now(self) -> u64 {
        self.0.elapsed().as_nanos() as u64
    }

    /// How long ago that was.
    #[inline]
    pub(super) fn since(self, stamp: u64) -> Duration {
        Duration::from_nanos(self.now().saturating_sub(stamp))
    }
}
