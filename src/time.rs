//! Points in time.

use core::time::Duration;

use crate::sys;

/// A point on the monotonic clock until which a call may wait.
///
/// All timed calls turn their timeout into one `Deadline` first and wait for that point however
/// often they are interrupted. On Linux the clock is `CLOCK_MONOTONIC`, the one behind
/// [`std::time::Instant`](https://doc.rust-lang.org/std/time/struct.Instant.html): it does not jump
/// and does not count the time that the machine is suspended.
///
/// # Cost
///
/// 8 bytes. [`now`](Self::now) and [`after`](Self::after) read the clock (about 25 ns through the
/// vDSO); comparing costs nothing.
///
/// # Examples
///
/// ```
/// use core::time::Duration;
/// use reveille::Deadline;
///
/// let soon = Deadline::after(Duration::from_millis(5));
/// assert!(!soon.has_passed());
/// assert!(soon < Deadline::NEVER);
/// assert_eq!(Deadline::after(Duration::MAX), Deadline::NEVER);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Deadline(u64);

impl Deadline {
    /// The start of the clock.
    pub(crate) const EPOCH: Self = Self(0);

    /// The deadline that never comes.
    pub const NEVER: Self = Self(u64::MAX);

    /// This moment: a deadline that has passed.
    #[must_use]
    pub fn now() -> Self {
        Self(sys::now())
    }

    /// The moment `timeout` from now; [`NEVER`](Self::NEVER) if the clock cannot count so far (more
    /// than 500 years).
    #[must_use]
    pub fn after(timeout: Duration) -> Self {
        Self::now().plus(timeout)
    }

    /// The moment `timeout` after this one.
    pub(crate) fn plus(self, timeout: Duration) -> Self {
        let nanos = u64::try_from(timeout.as_nanos()).unwrap_or(u64::MAX);
        Self(self.0.saturating_add(nanos))
    }

    /// The moment that `instant` names, never earlier than it.
    #[cfg(feature = "std")]
    #[must_use]
    pub fn from_instant(instant: std::time::Instant) -> Self {
        Self::after(instant.saturating_duration_since(std::time::Instant::now()))
    }

    /// Whether the clock has reached this point. Once `true` it stays so.
    #[must_use]
    pub fn has_passed(self) -> bool {
        sys::has_passed(self.nanos())
    }

    /// How long it is until then: zero if it has passed, [`Duration::MAX`] for
    /// [`NEVER`](Self::NEVER).
    #[must_use]
    pub fn remaining(self) -> Duration {
        match self.nanos() {
            Some(nanos) => Duration::from_nanos(nanos.saturating_sub(sys::now())),
            None => Duration::MAX,
        }
    }

    /// Nanoseconds on the backend's clock; `None` for never.
    pub(crate) fn nanos(self) -> Option<u64> {
        (self != Self::NEVER).then_some(self.0)
    }
}

#[cfg(feature = "std")]
impl From<std::time::Instant> for Deadline {
    fn from(instant: std::time::Instant) -> Self {
        Self::from_instant(instant)
    }
}
