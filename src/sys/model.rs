//! The model's futex: a queue of sleepers for each word, blocked by loom's `park`.
//!
//! As in the kernel, comparing the word and joining the queue is one step: the compare is an RMW (it
//! reads the newest value and adds no ordering), and loom switches threads nowhere between it and
//! the push. Sleepers loop on a flag of their own, so loom's park token, which others use as well,
//! cannot stand in for a wake.
//!
//! Queues are not loom's, so each operation on one also touches an atomic that is (the queue's
//! *door*): that makes loom try both orders of two of them, and gives it a place to switch threads
//! between the change of a word and the wake that follows.
//!
//! `wake` takes an address, and the word may be gone. Words are therefore found through a table
//! (loom runs all threads of a model on one OS thread, so a thread-local is one table per model).
//!
//! A word that is used after it was dropped panics, if its memory is still there to look at.
//!
//! Time stands still. A timed wait ends when a thread of the model calls
//! [`expire_timed_waits`](public::expire_timed_waits).
//!
//! Stronger than a real futex: loom's `unpark` hands the waker's view of memory to the sleeper. What
//! that could hide is caught where the compare fails instead (`docs/proofs/parker.md`).
#![expect(
    clippy::disallowed_types,
    clippy::extra_unused_type_parameters,
    reason = "the kernel's side of a model is outside it"
)]

