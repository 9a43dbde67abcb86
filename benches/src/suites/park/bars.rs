//! What the parker is held to.

use crate::harness::CaseResult;
use crate::harness::bars::Bar;
use crate::harness::bars::Bound::{AtLeast, AtMost};
use crate::harness::metric::{
    ALLOCS_PER_OP, BYTES, CPU_MS, CPU_NS_PER_OP, FUTEX_PER_OP, Metric, NS_PER_OP, SYSCALLS_PER_OP,
    Unit, VOLUNTARY_SWITCHES,
};
use crate::harness::results::OURS;

/// The parkers that people use.
const PARKERS: &[&str] = &["std-thread", "crossbeam-utils", "parking"];

pub(super) fn bars(results: &[CaseResult]) -> Vec<Bar> {
    let case = |id: &str| results.iter().find(|result| result.case.id == id);
    let gain = |id: &str| case(id)?.gain(PARKERS, NS_PER_OP);
    let ours = |id: &str, metric: Metric| case(id)?.median(OURS, metric);
    let best_fixed = || {
        let result = case("pingpong-2cpu")?;
        let fixed = ["reveille:fixed300", "reveille:fixed1000"];
        let ratios = fixed.map(|name| result.ratio(OURS, name, NS_PER_OP));
        ratios.into_iter().flatten().map(|ratio| ratio.median).max_by(f64::total_cmp)
    };
    let gap = || case("gap-100us")?.ratio(OURS, "bare-futex", CPU_NS_PER_OP);

    vec![
        Bar::times("token: best of std, crossbeam, parking ÷ ours", gain("token"))
            .must(AtLeast(1.05))
            .goal(AtLeast(1.3)),
        Bar::times("pingpong-2cpu: best of the same ÷ ours", gain("pingpong-2cpu"))
            .must(AtLeast(50.0))
            .goal(AtLeast(150.0)),
        Bar::times("pingpong-2cpu: ours ÷ best fixed spin", best_fixed()).goal(AtMost(1.2)),
        Bar::times("pingpong-1cpu: best of the same ÷ ours", gain("pingpong-1cpu"))
            .must(AtLeast(0.85))
            .goal(AtLeast(0.98)),
        Bar::times("gap-100us: our CPU ÷ bare futex's", gap().map(|ratio| ratio.median))
            .must(AtMost(1.3))
            .goal(AtMost(1.05)),
        Bar::amount(
            "idle-10s: CPU of all parked threads",
            ours("idle-10s", CPU_MS),
            Unit::Milliseconds,
        )
        .must(AtMost(1.0))
        .goal(AtMost(0.0)),
        Bar::amount(
            "idle-10s: voluntary switches of all",
            ours("idle-10s", VOLUNTARY_SWITCHES),
            Unit::Count,
        )
        .must(AtMost(0.0)),
        Bar::amount(
            "unpark-idle: futex calls of an unpark",
            ours("unpark-idle", FUTEX_PER_OP),
            Unit::Count,
        )
        .must(AtMost(0.0)),
        Bar::amount(
            "unpark-idle: system calls of an unpark",
            ours("unpark-idle", SYSCALLS_PER_OP),
            Unit::Count,
        )
        .must(AtMost(0.0)),
        Bar::amount(
            "pingpong-1cpu: allocations of a park and an unpark",
            ours("pingpong-1cpu", ALLOCS_PER_OP),
            Unit::Count,
        )
        .must(AtMost(0.0)),
        Bar::amount("slot: size", ours("slot", BYTES), Unit::Bytes).must(AtMost(4.0)),
    ]
}
