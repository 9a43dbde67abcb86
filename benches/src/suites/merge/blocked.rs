//! `blocked-lane`: one destination takes 20 ms for a send. How long do messages to the others wait?

use core::time::Duration;
use std::io;
use std::sync::mpsc;
use std::thread;
use std::time::Instant;

use super::subject::{ForEach, Merger, Post as _, Then, everyone};
use super::worker;
use crate::harness::latency::Latencies;
use crate::harness::metric::{Metric, P50_NS, P99_NS};
use crate::harness::results::Sample;
use crate::harness::rounds::{Contender, Round};
use crate::harness::{Case, Session};

const COLUMNS: &[Metric] = &[P99_NS, P50_NS];
/// The destination that blocks; there are so many others.
const SLOW: usize = 0;
const OTHERS: usize = 3;
const PAUSE: Duration = Duration::from_millis(20);
const SLOW_GAP: Duration = Duration::from_millis(5);
const GAP: Duration = Duration::from_micros(500);
const BUDGET: Duration = Duration::from_millis(1_000);

pub(super) fn run(session: &mut Session) -> io::Result<()> {
    let case = Case {
        id: "blocked-lane".into(),
        title: "from the offer to the sink, while another destination takes 20 ms for a send"
            .into(),
        columns: COLUMNS,
        plotted: &[P99_NS, P50_NS],
    };
    session.compare(case, everyone::<Beside>())
}

struct Beside;

impl ForEach for Beside {
    type Output = Contender;

    fn make<M: Merger>() -> Contender {
        Contender::new(M::NAME, beside_a_blocked_one::<M>)
    }
}

fn beside_a_blocked_one<M: Merger>(round: &Round<'_>) -> Sample {
    let base = Instant::now();
    let (sender, receiver) = mpsc::channel();
    let deliver = Box::new(move |destination, messages: &mut dyn Iterator<Item = u64>| {
        if destination == SLOW {
            messages.for_each(drop);
            return Then::Blocked(PAUSE);
        }
        let arrived = base.elapsed();
        for message in messages {
            // The round may be over.
            let _ = sender.send(arrived.saturating_sub(Duration::from_nanos(message)));
        }
        Then::Next
    });
    let (merger, _) = worker::start::<M>(|| (), deliver);
    let budget = round.budget(BUDGET);
    let mut slow = merger.lane(SLOW);
    let mut others: Vec<_> = (1..=OTHERS).map(|other| merger.lane(other)).collect();
    let now = || base.elapsed().as_nanos() as u64;
    let begun = Instant::now();
    let mut sent = 0;
    thread::scope(|scope| {
        scope.spawn(|| {
            while begun.elapsed() < budget {
                slow.post(now());
                thread::sleep(SLOW_GAP);
            }
        });
        while begun.elapsed() < budget {
            others[sent % OTHERS].post(now());
            sent += 1;
            thread::sleep(GAP);
        }
    });
    let mut latencies = Latencies::with_capacity(sent);
    receiver.iter().take(sent).for_each(|latency| latencies.record(latency));
    Sample::default()
        .with_known(P50_NS, latencies.percentile(0.5))
        .with_known(P99_NS, latencies.percentile(0.99))
}
