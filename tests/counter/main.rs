//! Counters from outside: sums, resets, deltas, gauges, sets, single writers, and where they must work.
//!
//! Tests named `c21_…` to `c25_…` are faults that users of comparable systems reported.

#[path = "../support/mod.rs"]
mod support;

mod environment;
mod gauge;
#[cfg(feature = "alloc")]
mod lazy;
mod oracle;
mod owned;
#[cfg(feature = "rseq")]
mod per_cpu;
mod reset;
mod set;
mod statics;
mod stripes;
mod sums;
