//! The drainer's side of a lane.

use core::ptr::NonNull;

use super::super::chunk::Chunk;
use super::{DECIDED, DOUBTED, LEFT, LISTED, Lane, Start, UNLISTED, above_flag, free_lane};
use crate::shim::atomic::Ordering;

/// The drainer's side of a lane.
pub(crate) struct Emptying<T> {
    lane: NonNull<Lane<T>>,
    chunk: Chunk<T>,
    at: usize,
    /// Items in the chunk.
    len: usize,
    /// How many items were taken out.
    taken: usize,
    /// How many items were seen published.
    seen: usize,
    /// Sleeps since something was seen.
    quiet: u32,
    doubted: bool,
}

/// Sleeps without an item after which a lane is struck off the list.
const LONGEST_QUIET: u32 = 4;

impl<T> Emptying<T> {
    /// Takes over a lane.
    ///
    /// # Safety
    ///
    /// The lane was entered by its offerer, and this is its only emptying side.
    pub(crate) unsafe fn new(lane: NonNull<Lane<T>>) -> Self {
        // SAFETY: by contract.
        let shared = unsafe { lane.as_ref() };
        // SAFETY: by contract.
        let Start { chunk, at, taken } = unsafe { shared.start.get() };
        Self { lane, chunk, at, len: chunk.len(), taken, seen: taken, quiet: 0, doubted: false }
    }

    fn lane(&self) -> &Lane<T> {
        // SAFETY: we have it, so nobody frees it.
        unsafe { self.lane.as_ref() }
    }

    /// How many items are at hand.
    pub(crate) fn at_hand(&self) -> usize {
        self.seen.wrapping_sub(self.taken)
    }

    /// How many more are published.
    pub(crate) fn ahead(&self) -> usize {
        // ORDERING(lane.publish): Relaxed — for a number only; pairs with Filling::publish().
        let progress = self.lane().hot.progress.load(Ordering::Relaxed);
        progress.wrapping_sub(above_flag(self.seen)) >> 1
    }

    /// Whether nothing is published beyond what was seen and no offer is in progress.
    ///
    /// One load tells both: an offer that ends between two would show in neither.
    pub(crate) fn is_quiet(&self) -> bool {
        // ORDERING(lane.busy): Relaxed — ordered by the barrier before it; pairs with (lane.busy) in
        // Filling::begin().
        self.lane().hot.progress.load(Ordering::Relaxed) == above_flag(self.seen)
    }

    /// Takes note of what has been published; answers how many items that are.
    #[inline]
    pub(crate) fn look(&mut self) -> usize {
        // ORDERING(lane.publish): Acquire — sees the items; pairs with (lane.publish) in
        // Filling::publish(). Relaxed dies in lanes::items_arrive_whole.
        let progress = self.lane().hot.progress.load(Ordering::Acquire);
        let new = progress.wrapping_sub(above_flag(self.seen)) >> 1;
        if new > 0 {
            self.seen = self.seen.wrapping_add(new);
            self.quiet = 0;
        }
        new
    }

    /// The drainer will sleep. Whether the lane has been quiet for long, so that it is not expected to be
    /// of use.
    pub(crate) fn rest(&mut self) -> bool {
        self.quiet = self.quiet.saturating_add(1);
        self.quiet > LONGEST_QUIET
    }

    /// Before the barrier: doubts the lane, if it has been quiet for long. Whether it is doubted.
    pub(crate) fn doubt(&mut self) -> bool {
        if self.quiet > LONGEST_QUIET {
            // ORDERING(lane.listing): Relaxed — ordered by the barrier that follows; pairs with
            // (lane.listing) in Filling::unlisted().
            self.doubted = self
                .lane()
                .hot
                .listing
                .compare_exchange(LISTED, DOUBTED, Ordering::Relaxed, Ordering::Relaxed)
                .is_ok();
        }
        self.doubted
    }

    /// After the barrier: strikes a lane off that was doubted and is still quiet. `true`: we do not
    /// have it any more.
    pub(crate) fn strike(&mut self) -> bool {
        if !core::mem::take(&mut self.doubted) {
            return false;
        }
        let quiet = self.at_hand() == 0 && self.is_quiet();
        let new = if quiet {
            self.put_down();
            self.confess();
            UNLISTED
        } else {
            LISTED
        };
        // ORDERING(lane.listing): Release — where we stopped; pairs with (lane.left) in leave(), and by
        // way of the offerer's entering it with Emptying::new(). Relaxed dies in lanes::struck_lane_leaves.
        let struck = self.lane().hot.listing.compare_exchange(
            DOUBTED,
            new,
            Ordering::Release,
            Ordering::Relaxed,
        );
        // If the offerer has listed it again, or left, it stays with us.
        quiet && struck.is_ok()
    }

