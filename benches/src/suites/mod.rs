//! What is measured: one suite a module.

mod basket;
mod bitset;
mod counter;
mod merge;
mod park;
mod rpc;

use std::io;

use crate::harness::bars::Bar;
use crate::harness::{CaseResult, Session};

/// A set of cases and the bars that they are held to.
#[derive(Debug)]
pub(crate) struct Suite {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    /// Packages measured against, for the header.
    pub(crate) peers: &'static [&'static str],
    pub(crate) run: fn(&mut Session) -> io::Result<()>,
    pub(crate) bars: fn(&[CaseResult]) -> Vec<Bar>,
}

/// In the order in which `all` runs them.
pub(crate) const SUITES: &[Suite] =
    &[park::SUITE, basket::SUITE, bitset::SUITE, counter::SUITE, merge::SUITE, rpc::SUITE];
