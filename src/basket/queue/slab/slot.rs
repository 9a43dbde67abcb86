//! Room for one item.

use core::fmt;
use core::mem::MaybeUninit;

use crate::basket::queue::head::NodeAddr;
use crate::shim::atomic::AtomicUsize;
use crate::shim::{Passed, UnsafeCell};

/// Room for one item in a bounded basket, to be supplied by the caller.
///
/// # Cost
///
/// The item and two words.
pub struct Slot<T> {
    pub(crate) item: UnsafeCell<MaybeUninit<T>>,
    /// The slot published before it; in the drainer's hands, the one after it.
    pub(crate) next: Passed<NodeAddr>,
    /// This place of the ring of free slots: a slot's number, exclusive-or this one's, so that zero
    /// is the ring as it starts.
    pub(crate) free: AtomicUsize,
}

// SAFETY: items go in and out under the protocol of `Slab`; `next` belongs to whoever holds the slot.
unsafe impl<T: Send> Sync for Slot<T> {}

impl<T> Slot<T> {
    const_fn! {
        /// An empty slot.
        #[must_use]
        pub const fn new() -> Self {
            Self {
                item: UnsafeCell::new(MaybeUninit::uninit()),
                next: Passed::new(0),
                free: AtomicUsize::new(0),
            }
        }
    }
}

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> fmt::Debug for Slot<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Slot").finish_non_exhaustive()
    }
}

/// Numbers of slots in the head: never zero, and clear of its two flags.
pub(crate) const fn node(slot: usize) -> NodeAddr {
    (slot + 1) << 2
}

pub(crate) const fn slot_of(node: NodeAddr) -> usize {
    (node >> 2) - 1
}
