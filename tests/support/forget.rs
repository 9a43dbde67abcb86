//! Forgetting on purpose, so that a leak checker does not mistake it for a leak.

use std::sync::Mutex;

/// For the leak checker to read.
struct Kept(*mut u8);

// SAFETY: nobody follows the pointer.
unsafe impl Send for Kept {}

static KEPT: Mutex<Vec<Kept>> = Mutex::new(Vec::new());

/// As `std::mem::forget`, but what the value owns can still be reached.
pub(crate) fn forget<T>(value: T) {
    let place = Box::into_raw(Box::new(value)).cast();
    KEPT.lock().unwrap().push(Kept(place));
}
