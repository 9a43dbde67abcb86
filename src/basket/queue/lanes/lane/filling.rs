//! The offerer's side of a lane.

use alloc::boxed::Box;
use core::mem::ManuallyDrop;
use core::ptr::{self, NonNull};

use super::super::chunk::Chunk;
use super::{BUSY, DECIDED, LEFT, LISTED, Lane, UNLISTED, above_flag, free_lane};
use crate::shim::atomic::Ordering;

/// The offerer's side of a lane.
pub(crate) struct Filling<T> {
    pub(crate) lane: NonNull<Lane<T>>,
    chunk: Chunk<T>,
    at: usize,
    /// Items in the chunk.
    len: usize,
    published: usize,
}

impl<T> Filling<T> {
    /// A new lane, which is not listed.
    pub(crate) fn new() -> Self {
        let chunk = Chunk::first();
        let lane = Box::new(Lane::new(chunk));
        Self { lane: NonNull::from(Box::leak(lane)), chunk, at: 0, len: chunk.len(), published: 0 }
    }

    fn lane(&self) -> &Lane<T> {
        // SAFETY: a lane is freed only after its offerer left.
        unsafe { self.lane.as_ref() }
    }

    /// Says that an offer is in progress.
    #[inline]
    pub(crate) fn begin(&self) {
        // ORDERING(lane.busy): Release — a look that reads this instead of the count published before
        // sees those items, too, which a release sequence does not include; pairs with (lane.publish) in
        // Emptying::look(). Relaxed dies in lanes::begin_republishes. As for BUSY, it is ordered by the
        // barrier that follows; pairs with (lane.busy) in is_quiet().
        self.lane().hot.progress.store(above_flag(self.published) | BUSY, Ordering::Release);
    }

    /// Takes that back: nothing was offered.
    pub(crate) fn abandon(&self) {
        // ORDERING(lane.busy): Relaxed — the fence before it stands for the Release of begin().
        self.lane().hot.progress.store(above_flag(self.published), Ordering::Relaxed);
    }

    /// Zero if the drainer has the lane and does not doubt it.
    #[inline]
    pub(crate) fn unlisted(&self) -> u32 {
        // ORDERING(lane.listing): Relaxed — ordered by the barrier before it; pairs with (lane.listing)
        // in Emptying::doubt().
        self.lane().hot.listing.load(Ordering::Relaxed)
    }

    /// Makes the lane a listed one; `true`: it must be entered now.
    pub(crate) fn list(&self) -> bool {
        // ORDERING(lane.listing): Relaxed — a first guess; pairs with the exchange below.
        let mut listing = self.lane().hot.listing.load(Ordering::Relaxed);
        while listing != LISTED {
            // ORDERING(lane.listing): Acquire — from UNLISTED: the drainer is done with the lane, which we
            // link anew; pairs with (lane.listing) in Emptying::strike(). No model can see it: the
            // barrier before it orders that as well there.
            match self.lane().hot.listing.compare_exchange(
                listing,
                LISTED,
                Ordering::Acquire,
                Ordering::Relaxed,
            ) {
                Ok(old) => return old == UNLISTED,
                Err(current) => listing = current,
            }
        }
        false
    }

    /// Whether an item fits into the chunk in use.
    #[inline]
    pub(crate) const fn has_room(&self) -> bool {
        self.at < self.len
    }

    /// Publishes a copy of the item, which fits, and says that the offer is over.
    #[inline]
    pub(crate) fn publish_one(&mut self, new: &ManuallyDrop<T>) {
        let place = self.chunk.place(self.at);
        // SAFETY: an unpublished place of the chunk; the copy counts once it is published.
        unsafe { ptr::copy_nonoverlapping(ptr::from_ref(new).cast(), place.as_ptr(), 1) };
        self.at += 1;
        self.say_published(1);
    }

    #[inline]
    fn say_published(&mut self, count: usize) {
        self.published = self.published.wrapping_add(count);
        // ORDERING(lane.publish): Release — the items and the chunks that hold them; pairs with
        // (lane.publish) in Emptying::look(). Relaxed dies in lanes::begin_republishes.
        self.lane().hot.progress.store(above_flag(self.published), Ordering::Release);
    }

    /// Publishes copies of these items, and says that the offer is over.
    pub(crate) fn publish(&mut self, items: &[ManuallyDrop<T>]) {
        let mut rest = items;
        while !rest.is_empty() {
            if self.at == self.len {
                self.turn_over();
            }
            let (now, later) = rest.split_at(rest.len().min(self.len - self.at));
            let place = self.chunk.place(self.at);
            // SAFETY: unpublished places of the chunk; the copies count once they are published.
            unsafe { ptr::copy_nonoverlapping(now.as_ptr().cast(), place.as_ptr(), now.len()) };
            self.at += now.len();
            rest = later;
        }
        self.say_published(items.len());
    }

    #[cold]
    fn turn_over(&mut self) {
        // ORDERING(lane.spare): Acquire — the drainer is done with that chunk; pairs with (lane.spare)
        // in Emptying::turn_over(). Relaxed dies in lanes::chunks_go_round.
        let spare = self.lane().spare.swap(ptr::null_mut(), Ordering::Acquire);
        let new = Chunk::from_ptr(spare).unwrap_or_else(|| self.chunk.larger());
        new.set_next(None);
        self.chunk.set_next(Some(new));
        self.chunk = new;
        self.at = 0;
        self.len = new.len();
    }

    /// Whether the `count` items just published count although the drainer has gone: it has decided
    /// that, or we do.
    pub(crate) fn outlived(&self, count: usize) -> bool {
        let before = self.published.wrapping_sub(count);
        // ORDERING(lane.fate): Relaxed — a first guess; pairs with the exchange below.
        let mut fate = self.lane().fate.load(Ordering::Relaxed);
        loop {
            if fate & !DECIDED == above_flag(self.published) {
                return true;
            }
            if fate & DECIDED != 0 {
                return false;
            }
            // ORDERING(lane.fate): Relaxed — items that count by this are in the drainer's view: the offer
            // before found no GONE after its barrier. Pairs with (lane.fate) in Emptying::decide().
            match self.lane().fate.compare_exchange(
                fate,
                above_flag(before) | DECIDED,
                Ordering::Relaxed,
                Ordering::Relaxed,
            ) {
                Ok(_) => return false,
                Err(current) => fate = current,
            }
        }
    }

    /// The offerer goes.
    pub(crate) fn leave(self) {
        // ORDERING(lane.left): AcqRel — Release: `progress` is final, and we do not touch the lane any
        // more; Acquire: neither does a drainer that struck it off. Pairs with (lane.left) in has_left()
        // and (lane.listing) in strike(). Release alone dies in lanes::struck_lane_leaves, Acquire alone
        // in lanes::left_lane_is_drained.
        if self.lane().hot.listing.swap(LEFT, Ordering::AcqRel) == UNLISTED {
            // SAFETY: the drainer does not have it.
            unsafe { free_lane(self.lane) };
        }
    }
}
