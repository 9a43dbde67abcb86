//! `sum`: adding 16 stripes up, nobody adding meanwhile. `sum/sN`: how that grows with the stripes.

use core::hint::black_box;
use core::time::Duration;
use std::io;

use fast_counter::ConcurrentCounter;
use reveille::StripedCounter;

use super::roll::{ForEach, all};
use super::subject::Subject;
use crate::harness::metric::{CPU_NS_PER_OP, Metric, NS_PER_OP};
use crate::harness::results::Sample;
use crate::harness::rounds::{Contender, Round};
use crate::harness::{Case, Session};

const COLUMNS: &[Metric] = &[NS_PER_OP, CPU_NS_PER_OP];
const BUDGET: Duration = Duration::from_millis(50);
/// Sums between two looks at the clock.
const BATCH: u64 = 10_000;

pub(super) fn run(session: &mut Session) -> io::Result<()> {
    session.compare(case("sum", "a sum of 16 stripes, or as many as there are"), all(&Sum))?;
    growth::<2>(session, "sum/s2")?;
    growth::<64>(session, "sum/s64")?;
    growth::<1024>(session, "sum/s1024")
}

fn case(id: &str, title: &str) -> Case {
    Case { id: id.into(), title: title.into(), columns: COLUMNS, plotted: &[NS_PER_OP] }
}

struct Sum;

impl ForEach for Sum {
    fn make<S: Subject>(&self) -> Contender {
        Contender::new(S::NAME, |round| {
            let counter = S::new(1);
            counter.add(0, 3);
            sums(round, || counter.sum())
        })
    }
}

fn growth<const N: usize>(session: &mut Session, id: &str) -> io::Result<()> {
    let ours = Contender::new("reveille", |round| {
        let counter = Box::new(StripedCounter::<N>::with_stripes());
        counter.add(3);
        sums(round, || counter.sum())
    });
    let theirs = Contender::new("fast-counter", |round| {
        let counter = ConcurrentCounter::new(N);
        counter.add(3);
        sums(round, || counter.sum() as u64)
    });
    session.compare(case(id, &format!("a sum of {N} stripes")), vec![ours, theirs])
}

fn sums(round: &Round<'_>, sum: impl Fn() -> u64 + Sync) -> Sample {
    round.cpus().run_on(0, || {
        round.repeat(BUDGET, BATCH, || {
            for _ in 0..BATCH {
                assert_eq!(black_box(sum()), 3);
            }
        })
    })
}
