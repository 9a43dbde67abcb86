//! How long a thread looks for what it waits for before it sleeps.
//!
//! Sleeping and being woken on another CPU costs tens of microseconds; a wake-up that arrives sooner
//! is cheaper to catch awake. But on a CPU shared with the waker, or when the wake is far off, every
//! turn of the loop is a loss. So spinning is bounded, is a policy, and the default one learns.

use core::time::Duration;

use crate::shim;
use crate::sys;
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

/// Leaves a contended word alone for a moment, longer each time: whoever has it then makes several
/// changes in a row instead of passing its cache line to and fro for each.
pub(crate) struct Backoff(u32);

impl Backoff {
    /// Turns of the longest pause.
    const LONGEST: u32 = 32;

    pub(crate) const fn new() -> Self {
        Self(1)
    }

    #[cold]
    pub(crate) fn pause(&mut self) {
        for _ in 0..shim::spin_probes(self.0) {
            shim::spin_loop();
        }
        self.0 = (self.0 * 2).min(Self::LONGEST);
    }
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

/// Learns whether spinning pays, and how long: the default.
///
/// # Semantics
///
/// A wait that spinning caught sets the length of the next spins: four times the average catch, and
/// some microseconds at least, so that a hiccup on the other side does not put both to sleep. After
/// three misses in a row the policy sleeps at once for the next 8 waits, then tries one full-length
/// spin; each further miss doubles the pause between tries, up to 4096 waits. A catch forgets the
/// misses. A full-length spin takes at most [`cap`](Self::with_cap): about the time that a sleep and
/// a wake-up take, so that a wrong guess costs at most twice what the right one would have. The cap
/// must not be shorter than that: two threads that answer each other, once both asleep, would each
/// give up just before the other's answer, for ever.
///
/// Where the process may use one CPU only, it does not spin (and asks again after 4096 waits).
///
/// # Cost
///
/// 16 bytes. The clock is read once in 64 turns, not at all in a spin shorter than that.
///
/// # Source
///
/// Adaptive spinning as in HotSpot's monitors (duration learnt per object, capped by a context
/// switch, never an absorbing zero); the doubling pause is ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Adaptive {
    /// Turns that a catch needed, averaged; `UNKNOWN` before the first.
    catch: u32,
    /// The longest spin in nanoseconds.
    cap: u32,
    /// Waits to sleep through before the next try.
    pause: u16,
    /// The pause to take after the next miss.
    next_pause: u16,
    /// Misses in a row, up to `PATIENCE`.
    misses: u8,
}

/// Turns between two looks at the clock.
const STRIDE: u32 = 64;
/// Misses in a row after which the policy pauses.
const PATIENCE: u8 = 3;
const FIRST_PAUSE: u16 = 8;
const LONGEST_PAUSE: u16 = 4096;
/// Turns of the shortest spin after a catch.
const LEAST_TURNS: u32 = 512;
const UNKNOWN: u32 = u32::MAX;

impl Adaptive {
    /// The default cap: a little above the wake-up latency of a virtual machine's idle CPU.
    pub const DEFAULT_CAP: Duration = Duration::from_micros(40);

    /// A policy that has learnt nothing yet, with the default cap.
    #[must_use]
    pub const fn new() -> Self {
        Self::with_cap(Self::DEFAULT_CAP)
    }

    /// A policy whose longest spin takes `cap` (at most 4 s; zero never spins).
    ///
    /// Choose about the time from an unpark to the return of a park that slept, on the machine at
    /// hand: `calibrate` (with `std`) measures it.
    #[must_use]
    pub const fn with_cap(cap: Duration) -> Self {
        let nanos = cap.as_nanos();
        let cap = if nanos > u32::MAX as u128 { u32::MAX } else { nanos as u32 };
        Self { catch: UNKNOWN, cap, pause: 0, next_pause: FIRST_PAUSE, misses: 0 }
    }

    /// The longest spin.
    #[must_use]
    pub const fn cap(&self) -> Duration {
        Duration::from_nanos(self.cap as u64)
    }

    fn turns(&self) -> u32 {
        if self.misses > 0 || self.catch == UNKNOWN {
            u32::MAX
        } else {
            self.catch.saturating_mul(4).max(LEAST_TURNS)
        }
    }

    fn caught(&mut self, turns: u32) {
        self.catch = match self.catch {
            UNKNOWN => turns,
            catch => catch - catch / 4 + turns / 4,
        };
        self.misses = 0;
        self.next_pause = FIRST_PAUSE;
    }

    #[cold]
    fn missed(&mut self) {
        self.misses += 1;
        if self.misses >= PATIENCE {
            // The next try decides alone.
            self.misses = PATIENCE - 1;
            self.pause = self.next_pause;
            self.next_pause = (self.next_pause * 2).min(LONGEST_PAUSE);
        }
    }
}

impl Default for Adaptive {
    fn default() -> Self {
        Self::new()
    }
}

impl SpinPolicy for Adaptive {
    fn spin(&mut self, until: Deadline, mut ready: impl FnMut() -> bool) -> bool {
        if self.pause > 0 {
            self.pause -= 1;
            return false;
        }
        if self.cap == 0 {
            return false;
        }
        if self.catch == UNKNOWN && !sys::several_cpus() {
            self.pause = LONGEST_PAUSE;
            return false;
        }
        let mut end = until;
        let limit = shim::spin_probes(self.turns());
        for turn in 1..=limit {
            shim::spin_loop();
            if ready() {
                self.caught(turn);
                return true;
            }
            if turn % STRIDE == 0 {
                if turn == STRIDE {
                    end = until.min(Deadline::after(self.cap()));
                }
                if end.has_passed() {
                    break;
                }
            }
        }
        if limit > 0 && !until.has_passed() {
            self.missed();
        }
        false
    }
}
