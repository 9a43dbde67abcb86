//! The facade in a normal build: `core`, at no cost.
#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "this module is the facade over these types"
)]

pub(crate) mod atomic {
    pub(crate) use core::sync::atomic::Ordering;

    // Aliases and wrappers, not re-exports: clippy's lists look through a re-export.
    #[cfg(feature = "alloc")]
    pub(crate) type AtomicPtr<T> = core::sync::atomic::AtomicPtr<T>;
    pub(crate) type AtomicU32 = core::sync::atomic::AtomicU32;
    #[cfg(target_has_atomic = "64")]
    pub(crate) type AtomicU64 = core::sync::atomic::AtomicU64;
    pub(crate) type AtomicUsize = core::sync::atomic::AtomicUsize;

    #[inline(always)]
    pub(crate) fn fence(order: Ordering) {
        core::sync::atomic::fence(order);
    }

    pub(crate) const fn zeros<const N: usize>() -> [AtomicUsize; N] {
        [const { AtomicUsize::new(0) }; N]
    }
}

/// Cleans up after a panic of user code.
pub(crate) fn unwinding(clean_up: impl FnOnce()) {
    clean_up();
}

/// Bits in a word of a bit set.
pub(crate) const WORD_BITS: usize = usize::BITS as usize;

#[cfg(feature = "alloc")]
pub(crate) use alloc::sync::Arc;

/// How many probes of a spin loop are worth making: as many as the policy asks for.
#[inline(always)]
pub(crate) fn spin_probes(wanted: u32) -> u32 {
    wanted
}

/// One polite turn of a spin loop.
#[inline(always)]
pub(crate) fn spin_loop() {
    core::hint::spin_loop();
}

/// Where the calling thread's stack is, more or less.
#[cfg(not(feature = "std"))]
#[inline(always)]
pub(crate) fn stack_address() -> usize {
    let here = 0_u8;
    (&raw const here).addr()
}

/// A cell whose contents other threads reach; every access names itself as shared or exclusive.
#[repr(transparent)]
pub(crate) struct UnsafeCell<T>(core::cell::UnsafeCell<T>);

impl<T> UnsafeCell<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self(core::cell::UnsafeCell::new(value))
    }

    /// A look at the contents that other looks may overlap.
    #[inline(always)]
    pub(crate) fn with<R>(&self, f: impl FnOnce(*const T) -> R) -> R {
        f(self.0.get())
    }

    /// An access that must be alone.
    #[inline(always)]
    pub(crate) fn with_mut<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
        f(self.0.get())
    }
}

/// Raw memory, which the model tracks.
#[cfg(feature = "alloc")]
pub(crate) mod memory {
    use core::alloc::Layout;

    #[inline(always)]
    pub(crate) unsafe fn alloc(layout: Layout) -> *mut u8 {
        // SAFETY: the caller's contract is this one.
        unsafe { alloc::alloc::alloc(layout) }
    }

    #[inline(always)]
    pub(crate) unsafe fn dealloc(place: *mut u8, layout: Layout) {
        // SAFETY: the caller's contract is this one.
        unsafe { alloc::alloc::dealloc(place, layout) }
    }
}

/// Threads, and a mutex for what is rarely contended.
#[cfg(feature = "std")]
pub(crate) mod thread {
    use core::cell::Cell;
    use core::sync::atomic::{Ordering, compiler_fence};

    std::thread_local! {
        static WORD: Cell<usize> = const { Cell::new(usize::MAX) };
    }

    /// A word that each thread has of its own: `usize::MAX` at first, and where it is out of reach.
    #[inline(always)]
    pub(crate) fn word() -> usize {
        WORD.try_with(Cell::get).unwrap_or(usize::MAX)
    }

    /// Sets that word. A signal handler on this thread finds what comes before done, and what comes
    /// after not begun.
    #[inline(always)]
    pub(crate) fn set_word(word: usize) {
        compiler_fence(Ordering::SeqCst);
        let _ = WORD.try_with(|place| place.set(word));
        compiler_fence(Ordering::SeqCst);
    }

    pub(crate) type Mutex<T> = std::sync::Mutex<T>;
    pub(crate) type JoinHandle<T> = std::thread::JoinHandle<T>;

    /// Starts a thread of this name.
    pub(crate) fn spawn<T: Send + 'static>(
        name: &str,
        run: impl FnOnce() -> T + Send + 'static,
    ) -> std::io::Result<JoinHandle<T>> {
        std::thread::Builder::new().name(name.into()).spawn(run)
    }

    /// Lets other threads run that are waiting for a CPU.
    pub(crate) fn yield_now() {
        std::thread::yield_now();
    }

    /// Whether the caller is that thread.
    pub(crate) fn is_current<T>(thread: &JoinHandle<T>) -> bool {
        thread.thread().id() == std::thread::current().id()
    }
}
