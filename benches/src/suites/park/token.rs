//! `token`: unpark, then park, on one thread. Nobody sleeps; the word is in the cache.
//!
//! A parker that lost a token would sleep for ever here: that the loop ends is the check.

use core::time::Duration;
use std::io;

use super::roll::{ForEach, plain};
use super::subject::{Park as _, Subject, Unpark as _};
use crate::harness::metric::{ALLOCS_PER_OP, CPU_NS_PER_OP, FUTEX_PER_OP, Metric, NS_PER_OP};
use crate::harness::results::Sample;
use crate::harness::rounds::{Contender, Round};
use crate::harness::{Case, Session};

const COLUMNS: &[Metric] = &[NS_PER_OP, CPU_NS_PER_OP, FUTEX_PER_OP, ALLOCS_PER_OP];
const BUDGET: Duration = Duration::from_millis(50);
/// Pairs between two looks at the clock.
const BATCH: u64 = 10_000;

pub(super) fn run(session: &mut Session) -> io::Result<()> {
    let case = Case {
        id: "token".into(),
        title: "unpark + park on one thread, the token is there".into(),
        columns: COLUMNS,
        plotted: &[NS_PER_OP],
    };
    session.compare(case, plain::<Token>())
}

struct Token;

impl ForEach for Token {
    type Output = Contender;

    fn make<S: Subject>() -> Contender {
        Contender::new(S::NAME, |round| round.cpus().run_on(0, || pairs::<S>(round)))
    }
}

fn pairs<S: Subject>(round: &Round<'_>) -> Sample {
    let (mut parker, unparker) = S::pair();
    round.repeat(BUDGET, BATCH, || {
        for _ in 0..BATCH {
            unparker.unpark();
            parker.park();
        }
    })
}
