//! The model's futex: a queue of sleepers beside each word, blocked by loom's `park`.
//!
//! As in the kernel, comparing the word and joining the queue is one step: the compare is an RMW (it
//! reads the newest value and adds no ordering), and loom switches threads nowhere between it and
//! the push. `wake` first touches the word with an RMW too, which gives loom a place to switch
//! between the change of the word and the wake, then sets the sleeper's own flag. Sleepers loop on
//! that flag, so loom's park token, which others use as well, cannot stand in for a wake.
//!
//! `wake` takes an address, and the word may be gone. Words are therefore found through a table
//! (loom runs all threads of a model on one OS thread, so a thread-local is one table per model).
//!
//! Time stands still. A timed wait ends when a thread of the model calls
//! [`expire_timed_waits`](public::expire_timed_waits).
//!
//! Stronger than a real futex: loom's `unpark` hands the waker's view of memory to the sleeper. What
//! that could hide is caught where the compare fails instead (`docs/proofs/parker.md`).

use core::cell::RefCell;
use std::collections::VecDeque;
use std::ops::Deref;
use std::sync::atomic::{AtomicU8, Ordering as StdOrdering};
use std::sync::{Arc, Mutex, Weak};
use std::vec::Vec;

use loom::sync::atomic::{AtomicU32, Ordering};
use loom::thread::{self, Thread};

use super::Wait;
use super::scope::Scope;
use crate::time::Deadline;

const ASLEEP: u8 = 0;
const WOKEN: u8 = 1;
const EXPIRED: u8 = 2;

struct Sleeper {
    thread: Thread,
    timed: bool,
    state: AtomicU8,
}

struct Futex {
    value: AtomicU32,
    queue: Mutex<VecDeque<Arc<Sleeper>>>,
}

/// Words by address, in the order in which they were first used: the same in every execution.
#[derive(Default)]
struct Table(Vec<(usize, Weak<Futex>)>);

impl Table {
    fn enter(&mut self, address: usize, futex: &Arc<Futex>) {
        let known = |(at, entry): &(usize, Weak<Futex>)| {
            *at == address && core::ptr::eq(entry.as_ptr(), Arc::as_ptr(futex))
        };
        if !self.0.iter().any(known) {
            self.0.retain(|(at, entry)| *at != address && entry.strong_count() > 0);
            self.0.push((address, Arc::downgrade(futex)));
        }
    }

    fn find(&self, address: usize) -> Option<Arc<Futex>> {
        self.0.iter().find(|(at, _)| *at == address)?.1.upgrade()
    }
}

std::thread_local! {
    static TABLE: RefCell<Table> = RefCell::default();
}

/// A word that loom watches, with the kernel's queue of its sleepers.
pub(crate) struct Word(Arc<Futex>);

impl Word {
    pub(crate) fn new(value: u32) -> Self {
        Self(Arc::new(Futex { value: AtomicU32::new(value), queue: Mutex::default() }))
    }
}

impl Deref for Word {
    type Target = AtomicU32;

    fn deref(&self) -> &AtomicU32 {
        TABLE.with_borrow_mut(|table| table.enter(core::ptr::from_ref(self).addr(), &self.0));
        &self.0.value
    }
}

impl Drop for Word {
    fn drop(&mut self) {
        let address = core::ptr::from_ref(self).addr();
        TABLE.with_borrow_mut(|table| table.0.retain(|(at, _)| *at != address));
    }
}

pub(crate) fn wait<S: Scope>(word: &Word, expected: u32, until: Deadline) -> Wait {
    if word.fetch_add(0, Ordering::Relaxed) != expected {
        return Wait::Returned;
    }
    let sleeper = Arc::new(Sleeper {
        thread: thread::current(),
        timed: until != Deadline::NEVER,
        state: AtomicU8::new(ASLEEP),
    });
    word.0.queue.lock().unwrap().push_back(Arc::clone(&sleeper));
    loop {
        match sleeper.state.load(StdOrdering::Relaxed) {
            ASLEEP => thread::park(),
            WOKEN => return Wait::Returned,
            _ => return Wait::TimedOut,
        }
    }
}

pub(crate) fn wake<S: Scope>(word: *const Word, count: u32) {
    let Some(futex) = TABLE.with_borrow(|table| table.find(word.addr())) else { return };
    futex.value.fetch_add(0, Ordering::Relaxed);
    for _ in 0..count {
        let Some(sleeper) = futex.queue.lock().unwrap().pop_front() else { return };
        rouse(&sleeper, WOKEN);
    }
}

fn rouse(sleeper: &Sleeper, how: u8) {
    sleeper.state.store(how, StdOrdering::Relaxed);
    sleeper.thread.unpark();
}

pub(crate) fn now() -> u64 {
    1
}

pub(crate) fn several_cpus() -> bool {
    true
}

pub(crate) mod barrier {
    //! Modelled as a full fence on both sides: stronger than the kernel's on the light side, which is
    //! why the asymmetric form has an argument on paper as well (`docs/proofs/lanes.md`).

    use crate::shim::atomic::{Ordering, fence};

    pub(crate) fn available() -> bool {
        true
    }

    pub(crate) fn light() {
        fence(Ordering::SeqCst);
    }

    pub(crate) fn heavy() -> bool {
        fence(Ordering::SeqCst);
        true
    }
}

pub(crate) mod public {
    use super::{Arc, EXPIRED, Ordering, TABLE, Vec, rouse};

    pub use super::super::scope::Shared;

    /// Ends every timed wait that sleeps at this moment, as if its deadline had come.
    ///
    /// Only in model builds: a model lets one of its threads call it, and the checker tries that at
    /// every point of the other threads' work.
    pub fn expire_timed_waits() {
        let words: Vec<_> =
            TABLE.with_borrow(|table| table.0.iter().filter_map(|(_, entry)| entry.upgrade()).collect());
        for futex in words {
            futex.value.fetch_add(0, Ordering::Relaxed);
            let expired: Vec<Arc<super::Sleeper>> = {
                let mut queue = futex.queue.lock().unwrap();
                let (timed, rest): (Vec<_>, Vec<_>) =
                    queue.drain(..).partition(|sleeper| sleeper.timed);
                *queue = rest.into();
                timed
            };
            for sleeper in expired {
                rouse(&sleeper, EXPIRED);
            }
        }
    }
}
