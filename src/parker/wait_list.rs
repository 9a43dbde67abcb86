//! A first-in-first-out list of waiters, each of which is handed what it waits for.
//!
//! What is handed over is a number: a slot, a bit. The list neither makes nor keeps numbers; its user
//! has a pool of them and a way to take one (`take` below). Whatever else the user wants to change
//! under the list's lock is the list's `D`.
//!
//! # The handshake
//!
//! Broken: both sides look before the other's write is visible.
//!
//! ```text
//!   waiter                          giver
//!   take() == none                  puts a number into the pool
//!   waiting := 1                    waiting == 0, nobody to serve
//!   sleeps beside a free number
//! ```
//!
//! ```text
//!   waiter (under the lock)         giver
//!   (W1) waiting := n + 1           (G1) puts a number into the pool
//!   (W2) fence(SeqCst)              (G2) fence(SeqCst)
//!   (W3) take()                     (G3) waiting == 0 ?
//! ```
//!
//! Forbidden: W3 finds the pool empty and G3 reads 0 (store buffering; both fences are needed). So
//! either the waiter takes the number itself, or the giver goes for the lock and serves the list.
//!
//! A waiter stands in a stack frame or a pinned future. It is linked and unlinked under the lock
//! only. When it is served it is unlinked first, then gets its number, then its token; from then on
//! only its address is used, since it may be gone.

#![expect(missing_debug_implementations, reason = "not reachable by users")]

use core::marker::PhantomPinned;
use core::pin::Pin;
use core::ptr;
use core::task::Waker;

use super::deferred::WakeBatch;
use super::lock::Lock;
use super::slot::ParkSlot;
use super::state::Parked;
use crate::shim::UnsafeCell;
use crate::shim::atomic::{AtomicUsize, Ordering, fence};
use crate::spin::SpinPolicy;
use crate::time::Deadline;
use crate::unwind::{OnDrop, to_the_end};

/// Wake-ups collected under the lock at a time.
const BATCH: usize = 16;

pub(crate) struct WaitList<D> {
    /// How many wait; written under the lock.
    waiting: AtomicUsize,
    queue: Lock<Queue<D>>,
}

struct Queue<D> {
    first: *const Waiter,
    last: *const Waiter,
    closed: bool,
    data: D,
}

// SAFETY: the pointers lead to waiters that stay put while they are linked, and are followed under
// the lock only.
unsafe impl<D: Send> Send for Queue<D> {}

/// One waiter, in the frame or future that waits.
struct Waiter {
    /// Guarded by the list's lock while linked; the waiter's own before and after.
    links: UnsafeCell<Links>,
    slot: ParkSlot,
    _pinned: PhantomPinned,
}

struct Links {
    previous: *const Waiter,
    next: *const Waiter,
    state: State,
    /// How much it waits for, where numbers are amounts.
    wanted: usize,
    /// Of a task; a thread parks in the slot.
    waker: Option<Waker>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Apart,
    Linked,
    Served(Served),
}

/// Who was served.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Woken {
    Thread,
    Task,
}

/// What ended a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Served {
    /// This number.
    With(usize),
    /// The list was closed.
    Closed,
}

// SAFETY: see `links`; the slot is made for sharing.
unsafe impl Sync for Waiter {}
// SAFETY: a waiter that is not linked is plain data; a linked one is pinned.
unsafe impl Send for Waiter {}

impl Waiter {
    const_fn! {
        const fn new() -> Self {
            Self {
                links: UnsafeCell::new(Links {
                    previous: ptr::null(),
                    next: ptr::null(),
                    state: State::Apart,
                    wanted: 0,
                    waker: None,
                }),
                slot: ParkSlot::new(),
                _pinned: PhantomPinned,
            }
        }
    }

    /// Runs `f` with the links. The caller holds the lock, or is the waiter's owner while the waiter
    /// is not linked.
    fn links<R>(&self, f: impl FnOnce(&mut Links) -> R) -> R {
        self.links.with_mut(|links| {
            // SAFETY: by contract.
            f(unsafe { &mut *links })
        })
    }
}

