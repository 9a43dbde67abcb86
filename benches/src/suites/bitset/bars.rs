//! What the bit set is held to.

use crate::harness::CaseResult;
use crate::harness::bars::Bar;
use crate::harness::bars::Bound::{AtLeast, AtMost};
use crate::harness::metric::{ALLOCS_PER_OP, CPU_NS_PER_OP, Metric, NS_PER_OP, Unit};
use crate::harness::results::OURS;

pub(super) fn bars(results: &[CaseResult]) -> Vec<Bar> {
    let case = |id: &str| results.iter().find(|result| result.case.id == id);
    let times = |id: &str, peer: &str, ours: &str, metric: Metric| {
        let figure = case(id).and_then(|case| case.ratio(peer, ours, metric));
        Bar::times(format!("{id}: {peer} ÷ {ours}"), figure.map(|ratio| ratio.median))
    };
    let cpu = |id, peer| times(id, peer, OURS, CPU_NS_PER_OP);
    let growth = case("claim-release/t1")
        .and_then(|one| one.median(OURS, CPU_NS_PER_OP))
        .zip(case("claim-release/t4").and_then(|four| four.median(OURS, CPU_NS_PER_OP)))
        .map(|(one, four)| four / one);
    let allocations = case("claim-release/t2").and_then(|case| case.median(OURS, ALLOCS_PER_OP));

    vec![
        cpu("claim-release/t1", "index-set").must(AtLeast(1.0)).goal(AtLeast(1.3)),
        cpu("claim-release/t2", "index-set").must(AtLeast(1.8)).goal(AtLeast(2.2)),
        cpu("claim-release/t2", "mutex-fixedbitset").must(AtLeast(3.0)),
        cpu("claim-release/t2", "array-queue").must(AtLeast(2.3)),
        Bar::times("claim-release: ours, 4 threads ÷ 1", growth).goal(AtMost(1.15)),
        times("last-of-65536", "reveille:flat-look-only", "reveille:look-only", NS_PER_OP)
            .must(AtLeast(20.0))
            .goal(AtLeast(50.0)),
        times("last-of-65536", "reveille:flat-scan", OURS, NS_PER_OP)
            .must(AtLeast(20.0))
            .goal(AtLeast(50.0)),
        Bar::amount("claim-release/t2: allocations", allocations, Unit::Count).must(AtMost(0.0)),
    ]
}
