//! Tokens given now, wake-ups made later.

use core::fmt;
use core::task::Waker;

use super::hold::Hold;
use super::slot::ParkSlot;
use super::state::Unpark;
use crate::sys::Word;
use crate::unwind::to_the_end;

/// What a deferred unpark still owes: dropping it pays.
///
/// See [`Unparker::unpark_deferred`](super::Unparker::unpark_deferred).
#[must_use = "the owner is woken when this is dropped"]
pub struct PendingWake<H: Hold> {
    unpark: Unpark,
    owed: Option<Owed<H>>,
}

enum Owed<H> {
    /// The owner may sleep on this word, which is an address only.
    Wake(*const Word),
    /// The owner waits outside and is rung through its hold.
    Ring(H),
}

// SAFETY: the pointer is an address that is never read through; the rest is the hold's own.
unsafe impl<H: Hold + Send> Send for PendingWake<H> {}
// SAFETY: as above.
unsafe impl<H: Hold + Sync> Sync for PendingWake<H> {}

impl<H: Hold> PendingWake<H> {
    pub(super) fn new(unpark: Unpark, word: Option<*const Word>, hold: impl FnOnce() -> H) -> Self {
        let owed = match (unpark, word) {
            (Unpark::External, _) => Some(Owed::Ring(hold())),
            (_, Some(word)) => Some(Owed::Wake(word)),
            _ => None,
        };
        Self { unpark, owed }
    }

    /// What giving the token did. [`Unpark::Woke`] means that the drop will wake; with a borrowed
    /// slot, [`Unpark::External`] means that the caller must ring.
    #[must_use]
    pub const fn result(&self) -> Unpark {
        self.unpark
    }
}

impl<H: Hold> Drop for PendingWake<H> {
    fn drop(&mut self) {
        match self.owed.take() {
            Some(Owed::Wake(word)) => {
                ParkSlot::<<H as super::hold::sealed::Sealed>::Scope>::wake(word)
            }
            Some(Owed::Ring(hold)) => hold.ring(),
            None => {}
        }
    }
}

impl<H: Hold> fmt::Debug for PendingWake<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PendingWake").field("result", &self.unpark).finish_non_exhaustive()
    }
}

/// Up to `N` wake-ups collected under a lock and made after it.
///
/// Holds [`PendingWake`]s of any slots and any [`Waker`]s. [`wake_all`](Self::wake_all) and drop,
/// also while unwinding, make them all; a waker that panics does not keep the others from being
/// woken.
///
/// # Cost
///
/// No allocation; 24 bytes for each of the `N`.
///
/// # Examples
///
/// ```
/// use reveille::{Parker, parker::WakeBatch};
///
/// let mut parkers = [Parker::new(), Parker::new()];
/// let unparkers = parkers.each_ref().map(|parker| parker.unparker());
///
/// let mut batch = WakeBatch::<16>::new();
/// for unparker in &unparkers {
///     batch.push(unparker.unpark_deferred()).expect("room for 16");
/// }
/// batch.wake_all(); // after the lock
/// for parker in &mut parkers {
///     parker.park();
/// }
/// ```
pub struct WakeBatch<const N: usize> {
    entries: [Option<Entry>; N],
    len: usize,
}

enum Entry {
    Word(fn(*const Word), *const Word),
    Waker(Waker),
}

// SAFETY: the pointers are addresses that are never read through; `Waker` is `Send`.
unsafe impl<const N: usize> Send for WakeBatch<N> {}
// SAFETY: as above; `Waker` is `Sync`.
unsafe impl<const N: usize> Sync for WakeBatch<N> {}

impl<const N: usize> WakeBatch<N> {
    /// An empty batch.
    #[must_use]
    pub const fn new() -> Self {
        Self { entries: [const { None }; N], len: 0 }
    }

    /// Adds a wake-up. One that owes nothing takes no room.
    ///
    /// # Errors
    ///
    /// The wake-up itself when the batch is full: leave the lock, wake, and go on.
    pub fn push<H: Hold>(&mut self, mut pending: PendingWake<H>) -> Result<(), PendingWake<H>> {
        if pending.owed.is_some() && self.is_full() {
            return Err(pending);
        }
        match pending.owed.take() {
            Some(Owed::Wake(word)) => self.add(Entry::Word(
                ParkSlot::<<H as super::hold::sealed::Sealed>::Scope>::wake,
                word,
            )),
            // A borrowed hold knows no way to ring: its caller has the result and does it.
            Some(Owed::Ring(hold)) => {
                if let Some(waker) = hold.into_ringer() {
                    self.add(Entry::Waker(waker));
                }
            }
            None => {}
        }
        Ok(())
    }

    /// Adds a waker.
    ///
    /// # Errors
    ///
    /// The waker itself when the batch is full.
    pub fn push_waker(&mut self, waker: Waker) -> Result<(), Waker> {
        if self.is_full() {
            return Err(waker);
        }
        self.add(Entry::Waker(waker));
        Ok(())
    }

    fn add(&mut self, entry: Entry) {
        self.entries[self.len] = Some(entry);
        self.len += 1;
    }

    /// How many wake-ups are owed.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether none is.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether there is no room for another.
    #[must_use]
    pub const fn is_full(&self) -> bool {
        self.len == N
    }

    /// Makes all wake-ups, the oldest first, and leaves the batch empty.
    ///
    /// # Panics
    ///
    /// If a waker does, after the others have been woken.
    pub fn wake_all(&mut self) {
        let filled = core::mem::take(&mut self.len);
        let mut entries = self.entries[..filled].iter_mut();
        to_the_end(|| {
            let Some(entry) = entries.next() else {
                return false;
            };
            match entry.take() {
                Some(Entry::Word(wake, word)) => wake(word),
                Some(Entry::Waker(waker)) => waker.wake(),
                None => {}
            }
            true
        });
    }
}

impl<const N: usize> Default for WakeBatch<N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const N: usize> Drop for WakeBatch<N> {
    fn drop(&mut self) {
        self.wake_all();
    }
}

impl<const N: usize> fmt::Debug for WakeBatch<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WakeBatch").field("len", &self.len).finish_non_exhaustive()
    }
}
