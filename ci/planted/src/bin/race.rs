//! Two threads write one word without an order between them.

use std::cell::UnsafeCell;
use std::sync::Arc;

struct Shared(UnsafeCell<u64>);

// SAFETY: none. This is the bug.
unsafe impl Sync for Shared {}

fn main() {
    let shared = Arc::new(Shared(UnsafeCell::new(0)));
    let threads = [(); 2].map(|()| {
        let shared = Arc::clone(&shared);
        std::thread::spawn(move || {
            for _ in 0..1000 {
                // SAFETY: none.
                unsafe { *shared.0.get() += 1 };
            }
        })
    });
    for thread in threads {
        thread.join().unwrap();
    }
}
