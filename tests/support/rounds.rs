//! How often a stress test repeats: seconds in all by default, minutes with `REVEILLE_SOAK=1`, longer
//! with larger numbers.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// The value of `REVEILLE_SOAK`; zero: a short run.
pub(crate) fn soak() -> u32 {
    static SOAK: OnceLock<u32> = OnceLock::new();
    *SOAK.get_or_init(|| {
        let text = std::env::var("REVEILLE_SOAK").unwrap_or_default();
        if text.is_empty() { 0 } else { text.parse().unwrap_or(1) }
    })
}

/// How many times the usual time a test may take before it counts as hung.
pub(crate) fn patience() -> u32 {
    let slow = if cfg!(miri) { 20 } else { 1 };
    slow * (1 + 4 * soak())
}

/// A number of repetitions that take no time to speak of: `quick`, or `long` in a soak.
pub(crate) fn scaled(quick: usize, long: usize) -> usize {
    match soak() {
        _ if cfg!(miri) => quick.div_ceil(200).min(20),
        0 => quick,
        _ => long,
    }
}

/// The rounds of a stress test: so many, unless its time is up before.
pub(crate) struct Rounds {
    done: u64,
    most: u64,
    begun: Instant,
    budget: Duration,
}

/// At most `quick` rounds in a second, or `long` rounds in ten in a soak; but some in any case.
pub(crate) fn rounds(quick: u64, long: u64) -> Rounds {
    let (most, seconds) = match soak() {
        _ if cfg!(miri) => (quick.min(20), 1),
        0 => (quick, 1),
        soak => (long.saturating_mul(soak.into()), 10 * soak),
    };
    let budget = Duration::from_secs(seconds.into());
    Rounds { done: 0, most, begun: Instant::now(), budget }
}

impl Iterator for Rounds {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        /// Enough for the counts that tests make of what happened.
        const LEAST: u64 = 50;
        let over =
            self.done >= self.most || self.done >= LEAST && self.begun.elapsed() > self.budget;
        self.done += 1;
        (!over).then_some(self.done - 1)
    }
}
