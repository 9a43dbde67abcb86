//! `idle-10s`: senders with many lanes, for ten seconds, in which nobody has anything to send.
//!
//! All kinds idle side by side. The main thread looks at their threads from outside.

use core::time::Duration;
use std::io;
use std::thread;

use super::subject::{ForEach, Merger, Then, everyone};
use super::worker::{self, Worker};
use crate::harness::metric::{CPU_MS, Metric, VOLUNTARY_SWITCHES};
use crate::harness::quiet::Meter;
use crate::harness::results::Sample;
use crate::harness::{Case, CaseResult, Session};

const COLUMNS: &[Metric] = &[CPU_MS, VOLUNTARY_SWITCHES];
const LANES: usize = 64;
const SETTLING: Duration = Duration::from_millis(100);

pub(super) fn run(session: &mut Session) -> io::Result<()> {
    let (seconds, windows) = if session.quick() { (2, 1) } else { (10, 3) };
    let case = Case {
        id: "idle-10s".into(),
        title: format!("the thread of a sender with {LANES} lanes, in {seconds} s"),
        columns: COLUMNS,
        plotted: &[],
    };
    eprintln!("merge idle-10s: {windows} windows of {seconds} s");
    let meter = Meter::start();
    let idlers = everyone::<Idle>();
    let mut result = CaseResult::new(case, idlers.iter().map(|idler| idler.name));
    thread::sleep(SETTLING);
    for _ in 0..windows {
        let look = |idler: &Idler| (idler.worker.cpu(), idler.worker.voluntary_switches());
        let before: Vec<_> = idlers.iter().map(look).collect();
        thread::sleep(Duration::from_secs(seconds));
        let after: Vec<_> = idlers.iter().map(look).collect();
        for (index, (before, after)) in before.into_iter().zip(after).enumerate() {
            let sample = Sample::default()
                .with(CPU_MS, (after.0 - before.0).as_secs_f64() * 1e3)
                .with(VOLUNTARY_SWITCHES, (after.1 - before.1) as f64);
            result.add(index, sample, false);
        }
    }
    session.record(result, &meter)
}

struct Idle;

struct Idler {
    name: &'static str,
    worker: Worker,
    /// Keeps the sender and its lanes.
    _alive: Box<dyn core::any::Any>,
}

impl ForEach for Idle {
    type Output = Idler;

    fn make<M: Merger>() -> Idler {
        let (merger, worker) = worker::start::<M>(|| (), Box::new(|_, _| Then::Next));
        let lanes: Vec<_> = (0..LANES).map(|lane| merger.lane(lane)).collect();
        Idler { name: M::NAME, worker, _alive: Box::new((lanes, merger)) }
    }
}
