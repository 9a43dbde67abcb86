//! `claim-release/tN`: each of N threads claims one of 1024 slots and releases it, again and again.
//!
//! Threads are dealt out to all CPUs. That no slot is given twice is checked by the releases.

use core::hint::black_box;
use std::io;

use reveille::bitset::{HeapBitSet, LargeBitSet, SpreadBitSet};

use super::ours::Waited;
use super::subject::Slots;
use super::theirs::{Array, IndexSet, Locked, Segments, Stack};
use crate::harness::metric::{
    ALLOCS_PER_OP, CORES_BUSY, CPU_NS_PER_OP, Metric, NS_PER_OP, SYSCALLS_PER_OP,
};
use crate::harness::results::Sample;
use crate::harness::rounds::{Contender, Round};
use crate::harness::team::Team;
use crate::harness::{Case, Session};

const COLUMNS: &[Metric] = &[CPU_NS_PER_OP, NS_PER_OP, CORES_BUSY, SYSCALLS_PER_OP, ALLOCS_PER_OP];
const THREADS: &[usize] = &[1, 2, 4, 8];
const SLOTS: usize = 1024;
/// Claims of all threads together.
const CLAIMS: u64 = 4 << 20;

pub(super) fn run(session: &mut Session) -> io::Result<()> {
    for &threads in THREADS {
        let case = Case {
            id: format!("claim-release/t{threads}"),
            title: format!("a claim and its release, threads: {threads}"),
            columns: COLUMNS,
            plotted: &[CPU_NS_PER_OP],
        };
        let contenders = vec![
            contender::<SpreadBitSet>(threads),
            contender::<HeapBitSet>(threads),
            contender::<LargeBitSet>(threads),
            contender::<Waited>(threads),
            contender::<IndexSet>(threads),
            contender::<Array>(threads),
            contender::<Segments>(threads),
            contender::<Locked>(threads),
            contender::<Stack>(threads),
        ];
        session.compare(case, contenders)?;
    }
    Ok(())
}

fn contender<S: Slots>(threads: usize) -> Contender {
    Contender::new(S::NAME, move |round| claims::<S>(round, threads))
}

fn claims<S: Slots>(round: &Round<'_>, threads: usize) -> Sample {
    let slots = S::new(SLOTS);
    let each = round.count(CLAIMS) / threads as u64;
    let work = |thread, times| {
        let mut hint = S::hint(thread);
        for _ in 0..times {
            let slot = slots.claim(&mut hint);
            slots.release(black_box(slot));
        }
    };
    Team { round, threads, each, work }.run()
}
