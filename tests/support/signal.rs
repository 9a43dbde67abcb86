//! Signals to single threads, and threads that stop in the middle of what they do.

use std::mem;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::race::eventually;

pub(crate) type Handler = extern "C" fn(libc::c_int);

/// Installs a handler, without `SA_RESTART` unless it is asked for.
pub(crate) fn handle(signal: libc::c_int, handler: Handler, restart: bool) {
    // SAFETY: all zeroes is a valid sigaction.
    let mut action: libc::sigaction = unsafe { mem::zeroed() };
    action.sa_sigaction = handler as libc::sighandler_t;
    action.sa_flags = if restart { libc::SA_RESTART } else { 0 };
    // SAFETY: the handlers of these tests keep to async-signal-safe calls.
    let done = unsafe { libc::sigaction(signal, &raw const action, ptr::null_mut()) };
    assert_eq!(done, 0);
}

/// A thread that can be signalled. It must not have ended.
#[derive(Clone, Copy)]
pub(crate) struct Target(libc::pthread_t);

impl Target {
    pub(crate) fn this_thread() -> Self {
        // SAFETY: no preconditions.
        Self(unsafe { libc::pthread_self() })
    }

    pub(crate) fn send(self, signal: libc::c_int) {
        // SAFETY: the thread has not ended.
        let done = unsafe { libc::pthread_kill(self.0, signal) };
        assert_eq!(done, 0);
    }
}

// SAFETY: an identifier that any thread may use. (On some systems it is a pointer.)
unsafe impl Send for Target {}
// SAFETY: as above.
unsafe impl Sync for Target {}

static STOP: AtomicBool = AtomicBool::new(false);
static STOPPED: AtomicUsize = AtomicUsize::new(0);
/// Held by the test that stops threads: there is one `STOP`.
static STOPPING: Mutex<()> = Mutex::new(());

/// Stops threads wherever they are, until told to let them go.
pub(crate) struct Stopper(MutexGuard<'static, ()>);

extern "C" fn stop_here(_: libc::c_int) {
    // SAFETY: this thread's errno.
    let errno = unsafe { libc::__errno_location() };
    // SAFETY: as above.
    let saved = unsafe { *errno };
    STOPPED.fetch_add(1, Ordering::SeqCst);
    while STOP.load(Ordering::SeqCst) {
        let nap = libc::timespec { tv_sec: 0, tv_nsec: 200_000 };
        // SAFETY: async-signal-safe, with a valid time.
        unsafe { libc::nanosleep(&raw const nap, ptr::null_mut()) };
    }
    STOPPED.fetch_sub(1, Ordering::SeqCst);
    // SAFETY: as above.
    unsafe { *errno = saved };
}

impl Stopper {
    pub(crate) fn new() -> Self {
        let turn = STOPPING.lock().unwrap_or_else(PoisonError::into_inner);
        handle(libc::SIGUSR1, stop_here, true);
        Self(turn)
    }

    /// Stops the thread, wherever it is, until the returned value is dropped.
    pub(crate) fn stop(&self, target: Target) -> Stopped<'_> {
        STOP.store(true, Ordering::SeqCst);
        target.send(libc::SIGUSR1);
        eventually(|| STOPPED.load(Ordering::SeqCst) == 1);
        Stopped(&self.0)
    }
}

/// A thread that is stopped.
pub(crate) struct Stopped<'a>(
    #[expect(dead_code, reason = "one at a time")] &'a MutexGuard<'static, ()>,
);

impl Drop for Stopped<'_> {
    fn drop(&mut self) {
        STOP.store(false, Ordering::SeqCst);
        eventually(|| STOPPED.load(Ordering::SeqCst) == 0);
    }
}

/// Tells the stopping thread whether it caught a thread inside a section.
#[derive(Default)]
pub(crate) struct Section {
    begun: AtomicU64,
    ended: AtomicU64,
}

impl Section {
    pub(crate) fn run<R>(&self, section: impl FnOnce() -> R) -> R {
        self.begun.fetch_add(1, Ordering::SeqCst);
        let result = section();
        self.ended.fetch_add(1, Ordering::SeqCst);
        result
    }

    /// Whether the one thread that runs it is inside. To be asked while it is stopped.
    pub(crate) fn is_inside(&self) -> bool {
        self.begun.load(Ordering::SeqCst) != self.ended.load(Ordering::SeqCst)
    }

    /// How many times it was run to its end.
    pub(crate) fn ended(&self) -> u64 {
        self.ended.load(Ordering::SeqCst)
    }
}

/// A short sleep, for the spread.
pub(crate) fn nap(time: Duration) {
    std::thread::sleep(time);
}
