//! A parker that is one futex word and nothing else: the floor.
//!
//! As in Rust's standard library: one read-modify-write takes the token or announces the sleep.

use core::sync::atomic::{AtomicU32, Ordering};

const EMPTY: u32 = 0;
const NOTIFIED: u32 = 1;
const PARKED: u32 = u32::MAX;

/// The word.
#[derive(Debug, Default)]
pub(crate) struct BareFutex(AtomicU32);

impl BareFutex {
    pub(crate) fn park(&self) {
        // NOTIFIED becomes EMPTY, EMPTY becomes PARKED.
        if self.0.fetch_sub(1, Ordering::Acquire) == NOTIFIED {
            return;
        }
        loop {
            self.wait();
            let took =
                self.0.compare_exchange(NOTIFIED, EMPTY, Ordering::Acquire, Ordering::Relaxed);
            if took.is_ok() {
                return;
            }
        }
    }

    pub(crate) fn unpark(&self) {
        if self.0.swap(NOTIFIED, Ordering::Release) == PARKED {
            let one: libc::c_int = 1;
            // SAFETY: the word is alive.
            unsafe {
                libc::syscall(
                    libc::SYS_futex,
                    self.0.as_ptr(),
                    libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG,
                    one,
                )
            };
        }
    }

    /// Sleeps while the word is PARKED. May return for no reason.
    fn wait(&self) {
        let forever = core::ptr::null::<libc::timespec>();
        // SAFETY: the word is alive; there is no timeout to read.
        unsafe {
            libc::syscall(
                libc::SYS_futex,
                self.0.as_ptr(),
                libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG,
                PARKED,
                forever,
            )
        };
    }
}
