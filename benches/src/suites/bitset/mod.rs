//! `bitset`: sets of free slots, claimed and released by many threads, and searched when they are
//! nearly full.

mod bars;
mod claim_release;
mod last;
mod ours;
mod size;
mod subject;
mod theirs;

use std::io;

use super::Suite;
use crate::harness::Session;

pub(crate) const SUITE: Suite = Suite {
    name: "bitset",
    about: "bit sets: claim and release by threads, the last clear bit of many, size",
    peers: &["crossbeam-queue", "fixedbitset", "index-set"],
    run,
    bars: bars::bars,
};

fn run(session: &mut Session) -> io::Result<()> {
    claim_release::run(session)?;
    last::run(session)?;
    size::run(session)
}
