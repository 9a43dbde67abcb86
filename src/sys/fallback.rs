//! Every other platform with std: a table of `Mutex` and `Condvar`, found by the word's address.
//!
//! The waiter compares under the bucket's lock; the waker takes that lock after it changed the word.
//! So either the compare fails or the waker's notification finds the sleeper. Buckets are shared by
//! addresses that collide and every wake wakes its whole bucket: more spurious returns, none lost.
//!
//! Weaker than the futex backend: a wake takes a lock (so it is not for signal handlers, and a child
//! forked while another thread held that lock must not use the word), and there is no process-shared
//! form.
#![expect(
    clippy::disallowed_types,
    clippy::extra_unused_type_parameters,
    reason = "the word is a plain AtomicU32, of one process"
)]

use core::sync::atomic::{AtomicU32, Ordering};
use core::time::Duration;
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use super::{Wait, has_passed};

pub(crate) type Word = AtomicU32;

struct Bucket {
    lock: Mutex<()>,
    sleepers: Condvar,
}

const BUCKETS: usize = 64;

static TABLE: [Bucket; BUCKETS] =
    [const { Bucket { lock: Mutex::new(()), sleepers: Condvar::new() } }; BUCKETS];

fn bucket(word: *const Word) -> &'static Bucket {
    // Words are 4 bytes and often stand one to a cache line or allocation: mix the upper bits in.
    let address = word.addr() >> 2;
    &TABLE[(address ^ (address >> 6) ^ (address >> 12)) % BUCKETS]
}

impl Bucket {
    fn lock(&self) -> MutexGuard<'_, ()> {
        // Nothing panics while it holds the lock.
        self.lock.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(crate) fn wait<S>(word: &Word, expected: u32, until: Option<u64>) -> Wait {
    let bucket = bucket(word);
    let guard = bucket.lock();
    // ORDERING(sys.compare): Relaxed — the lock orders it against the waker's change of the word;
    // pairs with the lock in wake().
    if word.load(Ordering::Relaxed) != expected {
        return Wait::Returned;
    }
    let Some(deadline) = until else {
        drop(bucket.sleepers.wait(guard).unwrap_or_else(PoisonError::into_inner));
        return Wait::Returned;
    };
    // Some platforms cut a long wait short: the caller loops on the same deadline.
    let left = Duration::from_nanos(deadline.saturating_sub(now()));
    let limit = left.min(Duration::from_secs(365 * 24 * 3600));
    drop(bucket.sleepers.wait_timeout(guard, limit).unwrap_or_else(PoisonError::into_inner));
    if has_passed(until) { Wait::TimedOut } else { Wait::Returned }
}

pub(crate) fn wake<S>(word: *const Word, _count: u32) {
    let bucket = bucket(word);
    // ORDERING(sys.compare): the lock — a waiter that compared before it is asleep by now, one that
    // compares after it sees the change; pairs with the load in wait().
    drop(bucket.lock());
    bucket.sleepers.notify_all();
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
