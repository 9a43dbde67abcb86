//! Child processes that are copies of this one.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;
use std::time::{Duration, Instant};

use reveille::platform::BACKEND;

/// A child process, to be waited for.
#[must_use = "a child must be waited for"]
pub(crate) struct Child(libc::pid_t);

const FAILED: i32 = 101;

/// Runs `work` in a forked child, which has this thread only. It must not start threads, take locks
/// that another thread may hold, or print; a panic in it makes [`Child::join`] fail.
pub(crate) fn fork(work: impl FnOnce()) -> Child {
    // SAFETY: the child keeps to the rules above.
    let child = unsafe { libc::fork() };
    assert!(child >= 0, "fork: {}", std::io::Error::last_os_error());
    if child > 0 {
        return Child(child);
    }
    let status = match catch_unwind(AssertUnwindSafe(work)) {
        Ok(()) => 0,
        Err(_) => FAILED,
    };
    // SAFETY: ends the child without running what belongs to the parent.
    unsafe { libc::_exit(status) }
}

/// Whether a child may sleep and wake at all; says so if not. A backend that takes locks for it does not
/// promise that: a thread which the child does not have may hold one.
pub(crate) fn children_may_wait() -> bool {
    if BACKEND != "futex" {
        eprintln!("SKIPPED: the {BACKEND} backend takes a lock to sleep and to wake");
    }
    BACKEND == "futex"
}

impl Child {
    /// Waits for the child's end, which must be a good one.
    #[track_caller]
    pub(crate) fn join(self) {
        let begun = Instant::now();
        let mut status = 0;
        loop {
            // SAFETY: our own child, and a place for its status.
            let done = unsafe { libc::waitpid(self.0, &raw mut status, libc::WNOHANG) };
            assert!(done >= 0, "waitpid: {}", std::io::Error::last_os_error());
            if done == self.0 {
                break;
            }
            if begun.elapsed() > Duration::from_secs(30) {
                // SAFETY: our own child.
                unsafe { libc::kill(self.0, libc::SIGKILL) };
                panic!("the child hangs");
            }
            thread::sleep(Duration::from_millis(1));
        }
        assert!(
            libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0,
            "the child failed: wait status {status:#x}"
        );
    }
}
