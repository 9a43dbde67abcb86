//! `unpark-idle`: unpark again and again with nobody asleep, the token being there.
//!
//! What a producer pays for each item while the consumer is busy. At the end one park must find the
//! token.

use core::time::Duration;
use std::io;

use super::roll::{ForEach, plain};
use super::subject::{Park as _, Subject, Unpark as _};
use crate::harness::metric::{
    ALLOCS_PER_OP, CPU_NS_PER_OP, FUTEX_PER_OP, Metric, NS_PER_OP, SYSCALLS_PER_OP,
};
use crate::harness::results::Sample;
use crate::harness::rounds::{Contender, Round};
use crate::harness::{Case, Session};

const COLUMNS: &[Metric] =
    &[NS_PER_OP, CPU_NS_PER_OP, FUTEX_PER_OP, SYSCALLS_PER_OP, ALLOCS_PER_OP];
const BUDGET: Duration = Duration::from_millis(50);
/// Calls between two looks at the clock.
const BATCH: u64 = 10_000;

pub(super) fn run(session: &mut Session) -> io::Result<()> {
    let case = Case {
        id: "unpark-idle".into(),
        title: "unpark with nobody asleep, the token is there".into(),
        columns: COLUMNS,
        plotted: &[NS_PER_OP],
    };
    session.compare(case, plain::<UnparkIdle>())
}

struct UnparkIdle;

impl ForEach for UnparkIdle {
    type Output = Contender;

    fn make<S: Subject>() -> Contender {
        Contender::new(S::NAME, |round| round.cpus().run_on(0, || unparks::<S>(round)))
    }
}

fn unparks<S: Subject>(round: &Round<'_>) -> Sample {
    let (mut parker, unparker) = S::pair();
    let sample = round.repeat(BUDGET, BATCH, || {
        for _ in 0..BATCH {
            unparker.unpark();
        }
    });
    parker.park();
    sample
}
