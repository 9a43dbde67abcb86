//! What the counters are held to.

use crate::harness::CaseResult;
use crate::harness::bars::Bar;
use crate::harness::bars::Bound::{AtLeast, AtMost};
use crate::harness::metric::{
    ALLOCS_PER_OP, BYTES, CPU_NS_PER_OP, Metric, NS_PER_OP, SYSCALLS_PER_OP, Unit,
};
use crate::harness::results::OURS;

const OWNED: &str = "reveille:owned";
const PER_CPU: &str = "reveille:per-cpu";
const FAST: &str = "fast-counter";
const ATOMIC: &str = "atomic-u64";

pub(super) fn bars(results: &[CaseResult]) -> Vec<Bar> {
    let case = |id: &str| results.iter().find(|result| result.case.id == id);
    let times = |id: &str, peer: &str, ours: &str, metric: Metric| {
        let figure = case(id).and_then(|case| case.ratio(peer, ours, metric));
        Bar::times(format!("{id}: {peer} ÷ {ours}"), figure.map(|ratio| ratio.median))
    };
    let cpu = |id, peer, ours| times(id, peer, ours, CPU_NS_PER_OP);
    let ours = |id: &str, metric| case(id).and_then(|case| case.median(OURS, metric));

    vec![
        cpu("add/t1", FAST, OURS).must(AtLeast(1.0)),
        cpu("add/t2", FAST, OURS).must(AtLeast(1.0)),
        cpu("add/t2", ATOMIC, OURS).must(AtLeast(1.4)),
        cpu("add/t1", FAST, OWNED).must(AtLeast(3.5)).goal(AtLeast(8.0)),
        cpu("add/t1", FAST, PER_CPU).must(AtLeast(3.0)).goal(AtLeast(3.5)),
        cpu("add/t2", FAST, PER_CPU).must(AtLeast(3.0)).goal(AtLeast(3.5)),
        cpu("add/t2", ATOMIC, PER_CPU).must(AtLeast(4.5)).goal(AtLeast(5.0)),
        cpu("four-counts/t1", ATOMIC, PER_CPU).must(AtLeast(8.0)),
        cpu("four-counts/t1", ATOMIC, OWNED).must(AtLeast(8.0)),
        cpu("four-counts/t2", ATOMIC, OURS).goal(AtLeast(1.4)),
        times("sum", FAST, OURS, NS_PER_OP).goal(AtLeast(1.0)),
        Bar::amount("add/t2: allocations", ours("add/t2", ALLOCS_PER_OP), Unit::Count)
            .goal(AtMost(0.0)),
        Bar::amount("add/t2: system calls", ours("add/t2", SYSCALLS_PER_OP), Unit::Count)
            .goal(AtMost(0.0)),
        Bar::amount("size: of a counter", ours("size", BYTES), Unit::Bytes).goal(AtMost(2048.0)),
    ]
}