/// The waiter of a task, in the future that waits.
pub struct TaskWaiter {
    waiter: Waiter,
    /// Whether it joined a list and was neither seen served nor has left.
    joined: bool,
}

impl TaskWaiter {
    const_fn! {
        pub(crate) const fn new() -> Self {
            Self { waiter: Waiter::new(), joined: false }
        }
    }

    fn project(self: Pin<&mut Self>) -> (Pin<&Waiter>, &mut bool) {
        // SAFETY: nothing is moved; `waiter` is pinned with us, `joined` never is.
        let this = unsafe { self.get_unchecked_mut() };
        // SAFETY: as above.
        (unsafe { Pin::new_unchecked(&this.waiter) }, &mut this.joined)
    }

    /// Whether it stands in a list, or has been served there and does not know.
    pub(crate) const fn has_joined(&self) -> bool {
        self.joined
    }

    /// Joins the list on the first call, looks on the next. `None`: pending.
    pub(crate) fn poll<D>(
        self: Pin<&mut Self>,
        list: &WaitList<D>,
        wanted: usize,
        waker: &Waker,
        take: impl FnOnce(&mut D, usize) -> Option<usize>,
    ) -> Option<Served> {
        let (waiter, joined) = self.project();
        let served = if *joined {
            list.look(&waiter, waker)
        } else {
            list.join(waiter, wanted, Some(waker), take)
        };
        *joined = served.is_none();
        served
    }

    /// Gives up. A number that had been handed over already comes back. Must be called before the
    /// waiter is dropped.
    pub(crate) fn cancel<D>(self: Pin<&mut Self>, list: &WaitList<D>) -> Option<Served> {
        let (waiter, joined) = self.project();
        if core::mem::take(joined) { list.leave(&waiter) } else { None }
    }
}

impl<D> Queue<D> {
    fn push(&mut self, waiter: &Waiter) {
        let last = self.last;
        waiter.links(|links| {
            links.previous = last;
            links.next = ptr::null();
            links.state = State::Linked;
        });
        // SAFETY: a linked waiter stays where it is, and we hold the lock.
        match unsafe { last.as_ref() } {
            Some(last) => last.links(|links| links.next = waiter),
            None => self.first = waiter,
        }
        self.last = waiter;
    }

    fn unlink(&mut self, waiter: &Waiter) {
        let (previous, next) = waiter.links(|links| (links.previous, links.next));
        // SAFETY: a linked waiter stays where it is, and we hold the lock.
        match unsafe { previous.as_ref() } {
            Some(previous) => previous.links(|links| links.next = next),
            None => self.first = next,
        }
        // SAFETY: as above.
        match unsafe { next.as_ref() } {
            Some(next) => next.links(|links| links.previous = previous),
            None => self.last = previous,
        }
    }

    /// Serves the first waiter with what `take` yields. `None` if there is no waiter or nothing for it.
    fn serve_first(
        &mut self,
        take: impl FnOnce(&mut D, usize) -> Option<Served>,
        wakes: &mut WakeBatch<BATCH>,
    ) -> Option<Woken> {
        // SAFETY: a linked waiter stays where it is, and we hold the lock.
        let first = unsafe { self.first.as_ref() }?;
        let wanted = first.links(|links| links.wanted);
        let served = take(&mut self.data, wanted)?;
        self.unlink(first);
        let waker = first.links(|links| {
            links.state = State::Served(served);
            links.waker.take()
        });
        match waker {
            // The task looks under the lock.
            Some(waker) => {
                drop(wakes.push_waker(waker));
                Some(Woken::Task)
            }
            // The token makes the waiter's frame free to go; the rest uses its address only.
            None => {
                drop(wakes.push(first.slot.unparker().unpark_deferred()));
                Some(Woken::Thread)
            }
        }
    }
}

