//! The unbounded queue: runs published by one exchange, taken by another.

#![expect(missing_debug_implementations, reason = "not reachable by users")]

mod chain;
mod run;

use core::marker::PhantomData;
use core::mem::ManuallyDrop;
use core::ptr::{self, NonNull};

use crossbeam_utils::CachePadded;

use self::chain::Chain;
use self::run::{ChunkHead, Cutter, NewRun};
use super::head::Head;
use super::{Offered, Pulled, Queue, Refused};
use crate::shim::atomic::{AtomicPtr, Ordering};

pub struct List<T> {
    head: CachePadded<Head>,
    /// Chunks whose offerer could not publish a last run, since the basket was closed: runs of them
    /// may still be in the drainer's hands, so they are freed with the basket.
    orphans: AtomicPtr<ChunkHead>,
    items: PhantomData<T>,
}

// SAFETY: items are moved in by one thread and out by another, never shared.
unsafe impl<T: Send> Send for List<T> {}
// SAFETY: as above; the head hands each item to one drainer.
unsafe impl<T: Send> Sync for List<T> {}

impl<T> List<T> {
    pub(crate) fn new() -> Self {
        Self {
            head: CachePadded::new(Head::new()),
            orphans: AtomicPtr::new(ptr::null_mut()),
            items: PhantomData,
        }
    }

    /// Whether every item that was offered has been fetched.
    pub(crate) fn is_drained(&self) -> bool {
        // An offerer must not follow the chain; an ending run, which is empty, is rare enough.
        self.head.newest() == 0
    }

    /// Publishes runs, given oldest first.
    fn publish(&self, newest: &NewRun, oldest: &NewRun) -> Result<bool, ()> {
        self.head.publish(newest.addr(), |older| oldest.link(older))
    }

    /// Offers more items than the first run took, in further runs, published together.
    #[cold]
    fn offer_runs(
        &self,
        cutter: &mut Cutter<T>,
        oldest: NewRun,
        items: &[ManuallyDrop<T>],
    ) -> Offered {
        let mut count = oldest.len();
        let mut newest = oldest;
        while count < items.len() {
            let run = cutter.cut_copy(&items[count..]);
            count += run.len();
            run.link(newest.addr());
            newest = run;
        }
        match self.publish(&newest, &oldest) {
            Ok(wake) => Offered { count, refused: None, wake },
            Err(()) => {
                let mut run = newest;
                while run.addr() != oldest.addr() {
                    let older = run.older();
                    cutter.take_back(run);
                    run = older;
                }
                cutter.take_back(run);
                Offered { count: 0, refused: Some(Refused::Closed), wake: false }
            }
        }
    }

    fn adopt(&self, chunk: NonNull<ChunkHead>) {
        // ORDERING(basket.orphan): Relaxed — a first guess; pairs with the exchange below.
        let mut first = self.orphans.load(Ordering::Relaxed);
        loop {
            // SAFETY: the chunk is the offerer's, who gives it to us.
            unsafe { chunk.as_ref() }.next_orphan.set(first);
            // ORDERING(basket.orphan): Relaxed — the list is read when the basket is dropped, after
            // every handle is gone (their shared count orders that); pairs with drop().
            match self.orphans.compare_exchange_weak(
                first,
                chunk.as_ptr(),
                Ordering::Relaxed,
                Ordering::Relaxed,
            ) {
                Ok(_) => return,
                Err(current) => first = current,
            }
        }
    }

    /// Offers an item from a caller that keeps no cutter: it gets a chunk of its own.
    pub(crate) fn offer_alone(&self, item: &ManuallyDrop<T>) -> Offered {
        let mut cutter = Cutter::for_one();
        let mut offered = self.offer(&mut cutter, core::slice::from_ref(item));
        offered.wake |= self.leave(&mut cutter);
        offered
    }
}

impl<T> Queue<T> for List<T> {
    type Offering = Cutter<T>;
    type Draining = Chain<T>;

