//! What the batch sender is held to.

use crate::harness::CaseResult;
use crate::harness::bars::Bar;
use crate::harness::bars::Bound::{AtLeast, AtMost};
use crate::harness::metric::{
    CPU_MS, FUTEX_PER_OP, Metric, P50_NS, P99_NS, SEND_CPU_NS_PER_OP, Unit, VOLUNTARY_SWITCHES,
};
use crate::harness::results::OURS;

const POLL: &[&str] = &["seata-poll"];
const PARK: &[&str] = &["mutex-condvar"];
/// What no sender can beat whose thread sleeps.
const FLOOR: &[&str] = &["bare-futex"];

pub(super) fn bars(results: &[CaseResult]) -> Vec<Bar> {
    let case = |id: &str| results.iter().find(|result| result.case.id == id);
    let ours = |id: &str, metric: Metric| case(id)?.median(OURS, metric);
    let gain = |id: &str, peers: &[&str], metric: Metric| case(id)?.gain(peers, metric);
    let first = "first-message/idle-5ms";
    let mut bars = vec![
        Bar::amount("idle-10s: CPU of the thread", ours("idle-10s", CPU_MS), Unit::Milliseconds)
            .must(AtMost(0.0)),
        Bar::amount(
            "idle-10s: voluntary switches",
            ours("idle-10s", VOLUNTARY_SWITCHES),
            Unit::Count,
        )
        .must(AtMost(0.0)),
        Bar::times(format!("{first}: mutex-condvar ÷ ours, p50"), gain(first, PARK, P50_NS))
            .must(AtLeast(1.0))
            .goal(AtLeast(1.15)),
        Bar::times(format!("{first}: mutex-condvar ÷ ours, p99"), gain(first, PARK, P99_NS))
            .must(AtLeast(1.0)),
        Bar::times(format!("{first}: bare futex ÷ ours, p50"), gain(first, FLOOR, P50_NS)),
        Bar::times(
            format!("{first}: bare futex ÷ mutex-condvar, p50"),
            case(first)
                .and_then(|result| result.ratio(FLOOR[0], PARK[0], P50_NS))
                .map(|ratio| ratio.median),
        ),
    ];
    for burst in ["burst-4x25/r10", "burst-4x25/r1000"] {
        let send = gain(burst, PARK, SEND_CPU_NS_PER_OP);
        bars.push(
            Bar::times(format!("{burst}: mutex-condvar's CPU of sending ÷ ours"), send)
                .must(AtLeast(3.0))
                .goal(AtLeast(5.0)),
        );
        bars.push(
            Bar::amount(
                format!("{burst}: futex calls of a message"),
                ours(burst, FUTEX_PER_OP),
                Unit::Count,
            )
            .must(AtMost(0.05)),
        );
    }
    bars.push(
        Bar::times("blocked-lane: seata-poll ÷ ours, p99", gain("blocked-lane", POLL, P99_NS))
            .must(AtLeast(10.0)),
    );
    bars
}
