//! Who takes part, and threads that add.

use std::thread;

use contatori::counters::unsigned::Unsigned;
use fast_counter::ConcurrentCounter;
use reveille::StripedCounter;
use reveille::counter::{LazyCounter, PerCpuCounter};

use super::ours::Owned;
use super::subject::Subject;
use super::theirs::{Atomic, Locked};
use crate::harness::gate::Gate;
use crate::harness::results::Sample;
use crate::harness::rounds::{Contender, Round};
use crate::harness::window::{Whose, settle_cpu_time};

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

/// Threads that each add so often, all at once, dealt out to the CPUs. Before that they warm up.
pub(super) struct Adders<'a, A> {
    pub(super) round: &'a Round<'a>,
    pub(super) threads: usize,
    pub(super) each: u64,
    pub(super) add: A,
}

/// The warm-up is as long as one of so many parts of what counts.
const WARM_UP: u64 = 16;

impl<A: Fn(usize, u64) + Sync> Adders<'_, A> {
    /// What an add took.
    pub(super) fn run(&self) -> Sample {
        let gate = Gate::default();
        thread::scope(|scope| {
            let adders: Vec<_> = (0..self.threads)
                .map(|thread| {
                    let (adders, gate) = (self, &gate);
                    scope.spawn(move || {
                        adders.round.cpus().pin(thread);
                        (adders.add)(thread, adders.each / WARM_UP);
                        gate.pass();
                        (adders.add)(thread, adders.each);
                        settle_cpu_time();
                    })
                })
                .collect();
            gate.gather(self.threads);
            let window = self.round.window(Whose::Process);
            gate.open();
            adders.into_iter().for_each(|adder| adder.join().expect("adding does not panic"));
            window.close().per_op(self.each * self.threads as u64)
        })
    }

    /// How often all of them have added by then, warming up and in earnest.
    pub(super) fn in_all(&self) -> u64 {
        (self.each + self.each / WARM_UP) * self.threads as u64
    }
}
