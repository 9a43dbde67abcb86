//! `counter`: counters that many threads add to.

mod add;
mod bars;
mod four;
mod ours;
mod roll;
mod size;
mod subject;
mod sum;
mod theirs;

use std::io;

use super::Suite;
use crate::harness::Session;

pub(crate) const SUITE: Suite = Suite {
    name: "counter",
    about: "counters: adds by threads, four counts an operation, sums, size",
    peers: &["contatori", "fast-counter", "fast-telemetry"],
    run,
    bars: bars::bars,
};

fn run(session: &mut Session) -> io::Result<()> {
    add::run(session)?;
    four::run(session)?;
    sum::run(session)?;
    size::run(session)
}
