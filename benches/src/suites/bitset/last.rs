//! `last-of-N`: one clear bit, the last of many; it is claimed and released, and each search begins at
//! the first bit.

use core::hint::black_box;
use core::time::Duration;
use std::io;

use reveille::bitset::{BitSet, HeapBitSet, Hint, LargeBitSet, Storage};

use crate::harness::metric::{CPU_NS_PER_OP, Metric, NS_PER_OP};
use crate::harness::results::Sample;
use crate::harness::rounds::{Contender, Round};
use crate::harness::{Case, Session};

const COLUMNS: &[Metric] = &[NS_PER_OP, CPU_NS_PER_OP];
const BUDGET: Duration = Duration::from_millis(50);
/// Searches between two looks at the clock.
const BATCH: u64 = 1000;

pub(super) fn run(session: &mut Session) -> io::Result<()> {
    for bits in [1024, 4096, 65_536, 1 << 20] {
        let case = Case {
            id: format!("last-of-{bits}"),
            title: format!("find, claim and release the last clear bit of {bits}"),
            columns: COLUMNS,
            plotted: &[NS_PER_OP],
        };
        let large = searches("reveille", move || LargeBitSet::new(bits));
        let flat = searches("reveille:flat-scan", move || HeapBitSet::new(bits));
        let look =
            looks("reveille:look-only", move || LargeBitSet::new(bits), BitSet::likely_clear);
        let flat_look =
            looks("reveille:flat-look-only", move || HeapBitSet::new(bits), BitSet::next_clear);
        session.compare(case, vec![large, flat, look, flat_look])?;
    }
    Ok(())
}

fn searches<S: Storage + Send + Sync>(
    name: &'static str,
    new: impl Fn() -> BitSet<S> + 'static,
) -> Contender {
    Contender::new(name, move |round| search(round, &nearly_full(new())))
}

fn search<S: Storage + Sync>(round: &Round<'_>, set: &BitSet<S>) -> Sample {
    let last = set.capacity() - 1;
    round.cpus().run_on(0, || {
        round.repeat(BUDGET, BATCH, || {
            for _ in 0..BATCH {
                assert_eq!(set.claim(&mut Hint::lowest()), Some(last));
                assert!(set.release(black_box(last)));
            }
        })
    })
}

/// A search that claims nothing.
fn looks<S: Storage + Send + Sync + 'static>(
    name: &'static str,
    new: impl Fn() -> BitSet<S> + 'static,
    look: fn(&BitSet<S>, usize) -> Option<usize>,
) -> Contender {
    Contender::new(name, move |round| {
        let set = nearly_full(new());
        round.cpus().run_on(0, || {
            round.repeat(BUDGET, BATCH, || {
                for _ in 0..BATCH {
                    assert_eq!(look(black_box(&set), 0), Some(set.capacity() - 1));
                }
            })
        })
    })
}

fn nearly_full<S: Storage>(set: BitSet<S>) -> BitSet<S> {
    set.set_range(0..set.capacity() - 1);
    set
}
