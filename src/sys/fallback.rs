//! Every other platform with std: sleepers in a table of `Mutex`es, found by the word's address.
//!
//! The waiter compares under the bucket's lock and joins its list; the waker takes that lock after it
//! changed the word. So either the compare fails or the waker finds the sleeper. Each sleeper has a
//! condition variable of its own: a wake-up schedules nobody who waits for another word.
//!
//! Weaker than the futex backend: a wake takes a lock (so it is not for signal handlers, and a child
//! forked while another thread held that lock must not use the word), there is no process-shared
//! form, and where std boxes its locks and condition variables (macOS, NetBSD) a sleep allocates.
#![expect(
    clippy::disallowed_types,
    clippy::extra_unused_type_parameters,
    reason = "the word is a plain AtomicU32, of one process"
)]

use core::cell::Cell;
use core::ptr;
use core::sync::atomic::{AtomicU32, Ordering};
use core::time::Duration;
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use super::{Wait, has_passed};

pub(crate) type Word = AtomicU32;

/// Those who sleep on the words of one bucket, the longest first.
struct Sleepers {
    first: *const Sleeper,
    last: *const Sleeper,
}

/// One of them, in the frame of `wait`. It stays there while it is in a list.
struct Sleeper {
    word: *const Word,
    woken: Condvar,
    /// Guarded by the bucket's lock.
    next: Cell<*const Self>,
}

// SAFETY: the pointers lead to sleepers that stay put while they are linked, and are followed under
// the lock only.
unsafe impl Send for Sleepers {}

impl Sleepers {
    const fn new() -> Self {
        Self { first: ptr::null(), last: ptr::null() }
    }

    fn append(&mut self, sleeper: &Sleeper) {
        // SAFETY: linked, see the impl of Send.
        match unsafe { self.last.as_ref() } {
            None => self.first = sleeper,
            Some(last) => last.next.set(sleeper),
        }
        self.last = sleeper;
    }

    /// Takes the first one out that is meant. It may leave its frame once the lock is released.
    fn take(&mut self, is_meant: impl Fn(&Sleeper) -> bool) -> Option<&Sleeper> {
        let mut previous: Option<&Sleeper> = None;
        let mut at = self.first;
        // SAFETY: linked, see the impl of Send.
        while let Some(sleeper) = unsafe { at.as_ref() } {
            let next = sleeper.next.get();
            if is_meant(sleeper) {
                match previous {
                    None => self.first = next,
                    Some(previous) => previous.next.set(next),
                }
                if next.is_null() {
                    self.last = previous.map_or(ptr::null(), ptr::from_ref);
                }
                return Some(sleeper);
            }
            previous = Some(sleeper);
            at = next;
        }
        None
    }
}

const BUCKETS: usize = 256;

static TABLE: [Mutex<Sleepers>; BUCKETS] = [const { Mutex::new(Sleepers::new()) }; BUCKETS];

fn lock(word: *const Word) -> MutexGuard<'static, Sleepers> {
    // Words are 4 bytes and often stand one to a cache line or allocation: mix the upper bits in.
    let address = word.addr() >> 2;
    let bucket = &TABLE[(address ^ (address >> 6) ^ (address >> 12)) % BUCKETS];
    // Nothing panics while it holds the lock.
    bucket.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn wait<S>(word: &Word, expected: u32, until: Option<u64>) -> Wait {
    let mut sleepers = lock(word);
    // ORDERING(sys.compare): Relaxed — the lock orders it against the waker's change of the word;
    // pairs with the lock in wake().
    if word.load(Ordering::Relaxed) != expected {
        return Wait::Returned;
    }
    let me = Sleeper { word, woken: Condvar::new(), next: Cell::new(ptr::null()) };
    sleepers.append(&me);
    sleepers = match until {
        None => me.woken.wait(sleepers).unwrap_or_else(PoisonError::into_inner),
        Some(deadline) => {
            // Some platforms cut a long wait short: the caller loops on the same deadline.
            let left = Duration::from_nanos(deadline.saturating_sub(now()));
            let limit = left.min(Duration::from_secs(365 * 24 * 3600));
            me.woken.wait_timeout(sleepers, limit).unwrap_or_else(PoisonError::into_inner).0
        }
    };
    // A waker has taken it out, time or chance has not. Who was woken must say so, however late it is:
    // the wake-up may have been the only one.
    let unwoken = sleepers.take(|sleeper| ptr::eq(sleeper, &raw const me)).is_some();
    drop(sleepers);
    if unwoken && has_passed(until) { Wait::TimedOut } else { Wait::Returned }
}

pub(crate) fn wake<S>(word: *const Word, count: u32) {
    // ORDERING(sys.compare): the lock — a waiter that compared before it is in the list by now, one
    // that compares after it sees the change; pairs with the load in wait().
    let mut sleepers = lock(word);
    for _ in 0..count {
        let Some(sleeper) = sleepers.take(|sleeper| ptr::eq(sleeper.word, word)) else { break };
        // Under the lock: without it, the sleeper might be gone.
        sleeper.woken.notify_one();
    }
}

pub(crate) fn now() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    // One second ahead, so that no deadline is at zero.
    let since = START.get_or_init(Instant::now).elapsed() + Duration::from_secs(1);
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX - 1)
}

pub(crate) fn several_cpus() -> bool {
    static KNOWN: OnceLock<bool> = OnceLock::new();
    *KNOWN.get_or_init(|| std::thread::available_parallelism().is_ok_and(|cpus| cpus.get() > 1))
}

pub(crate) mod barrier {
    //! No asymmetric fence here: both sides use `fence(SeqCst)`.

    pub(crate) fn available() -> bool {
        false
    }

    /// Passed before the offerer looks which fence it owes.
    #[inline(always)]
    pub(crate) fn light() {}

    pub(crate) fn heavy() -> bool {
        false
    }
}

pub(crate) mod public {
    /// The wait backend in use, by name.
    pub const BACKEND: &str = "condvar";
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "plain threads, of one process")]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn who_was_woken_says_so_however_late() {
        let word = Word::new(0);
        let until = now() + 500_000_000;
        thread::scope(|scope| {
            let sleeper = scope.spawn(|| wait::<()>(&word, 0, Some(until)));
            loop {
                assert!(!has_passed(Some(until)), "it did not get to sleep");
                let mut sleepers = lock(&raw const word);
                if let Some(sleeper) =
                    sleepers.take(|sleeper| ptr::eq(sleeper.word, &raw const word))
                {
                    // It cannot look before the lock is free, and by then its time is over.
                    while !has_passed(Some(until)) {
                        thread::yield_now();
                    }
                    sleeper.woken.notify_one();
                    break;
                }
                drop(sleepers);
                thread::yield_now();
            }
            assert_eq!(sleeper.join().unwrap(), Wait::Returned);
        });
    }
}
