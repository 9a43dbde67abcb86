//! What the basket is held to.

use super::first_item;
use super::flow::PRODUCERS;
use crate::harness::CaseResult;
use crate::harness::bars::Bar;
use crate::harness::bars::Bound::{AtLeast, AtMost};
use crate::harness::metric::{
    CPU_MS, CPU_NS_PER_OP, CTX_PER_OP, FUTEX_PER_OP, Metric, P50_NS, P99_NS, P999_NS, Unit,
    VOLUNTARY_SWITCHES,
};
use crate::harness::results::OURS;

/// Channels that give items one by one.
const CHANNELS: &[&str] = &["crossbeam-channel", "std-mpsc"];
/// Queues whose consumer sleeps at once.
const SLEEPERS: &[&str] = &["bare-futex", "mutex-vec", "std-mpsc"];
/// Queues whose consumer sleeps at all.
const BLOCKING: &[&str] =
    &["crossbeam-channel", "std-mpsc", "kanal", "flume", "crossfire", "tokio", "mutex-vec"];

pub(super) fn bars(results: &[CaseResult]) -> Vec<Bar> {
    let results = Results(results);
    let mut bars = flows(results);
    bars.extend(first_items(results));
    bars.extend(paced(results));
    bars.extend(sleeps(results));
    let preempted = results.gain("preempted/p8", &["crossbeam-channel"], P999_NS);
    bars.push(
        Bar::times("preempted/p8: crossbeam's p99.9 ÷ ours", preempted)
            .must(AtLeast(1.0))
            .goal(AtLeast(5.0)),
    );
    bars
}

/// CPU time per item.
fn flows(results: Results<'_>) -> Vec<Bar> {
    let best = "best of crossbeam, std";
    let mut bars = Vec::new();
    for (kind, peers, name, [must_of_one, must, goal]) in [
        ("one-by-one", CHANNELS, best, [1.6, 1.5, 10.0]),
        ("one-by-one", &["kanal"], "kanal", [0.55, 0.55, 2.5]),
        ("one-by-one", &["mutex-vec"], "mutex-vec", [0.7, 0.7, 2.5]),
        ("one-by-one", &["segqueue-spin"], "segqueue-spin", [1.3, 1.3, 4.0]),
        ("batch64", CHANNELS, best, [8.0, 8.0, 15.0]),
        ("bounded1024", &["crossbeam-channel"], "crossbeam", [1.15, 1.15, 2.0]),
    ] {
        for &producers in PRODUCERS {
            let id = format!("{kind}/p{producers}");
            let must = if producers == 1 { must_of_one } else { must };
            let gain = results.gain(&id, peers, CPU_NS_PER_OP);
            let bar = Bar::times(format!("{id}: {name} ÷ ours"), gain);
            bars.push(bar.must(AtLeast(must)).goal(AtLeast(goal)));
        }
    }
    bars
}

/// Nobody beats the kernel's wake-up: parity.
fn first_items(results: Results<'_>) -> Vec<Bar> {
    let mut bars = Vec::new();
    for id in first_item::ids() {
        for (metric, percentile) in [(P50_NS, "p50"), (P99_NS, "p99")] {
            for (peers, name) in [(BLOCKING, "best blocking peer"), (&["bare-futex"], "bare futex")]
            {
                let gain = results.gain(&id, peers, metric);
                let bar = Bar::times(format!("{id}: {percentile} of {name} ÷ ours"), gain);
                bars.push(bar.must(AtLeast(0.95)).goal(AtLeast(1.0)));
            }
            let spread = results.case(&id).and_then(|case| case.spread(BLOCKING, metric));
            let what = format!("{id}: {percentile} of best blocking peer ÷ that of their middle");
            bars.push(Bar::times(what, spread));
        }
    }
    bars
}

fn paced(results: Results<'_>) -> Vec<Bar> {
    let p50 =
        |id: &str| Bar::amount(format!("{id}: p50"), results.ours(id, P50_NS), Unit::Nanoseconds);
    let futex = results.ours("paced/2us", FUTEX_PER_OP);
    let sleeper = results.gain("paced/200us", SLEEPERS, CPU_NS_PER_OP).map(f64::recip);
    vec![
        p50("paced/2us").must(AtMost(600.0)),
        Bar::amount("paced/2us: futex calls per item", futex, Unit::Count).must(AtMost(0.05)),
        p50("paced/20us").goal(AtMost(600.0)),
        Bar::times("paced/200us: our CPU ÷ the best sleeper's", sleeper).must(AtMost(1.1)),
    ]
}

fn sleeps(results: Results<'_>) -> Vec<Bar> {
    let calls = results.ours("first-item/idle-1ms", FUTEX_PER_OP);
    let switches = PRODUCERS
        .iter()
        .map(|producers| results.ours(&format!("one-by-one/p{producers}"), CTX_PER_OP))
        .collect::<Option<Vec<f64>>>();
    let most = switches.and_then(|switches| switches.into_iter().max_by(f64::total_cmp));
    let idle = |metric| results.ours("idle-10s", metric);
    vec![
        Bar::amount("first-item/idle-1ms: futex calls, a sleep and its wake", calls, Unit::Count)
            .must(AtMost(2.0)),
        Bar::amount(
            "one-by-one: most switches per 1000 items",
            most.map(|switches| switches * 1e3),
            Unit::Count,
        )
        .must(AtMost(0.5)),
        Bar::amount("idle-10s: CPU of all drainers", idle(CPU_MS), Unit::Milliseconds)
            .must(AtMost(0.0)),
        Bar::amount("idle-10s: voluntary switches of all", idle(VOLUNTARY_SWITCHES), Unit::Count)
            .must(AtMost(0.0)),
    ]
}

/// What has been measured.
#[derive(Clone, Copy)]
struct Results<'a>(&'a [CaseResult]);

impl Results<'_> {
    fn case(&self, id: &str) -> Option<&CaseResult> {
        self.0.iter().find(|result| result.case.id == id)
    }

    fn gain(&self, id: &str, peers: &[&str], metric: Metric) -> Option<f64> {
        self.case(id)?.gain(peers, metric)
    }

    fn ours(&self, id: &str, metric: Metric) -> Option<f64> {
        self.case(id)?.median(OURS, metric)
    }
}
