//! One offerer's lane: a list of chunks that it fills and the drainer empties.
//!
//! ```text
//! lane    [ progress | listing, fate, spare, start, next ]
//! ```
//!
//! The offerer says in `progress` how many items it has published and whether it is in the middle of
//! an offer; the drainer reads that and then the items. Neither side makes a read-modify-write for an
//! item. A chunk that the drainer has emptied goes back to the offerer through `spare`.
//!
//! `listing` says whether the drainer has the lane on its list:
//!
//! | from \ by | offerer lists | drainer doubts | drainer strikes it off | offerer leaves |
//! |---|---|---|---|---|
//! | `UNLISTED` | `LISTED`, and enters it | – | – | `LEFT`, and frees it |
//! | `LISTED` | – | `DOUBTED` | – | `LEFT` |
//! | `DOUBTED` | `LISTED` | – | `UNLISTED` | `LEFT` |
//! | `LEFT` | – | – | frees it when empty | – |
//!
//! `fate` matters once, when the drainer goes away in the middle of an offer: see `Lanes::end`.

use alloc::boxed::Box;
use core::mem::ManuallyDrop;
use core::ptr::{self, NonNull};

use crossbeam_utils::CachePadded;

use super::chunk::{Chunk, ChunkHead};
use crate::shim::Passed;
use crate::shim::atomic::{AtomicPtr, AtomicU32, AtomicUsize, Ordering};

/// Beside a count of items in `progress`: the offerer is in the middle of an offer.
const BUSY: usize = 1;
/// Beside a count of items in `fate`: it is decided that so many count, and no more.
const DECIDED: usize = 1;

/// The drainer has the lane, or will find it among those that were entered. Zero: a single test covers
/// this and the flags of the queue.
const LISTED: u32 = 0;
/// The drainer is about to strike the lane off its list.
const DOUBTED: u32 = 1;
/// Only the offerer has the lane.
const UNLISTED: u32 = 2;
/// Only the drainer has it.
const LEFT: u32 = 3;

/// A count of items as it stands in `progress` and `fate`: above their flag. Counts wrap.
const fn above_flag(count: usize) -> usize {
    count << 1
}

/// What the two sides of a lane share.
pub(crate) struct Lane<T> {
    /// How many items are published, and `BUSY`. Written by the offerer.
    progress: CachePadded<AtomicUsize>,
    /// Who has the lane. Changed by both.
    listing: AtomicU32,
    /// How many items the drainer has seen; then, `DECIDED`, how many count. Changed by both.
    fate: AtomicUsize,
    /// An empty chunk for the offerer. Exchanged by both.
    spare: AtomicPtr<ChunkHead>,
    /// Where the drainer begins. Written by whoever has the lane alone.
    start: Passed<Start<T>>,
    /// The lane entered before this one. Written by the offerer before it enters the lane.
    next: Passed<*mut Lane<T>>,
}

struct Start<T> {
    chunk: Chunk<T>,
    at: usize,
    taken: usize,
}

impl<T> Clone for Start<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Start<T> {}

/// Links a lane to the one entered before it.
///
/// # Safety
///
/// The lane is valid, and the caller is about to enter it.
pub(crate) unsafe fn link<T>(lane: NonNull<Lane<T>>, next: *mut Lane<T>) {
    // SAFETY: by contract.
    let lane = unsafe { lane.as_ref() };
    // SAFETY: by contract: nobody else has it.
    unsafe { lane.next.set(next) };
}

/// The lane entered before this one.
///
/// # Safety
///
/// The lane was entered, and its offerer does not enter it again meanwhile.
pub(crate) unsafe fn linked<T>(lane: NonNull<Lane<T>>) -> *mut Lane<T> {
    // SAFETY: by contract.
    let lane = unsafe { lane.as_ref() };
    // SAFETY: by contract.
    unsafe { lane.next.get() }
}

