//! Who takes part.

use super::ours::{Lanes, Limited, OneOrder, Slots};
use super::subject::Subject;
use super::theirs::{crossbeam, crossfire, flume, kanal, ports, spin, std_mpsc, tokio};

/// Something made for every kind of queue.
pub(super) trait ForEach {
    type Output;

    fn make<S: Subject>(&self) -> Self::Output;
}

/// Queues without a limit.
pub(super) fn unbounded<F: ForEach>(each: &F) -> Vec<F::Output> {
    let mut all = sleeping(each);
    all.push(each.make::<spin::Unbounded>());
    all
}

/// Those whose consumer sleeps.
pub(super) fn sleeping<F: ForEach>(each: &F) -> Vec<F::Output> {
    vec![
        each.make::<Lanes>(),
        each.make::<OneOrder>(),
        each.make::<crossbeam::Unbounded>(),
        each.make::<std_mpsc::Unbounded>(),
        each.make::<kanal::Unbounded>(),
        each.make::<flume::Unbounded>(),
        each.make::<crossfire::Unbounded>(),
        each.make::<tokio::Unbounded>(),
        each.make::<ports::Vector>(),
    ]
}

/// Those, and what a bare futex does for a single item.
pub(super) fn blocking<F: ForEach>(each: &F) -> Vec<F::Output> {
    let mut all = sleeping(each);
    all.push(each.make::<ports::BareFutex>());
    all
}

/// Queues with a limit.
pub(super) fn bounded<F: ForEach>(each: &F) -> Vec<F::Output> {
    vec![
        each.make::<Limited>(),
        each.make::<Slots>(),
        each.make::<crossbeam::Bounded>(),
        each.make::<std_mpsc::Bounded>(),
        each.make::<kanal::Bounded>(),
        each.make::<flume::Bounded>(),
        each.make::<crossfire::Bounded>(),
        each.make::<ports::BoundedVector>(),
        each.make::<spin::Bounded>(),
    ]
}
