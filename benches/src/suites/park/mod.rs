//! `park`: parkers, from a token that is there already to a night asleep.

mod bars;
mod gap;
mod idle;
mod ours;
mod pingpong;
mod roll;
mod size;
mod subject;
mod theirs;
mod token;
mod unpark_idle;

use std::io;

use super::Suite;
use crate::harness::Session;

pub(crate) const SUITE: Suite = Suite {
    name: "park",
    about: "parkers: token, ping-pong, gaps, idling, size",
    peers: &["crossbeam-utils", "parking", "parking_lot"],
    run,
    bars: bars::bars,
};

fn run(session: &mut Session) -> io::Result<()> {
    token::run(session)?;
    unpark_idle::run(session)?;
    pingpong::run(session)?;
    gap::run(session)?;
    idle::run(session)?;
    size::run(session)
}