impl<D> WaitList<D> {
    const_fn! {
        pub(crate) const fn new(data: D) -> Self {
            let queue = Queue { first: ptr::null(), last: ptr::null(), closed: false, data };
            Self { waiting: AtomicUsize::new(0), queue: Lock::new(queue) }
        }
    }

    /// How many wait, at some moment of the past.
    pub(crate) fn waiting(&self) -> usize {
        // ORDERING(waits.look): Relaxed — a hint, unless a fence stands before it; pairs with
        // (waits.announce) in count().
        self.waiting.load(Ordering::Relaxed)
    }

    /// Runs `f` with the data, under the lock.
    pub(crate) fn with<R>(&self, f: impl FnOnce(&mut D) -> R) -> R {
        self.queue.with(|queue| f(&mut queue.data))
    }

    fn count(&self, change: impl FnOnce(usize) -> usize) {
        // ORDERING(waits.announce): Relaxed — written under the lock only; in join() the fence after
        // it pairs with the one in serve().
        self.waiting.store(change(self.waiting.load(Ordering::Relaxed)), Ordering::Relaxed);
    }

    /// Joins the list, unless nobody is before us and `take` has something, or the list is closed.
    ///
    /// `None`: linked. The waiter is then either served or must [`leave`](Self::leave) before it
    /// moves or is dropped.
    fn join(
        &self,
        waiter: Pin<&Waiter>,
        wanted: usize,
        waker: Option<&Waker>,
        take: impl FnOnce(&mut D, usize) -> Option<usize>,
    ) -> Option<Served> {
        // Left in place if we do not link, and dropped outside the lock.
        let mut waker = waker.cloned();
        self.queue.with(|queue| {
            if queue.closed {
                return Some(Served::Closed);
            }
            self.count(|n| n + 1);
            // ORDERING(waits.announce): SeqCst fence (W2) — pairs with (waits.announce) in
            // somebody_waits(), G2.
            // As AcqRel it dies in waits::hand_over.
            fence(Ordering::SeqCst);
            if queue.first.is_null() {
                if let Some(number) = take(&mut queue.data, wanted) {
                    self.count(|n| n - 1);
                    return Some(Served::With(number));
                }
            }
            waiter.links(|links| {
                links.wanted = wanted;
                links.waker = waker.take();
            });
            queue.push(&waiter);
            None
        })
    }

    /// Leaves the list. `Some` if the waiter had been served before.
    fn leave(&self, waiter: &Waiter) -> Option<Served> {
        let (served, waker) = self.queue.with(|queue| {
            let (state, waker) = waiter.links(|links| (links.state, links.waker.take()));
            match state {
                State::Linked => {
                    queue.unlink(waiter);
                    self.count(|n| n - 1);
                    waiter.links(|links| links.state = State::Apart);
                    (None, waker)
                }
                State::Served(served) => (Some(served), waker),
                State::Apart => (None, waker),
            }
        });
        drop(waker);
        served
    }

    /// Waits on this thread. `None` if the deadline passed first. Should the spin policy panic, or a
    /// wait backend of the user's, `cancel` is told what the waiter had got by then.
    pub(crate) fn wait(
        &self,
        wanted: usize,
        until: Deadline,
        policy: &mut impl SpinPolicy,
        take: impl FnOnce(&mut D, usize) -> Option<usize>,
        cancel: impl Fn(Option<Served>),
    ) -> Option<Served> {
        let waiter = core::pin::pin!(Waiter::new());
        let waiter = waiter.as_ref();
        if let Some(served) = self.join(waiter, wanted, None, take) {
            return Some(served);
        }
        let unwinding = OnDrop(|| cancel(self.leave(&waiter)));
        let parked = waiter.slot.park(|| until, policy);
        unwinding.defuse();
        match parked {
            // Unlinked and served before the token was given.
            Parked::Token => waiter.links(|links| match links.state {
                State::Served(served) => Some(served),
                State::Apart | State::Linked => None,
            }),
            // Served after all, perhaps: then that counts.
            Parked::TimedOut => self.leave(&waiter),
        }
    }

