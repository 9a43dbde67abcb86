//! `size`: the memory of one counter, in itself and on the heap; and of one of 16 in a set.

use core::mem::size_of;
use core::sync::atomic::AtomicU64;
use std::io;
use std::sync::Mutex;

use contatori::counters::unsigned::Unsigned;
use fast_counter::ConcurrentCounter;
use reveille::StripedCounter;
use reveille::counter::{CounterSet, LazyCounter, OwnedCounter, PerCpuCounter, PerCpuSet};

use crate::harness::count::bytes_allocated;
use crate::harness::metric::{BYTES, Metric};
use crate::harness::quiet::Meter;
use crate::harness::results::Sample;
use crate::harness::{Case, CaseResult, Session};

const COLUMNS: &[Metric] = &[BYTES];

pub(super) fn run(session: &mut Session) -> io::Result<()> {
    let case = Case {
        id: "size".into(),
        title: "memory of one counter, with 16 stripes where that can be chosen".into(),
        columns: COLUMNS,
        plotted: &[],
    };
    if !session.wants(&case.id) {
        return Ok(());
    }
    fn whole<T>(make: impl FnOnce() -> T) -> u64 {
        size_of::<T>() as u64 + bytes_allocated(make).1
    }
    let sizes = [
        ("reveille", whole(StripedCounter::<16>::with_stripes)),
        ("reveille:of-16-in-a-set", whole(CounterSet::<16>::new) / 16),
        ("reveille:lazy", whole(LazyCounter::<16>::with_stripes)),
        ("reveille:owned", whole(OwnedCounter::new)),
        ("reveille:per-cpu", whole(PerCpuCounter::new)),
        ("reveille:per-cpu-of-16-in-a-set", whole(PerCpuSet::<16>::new) / 16),
        ("fast-counter", whole(|| ConcurrentCounter::new(16))),
        ("fast-telemetry", whole(|| fast_telemetry::Counter::new(16))),
        ("contatori", whole(Unsigned::new)),
        ("mutex-u64", whole(|| Mutex::new(0_u64))),
        ("atomic-u64", whole(|| AtomicU64::new(0))),
    ];
    let meter = Meter::start();
    let mut result = CaseResult::new(case, sizes.map(|(name, _)| name));
    for (index, (_, bytes)) in sizes.into_iter().enumerate() {
        result.add(index, Sample::default().with(BYTES, bytes as f64), false);
    }
    session.record(result, &meter)
}
