//! Whether to let callers run before a batch is taken.
//!
//! On a machine with more runnable threads than CPUs, callers that are about to submit wait for a CPU
//! while the sender's thread sends the little that is there. If it steps back once before it takes a
//! batch, they submit first. Where nothing else is runnable, stepping back costs a system call of a
//! fifth of a microsecond; where the CPUs are busy with something else it would cost a turn. So the
//! thread steps back only in a stretch of batches that follow each other closely, never for the first
//! message after a while, and it learns: it goes on stepping back while that brings messages, and else
//! leaves it for longer and longer.

use core::time::Duration;

use crate::Deadline;
use crate::shim::thread;

pub(super) struct Patience {
    /// Until when the next batch belongs to the same stretch as the last.
    stretch: Option<Deadline>,
    /// Batches to be taken at once.
    rest: u32,
    /// How many after the next step back that does not pay.
    next_rest: u32,
}

const LONGEST_REST: u32 = 256;
/// Batches further apart do not belong together, and a step back that takes longer has waited for
/// something else than callers.
const TOO_LONG: Duration = Duration::from_micros(500);

impl Patience {
    pub(super) const fn new() -> Self {
        Self { stretch: None, rest: 0, next_rest: 1 }
    }

    /// Steps back if that seems to pay. `held` counts the messages that are there.
    pub(super) fn step_back(&mut self, held: impl Fn() -> usize) {
        let end = Deadline::after(TOO_LONG);
        let busy = self.stretch.replace(end).is_some_and(|end| !end.has_passed());
        if !busy {
            return;
        }
        if self.rest > 0 {
            self.rest -= 1;
            return;
        }
        let before = held();
        thread::yield_now();
        self.stretch = Some(Deadline::after(TOO_LONG));
        if held() > before && !end.has_passed() {
            self.next_rest = 1;
        } else {
            self.rest = self.next_rest;
            self.next_rest = (self.next_rest * 2).min(LONGEST_REST);
        }
    }
}
