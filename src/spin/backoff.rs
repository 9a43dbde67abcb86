//! Standing aside.

use crate::shim;

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
