//! `four-counts/tN`: an operation that counts four things of one owner.

use std::io;

use reveille::counter::{CounterSet, PerCpuSet};

use super::ours::OwnedFour;
use super::subject::{BYTES, FourSubject};
use super::theirs::{FourAtomics, FourFast};
use crate::harness::metric::{CORES_BUSY, CPU_NS_PER_OP, Metric, NS_PER_OP};
use crate::harness::results::Sample;
use crate::harness::rounds::{Contender, Round};
use crate::harness::team::Team;
use crate::harness::{Case, Session};

const COLUMNS: &[Metric] = &[CPU_NS_PER_OP, NS_PER_OP, CORES_BUSY];
const THREADS: &[usize] = &[1, 2];
/// Operations of all threads together.
const OPERATIONS: u64 = 2 << 20;

pub(super) fn run(session: &mut Session) -> io::Result<()> {
    for &threads in THREADS {
        let case = Case {
            id: format!("four-counts/t{threads}"),
            title: format!("an operation that counts four things, threads: {threads}"),
            columns: COLUMNS,
            plotted: &[CPU_NS_PER_OP],
        };
        let contenders = vec![
            contender::<CounterSet<4>>(threads),
            contender::<OwnedFour>(threads),
            contender::<PerCpuSet<4>>(threads),
            contender::<fast_telemetry::CounterSet>(threads),
            contender::<FourFast>(threads),
            contender::<FourAtomics>(threads),
        ];
        session.compare(case, contenders)?;
    }
    Ok(())
}

fn contender<S: FourSubject>(threads: usize) -> Contender {
    Contender::new(S::NAME, move |round| count::<S>(round, threads))
}

fn count<S: FourSubject>(round: &Round<'_>, threads: usize) -> Sample {
    let set = S::new(threads);
    let each = round.count(OPERATIONS) / threads as u64;
    let adders = Team { round, threads, each, work: |thread, times| set.add(thread, times) };
    let sample = adders.run();
    let all = adders.in_all();
    assert_eq!(set.sums(), [all, all, all, BYTES * all], "{}", S::NAME);
    sample
}
