//! `rpc`: the example of that name, its merged mode and its direct mode in turns.
//!
//! The example measures itself and counts its whole process, client and server. Each turn is a process
//! of its own, built by this suite before it begins.

mod example;

use core::time::Duration;
use std::io;

use super::Suite;
use crate::harness::bars::Bar;
use crate::harness::bars::Bound::{AtLeast, AtMost};
use crate::harness::metric::{
    BATCH_AVG, CPU_NS_PER_OP, CTX_PER_OP, Metric, NS_PER_OP, P50_NS, P99_NS, Unit, WRITES_PER_OP,
};
use crate::harness::results::OURS;
use crate::harness::rounds::Contender;
use crate::harness::{Case, CaseResult, Session};

pub(crate) const SUITE: Suite = Suite {
    name: "rpc",
    about: "the rpc example: merged writes beside one write per call",
    peers: &[],
    run,
    bars,
};

const COLUMNS: &[Metric] =
    &[NS_PER_OP, CPU_NS_PER_OP, CTX_PER_OP, WRITES_PER_OP, BATCH_AVG, P50_NS, P99_NS];
const BUDGET: Duration = Duration::from_millis(1500);
/// Callers and calls in flight for each.
const CASES: [(usize, usize); 4] = [(1, 1), (8, 1), (32, 1), (32, 16)];

fn run(session: &mut Session) -> io::Result<()> {
    example::build()?;
    for (callers, inflight) in CASES {
        let case = Case {
            id: format!("c{callers}/i{inflight}"),
            title: format!("{callers} callers with {inflight} calls in flight each"),
            columns: COLUMNS,
            plotted: &[NS_PER_OP, CPU_NS_PER_OP, P99_NS],
        };
        let contender = |name, mode| {
            Contender::new(name, move |round| {
                example::calls(mode, callers, inflight, round.budget(BUDGET))
            })
        };
        session.compare(case, vec![contender(OURS, "merged"), contender("direct", "direct")])?;
    }
    Ok(())
}

fn bars(results: &[CaseResult]) -> Vec<Bar> {
    let case = |id: &str| results.iter().find(|result| result.case.id == id);
    let gain = |id: &str, metric| Some(case(id)?.ratio("direct", OURS, metric)?.median);
    let switches = || Some(case("c32/i1")?.ratio(OURS, "direct", CTX_PER_OP)?.median);
    vec![
        Bar::times("c32/i1: calls/s, merged ÷ direct", gain("c32/i1", NS_PER_OP))
            .must(AtLeast(1.15))
            .goal(AtLeast(1.37)),
        Bar::times("c32/i1: switches of a call, merged ÷ direct", switches()).must(AtMost(1.0)),
        Bar::times("c32/i16: calls/s, merged ÷ direct", gain("c32/i16", NS_PER_OP))
            .must(AtLeast(2.0))
            .goal(AtLeast(4.0)),
        Bar::amount(
            "c32/i16: write calls of a call",
            case("c32/i16").and_then(|case| case.median(OURS, WRITES_PER_OP)),
            Unit::Count,
        )
        .must(AtMost(0.15)),
    ]
}
