//! Items in runs, runs in chunks: the memory of the unbounded basket.
//!
//! ```text
//! chunk  [ size | run | run | run ........ | last run | - ]
//! run    [ next, len, back | item, item, … ]
//! ```
//!
//! A chunk belongs to one offerer, which cuts runs off its front; a run is published whole. The runs
//! of one offerer are consumed in the order in which it published them, so when the drainer has
//! finished the run that is marked as its chunk's last, it has finished all of them, and frees the
//! chunk. No counter is needed.

#![expect(missing_debug_implementations, reason = "not reachable by users")]

use alloc::alloc::handle_alloc_error;
use core::alloc::Layout;
use core::cell::Cell;
use core::marker::PhantomData;
use core::mem::ManuallyDrop;
use core::ptr::{self, NonNull};

use crate::basket::queue::head::{NODE_ALIGN, NodeAddr};
use crate::shim::{CHUNK_BYTES, Passed, memory};

/// Bytes of an offerer's first chunk; the next ones double up to `FULL_CHUNK`.
const FIRST_CHUNK: usize = 256;
/// Bytes of a chunk, unless one item needs more.
const FULL_CHUNK: usize = CHUNK_BYTES;

/// The head of a run.
#[repr(C, align(4))]
pub(crate) struct Run {
    /// The run published before it; after the drainer turned the chain, the one published after it.
    next: Passed<NodeAddr>,
    /// Items behind the head.
    pub(crate) len: Cell<u32>,
    /// Distance back to the head of its chunk if it is the last run there, else zero.
    back: Cell<u32>,
}

const _: () = assert!(align_of::<Run>() >= NODE_ALIGN);

impl Run {
    fn new(back: u32) -> Self {
        Self { next: Passed::new(0), len: Cell::new(0), back: Cell::new(back) }
    }

    /// The run that it is linked to; zero: none.
    ///
    /// # Safety
    ///
    /// The run is the caller's, or published and not taken by anyone else.
    pub(crate) unsafe fn linked(&self) -> NodeAddr {
        // SAFETY: by contract.
        unsafe { self.next.get() }
    }

    /// Links it.
    ///
    /// # Safety
    ///
    /// The run is the caller's: not published yet, or taken.
    pub(crate) unsafe fn link(&self, next: NodeAddr) {
        // SAFETY: by contract.
        unsafe { self.next.set(next) };
    }
}

#[repr(C)]
pub(crate) struct ChunkHead {
    size: usize,
    /// The next chunk that waits to be freed with the basket.
    pub(crate) next_orphan: Cell<*mut ChunkHead>,
}

/// Where things lie in a chunk of these items.
struct Place<T>(PhantomData<T>);

const fn max(a: usize, b: usize) -> usize {
    if a > b { a } else { b }
}

impl<T> Place<T> {
    const ALIGN: usize = max(align_of::<T>(), max(align_of::<Run>(), align_of::<ChunkHead>()));
    /// From the head of a run to its first item.
    const ITEMS: usize = size_of::<Run>().next_multiple_of(align_of::<T>());
    /// From the head of a chunk to its first run.
    const FIRST: usize = size_of::<ChunkHead>().next_multiple_of(Self::ALIGN);
    /// The smallest run that holds an item.
    const ONE: usize = (Self::ITEMS + size_of::<T>()).next_multiple_of(Self::ALIGN);

    const fn run_size(items: usize) -> usize {
        (Self::ITEMS + items * size_of::<T>()).next_multiple_of(Self::ALIGN)
    }

    /// How many items fit into a run of `bytes`, at least `ONE`.
    const fn items_in(bytes: usize) -> usize {
        match (bytes - Self::ITEMS).checked_div(size_of::<T>()) {
            Some(items) => items,
            None => u32::MAX as usize,
        }
    }

    fn layout(size: usize) -> Layout {
        Layout::from_size_align(size, Self::ALIGN).expect("a chunk fits into the address space")
    }
}

/// The first item of a run.
pub(crate) fn items<T>(run: NonNull<Run>) -> NonNull<T> {
    // SAFETY: a run of these items has its first item there, or ends there.
    unsafe { run.byte_add(Place::<T>::ITEMS) }.cast()
}

