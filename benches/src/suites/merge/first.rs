//! `first-message/idle-5ms`: one message after 5 ms in which there was none. How long until the sink
//! has it?

use core::time::Duration;
use std::io;
use std::sync::mpsc;
use std::thread;
use std::time::Instant;

use super::floor::Floor;
use super::subject::{ForEach, Merger, Post as _, Then, everyone};
use super::worker;
use crate::harness::latency::Latencies;
use crate::harness::metric::{CPU_NS_PER_OP, Metric, P50_NS, P99_NS};
use crate::harness::results::Sample;
use crate::harness::rounds::{Contender, Round};
use crate::harness::window::Whose;
use crate::harness::{Case, Session};

const COLUMNS: &[Metric] = &[P50_NS, P99_NS, CPU_NS_PER_OP];
const GAP: Duration = Duration::from_millis(5);
const BUDGET: Duration = Duration::from_millis(2000);

pub(super) fn run(session: &mut Session) -> io::Result<()> {
    let case = Case {
        id: "first-message/idle-5ms".into(),
        title: "from the offer to the sink, on another CPU, after 5 ms idle".into(),
        columns: COLUMNS,
        plotted: &[P50_NS, P99_NS],
    };
    let mut contenders = everyone::<First>();
    contenders.push(First::make::<Floor>());
    session.compare(case, contenders)
}

struct First;

impl ForEach for First {
    type Output = Contender;

    fn make<M: Merger>() -> Contender {
        Contender::new(M::NAME, first_messages::<M>)
    }
}

fn first_messages<M: Merger>(round: &Round<'_>) -> Sample {
    let base = Instant::now();
    let (sender, receiver) = mpsc::sync_channel(1);
    let deliver = Box::new(move |_, messages: &mut dyn Iterator<Item = u64>| {
        let arrived = base.elapsed();
        for message in messages {
            let sent = Duration::from_nanos(message);
            sender.send(arrived - sent).expect("the caller waits for it");
        }
        Then::Next
    });
    round.cpus().run_on(0, move || {
        let (merger, _) = worker::start::<M>(round.cpus().pinning(1), deliver);
        let mut lane = merger.lane(0);
        let mut latencies = Latencies::with_capacity(1 << 10);
        let budget = round.budget(BUDGET);
        let window = round.window(Whose::Process);
        let mut sent = 0;
        while window.elapsed() < budget {
            thread::sleep(GAP);
            lane.post(base.elapsed().as_nanos() as u64);
            latencies.record(receiver.recv().expect("the message arrives"));
            sent += 1;
        }
        window
            .close()
            .per_op(sent)
            .with_known(P50_NS, latencies.percentile(0.5))
            .with_known(P99_NS, latencies.percentile(0.99))
    })
}
