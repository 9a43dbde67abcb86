//! `basket`: queues that many offer to and one drains, from a flood to a night asleep.

mod bars;
mod first_item;
mod flow;
mod growth;
mod idle;
mod ids;
mod ours;
mod paced;
mod preempted;
mod roll;
mod stamp;
mod subject;
mod theirs;

use std::io;

use super::Suite;
use crate::harness::Session;

pub(crate) const SUITE: Suite = Suite {
    name: "basket",
    about: "queues of many producers: flood, first item, pace, preemption, idling",
    peers: &["crossbeam-channel", "crossbeam-queue", "crossfire", "flume", "kanal", "tokio"],
    run,
    bars: bars::bars,
};

fn run(session: &mut Session) -> io::Result<()> {
    flow::run(session)?;
    first_item::run(session)?;
    paced::run(session)?;
    preempted::run(session)?;
    idle::run(session)?;
    growth::run(session)
}