/// Frees the chunk that a finished run was the last of.
///
/// # Safety
///
/// `run` is a published run of these items, and neither it nor an earlier run of its chunk is used
/// again.
pub(crate) unsafe fn finish<T>(run: NonNull<Run>) {
    // SAFETY: by contract.
    let back = unsafe { run.as_ref() }.back.get() as usize;
    if back > 0 {
        // SAFETY: the last run says how far its chunk's head is.
        let chunk = unsafe { run.byte_sub(back) }.cast();
        // SAFETY: every run of the chunk is finished.
        unsafe { free::<T>(chunk) };
    }
}

/// Frees a chunk.
///
/// # Safety
///
/// `chunk` is a chunk for these items and neither it nor a run of it is used again.
pub(crate) unsafe fn free<T>(chunk: NonNull<ChunkHead>) {
    // SAFETY: by contract.
    let size = unsafe { chunk.as_ref() }.size;
    // SAFETY: allocated with this layout.
    unsafe { memory::dealloc(chunk.as_ptr().cast(), Place::<T>::layout(size)) };
}

/// The chunk that an offerer is cutting.
struct Chunk<T> {
    head: NonNull<ChunkHead>,
    size: usize,
    used: usize,
    items: PhantomData<T>,
}

impl<T> Chunk<T> {
    fn allocate(size: usize) -> Self {
        let size = max(size, Place::<T>::FIRST + Place::<T>::ONE);
        let layout = Place::<T>::layout(size);
        // SAFETY: the size is not zero.
        let memory = unsafe { memory::alloc(layout) };
        let Some(head) = NonNull::new(memory.cast::<ChunkHead>()) else {
            handle_alloc_error(layout)
        };
        // SAFETY: fresh memory, large and aligned enough.
        unsafe { head.write(ChunkHead { size, next_orphan: Cell::new(ptr::null_mut()) }) };
        // The drainer finds runs by their addresses.
        let _: usize = head.as_ptr().expose_provenance();
        Self { head, size, used: Place::<T>::FIRST, items: PhantomData }
    }

    fn has_room(&self) -> bool {
        self.size - self.used >= Place::<T>::ONE
    }

    /// Whether no run of it was published.
    fn is_fresh(&self) -> bool {
        self.used == Place::<T>::FIRST
    }

    /// The place of the next run.
    fn next_run(&self) -> NonNull<Run> {
        // SAFETY: `used` is within the chunk.
        unsafe { self.head.byte_add(self.used) }.cast()
    }
}

/// A run that is filled and not published.
#[derive(Clone, Copy)]
pub(crate) struct NewRun {
    run: NonNull<Run>,
    chunk: NonNull<ChunkHead>,
}

impl NewRun {
    pub(crate) fn addr(&self) -> NodeAddr {
        self.run.addr().get()
    }

    pub(crate) fn link(&self, next: NodeAddr) {
        // SAFETY: the run is ours until it is published.
        let run = unsafe { self.run.as_ref() };
        // SAFETY: as above.
        unsafe { run.link(next) };
    }

    fn head(&self) -> &Run {
        // SAFETY: as above.
        unsafe { self.run.as_ref() }
    }

    /// How many items are in it.
    pub(crate) fn len(&self) -> usize {
        self.head().len.get() as usize
    }

    /// The run it is linked to: full, and so the last of its chunk.
    pub(crate) fn older(&self) -> Self {
        // SAFETY: as above.
        let addr = unsafe { self.head().linked() };
        let run = NonNull::new(ptr::with_exposed_provenance_mut::<Run>(addr)).expect("linked");
        // SAFETY: it is ours as well.
        let back = unsafe { run.as_ref() }.back.get() as usize;
        // SAFETY: the last run says how far its chunk's head is.
        Self { run, chunk: unsafe { run.byte_sub(back) }.cast() }
    }
}

/// What an offerer cuts its runs from.
pub struct Cutter<T> {
    chunk: Option<Chunk<T>>,
    next_size: usize,
}

