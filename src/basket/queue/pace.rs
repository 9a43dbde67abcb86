//! When a drainer in the middle of a batch wakes offerers that wait for room.
//!
//! A wake-up costs more than hundreds of items, so nobody is woken for a little room, unless the
//! batch goes slowly: its end, which serves those that wait in any case, is near.

use core::time::Duration;

use crate::time::Deadline;

/// A drainer that takes longer than this for a group is slow.
const SLOW: Duration = Duration::from_micros(100);
/// The most items in a group.
pub(crate) const GROUP: usize = 32;

#[derive(Debug)]
pub(crate) struct Pace {
    /// How many items are taken out before their room is given back.
    group: usize,
    longest: usize,
    last: Deadline,
}

impl Pace {
    pub(crate) fn new(capacity: usize) -> Self {
        let longest = (capacity / 4).clamp(1, GROUP);
        Self { group: longest, longest, last: Deadline::EPOCH }
    }

    /// How many items to take out before room is given back.
    #[inline]
    pub(crate) const fn group(&self) -> usize {
        self.group
    }

    /// After a group, while offerers wait: whether one of them is to be served now.
    pub(crate) fn is_due(&mut self, used: usize, capacity: usize) -> bool {
        let now = Deadline::now();
        let slow = self.last.plus(SLOW) < now;
        self.group = if slow { 1 } else { (self.group * 2).min(self.longest) };
        let due = slow || used <= capacity - capacity / 4;
        if due {
            self.last = now;
        }
        due
    }
}