    /// Looks on a linked waiter of a task. `None`: not served, `waker` will be fired.
    fn look(&self, waiter: &Waiter, waker: &Waker) -> Option<Served> {
        // Cloned before and dropped after: no user code under the lock.
        let mut new = Some(waker.clone());
        self.queue.with(|_| {
            waiter.links(|links| match links.state {
                State::Served(served) => Some(served),
                State::Apart | State::Linked => {
                    core::mem::swap(&mut links.waker, &mut new);
                    None
                }
            })
        })
    }

    /// Hands numbers from `take` to waiters while there are both. To be called after a number has
    /// been put where `take` finds it.
    pub(crate) fn serve(&self, take: impl FnMut(&mut D, usize) -> Option<usize>) {
        if self.somebody_waits() {
            self.serve_waiting(take);
        }
    }

    /// G2 and G3.
    fn somebody_waits(&self) -> bool {
        // ORDERING(waits.announce): SeqCst fence (G2) — pairs with (waits.announce) in join(), W2.
        // As AcqRel it dies in waits::room_against_wait.
        fence(Ordering::SeqCst);
        self.waiting() > 0
    }

    /// As [`serve`](Self::serve), but ends with a thread: it runs at once, and is to call this again. A
    /// task is not relied upon for that, since nobody may poll it for long.
    pub(crate) fn serve_next(&self, mut take: impl FnMut(&mut D, usize) -> Option<usize>) {
        if self.somebody_waits() {
            let take = |data: &mut D, wanted| take(data, wanted).map(Served::With);
            self.serve_while(take, |woken| woken == Woken::Task);
        }
    }

    /// As [`serve`](Self::serve), after a number was put there by a SeqCst read-modify-write (G1). That
    /// and the SeqCst load here need no fence between them.
    #[inline]
    pub(crate) fn serve_after_seq_cst(&self, take: impl FnMut(&mut D, usize) -> Option<usize>) {
        // ORDERING(waits.announce): SeqCst (G3) — pairs with (waits.announce) in join(), W2. Acquire
        // dies in waits::hand_over.
        if self.waiting.load(Ordering::SeqCst) > 0 {
            self.serve_waiting(take);
        }
    }

    /// As [`serve`](Self::serve), for numbers that nobody else can find: needs no handshake.
    #[cold]
    pub(crate) fn serve_waiting(&self, mut take: impl FnMut(&mut D, usize) -> Option<usize>) {
        self.serve_all(|data, wanted| take(data, wanted).map(Served::With));
    }

    /// Passes a number that nobody else can find to the first waiter, or else to `keep`.
    pub(crate) fn give(&self, number: usize, keep: impl FnOnce(&mut D, usize)) {
        let mut wakes = WakeBatch::<BATCH>::new();
        self.queue.with(|queue| {
            if queue.serve_first(|_, _| Some(Served::With(number)), &mut wakes).is_some() {
                self.count(|n| n - 1);
            } else {
                keep(&mut queue.data, number);
            }
        });
    }

    fn serve_all(&self, take: impl FnMut(&mut D, usize) -> Option<Served>) {
        self.serve_while(take, |_| true);
    }

    /// Serves waiters while there is something for them, until `go_on` denies it for one of them.
    fn serve_while(
        &self,
        mut take: impl FnMut(&mut D, usize) -> Option<Served>,
        go_on: impl Fn(Woken) -> bool,
    ) {
        to_the_end(|| {
            let mut wakes = WakeBatch::<BATCH>::new();
            let more = self.queue.with(|queue| {
                while let Some(woken) = queue.serve_first(&mut take, &mut wakes) {
                    self.count(|n| n - 1);
                    if !go_on(woken) {
                        return false;
                    }
                    if wakes.is_full() {
                        return true;
                    }
                }
                false
            });
            wakes.wake_all();
            more
        });
    }

    /// Ends every wait, those to come included.
    pub(crate) fn close(&self) {
        self.queue.with(|queue| queue.closed = true);
        self.serve_all(|_, _| Some(Served::Closed));
    }
}
