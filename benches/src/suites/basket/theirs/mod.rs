//! The peers, each as its own documentation says it drains fastest.

pub(super) mod crossbeam;
pub(super) mod crossfire;
pub(super) mod flume;
pub(super) mod kanal;
pub(super) mod ports;
pub(super) mod spin;
pub(super) mod std_mpsc;
pub(super) mod tokio;
