//! `one-by-one/pN`, `batch64/pN`, `bounded1024/pN`: producers offer as fast as they can, the consumer
//! takes what there is.
//!
//! Producers are dealt out to all CPUs, the consumer is on the second. A warm-up goes through the
//! same queue first, in which the order of each producer's items is checked; in the measured stretch
//! their sum is. The stretch ends when the consumer learns that all producers are gone.

use std::io;
use std::thread;

use super::ids::{self, InOrder};
use super::roll::{self, ForEach};
use super::subject::{Drain, Offer, Subject};
use crate::harness::gate::Gate;
use crate::harness::metric::{
    ALLOCS_PER_OP, CORES_BUSY, CPU_NS_PER_OP, CTX_PER_OP, FUTEX_PER_OP, Metric, NS_PER_OP,
    OPS_PER_S, SYSCALLS_PER_OP,
};
use crate::harness::results::Sample;
use crate::harness::rounds::{Contender, Round};
use crate::harness::window::{Whose, settle_cpu_time};
use crate::harness::{Case, Session};

const COLUMNS: &[Metric] = &[
    CPU_NS_PER_OP,
    NS_PER_OP,
    OPS_PER_S,
    CTX_PER_OP,
    CORES_BUSY,
    FUTEX_PER_OP,
    SYSCALLS_PER_OP,
    ALLOCS_PER_OP,
];
const PLOTTED: &[Metric] = &[CPU_NS_PER_OP, OPS_PER_S];
/// Numbers of producers.
pub(super) const PRODUCERS: &[usize] = &[1, 2, 4, 8];
/// Items of all producers together.
const ITEMS: u64 = 8 << 20;
/// The warm-up is as long as one of so many parts of what counts.
const WARM_UP: u64 = 8;
const BATCH: u64 = 64;
/// The consumer's CPU.
const CONSUMER: usize = 1;

pub(super) fn run(session: &mut Session) -> io::Result<()> {
    for (kind, title, batch) in [
        ("one-by-one", "offers of one item", 1),
        ("batch64", "offers of 64 items, one by one where there is no other way", BATCH),
    ] {
        for &producers in PRODUCERS {
            let flow = Flow { producers, batch };
            session.compare(case(kind, title, producers), roll::unbounded(&flow))?;
        }
    }
    for &producers in PRODUCERS {
        let flow = Flow { producers, batch: 1 };
        let case = case("bounded1024", "offers of one item, room for 1024", producers);
        session.compare(case, roll::bounded(&flow))?;
    }
    Ok(())
}

fn case(kind: &str, title: &str, producers: usize) -> Case {
    Case {
        id: format!("{kind}/p{producers}"),
        title: format!("{title}, producers: {producers}"),
        columns: COLUMNS,
        plotted: PLOTTED,
    }
}

/// How it flows.
#[derive(Clone, Copy)]
struct Flow {
    producers: usize,
    batch: u64,
}

impl ForEach for Flow {
    type Output = Contender;

    fn make<S: Subject>(&self) -> Contender {
        let flow = *self;
        Contender::new(S::NAME, move |round| flow.run::<S>(round))
    }
}

impl Flow {
    fn run<S: Subject>(self, round: &Round<'_>) -> Sample {
        let share = round.count(ITEMS / S::SLOWER) / self.producers as u64;
        let stretches = Stretches { warm_up: share / WARM_UP, share };
        let gate = Gate::default();
        let (offerer, drainer) = S::pair();
        thread::scope(|scope| {
            for producer in 0..self.producers {
                let (offerer, gate) = (offerer.clone(), &gate);
                scope.spawn(move || {
                    round.cpus().pin(producer);
                    self.produce(offerer, producer, stretches, gate);
                });
            }
            drop(offerer);
            let consumer = scope.spawn(|| {
                round.cpus().pin(CONSUMER);
                self.consume(round, drainer, stretches, &gate)
            });
            consumer.join().expect("the consumer does not panic")
        })
    }

    fn produce(self, mut offerer: impl Offer, producer: usize, of: Stretches, gate: &Gate) {
        self.offer(&mut offerer, producer, 0, of.warm_up);
        gate.pass();
        self.offer(&mut offerer, producer, of.warm_up, of.share);
        settle_cpu_time();
    }

    /// Offers so many items.
    fn offer(self, offerer: &mut impl Offer, producer: usize, first: u64, count: u64) {
        let items = ids::items(producer, first..first + count);
        if self.batch == 1 {
            items.for_each(|item| offerer.offer(item));
            return;
        }
        let mut start = items.start;
        while start < items.end {
            let end = items.end.min(start + self.batch);
            offerer.offer_all(start..end);
            start = end;
        }
    }

    fn consume(
        self,
        round: &Round<'_>,
        mut drainer: impl Drain,
        of: Stretches,
        gate: &Gate,
    ) -> Sample {
        let mut in_order = InOrder::new(self.producers);
        let mut left = of.warm_up * self.producers as u64;
        while left > 0 {
            let more = drainer.drain(|item| {
                in_order.check(item);
                left -= 1;
            });
            assert!(more, "the producers wait at the gate");
        }
        gate.gather(self.producers);

        let (mut count, mut sum) = (0, 0_u64);
        let window = round.window(Whose::Process);
        gate.open();
        while drainer.drain(|item| {
            count += 1;
            sum = sum.wrapping_add(item);
        }) {}
        let used = window.close();

        let offered = (0..self.producers)
            .map(|producer| ids::items(producer, of.warm_up..of.warm_up + of.share))
            .map(ids::sum)
            .fold(0, u64::wrapping_add);
        assert_eq!((count, sum), (of.share * self.producers as u64, offered), "items drained");
        used.per_op(count)
    }
}

/// How many items each producer offers.
#[derive(Clone, Copy)]
struct Stretches {
    warm_up: u64,
    share: u64,
}
