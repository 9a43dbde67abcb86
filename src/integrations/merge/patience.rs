//! Whether to let callers run before a batch is taken.
//!
//! On a machine with more runnable threads than CPUs, callers that are about to submit wait for a CPU
//! while the sender's thread sends the little that is there. If it steps back once before it takes a
//! batch, they submit first, and a burst leaves as one batch for one wake-up. Where nothing else is
//! runnable, stepping back costs a system call of a fifth of a microsecond; where the CPUs are busy with
//! something else it would cost a turn. So the thread learns: it goes on stepping back while that brings
//! messages, and else leaves it for longer and longer.

use core::time::Duration;

use crate::Deadline;
use crate::shim::thread;

pub(super) struct Patience {
    /// Batches to be taken at once.
    rest: u32,
    /// How many after the next step back that does not pay.
    next_rest: u32,
}

const LONGEST_REST: u32 = 256;
/// A step back that takes longer has waited for something else than callers.
const TOO_LONG: Duration = Duration::from_micros(500);

impl Patience {
    pub(super) const fn new() -> Self {
        Self { rest: 0, next_rest: 1 }
    }

    /// Steps back if that seems to pay. `held` counts the messages that are there.
    pub(super) fn step_back(&mut self, held: impl Fn() -> usize) {
        if self.rest > 0 {
            self.rest -= 1;
            return;
        }
        let before = held();
        if before == 0 {
            // Not a batch: the destination is new, or over.
            return;
        }
        let end = Deadline::after(TOO_LONG);
        thread::yield_now();
        if end.has_passed() {
            self.next_rest = LONGEST_REST;
        } else if held() > before {
            self.next_rest = 1;
            return;
        }
        self.rest = self.next_rest;
        self.next_rest = (self.next_rest * 2).min(LONGEST_REST);
    }
}