    fn new_offering(&self) -> Cutter<T> {
        Cutter::new()
    }

    fn new_draining(&self) -> Chain<T> {
        Chain::new()
    }

    #[inline]
    fn offer(&self, cutter: &mut Cutter<T>, items: &[ManuallyDrop<T>]) -> Offered {
        let oldest = cutter.cut_copy(items);
        if oldest.len() == items.len() {
            return match self.publish(&oldest, &oldest) {
                Ok(wake) => Offered { count: items.len(), refused: None, wake },
                Err(()) => {
                    cutter.take_back(oldest);
                    Offered { count: 0, refused: Some(Refused::Closed), wake: false }
                }
            };
        }
        self.offer_runs(cutter, oldest, items)
    }

    fn leave(&self, cutter: &mut Cutter<T>) -> bool {
        let Some(last) = cutter.end() else {
            return false;
        };
        self.publish(&last, &last).unwrap_or_else(|()| {
            self.adopt(last.into_orphan());
            false
        })
    }

    #[inline]
    fn pull(&self, chain: &mut Chain<T>, wanted: usize) -> Pulled {
        while chain.len() < wanted {
            let taken = self.head.take();
            if taken.newest == 0 {
                return Pulled::of(chain.len(), taken.closed);
            }
            // SAFETY: just taken.
            unsafe { chain.append(taken.newest) };
            if chain.len() > 0 {
                break;
            }
            // Empty runs only: look again.
        }
        Pulled::Items
    }

    fn at_hand(&self, chain: &Chain<T>) -> usize {
        chain.len()
    }

    fn peek<'a>(&'a self, chain: &'a Chain<T>) -> Option<&'a T> {
        chain.peek()
    }

    #[inline]
    fn next(&self, chain: &mut Chain<T>) -> Option<T> {
        chain.next()
    }

    fn settle(&self, _chain: &mut Chain<T>) {}

    fn len(&self, chain: &Chain<T>) -> usize {
        // SAFETY: only the drainer, who asks, frees runs.
        chain.len() + unsafe { chain::lengths(self.head.newest()) }.sum::<usize>()
    }

    fn is_empty(&self, chain: &Chain<T>) -> bool {
        // SAFETY: only the drainer, who asks, frees runs.
        chain.len() == 0 && unsafe { chain::lengths(self.head.newest()) }.all(|len| len == 0)
    }

    fn arm(&self, _chain: &mut Chain<T>) -> bool {
        self.head.arm()
    }

    fn disarm(&self) -> bool {
        self.head.disarm()
    }

    fn is_armed(&self) -> bool {
        self.head.is_armed()
    }

    fn is_idle(&self, _chain: &Chain<T>) -> bool {
        self.head.is_idle()
    }

    fn close(&self) -> Option<bool> {
        self.head.close()
    }

    fn is_closed(&self) -> bool {
        self.head.is_closed()
    }
}

impl<T> Drop for List<T> {
    fn drop(&mut self) {
        /// Frees the orphans, also after an item's destructor panicked: its run is finished by then.
        struct Orphans<T>(*mut ChunkHead, PhantomData<T>);

        impl<T> Drop for Orphans<T> {
            fn drop(&mut self) {
                while let Some(chunk) = NonNull::new(self.0) {
                    // SAFETY: orphans stay valid until here.
                    self.0 = unsafe { chunk.as_ref() }.next_orphan.get();
                    // SAFETY: every run is finished, and nobody else uses the basket.
                    unsafe { run::free::<T>(chunk) };
                }
            }
        }

        // ORDERING(basket.orphan): Relaxed — exclusive by `&mut`; pairs with adopt().
        let _orphans = Orphans::<T>(self.orphans.load(Ordering::Relaxed), PhantomData);
        let mut chain = Chain::<T>::new();
        // SAFETY: just taken.
        unsafe { chain.append(self.head.take().newest) };
        drop(chain);
    }
}
