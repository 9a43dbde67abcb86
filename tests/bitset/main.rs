//! The bit set from outside: single bits, claims, takes, summaries, and slots that one waits for.
//!
//! Tests named `c16_…` to `c20_…` are faults that users of comparable systems reported.

#[path = "../support/mod.rs"]
mod support;

mod bits;
mod claim;
mod look;
#[cfg(feature = "alloc")]
mod oracle;
mod race;
#[cfg(feature = "std")]
mod slots;
mod statics;
mod take;