// SAFETY: the cutter owns what it points to; items pass through it only to be published.
unsafe impl<T: Send> Send for Cutter<T> {}
// SAFETY: a shared reference reaches nothing.
unsafe impl<T: Send> Sync for Cutter<T> {}

impl<T> Cutter<T> {
    pub(crate) const fn new() -> Self {
        Self { chunk: None, next_size: FIRST_CHUNK }
    }

    /// For a single item: the chunk is no larger than that needs.
    pub(crate) const fn for_one() -> Self {
        Self { chunk: None, next_size: 0 }
    }

    /// Cuts an empty run with room for `wanted` items or as many as fit, at least one. Gives the room.
    fn cut(&mut self, wanted: usize) -> (NewRun, usize) {
        let chunk = match &mut self.chunk {
            Some(chunk) if chunk.has_room() => chunk,
            // A chunk without room has gone with its last run.
            place => place.insert({
                let size = self.next_size;
                self.next_size = (size * 2).min(FULL_CHUNK);
                Chunk::allocate(size)
            }),
        };
        let run = chunk.next_run();
        // SAFETY: unused memory of the chunk, with room for a run.
        unsafe { run.write(Run::new(0)) };
        let room = Place::<T>::items_in(chunk.size - chunk.used).min(wanted).min(u32::MAX as usize);
        (NewRun { run, chunk: chunk.head }, room)
    }

    /// Settles a filled run: its memory is used, and if the next one does not fit, the chunk goes with
    /// it.
    fn settle(&mut self, run: &NewRun) {
        let Some(chunk) = &mut self.chunk else { return };
        let offset = chunk.used;
        chunk.used += Place::<T>::run_size(run.len());
        if !chunk.has_room() {
            run.head().back.set(offset as u32);
            self.chunk = None;
        }
    }

    /// A run with a copy of the first of these items, as many as fit, at least one. The copies count
    /// once the run is published, and then the originals do not.
    #[inline]
    pub(crate) fn cut_copy(&mut self, items: &[ManuallyDrop<T>]) -> NewRun {
        let (run, room) = self.cut(items.len());
        let copied = room.min(items.len());
        // SAFETY: `room` items fit into the run, which overlaps nothing.
        unsafe {
            ptr::copy_nonoverlapping(
                items.as_ptr().cast::<T>(),
                self::items(run.run).as_ptr(),
                copied,
            );
        }
        run.head().len.set(copied as u32);
        self.settle(&run);
        run
    }

    /// Undoes the cutting of a run that could not be published: the newest one that was cut.
    pub(crate) fn take_back(&mut self, run: NewRun) {
        if let Some(newer) = self.chunk.take() {
            if newer.head != run.chunk {
                // Everything cut from it was taken back before.
                debug_assert!(newer.is_fresh());
                // SAFETY: no run of it was published.
                unsafe { free::<T>(newer.head) };
            }
        }
        let used = run.addr() - run.chunk.addr().get();
        // SAFETY: the chunk is ours as long as its last run is not published.
        let size = unsafe { run.chunk.as_ref() }.size;
        self.chunk = Some(Chunk { head: run.chunk, size, used, items: PhantomData });
    }

    /// The empty run that ends the chunk in use, to be published when the offerer leaves. `None`: none
    /// is needed.
    pub(crate) fn end(&mut self) -> Option<NewRun> {
        let chunk = self.chunk.take()?;
        if chunk.is_fresh() {
            // SAFETY: no run of it was published.
            unsafe { free::<T>(chunk.head) };
            return None;
        }
        // A chunk in use has room for a run.
        let run = chunk.next_run();
        // SAFETY: unused memory of the chunk.
        unsafe { run.write(Run::new(chunk.used as u32)) };
        Some(NewRun { run, chunk: chunk.head })
    }
}

impl NewRun {
    /// The chunk of an ending run that could not be published: earlier runs of it may be in use, so
    /// it is to be freed with the basket.
    pub(crate) fn into_orphan(self) -> NonNull<ChunkHead> {
        self.chunk
    }
}
