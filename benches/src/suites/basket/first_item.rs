//! `first-item/idle-…`: an item for a consumer that has slept for a while. The latency is from just
//! before the offer to the moment when the consumer has the item.
//!
//! Pinned apart, the two threads are on CPUs of their own, and both of these idle; unpinned, the
//! kernel may wake the consumer on the CPU of the producer, which is faster.

use core::time::Duration;
use std::io;
use std::thread;

use super::roll::{self, ForEach};
use super::stamp::Clock;
use super::subject::{Drain as _, Offer as _, Subject};
use crate::harness::latency::Latencies;
use crate::harness::metric::{
    ALLOCS_PER_OP, CPU_NS_PER_OP, CTX_PER_OP, FUTEX_PER_OP, Metric, P50_NS, P99_NS,
};
use crate::harness::results::Sample;
use crate::harness::rounds::{Contender, Round};
use crate::harness::window::Whose;
use crate::harness::{Case, Session};

const COLUMNS: &[Metric] =
    &[P50_NS, P99_NS, CPU_NS_PER_OP, CTX_PER_OP, FUTEX_PER_OP, ALLOCS_PER_OP];

/// How long the consumer sleeps, how many such items count, and how many before do not.
const PAUSES: &[(u64, u64, u64)] = &[(1, 1000, 40), (50, 24, 2)];

pub(super) fn run(session: &mut Session) -> io::Result<()> {
    for &(millis, counted, warm_up) in PAUSES {
        for (suffix, pinned) in [("", true), ("-unpinned", false)] {
            let case = Case {
                id: id(millis, suffix),
                title: format!(
                    "an item after {millis} ms, {}",
                    if pinned { "pinned apart" } else { "unpinned" }
                ),
                columns: COLUMNS,
                plotted: &[P50_NS, P99_NS],
            };
            let pause = Duration::from_millis(millis);
            session
                .compare(case, roll::blocking(&FirstItem { pause, counted, warm_up, pinned }))?;
        }
    }
    Ok(())
}

fn id(millis: u64, suffix: &str) -> String {
    format!("first-item/idle-{millis}ms{suffix}")
}

/// Every case's id.
pub(super) fn ids() -> impl Iterator<Item = String> {
    PAUSES.iter().flat_map(|&(millis, ..)| ["", "-unpinned"].map(|suffix| id(millis, suffix)))
}

#[derive(Clone, Copy)]
struct FirstItem {
    pause: Duration,
    counted: u64,
    warm_up: u64,
    pinned: bool,
}

impl ForEach for FirstItem {
    type Output = Contender;

    fn make<S: Subject>(&self) -> Contender {
        let this = *self;
        Contender::new(S::NAME, move |round| this.run::<S>(round))
    }
}

impl FirstItem {
    fn run<S: Subject>(self, round: &Round<'_>) -> Sample {
        let counted = round.count(self.counted);
        let (offerer, drainer) = S::pair();
        let clock = Clock::start();
        thread::scope(|scope| {
            let producer = scope.spawn(|| {
                self.pin(round, 0);
                self.produce::<S>(offerer, counted, clock)
            });
            let consumer = scope.spawn(|| {
                self.pin(round, 1);
                self.consume::<S>(round, drainer, counted, clock)
            });
            let offered = producer.join().expect("the producer does not panic");
            let (sample, drained) = consumer.join().expect("the consumer does not panic");
            assert_eq!(offered, drained, "{}: the sum of the items", S::NAME);
            sample
        })
    }

    fn pin(self, round: &Round<'_>, cpu: usize) {
        if self.pinned {
            round.cpus().pin(cpu);
        }
    }

    /// Offers; returns the sum of the items.
    fn produce<S: Subject>(self, mut offerer: S::Offer, counted: u64, clock: Clock) -> u64 {
        let mut sum = 0_u64;
        for _ in 0..self.warm_up + counted {
            thread::sleep(self.pause);
            let stamp = clock.now();
            offerer.offer(stamp);
            sum = sum.wrapping_add(stamp);
        }
        sum
    }

    /// Takes all; returns what the counted ones took, and the sum of all.
    fn consume<S: Subject>(
        self,
        round: &Round<'_>,
        mut drainer: S::Drain,
        counted: u64,
        clock: Clock,
    ) -> (Sample, u64) {
        let mut sum = 0_u64;
        for _ in 0..self.warm_up {
            let more = drainer.drain(|stamp| sum = sum.wrapping_add(stamp));
            assert!(more, "{}: an item each time", S::NAME);
        }
        let mut latencies = Latencies::with_capacity(counted as usize);
        let window = round.window(Whose::Process);
        while drainer.drain(|stamp| {
            latencies.record(clock.since(stamp));
            sum = sum.wrapping_add(stamp);
        }) {}
        let sample = window
            .close()
            .per_op(counted)
            .with_known(P50_NS, latencies.percentile(0.5))
            .with_known(P99_NS, latencies.percentile(0.99));
        (sample, sum)
    }
}
