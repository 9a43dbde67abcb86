//! Who takes part.

use contatori::counters::unsigned::Unsigned;
use fast_counter::ConcurrentCounter;
use reveille::StripedCounter;
use reveille::counter::{LazyCounter, PerCpuCounter};

use super::ours::Owned;
use super::subject::Subject;
use super::theirs::{Atomic, Locked};
use crate::harness::rounds::Contender;

/// Something made for every kind of counter.
pub(super) trait ForEach {
    fn make<S: Subject>(&self) -> Contender;
}

pub(super) fn all(each: &impl ForEach) -> Vec<Contender> {
    vec![
        each.make::<StripedCounter>(),
        each.make::<LazyCounter>(),
        each.make::<Owned>(),
        each.make::<PerCpuCounter>(),
        each.make::<ConcurrentCounter>(),
        each.make::<fast_telemetry::Counter>(),
        each.make::<Unsigned>(),
        each.make::<Atomic>(),
        each.make::<Locked>(),
    ]
}