    /// Leaves a note of where to go on.
    fn put_down(&self) {
        let start = Start { chunk: self.chunk, at: self.at, taken: self.taken };
        // SAFETY: nobody else reads it before we give the lane away.
        unsafe { self.lane().start.set(start) };
    }

    /// Says what has been seen.
    pub(crate) fn confess(&self) {
        // ORDERING(lane.fate): Relaxed — published by what follows: the flag that the drainer goes, or
        // the striking off; pairs with (lane.fate) in Filling::outlived().
        self.lane().fate.store(above_flag(self.seen), Ordering::Relaxed);
    }

    /// The drainer is going, and offerers can know: decides how many items count, unless the offerer
    /// has, and takes note of them.
    pub(crate) fn decide(&mut self) {
        self.look();
        // ORDERING(lane.fate): Relaxed — a first guess; pairs with the exchange below.
        let fate = self.lane().fate.load(Ordering::Relaxed);
        // ORDERING(lane.fate): Relaxed — if the offerer decided, the items that count by that were seen
        // by the look; pairs with (lane.fate) in Filling::outlived().
        let decided = self.lane().fate.compare_exchange(
            fate & !DECIDED,
            above_flag(self.seen) | DECIDED,
            Ordering::Relaxed,
            Ordering::Relaxed,
        );
        if let Err(fate) = decided {
            let count = (fate & !DECIDED).wrapping_sub(above_flag(self.taken)) >> 1;
            self.seen = self.taken.wrapping_add(count);
        }
    }

    /// The drainer has gone: leaves the lane to its offerer, or frees it.
    pub(crate) fn let_go(self) {
        self.put_down();
        // ORDERING(lane.listing): AcqRel — Release: where we stopped; Acquire: if the offerer left, it
        // does not touch the lane any more. Pairs with (lane.left) in leave(). Acquire alone dies in
        // lanes::both_sides_go; of what the other half keeps in order, the freeing, models see nothing.
        let listing = self.lane().hot.listing.swap(UNLISTED, Ordering::AcqRel);
        if listing == LEFT {
            // SAFETY: the offerer does not have it.
            unsafe { free_lane(self.lane) };
        }
    }

    /// Whether the offerer is gone.
    fn has_left(&self) -> bool {
        // ORDERING(lane.left): Acquire — `progress` read after it is final, and the lane is ours alone;
        // pairs with (lane.left) in leave(). Relaxed dies in lanes::lane_is_freed.
        self.lane().hot.listing.load(Ordering::Acquire) == LEFT
    }

    /// Whether the offerer is gone and everything was taken out.
    pub(crate) fn is_over(&self) -> bool {
        self.at_hand() == 0 && self.has_left() && self.ahead() == 0
    }

    /// The next item at hand.
    pub(crate) fn peek(&self) -> Option<&T> {
        if self.at_hand() == 0 {
            return None;
        }
        let place =
            if self.at < self.len { self.chunk.place(self.at) } else { self.next_chunk().place(0) };
        // SAFETY: published, seen and not taken; it stays until `next`, which takes `&mut self`.
        Some(unsafe { place.as_ref() })
    }

    /// The chunk after this one. There is an item in it.
    fn next_chunk(&self) -> Chunk<T> {
        self.chunk.next().expect("a published item is in a linked chunk")
    }

    /// Takes the next item at hand out. There is one.
    #[inline]
    pub(crate) fn next(&mut self) -> T {
        debug_assert!(self.at_hand() > 0);
        if self.at == self.len {
            self.turn_over();
        }
        let place = self.chunk.place(self.at);
        self.at += 1;
        self.taken = self.taken.wrapping_add(1);
        // SAFETY: published, seen, and from here on taken.
        unsafe { place.read() }
    }

    #[cold]
    fn turn_over(&mut self) {
        let next = self.next_chunk();
        let empty = core::mem::replace(&mut self.chunk, next);
        self.at = 0;
        self.len = next.len();
        let unneeded = if empty.is_full_size() {
            // ORDERING(lane.spare): Release — we are done with the chunk; pairs with (lane.spare) in
            // Filling::turn_over(). What comes out, only we can have left there. Relaxed dies in
            // lanes::chunks_go_round.
            Chunk::from_ptr(self.lane().spare.swap(empty.into_ptr(), Ordering::Release))
        } else {
            Some(empty)
        };
        if let Some(chunk) = unneeded {
            // SAFETY: nobody's chunk.
            unsafe { chunk.free() };
        }
    }

    /// Frees the lane.
    ///
    /// # Safety
    ///
    /// Its offerer is gone, and the items in it do not count.
    pub(crate) unsafe fn free(self) {
        self.put_down();
        // SAFETY: by contract.
        unsafe { free_lane(self.lane) };
    }
}