use alloc::collections::VecDeque;
use alloc::sync::{Arc, Weak};
use alloc::vec::Vec;
use core::cell::RefCell;
use core::ops::Deref;
use core::sync::atomic::{AtomicU8, AtomicUsize, Ordering as StdOrdering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use loom::sync::atomic::{AtomicU32, Ordering};
use loom::thread::{self, Thread};

use super::Wait;

const ASLEEP: u8 = 0;
const WOKEN: u8 = 1;
const EXPIRED: u8 = 2;

struct Sleeper {
    thread: Thread,
    timed: bool,
    state: AtomicU8,
}

impl Sleeper {
    fn rouse(&self, how: u8) {
        self.state.store(how, StdOrdering::Relaxed);
        self.thread.unpark();
    }
}

/// The kernel's side of a word.
struct Queue {
    door: usize,
    sleepers: Mutex<VecDeque<Arc<Sleeper>>>,
}

type Sleepers<'a> = MutexGuard<'a, VecDeque<Arc<Sleeper>>>;

/// What loom sees of the kernel: made anew for every execution.
struct Kernel {
    doors: [AtomicU32; 4],
    clock: AtomicU32,
    words: AtomicUsize,
    #[cfg(feature = "alloc")]
    barriers: AtomicU8,
}

loom::lazy_static! {
    static ref KERNEL: Kernel = Kernel {
        doors: core::array::from_fn(|_| AtomicU32::new(0)),
        clock: AtomicU32::new(0),
        words: AtomicUsize::new(0),
        #[cfg(feature = "alloc")]
        barriers: AtomicU8::new(public::Barriers::Full as u8),
    };
}

fn touch(atomic: &AtomicU32) {
    atomic.fetch_add(0, Ordering::Relaxed);
}

impl Queue {
    fn sleepers(&self) -> Sleepers<'_> {
        self.sleepers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn touch_door(&self) {
        touch(&KERNEL.doors[self.door]);
    }
}

/// Queues by address of their word, in the order of first use: the same in every execution.
#[derive(Default)]
struct Table {
    words: Vec<(usize, Weak<Queue>)>,
    /// The words dropped last, with their queues, so that no other word gets the same.
    gone: VecDeque<(usize, Arc<Queue>)>,
}

/// How many words are remembered as gone.
const MEMORY: usize = 16;

impl Table {
    fn enter(&mut self, address: usize, queue: &Arc<Queue>) {
        let is_it = |at: usize, entry: *const Queue| at == address && entry == Arc::as_ptr(queue);
        let gone = self.gone.iter().any(|(at, entry)| is_it(*at, Arc::as_ptr(entry)));
        assert!(!gone, "a word is used that is gone");
        if !self.words.iter().any(|(at, entry)| is_it(*at, entry.as_ptr())) {
            self.words.retain(|(at, entry)| *at != address && entry.strong_count() > 0);
            self.words.push((address, Arc::downgrade(queue)));
        }
    }

    fn find(&self, address: usize) -> Option<Arc<Queue>> {
        self.words.iter().find(|(at, _)| *at == address)?.1.upgrade()
    }

    fn leave(&mut self, address: usize, queue: &Arc<Queue>) {
        self.words.retain(|(at, _)| *at != address);
        if self.gone.len() == MEMORY {
            self.gone.pop_front();
        }
        self.gone.push_back((address, Arc::clone(queue)));
    }
}

std::thread_local! {
    static TABLE: RefCell<Table> = RefCell::default();
}

/// A word that loom watches, with the kernel's queue of its sleepers.
pub(crate) struct Word {
    value: AtomicU32,
    queue: Arc<Queue>,
}

impl Word {
    pub(crate) fn new(value: u32) -> Self {
        let door = KERNEL.words.fetch_add(1, StdOrdering::Relaxed) % KERNEL.doors.len();
        Self {
            value: AtomicU32::new(value),
            queue: Arc::new(Queue { door, sleepers: Mutex::default() }),
        }
    }
}

impl Deref for Word {
    type Target = AtomicU32;

    fn deref(&self) -> &AtomicU32 {
        TABLE.with_borrow_mut(|table| table.enter(core::ptr::from_ref(self).addr(), &self.queue));
        &self.value
    }
}

impl Drop for Word {
    fn drop(&mut self) {
        let address = core::ptr::from_ref(self).addr();
        TABLE.with_borrow_mut(|table| table.leave(address, &self.queue));
    }
}

pub(crate) fn wait<S>(word: &Word, expected: u32, until: Option<u64>) -> Wait {
    if word.fetch_add(0, Ordering::Relaxed) != expected {
        return Wait::Returned;
    }
    let sleeper = Arc::new(Sleeper {
        thread: thread::current(),
        timed: until.is_some(),
        state: AtomicU8::new(ASLEEP),
    });
    word.queue.sleepers().push_back(Arc::clone(&sleeper));
    word.queue.touch_door();
    if sleeper.timed {
        touch(&KERNEL.clock);
    }
    loop {
        match sleeper.state.load(StdOrdering::Relaxed) {
            ASLEEP => thread::park(),
            WOKEN => return Wait::Returned,
            _ => return Wait::TimedOut,
        }
    }
}

pub(crate) fn wake<S>(word: *const Word, count: u32) {
    let Some(queue) = TABLE.with_borrow(|table| table.find(word.addr())) else {
        return;
    };
    queue.touch_door();
    for _ in 0..count {
        let Some(sleeper) = queue.sleepers().pop_front() else {
            return;
        };
        sleeper.rouse(WOKEN);
    }
}

pub(crate) fn now() -> u64 {
    1
}

pub(crate) fn several_cpus() -> bool {
    true
}

#[cfg(feature = "alloc")]
pub(crate) mod barrier {
    //! Modelled as a full fence on both sides: stronger than the kernel's on the light side, which is
    //! why the asymmetric form has an argument on paper as well (`docs/proofs/lanes.md`). A model may
    //! also ask for a kernel without, or for fences of no effect.

    use super::public::Barriers;
    use super::{KERNEL, StdOrdering};
    use crate::shim::atomic::{Ordering, fence};

    fn are(barriers: Barriers) -> bool {
        KERNEL.barriers.load(StdOrdering::Relaxed) == barriers as u8
    }

    pub(crate) fn available() -> bool {
        !are(Barriers::Missing)
    }

    pub(crate) fn light() {
        if are(Barriers::Full) {
            fence(Ordering::SeqCst);
        }
    }

    pub(crate) fn heavy() -> bool {
        if are(Barriers::Full) {
            fence(Ordering::SeqCst);
        }
        available()
    }
}

pub(crate) mod public {
    /// The wait backend in use, by name.
    pub const BACKEND: &str = "model";

    use super::{Arc, EXPIRED, KERNEL, Queue, Sleeper, TABLE, Vec, touch};

    pub use super::super::scope::Shared;

    /// The asymmetric fence of a modelled kernel.
    #[cfg(feature = "alloc")]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[repr(u8)]
    pub enum Barriers {
        /// There is one. It works like a full fence on both sides.
        Full,
        /// There is none: whoever needs one makes fences.
        Missing,
        /// There is one that orders nothing: for what must not depend on it.
        Void,
    }

    /// Chooses the asymmetric fence for the rest of this execution; at first it is `Full`.
    #[cfg(feature = "alloc")]
    pub fn set_barriers(barriers: Barriers) {
        KERNEL.barriers.store(barriers as u8, super::StdOrdering::Relaxed);
    }

    /// Ends every timed wait that sleeps at this moment, as if its deadline had come.
    ///
    /// Only in model builds: a model lets one of its threads call it, and the checker tries that at
    /// every point of the other threads' work.
    pub fn expire_timed_waits() {
        touch(&KERNEL.clock);
        let queues: Vec<Arc<Queue>> = TABLE.with_borrow(|table| {
            table.words.iter().filter_map(|(_, queue)| queue.upgrade()).collect()
        });
        for queue in queues {
            if queue.sleepers().iter().any(|sleeper| sleeper.timed) {
                queue.touch_door();
            }
            let expired: Vec<Arc<Sleeper>> = {
                let mut sleepers = queue.sleepers();
                let (timed, rest): (Vec<_>, Vec<_>) =
                    sleepers.drain(..).partition(|sleeper| sleeper.timed);
                *sleepers = rest.into();
                timed
            };
            for sleeper in expired {
                sleeper.rouse(EXPIRED);
            }
        }
    }
}
