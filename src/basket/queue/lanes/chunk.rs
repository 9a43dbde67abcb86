//! The memory of a lane: items in chunks, chunks in a list.
//!
//! ```text
//! chunk   [ next, len | item, item, … ]  ->  [ next, len | item, … ]
//! ```

use alloc::alloc::handle_alloc_error;
use core::alloc::Layout;
use core::marker::PhantomData;
use core::ptr::{self, NonNull};

use crate::shim::{CHUNK_BYTES, Passed, memory};

/// Bytes of a lane's first chunk; the next ones double up to `FULL`.
const FIRST: usize = 256;
/// Bytes of a chunk, unless one item needs more.
const FULL: usize = CHUNK_BYTES;

/// The head of a chunk; its items follow.
#[repr(C)]
pub(crate) struct ChunkHead {
    /// Written by the offerer before it publishes an item in the next chunk.
    next: Passed<*mut ChunkHead>,
    /// How many items fit.
    len: usize,
}

/// A chunk for these items. Whoever has it says that it is not freed.
pub(crate) struct Chunk<T> {
    head: NonNull<ChunkHead>,
    items: PhantomData<T>,
}

impl<T> Clone for Chunk<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Chunk<T> {}

impl<T> Chunk<T> {
    /// From the head to the first item.
    const ITEMS: usize = size_of::<ChunkHead>().next_multiple_of(align_of::<T>());

    /// How many items fit into so many bytes; one at least.
    const fn fit(bytes: usize) -> usize {
        match bytes.saturating_sub(Self::ITEMS).checked_div(size_of::<T>()) {
            Some(0) => 1,
            Some(len) => len,
            None => FULL,
        }
    }

    fn layout(len: usize) -> Layout {
        let align = align_of::<T>().max(align_of::<ChunkHead>());
        Layout::from_size_align(Self::ITEMS + len * size_of::<T>(), align)
            .expect("an item fits into the address space")
    }

    fn allocate(len: usize) -> Self {
        let layout = Self::layout(len);
        // SAFETY: the size is not zero.
        let memory = unsafe { memory::alloc(layout) };
        let Some(head) = NonNull::new(memory.cast::<ChunkHead>()) else {
            handle_alloc_error(layout)
        };
        // SAFETY: fresh memory, large and aligned enough.
        unsafe { head.write(ChunkHead { next: Passed::new(ptr::null_mut()), len }) };
        Self { head, items: PhantomData }
    }

    /// The first chunk of a lane.
    pub(crate) fn first() -> Self {
        Self::allocate(Self::fit(FIRST))
    }

    /// The chunk to follow this one: twice as large, up to a limit.
    pub(crate) fn larger(self) -> Self {
        Self::allocate((self.len() * 2).min(Self::fit(FULL)))
    }

    /// Whether it is worth keeping for another use.
    pub(crate) fn is_full_size(self) -> bool {
        self.len() == Self::fit(FULL)
    }

    fn head(&self) -> &ChunkHead {
        // SAFETY: not freed.
        unsafe { self.head.as_ref() }
    }

    /// How many items fit.
    pub(crate) fn len(self) -> usize {
        self.head().len
    }

    /// The place of an item, below `len`.
    #[inline]
    pub(crate) fn place(self, index: usize) -> NonNull<T> {
        // SAFETY: a chunk has its items behind its head.
        let first = unsafe { self.head.byte_add(Self::ITEMS) }.cast::<T>();
        // SAFETY: the index is within the chunk.
        unsafe { first.add(index) }
    }

    /// The chunk that follows.
    pub(crate) fn next(self) -> Option<Self> {
        // SAFETY: the offerer writes it before anyone can see an item behind it.
        Self::from_ptr(unsafe { self.head().next.get() })
    }

    /// Links the chunk that follows. For the offerer, before it publishes an item there.
    pub(crate) fn set_next(self, next: Option<Self>) {
        let next = next.map_or(ptr::null_mut(), Self::into_ptr);
        // SAFETY: by contract, nobody reads it yet.
        unsafe { self.head().next.set(next) };
    }

    pub(crate) fn into_ptr(self) -> *mut ChunkHead {
        self.head.as_ptr()
    }

    pub(crate) fn from_ptr(head: *mut ChunkHead) -> Option<Self> {
        Some(Self { head: NonNull::new(head)?, items: PhantomData })
    }

    /// Frees it. Its items are not dropped.
    ///
    /// # Safety
    ///
    /// It is not used again.
    pub(crate) unsafe fn free(self) {
        let layout = Self::layout(self.len());
        // SAFETY: allocated with this layout.
        unsafe { memory::dealloc(self.head.as_ptr().cast(), layout) };
    }
}
