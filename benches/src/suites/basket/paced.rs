//! `paced/…`: an item at fixed intervals, from a producer that watches the clock on a CPU of its own.
//!
//! Waking a thread costs more than the shorter gaps. CPU time is the consumer's, and what the
//! producer spends inside of offers: its watching is no part of the queue.

use core::hint::spin_loop;
use core::time::Duration;
use std::io;
use std::thread;

use super::ours::Sleeper;
use super::roll::{self, ForEach};
use super::stamp::Clock;
use super::subject::{Drain as _, Offer as _, Subject};
use super::theirs::ports;
use crate::harness::latency::Latencies;
use crate::harness::metric::{
    ALLOCS_PER_OP, CPU_NS_PER_OP, CTX_PER_OP, FUTEX_PER_OP, Metric, P50_NS, P99_NS, P999_NS,
    SYSCALLS_PER_OP,
};
use crate::harness::results::Sample;
use crate::harness::rounds::{Contender, Round};
use crate::harness::window::{Used, Whose};
use crate::harness::{Case, Session};

const COLUMNS: &[Metric] = &[
    P50_NS,
    P99_NS,
    P999_NS,
    CPU_NS_PER_OP,
    CTX_PER_OP,
    FUTEX_PER_OP,
    SYSCALLS_PER_OP,
    ALLOCS_PER_OP,
];
/// Microseconds between two items.
const GAPS: &[u64] = &[2, 20, 200];
/// A gap in which a thread can fall asleep and be woken, so that a single place for an item will do.
const LONG: u64 = 200;
/// Long enough for a policy that learns to have learnt.
const WARM_UP: Duration = Duration::from_millis(250);
const BUDGET: Duration = Duration::from_millis(500);

pub(super) fn run(session: &mut Session) -> io::Result<()> {
    if session.cpus().count() < 2 {
        println!("note: paced needs two CPUs");
        return Ok(());
    }
    for &micros in GAPS {
        let case = Case {
            id: format!("paced/{micros}us"),
            title: format!("an item every {micros} µs; CPU time of the consumer and of offers"),
            columns: COLUMNS,
            plotted: &[P50_NS, CPU_NS_PER_OP],
        };
        let paced = Paced { gap: Duration::from_micros(micros) };
        let mut contenders = roll::sleeping(&paced);
        contenders.insert(2, paced.make::<Sleeper>());
        if micros >= LONG {
            contenders.push(paced.make::<ports::BareFutex>());
        }
        session.compare(case, contenders)?;
    }
    Ok(())
}

#[derive(Clone, Copy)]
struct Paced {
    gap: Duration,
}

impl ForEach for Paced {
    type Output = Contender;

    fn make<S: Subject>(&self) -> Contender {
        let paced = *self;
        Contender::new(S::NAME, move |round| paced.run::<S>(round))
    }
}

/// What the producer did.
struct Offered {
    sum: u64,
    /// Time inside of the offers that count.
    inside: Duration,
}

/// What the consumer did.
struct Drained {
    sum: u64,
    count: u64,
    used: Used,
    latencies: Latencies,
}

impl Paced {
    fn run<S: Subject>(self, round: &Round<'_>) -> Sample {
        let items = |time: Duration| (round.budget(time).as_nanos() / self.gap.as_nanos()) as u64;
        let (warm_up, counted) = (items(WARM_UP), items(BUDGET));
        let (offerer, drainer) = S::pair();
        let clock = Clock::start();
        thread::scope(|scope| {
            let producer = scope.spawn(|| {
                round.cpus().pin(0);
                self.produce::<S>(offerer, warm_up, counted, clock)
            });
            let consumer = scope.spawn(|| {
                round.cpus().pin(1);
                consume::<S>(round, drainer, warm_up, counted, clock)
            });
            let Offered { sum, inside } = producer.join().expect("the producer does not panic");
            let mut drained = consumer.join().expect("the consumer does not panic");
            assert_eq!(sum, drained.sum, "{}: the sum of the items", S::NAME);
            let latencies = &mut drained.latencies;
            drained
                .used
                .and_cpu(inside)
                .per_op(drained.count)
                .with_known(P50_NS, latencies.percentile(0.5))
                .with_known(P99_NS, latencies.percentile(0.99))
                .with_known(P999_NS, latencies.percentile(0.999))
        })
    }

    fn produce<S: Subject>(
        self,
        mut offerer: S::Offer,
        warm_up: u64,
        counted: u64,
        clock: Clock,
    ) -> Offered {
        let gap = self.gap.as_nanos() as u64;
        let mut offered = Offered { sum: 0, inside: Duration::ZERO };
        let mut due = clock.now() + gap;
        for number in 0..warm_up + counted {
            let mut now = clock.now();
            while now < due {
                spin_loop();
                now = clock.now();
            }
            offerer.offer(now);
            offered.sum = offered.sum.wrapping_add(now);
            if number >= warm_up {
                offered.inside += clock.since(now);
            }
            // Late by more than a gap (the offer woke somebody, the thread was off its CPU): the
            // schedule starts anew.
            due = (due + gap).max(now);
        }
        offered
    }
}

/// Takes all, and measures from the first item after the warm-up on.
fn consume<S: Subject>(
    round: &Round<'_>,
    mut drainer: S::Drain,
    warm_up: u64,
    counted: u64,
    clock: Clock,
) -> Drained {
    let (mut sum, mut warm) = (0_u64, 0);
    while warm < warm_up {
        let more = drainer.drain(|stamp| {
            sum = sum.wrapping_add(stamp);
            warm += 1;
        });
        assert!(more, "{}: more is to come", S::NAME);
    }
    // A batch may have brought the first that count.
    let count = warm_up + counted - warm;
    let mut latencies = Latencies::with_capacity(count as usize);
    let window = round.window(Whose::Thread);
    while drainer.drain(|stamp| {
        latencies.record(clock.since(stamp));
        sum = sum.wrapping_add(stamp);
    }) {}
    Drained { sum, count, used: window.close(), latencies }
}
