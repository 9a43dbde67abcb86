//! Models of reveille: its source, compiled over loom, explored interleaving by interleaving.
//!
//! `cargo test -p loom-tests` explores them up to a bound that takes seconds each;
//! `REVEILLE_MODEL=full cargo test -p loom-tests --release` goes further, as far as each gets in twenty
//! seconds.

mod basket_canary;
mod bitset;
mod counter;
mod fixed;
mod handshakes;
mod harness;
mod lanes;
mod lanes_fenced;
mod limited;
#[cfg(feature = "merge")]
mod merge;
mod oneshot;
mod ordered;
mod park;
mod scenarios;
mod waits;
