//! One offerer's lane: a list of chunks that it fills and the drainer empties.
//!
//! ```text
//! lane    [ progress, listing | fate, spare, start, next ]
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

mod emptying;
mod filling;

use alloc::boxed::Box;
use core::ptr::{self, NonNull};

use crossbeam_utils::CachePadded;

pub(crate) use self::emptying::Emptying;
pub(crate) use self::filling::Filling;
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
    hot: CachePadded<Hot>,
    /// How many items the drainer has seen; then, `DECIDED`, how many count. Changed by both.
    fate: AtomicUsize,
    /// An empty chunk for the offerer. Exchanged by both.
    spare: AtomicPtr<ChunkHead>,
    /// Where the drainer begins. Written by whoever has the lane alone.
    start: Passed<Start<T>>,
    /// The lane entered before this one. Written by the offerer before it enters the lane.
    next: Passed<*mut Lane<T>>,
}

/// What every offer touches.
struct Hot {
    /// How many items are published, and `BUSY`. Written by the offerer.
    progress: AtomicUsize,
    /// Who has the lane. Changed by both, but not for an item.
    listing: AtomicU32,
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

impl<T> Lane<T> {
    /// An empty lane, which is not listed.
    fn new(chunk: Chunk<T>) -> Self {
        Self {
            hot: CachePadded::new(Hot {
                progress: AtomicUsize::new(0),
                listing: AtomicU32::new(UNLISTED),
            }),
            fate: AtomicUsize::new(0),
            spare: AtomicPtr::new(ptr::null_mut()),
            start: Passed::new(Start { chunk, at: 0, taken: 0 }),
            next: Passed::new(ptr::null_mut()),
        }
    }
}

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
