//! `add/tN`: threads add one, again and again; one, two, four, eight of them.
//!
//! They are dealt out to all CPUs. The sum at the end is checked.

use std::io;

use super::roll::{ForEach, all};
use super::subject::Subject;
use crate::harness::metric::{
    ALLOCS_PER_OP, CORES_BUSY, CPU_NS_PER_OP, Metric, NS_PER_OP, SYSCALLS_PER_OP,
};
use crate::harness::results::Sample;
use crate::harness::rounds::{Contender, Round};
use crate::harness::team::Team;
use crate::harness::{Case, Session};

const COLUMNS: &[Metric] = &[CPU_NS_PER_OP, NS_PER_OP, CORES_BUSY, SYSCALLS_PER_OP, ALLOCS_PER_OP];
/// Numbers of threads.
const THREADS: &[usize] = &[1, 2, 4, 8];
/// Adds of all threads together.
const ADDS: u64 = 8 << 20;

pub(super) fn run(session: &mut Session) -> io::Result<()> {
    for &threads in THREADS {
        let case = Case {
            id: format!("add/t{threads}"),
            title: format!("an add, threads: {threads}"),
            columns: COLUMNS,
            plotted: &[CPU_NS_PER_OP],
        };
        session.compare(case, all(&Add { threads }))?;
    }
    Ok(())
}

struct Add {
    threads: usize,
}

impl ForEach for Add {
    fn make<S: Subject>(&self) -> Contender {
        let threads = self.threads;
        Contender::new(S::NAME, move |round| add::<S>(round, threads))
    }
}

fn add<S: Subject>(round: &Round<'_>, threads: usize) -> Sample {
    let counter = S::new(threads);
    let slower = if threads > 1 { S::SLOWER } else { 1 };
    let each = round.count(ADDS / slower) / threads as u64;
    let adders = Team { round, threads, each, work: |thread, times| counter.add(thread, times) };
    let sample = adders.run();
    assert_eq!(counter.sum(), adders.in_all(), "{}", S::NAME);
    sample
}
