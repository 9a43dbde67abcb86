//! The smallest executor: a task runs on a parker.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use reveille::Parker;

/// Runs a future to its end on this thread.
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let mut parker = Parker::new();
    let waker = Waker::from(parker.unparker());
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => parker.park(),
        }
    }
}
