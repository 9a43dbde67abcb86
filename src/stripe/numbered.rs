//! Numbers in the order in which threads first ask.

use crate::shim::atomic::{AtomicUsize, Ordering};
use crate::shim::thread;

/// The thread has not asked yet.
const UNKNOWN: usize = usize::MAX;

global! {
    /// The next number.
    static NEXT: AtomicUsize = AtomicUsize::new(0);
}

#[inline]
pub(super) fn number() -> usize {
    match thread::word() {
        UNKNOWN => first(),
        number => number,
    }
}

#[cold]
fn first() -> usize {
    // ORDERING(stripe.next): Relaxed — numbers only have to differ; pairs with itself.
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    thread::set_word(number);
    number
}