/// Frees a lane and its chunks.
///
/// # Safety
///
/// Nobody else has it, and the items in it do not count.
unsafe fn free_lane<T>(lane: NonNull<Lane<T>>) {
    // SAFETY: made by `Filling::new`, and nobody uses it again.
    let lane = unsafe { Box::from_raw(lane.as_ptr()) };
    // SAFETY: as above.
    let mut chunk = Some(unsafe { lane.start.get() }.chunk);
    while let Some(this) = chunk {
        chunk = this.next();
        // SAFETY: chunks of the lane, each once.
        unsafe { this.free() };
    }
    // ORDERING(lane.spare): Relaxed — ordered by what gave us the lane alone; pairs with (lane.spare) in
    // Emptying::turn_over().
    if let Some(spare) = Chunk::<T>::from_ptr(lane.spare.load(Ordering::Relaxed)) {
        // SAFETY: a spare chunk is nobody's.
        unsafe { spare.free() };
    }
}

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
        let lane = Box::new(Lane {
            progress: CachePadded::new(AtomicUsize::new(0)),
            listing: AtomicU32::new(UNLISTED),
            fate: AtomicUsize::new(0),
            spare: AtomicPtr::new(ptr::null_mut()),
            start: Passed::new(Start { chunk, at: 0, taken: 0 }),
            next: Passed::new(ptr::null_mut()),
        });
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
        self.lane().progress.store(above_flag(self.published) | BUSY, Ordering::Release);
    }

    /// Takes that back: nothing was offered.
    pub(crate) fn abandon(&self) {
        // ORDERING(lane.busy): Relaxed — the fence before it stands for the Release of begin().
        self.lane().progress.store(above_flag(self.published), Ordering::Relaxed);
    }

    /// Zero if the drainer has the lane and does not doubt it.
    #[inline]
    pub(crate) fn unlisted(&self) -> u32 {
        // ORDERING(lane.listing): Relaxed — ordered by the barrier before it; pairs with (lane.listing)
        // in Emptying::doubt().
        self.lane().listing.load(Ordering::Relaxed)
    }

    /// Makes the lane a listed one; `true`: it must be entered now.
    pub(crate) fn list(&self) -> bool {
        // ORDERING(lane.listing): Relaxed — a first guess; pairs with the exchange below.
        let mut listing = self.lane().listing.load(Ordering::Relaxed);
        while listing != LISTED {
            // ORDERING(lane.listing): Acquire — from UNLISTED: the drainer is done with the lane, which we
            // link anew; pairs with (lane.listing) in Emptying::strike(). No model can see it: the
            // barrier before it orders that as well there.
            match self.lane().listing.compare_exchange(
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
        self.lane().progress.store(above_flag(self.published), Ordering::Release);
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
        if self.lane().listing.swap(LEFT, Ordering::AcqRel) == UNLISTED {
            // SAFETY: the drainer does not have it.
            unsafe { free_lane(self.lane) };
        }
    }
}

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
        let progress = self.lane().progress.load(Ordering::Relaxed);
        progress.wrapping_sub(above_flag(self.seen)) >> 1
    }

    /// Whether nothing is published beyond what was seen and no offer is in progress.
    ///
    /// One load tells both: an offer that ends between two would show in neither.
    pub(crate) fn is_quiet(&self) -> bool {
        // ORDERING(lane.busy): Relaxed — ordered by the barrier before it; pairs with (lane.busy) in
        // Filling::begin().
        self.lane().progress.load(Ordering::Relaxed) == above_flag(self.seen)
    }

    /// Takes note of what has been published; answers how many items that are.
    #[inline]
    pub(crate) fn look(&mut self) -> usize {
        // ORDERING(lane.publish): Acquire — sees the items; pairs with (lane.publish) in
        // Filling::publish(). Relaxed dies in lanes::items_arrive_whole.
        let progress = self.lane().progress.load(Ordering::Acquire);
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
        let struck = self.lane().listing.compare_exchange(
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
        let listing = self.lane().listing.swap(UNLISTED, Ordering::AcqRel);
        if listing == LEFT {
            // SAFETY: the offerer does not have it.
            unsafe { free_lane(self.lane) };
        }
    }

    /// Whether the offerer is gone.
    fn has_left(&self) -> bool {
        // ORDERING(lane.left): Acquire — `progress` read after it is final, and the lane is ours alone;
        // pairs with (lane.left) in leave(). Relaxed dies in lanes::lane_is_freed.
        self.lane().listing.load(Ordering::Acquire) == LEFT
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
