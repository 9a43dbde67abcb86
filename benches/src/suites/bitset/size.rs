//! `size`: the memory of 1024 slots.

use core::mem::size_of;
use std::io;

use reveille::AtomicBitSet;
use reveille::bitset::{HeapBitSet, LargeBitSet, SpreadBitSet, words_for};

use super::subject::Slots;
use super::theirs::{Array, IndexSet, Locked, Stack};
use crate::harness::count::bytes_allocated;
use crate::harness::metric::{BYTES, Metric};
use crate::harness::quiet::Meter;
use crate::harness::results::Sample;
use crate::harness::{Case, CaseResult, Session};

const COLUMNS: &[Metric] = &[BYTES];
const SLOTS: usize = 1024;

pub(super) fn run(session: &mut Session) -> io::Result<()> {
    let case = Case {
        id: "size".into(),
        title: "memory of 1024 slots".into(),
        columns: COLUMNS,
        plotted: &[],
    };
    if !session.wants(&case.id) {
        return Ok(());
    }
    let sizes = [
        ("reveille", size::<SpreadBitSet>()),
        ("reveille:inline", size_of::<AtomicBitSet<{ words_for(SLOTS) }>>() as u64),
        ("reveille:dense", size::<HeapBitSet>()),
        ("reveille:large", size::<LargeBitSet>()),
        ("index-set", size::<IndexSet>()),
        ("array-queue", size::<Array>()),
        ("mutex-fixedbitset", size::<Locked>()),
        ("mutex-vec", size::<Stack>()),
    ];
    let meter = Meter::start();
    let mut result = CaseResult::new(case, sizes.map(|(name, _)| name));
    for (index, (_, bytes)) in sizes.into_iter().enumerate() {
        result.add(index, Sample::default().with(BYTES, bytes as f64), false);
    }
    session.record(result, &meter)
}

/// In itself and on the heap.
fn size<S: Slots>() -> u64 {
    size_of::<S>() as u64 + bytes_allocated(|| S::new(SLOTS)).1
}
