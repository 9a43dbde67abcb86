//! Runs that the drainer has taken, oldest first.

#![expect(missing_debug_implementations, reason = "not reachable by users")]

use core::marker::PhantomData;
use core::ptr::{self, NonNull};

use super::run::{self, Run};
use crate::basket::queue::head::NodeAddr;
use crate::unwind::to_the_end;

/// Taken runs and how far the first of them is consumed.
pub struct Chain<T> {
    /// The oldest run; zero: none.
    oldest: NodeAddr,
    /// The newest run, if there is one.
    newest: NodeAddr,
    /// Items of it that are consumed.
    consumed: usize,
    /// Items left in all runs.
    len: usize,
    items: PhantomData<T>,
}

// SAFETY: the chain owns its runs and their items.
unsafe impl<T: Send> Send for Chain<T> {}
// SAFETY: a shared reference reaches nothing but the length.
unsafe impl<T: Send> Sync for Chain<T> {}

fn run_at(addr: NodeAddr) -> Option<NonNull<Run>> {
    NonNull::new(ptr::with_exposed_provenance_mut::<Run>(addr))
}

/// The lengths of the runs of a published chain.
///
/// # Safety
///
/// `newest` is zero or the newest run of a published chain, seen with acquire ordering, no run of
/// which is freed while the iterator is used.
pub(crate) unsafe fn lengths(newest: NodeAddr) -> impl Iterator<Item = usize> {
    let mut next = run_at(newest);
    core::iter::from_fn(move || {
        // SAFETY: by contract.
        let run = unsafe { next?.as_ref() };
        // SAFETY: by contract, and only the drainer, who asks, takes runs.
        next = run_at(unsafe { run.linked() });
        Some(run.len.get() as usize)
    })
}

impl<T> Chain<T> {
    pub(crate) const fn new() -> Self {
        Self { oldest: 0, newest: 0, consumed: 0, len: 0, items: PhantomData }
    }

    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    /// Appends what was taken, turned around: oldest first.
    ///
    /// # Safety
    ///
    /// `newest` is zero or the newest run of a chain of these items that the caller took out of the
    /// head.
    pub(crate) unsafe fn append(&mut self, newest: NodeAddr) {
        let mut newer = 0;
        let mut next = newest;
        while let Some(run) = run_at(next) {
            // SAFETY: taken runs are ours.
            let head = unsafe { run.as_ref() };
            self.len += head.len.get() as usize;
            // SAFETY: as above.
            let older = unsafe { head.linked() };
            // SAFETY: as above.
            unsafe { head.link(newer) };
            newer = next;
            next = older;
        }
        match run_at(self.oldest).and(run_at(self.newest)) {
            None => self.oldest = newer,
            Some(last) => {
                // SAFETY: taken runs are ours.
                let last = unsafe { last.as_ref() };
                // SAFETY: as above.
                unsafe { last.link(newer) };
            }
        }
        self.newest = newest;
        self.skip_finished();
    }

    /// Moves past finished runs, so that an empty chain holds none.
    fn skip_finished(&mut self) {
        while let Some(run) = run_at(self.oldest) {
            // SAFETY: taken runs are ours.
            let head = unsafe { run.as_ref() };
            if self.consumed < head.len.get() as usize {
                return;
            }
            // SAFETY: as above.
            self.oldest = unsafe { head.linked() };
            self.consumed = 0;
            // SAFETY: the items of this run, and of earlier runs of its chunk, are consumed.
            unsafe { run::finish::<T>(run) };
        }
    }

    /// The next item.
    pub(crate) fn peek(&self) -> Option<&T> {
        let run = run_at(self.oldest)?;
        // SAFETY: the first run of the chain has an item that is not consumed.
        let item = unsafe { run::items::<T>(run).add(self.consumed) };
        // SAFETY: as above; it stays until `next`, which takes `&mut self`.
        Some(unsafe { item.as_ref() })
    }

    /// Takes the next item out.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<T> {
        let run = run_at(self.oldest)?;
        // SAFETY: the first run of the chain has an item that is not consumed.
        let item = unsafe { run::items::<T>(run).add(self.consumed) };
        // SAFETY: as above; counting it as consumed keeps it from being read again.
        let item = unsafe { item.read() };
        self.consumed += 1;
        self.len -= 1;
        self.skip_finished();
        Some(item)
    }
}

impl<T> Drop for Chain<T> {
    fn drop(&mut self) {
        to_the_end(|| self.next().is_some());
    }
}
