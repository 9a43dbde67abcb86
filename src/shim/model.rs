//! The facade in a model build: loom, which explores every interleaving of what passes here.

pub(crate) mod atomic {
    #[cfg(feature = "alloc")]
    pub(crate) use loom::sync::atomic::AtomicPtr;
    pub(crate) use loom::sync::atomic::{AtomicU32, AtomicU64, fence};

    use core::cell::Cell;

    pub(crate) use core::sync::atomic::Ordering;

    /// loom's, but for SeqCst accesses, which loom takes for AcqRel. Here a SeqCst load stands behind a
    /// fence if the thread's last write was SeqCst, too: the one order that our handshakes ask of them.
    /// (The fence orders what stands beside them as well, which the accesses do not: a model misses
    /// bugs of that kind.)
    #[derive(Debug)]
    pub struct AtomicUsize(loom::sync::atomic::AtomicUsize);

    loom::thread_local! {
        static LAST_WRITE_IS_SEQ_CST: Cell<bool> = Cell::new(false);
    }

    fn about_to_load(order: Ordering) {
        let written = || LAST_WRITE_IS_SEQ_CST.try_with(Cell::get).unwrap_or(false);
        if order == Ordering::SeqCst && written() {
            fence(Ordering::SeqCst);
        }
    }

    fn about_to_write(order: Ordering) {
        let _ = LAST_WRITE_IS_SEQ_CST.try_with(|last| last.set(order == Ordering::SeqCst));
    }

    macro_rules! read_modify_write {
        ($($name:ident)*) => { $(
            #[track_caller]
            pub(crate) fn $name(&self, value: usize, order: Ordering) -> usize {
                about_to_write(order);
                self.0.$name(value, order)
            }
        )* };
    }

    macro_rules! compare_exchange {
        ($($name:ident)*) => { $(
            #[track_caller]
            pub(crate) fn $name(
                &self,
                current: usize,
                new: usize,
                success: Ordering,
                failure: Ordering,
            ) -> Result<usize, usize> {
                about_to_write(success);
                self.0.$name(current, new, success, failure)
            }
        )* };
    }

    impl AtomicUsize {
        #[track_caller]
        pub(crate) fn new(value: usize) -> Self {
            Self(loom::sync::atomic::AtomicUsize::new(value))
        }

        #[track_caller]
        pub(crate) fn load(&self, order: Ordering) -> usize {
            about_to_load(order);
            self.0.load(order)
        }

        #[track_caller]
        pub(crate) fn store(&self, value: usize, order: Ordering) {
            about_to_write(order);
            self.0.store(value, order);
        }

        read_modify_write! { fetch_add fetch_sub fetch_and fetch_or fetch_xor }
        compare_exchange! { compare_exchange compare_exchange_weak }
    }

    impl Default for AtomicUsize {
        #[track_caller]
        fn default() -> Self {
            Self::new(0)
        }
    }

    pub(crate) fn zeros<const N: usize>() -> [AtomicUsize; N] {
        core::array::from_fn(|_| AtomicUsize::new(0))
    }
}

/// Cleans up after a panic of user code: not after one of loom's, which ends the model and takes the
/// atomics with it.
pub(crate) fn unwinding(_clean_up: impl FnOnce()) {}

/// Bits in a word of a bit set: few, so that small sets have several words.
pub(crate) const WORD_BITS: usize = 2;

pub(crate) use loom::cell::UnsafeCell;
#[cfg(feature = "alloc")]
pub(crate) use loom::sync::Arc;

/// Spin loops make no probe under the model: a probe is the look that the caller takes before and
/// after the loop anyway, so each one only repeats explored states.
pub(crate) fn spin_probes(_wanted: u32) -> u32 {
    0
}

/// One turn of a loop that waits for another thread: lets loom run that thread.
pub(crate) fn spin_loop() {
    loom::thread::yield_now();
}

/// Where the calling thread's stack is, more or less: loom's are no two times at the same place.
#[cfg(not(feature = "std"))]
pub(crate) fn stack_address() -> usize {
    0
}

/// Raw memory: loom reports what is leaked or freed twice.
#[cfg(feature = "alloc")]
pub(crate) mod memory {
    pub(crate) use loom::alloc::{alloc, dealloc};
}

/// Threads, and a mutex for what is rarely contended.
#[cfg(feature = "std")]
pub(crate) mod thread {
    use core::cell::Cell;

    loom::thread_local! {
        static WORD: Cell<usize> = Cell::new(usize::MAX);
    }

    /// A word that each thread has of its own: `usize::MAX` at first, and where it is out of reach.
    pub(crate) fn word() -> usize {
        WORD.try_with(Cell::get).unwrap_or(usize::MAX)
    }

    /// Sets that word.
    pub(crate) fn set_word(word: usize) {
        let _ = WORD.try_with(|place| place.set(word));
    }

    pub(crate) type Mutex<T> = loom::sync::Mutex<T>;
    pub(crate) type JoinHandle<T> = loom::thread::JoinHandle<T>;

    /// Starts a thread of this name.
    pub(crate) fn spawn<T: Send + 'static>(
        name: &str,
        run: impl FnOnce() -> T + Send + 'static,
    ) -> std::io::Result<JoinHandle<T>> {
        loom::thread::Builder::new().name(name.into()).spawn(run)
    }

    /// Lets other threads run: in a model they do anyway.
    pub(crate) fn yield_now() {}

    /// Whether the caller is that thread.
    pub(crate) fn is_current<T>(thread: &JoinHandle<T>) -> bool {
        thread.thread().id() == loom::thread::current().id()
    }
}
