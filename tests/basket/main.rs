//! The basket from outside: what its contract promises, in every form and under bad conditions.
//!
//! Tests named `c08_…` to `c15_…` are faults that users of comparable systems reported.
#![cfg(feature = "alloc")]

#[path = "../support/mod.rs"]
mod support;

#[macro_use]
mod forms;

mod close;
mod drops;
mod len;
mod limits;
mod offer;
mod offer_all;
mod order;
mod states;
mod wait;
