//! Ends the run when a round hangs: a lost wake-up must not look like a long measurement.

/// The longest that a round may take, in seconds.
const LIMIT: u32 = 120;

/// Armed while it lives.
#[derive(Debug)]
pub(crate) struct Watchdog(());

impl Watchdog {
    pub(crate) fn arm() -> Self {
        extern "C" fn bark(_signal: libc::c_int) {
            const WORDS: &[u8] =
                b"\nerror: a round hangs: a wake-up was lost, or a thread panicked\n";
            // SAFETY: write and _exit may be called in a signal handler; the buffer is static.
            unsafe { libc::write(libc::STDERR_FILENO, WORDS.as_ptr().cast(), WORDS.len()) };
            // SAFETY: as above.
            unsafe { libc::_exit(3) };
        }
        let handler = bark as extern "C" fn(libc::c_int);
        // SAFETY: the handler calls async-signal-safe functions only and does not return.
        unsafe { libc::signal(libc::SIGALRM, handler as libc::sighandler_t) };
        // SAFETY: no preconditions.
        unsafe { libc::alarm(LIMIT) };
        Self(())
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        // SAFETY: no preconditions.
        unsafe { libc::alarm(0) };
    }
}
