//! Spinning as long as it pays.

use core::time::Duration;

use super::SpinPolicy;
use crate::shim;
use crate::sys;
use crate::time::Deadline;

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
    /// hand: `parker::wake_latency` (with `std`) measures it.
    #[must_use]
    pub const fn with_cap(cap: Duration) -> Self {
        let nanos = cap.as_nanos();
        let cap = if nanos > u32::MAX as u128 { u32::MAX } else { nanos as u32 };
        Self { catch: UNKNOWN, cap, pause: 0, next_pause: FIRST_PAUSE, misses: 0 }
    }

    /// As if spinning had not paid so far: sleeps at once for the first waits, then tries. For a thread
    /// that will be idle more often than not.
    #[must_use]
    pub const fn wary(self) -> Self {
        Self { pause: self.next_pause, misses: PATIENCE - 1, ..self }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A wait that the other side answers after so many looks; `None`: not soon.
    fn wait(policy: &mut Adaptive, answer: Option<u32>) -> (bool, u32) {
        let mut looks = 0;
        let caught = policy.spin(Deadline::NEVER, || {
            looks += 1;
            Some(looks) == answer
        });
        (caught, looks)
    }

    /// With a cap that no spin here reaches by itself, and several CPUs taken for granted.
    fn policy() -> Adaptive {
        Adaptive { catch: 10, ..Adaptive::with_cap(Duration::from_secs(4)) }
    }

    #[test]
    fn catches_set_the_length_of_the_next_spin() {
        let mut policy = policy();
        assert_eq!(wait(&mut policy, Some(3)), (true, 3));
        assert_eq!(wait(&mut policy, None), (false, LEAST_TURNS));
        let mut policy = Adaptive { catch: 1000, ..policy };
        policy.misses = 0;
        assert_eq!(wait(&mut policy, None), (false, 4000));
    }

    #[test]
    fn pauses_double_while_spinning_does_not_pay() {
        let mut policy = Adaptive { cap: 1, ..policy() };
        for _ in 0..PATIENCE {
            assert!(wait(&mut policy, None).1 > 0);
        }
        for pause in [8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 4096] {
            for _ in 0..pause {
                assert_eq!(wait(&mut policy, Some(1)), (false, 0));
            }
            assert!(wait(&mut policy, None).1 > 0, "a try after {pause} waits");
        }
    }

    #[test]
    fn a_catch_forgets_the_misses() {
        let mut policy = Adaptive { cap: 1, ..policy() }.wary();
        for _ in 0..FIRST_PAUSE {
            assert_eq!(wait(&mut policy, Some(1)), (false, 0));
        }
        assert_eq!(wait(&mut policy, Some(1)), (true, 1));
        for _ in 0..PATIENCE - 1 {
            assert!(!wait(&mut policy, None).0);
        }
        assert_eq!(wait(&mut policy, Some(1)), (true, 1));
    }

    #[test]
    fn a_passed_deadline_ends_the_spin_and_is_no_miss() {
        let mut policy = policy();
        policy.misses = 1;
        let looks = core::cell::Cell::new(0);
        let never = || {
            looks.set(looks.get() + 1);
            false
        };
        assert!(!policy.spin(Deadline::EPOCH, never));
        assert_eq!((looks.get(), policy.misses), (STRIDE, 1));
    }

    #[test]
    fn no_cap_no_spin() {
        assert_eq!(wait(&mut Adaptive::with_cap(Duration::ZERO), Some(1)), (false, 0));
        assert_eq!(Adaptive::with_cap(Duration::MAX).cap(), Duration::from_nanos(u32::MAX.into()));
    }
}
