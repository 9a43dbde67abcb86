//! Measuring: rounds, what is counted in them, and how it is reported.
//!
//! | module | idea |
//! |---|---|
//! | `rounds` | contenders take turns, so that a drift of the machine hits all of them alike |
//! | `window` | what a stretch of code used: time, CPU time, switches, calls, allocations |
//! | `trace`, `count` | system calls and allocations, counted in rounds of their own |
//! | `gate`, `team`, `asleep` | threads that start together, that do the same, that do nothing |
//! | `pin`, `quiet`, `memory`, `watchdog` | keep the machine from deciding the result |
//! | `metric`, `stats`, `results`, `latency` | figures, their names and their spread |
//! | `report`, `bars`, `json`, `svg`, `format`, `machine` | what is written |
//! | `session` | ties them together for a suite |

pub(crate) mod asleep;
pub(crate) mod bars;
pub(crate) mod count;
mod format;
pub(crate) mod gate;
mod json;
pub(crate) mod latency;
pub(crate) mod machine;
pub(crate) mod memory;
pub(crate) mod metric;
pub(crate) mod pin;
pub(crate) mod quiet;
mod report;
pub(crate) mod results;
pub(crate) mod rounds;
mod session;
mod stats;
mod svg;
pub(crate) mod team;
mod trace;
mod watchdog;
pub(crate) mod window;

pub(crate) use results::{Case, CaseResult};
pub(crate) use session::Session;
