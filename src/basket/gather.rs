//! Letting a batch build up.
//!
//! A drainer that is faster than its offerers would fetch their items one by one, and each fetch takes
//! the cache line that they publish through away from them. So when items come in a stream, the
//! drainer looks away for a moment after it found the first ones. It learns whether that pays: a
//! pause that gathers few items is not repeated for a while, longer each time.

use crate::shim;

pub(super) struct Gather {
    /// Turns of the next pause.
    turns: u32,
    /// Waits that go without one.
    rest: u32,
    /// How many after the next pause that does not pay.
    next_rest: u32,
}

const SHORTEST: u32 = 32;
/// About 10 µs where a turn takes 13 ns.
const LONGEST: u32 = 768;
/// Turns that must bring an item, or the pause does not pay.
const TURNS_PER_ITEM: u32 = 8;
const SHORTEST_REST: u32 = 8;
const LONGEST_REST: u32 = 1024;

impl Gather {
    pub(super) const fn new() -> Self {
        Self { turns: SHORTEST, rest: 0, next_rest: SHORTEST_REST }
    }

    /// Pauses if that seems to pay and fewer than `enough` were found; `more` then fetches what has
    /// come and answers how much that is.
    pub(super) fn pause(&mut self, found: usize, enough: usize, more: impl FnOnce() -> usize) {
        if found >= enough {
            return;
        }
        if self.rest > 0 {
            self.rest -= 1;
            return;
        }
        for _ in 0..shim::spin_probes(self.turns) {
            shim::spin_loop();
        }
        if more() >= (self.turns / TURNS_PER_ITEM) as usize {
            self.turns = (self.turns * 2).min(LONGEST);
            self.next_rest = SHORTEST_REST;
        } else {
            self.turns = SHORTEST;
            self.rest = self.next_rest;
            self.next_rest = (self.next_rest * 2).min(LONGEST_REST);
        }
    }
}
