//! Which part of a striped thing a thread uses, so that threads keep out of each other's way.
//!
//! With `std` a thread has a number, taken when it first asks: 0, 1, 2, … Without, its stack says
//! roughly which thread it is.

#[cfg(not(feature = "std"))]
mod guessed;
#[cfg(feature = "std")]
mod numbered;

#[cfg(not(feature = "std"))]
use guessed as imp;
#[cfg(feature = "std")]
use numbered as imp;

/// A number for the calling thread: take it modulo the number of stripes.
///
/// Threads that live side by side have different numbers with `std`, and most of them without; the
/// smallest ones are given first. A thread keeps its number. Never panics, allocates or blocks; works
/// in signal handlers, in destructors of thread-locals and in a forked child.
#[inline]
pub(crate) fn thread_stripe() -> usize {
    imp::number()
}
