//! `merge`: batch senders of one thread, without a network: what reaches the sink, when, at what cost.

mod bars;
mod blocked;
mod burst;
mod first;
mod floor;
mod idle;
mod ours;
mod seata;
mod subject;
mod swap;
mod worker;

use std::io;

use super::Suite;
use crate::harness::Session;

pub(crate) const SUITE: Suite = Suite {
    name: "merge",
    about: "batch senders: idling, the first message, bursts, a destination that blocks",
    peers: &[],
    run,
    bars: bars::bars,
};

fn run(session: &mut Session) -> io::Result<()> {
    idle::run(session)?;
    first::run(session)?;
    burst::run(session)?;
    blocked::run(session)
}
