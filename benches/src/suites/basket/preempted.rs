//! `preempted/p8`: eight producers that share a CPU and never sleep, so the kernel takes it from them
//! anywhere, also in the middle of an offer. How long does an item stay in the queue after its offer
//! has returned?
//!
//! A queue whose producers claim places in order and fill them later hides every finished item
//! behind one whose producer is off its CPU. Each producer notes when its offers returned, the
//! consumer when it had the items; the notes are compared afterwards. Between offers producers work
//! for a while, so that the consumer can keep up, and the consumer has a CPU of its own: what it waits
//! for is the queue.

use core::hint::spin_loop;
use core::time::Duration;
use std::io;
use std::thread;

use super::ids;
use super::roll::{self, ForEach};
use super::stamp::Clock;
use super::subject::{Drain as _, Offer as _, Subject};
use crate::harness::gate::Gate;
use crate::harness::latency::Latencies;
use crate::harness::metric::{CPU_NS_PER_OP, CTX_PER_OP, Metric, P50_NS, P99_NS, P999_NS};
use crate::harness::results::Sample;
use crate::harness::rounds::{Contender, Round};
use crate::harness::window::{Used, Whose, settle_cpu_time};
use crate::harness::{Case, Session};

const COLUMNS: &[Metric] = &[P999_NS, P99_NS, P50_NS, CPU_NS_PER_OP, CTX_PER_OP];
const PRODUCERS: usize = 8;
/// The CPU of all producers, and that of the consumer.
const PRODUCERS_CPU: usize = 0;
const CONSUMERS_CPU: usize = 1;
/// Items of each producer.
const ITEMS: u64 = 1 << 17;
/// What a producer does between two offers.
const WORK: Duration = Duration::from_nanos(500);

pub(super) fn run(session: &mut Session) -> io::Result<()> {
    let case = Case {
        id: format!("preempted/p{PRODUCERS}"),
        title: format!(
            "{PRODUCERS} producers that never sleep: from the offer's end to the consumer"
        ),
        columns: COLUMNS,
        plotted: &[P999_NS, P99_NS],
    };
    session.compare(case, roll::unbounded(&Preempted))
}

struct Preempted;

impl ForEach for Preempted {
    type Output = Contender;

    fn make<S: Subject>(&self) -> Contender {
        Contender::new(S::NAME, preempted::<S>)
    }
}

/// When items were offered, by sequence number.
type Offered = Vec<u64>;

/// What the consumer got, in that order.
struct Drained {
    notes: Vec<Note>,
    used: Used,
}

#[derive(Clone, Copy, Default)]
struct Note {
    item: u64,
    when: u64,
}

fn preempted<S: Subject>(round: &Round<'_>) -> Sample {
    let share = round.count(ITEMS);
    let (offerer, drainer) = S::pair();
    let clock = Clock::start();
    let gate = Gate::default();
    thread::scope(|scope| {
        let producers: Vec<_> = (0..PRODUCERS)
            .map(|producer| {
                let (offerer, gate) = (offerer.clone(), &gate);
                scope.spawn(move || {
                    round.cpus().pin(PRODUCERS_CPU);
                    produce::<S>(offerer, producer, share, clock, gate)
                })
            })
            .collect();
        drop(offerer);
        let consumer = scope.spawn(|| {
            round.cpus().pin(CONSUMERS_CPU);
            consume::<S>(round, drainer, share, clock, &gate)
        });
        let Drained { notes, used } = consumer.join().expect("the consumer does not panic");
        let offered: Vec<Offered> = producers
            .into_iter()
            .map(|producer| producer.join().expect("a producer does not panic"))
            .collect();
        let mut latencies = compare(&notes, &offered);
        used.per_op(notes.len() as u64)
            .with_known(P50_NS, latencies.percentile(0.5))
            .with_known(P99_NS, latencies.percentile(0.99))
            .with_known(P999_NS, latencies.percentile(0.999))
    })
}

fn produce<S: Subject>(
    mut offerer: S::Offer,
    producer: usize,
    share: u64,
    clock: Clock,
    gate: &Gate,
) -> Offered {
    // Touched now, so that no page is missing later.
    let mut offered = vec![1; share as usize];
    let work = WORK.as_nanos() as u64;
    gate.pass();
    for (item, returned) in ids::items(producer, 0..share).zip(&mut offered) {
        offerer.offer(item);
        *returned = clock.now();
        let until = *returned + work;
        while clock.now() < until {
            spin_loop();
        }
    }
    settle_cpu_time();
    offered
}

fn consume<S: Subject>(
    round: &Round<'_>,
    mut drainer: S::Drain,
    share: u64,
    clock: Clock,
    gate: &Gate,
) -> Drained {
    let mut notes = vec![Note { item: 1, when: 1 }; share as usize * PRODUCERS];
    let mut places = notes.iter_mut();
    gate.gather(PRODUCERS);
    let window = round.window(Whose::Process);
    gate.open();
    while drainer.drain(|item| {
        let place = places.next().expect("no more items than were offered");
        *place = Note { item, when: clock.now() };
    }) {}
    let used = window.close();
    let missing = places.len();
    assert_eq!(missing, 0, "{}: items that did not arrive", S::NAME);
    Drained { notes, used }
}

/// How long each item was in the queue after its offer had returned; not at all if it was gone by
/// then.
fn compare(notes: &[Note], offered: &[Offered]) -> Latencies {
    let mut latencies = Latencies::with_capacity(notes.len());
    for &Note { item, when } in notes {
        let (producer, sequence) = ids::read(item);
        let returned = offered[producer][sequence as usize];
        latencies.record(Duration::from_nanos(when.saturating_sub(returned)));
    }
    latencies
}
