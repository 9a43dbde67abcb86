//! A small lock for short critical sections without user code: the wait lists.
//!
//! Three states on a futex word, so an uncontended unlock makes no system call.
//!
//! Source: Drepper, "Futexes Are Tricky" (the third mutex).

use crate::shim;
use crate::shim::UnsafeCell;
use crate::shim::atomic::Ordering;
use crate::sys::scope::Private;
use crate::sys::{self, Word};

const FREE: u32 = 0;
const HELD: u32 = 1;
/// Held, and somebody may sleep.
const CONTENDED: u32 = 2;

/// Looks at a held lock before sleeping: the sections it guards take less than a microsecond.
const LOOKS: u32 = 100;

pub(crate) struct Lock<T> {
    word: Word,
    value: UnsafeCell<T>,
}

// SAFETY: the lock lets one thread at a time at the value.
unsafe impl<T: Send> Sync for Lock<T> {}
// SAFETY: the lock owns the value.
unsafe impl<T: Send> Send for Lock<T> {}

impl<T> Lock<T> {
    const_fn! {
        pub(crate) const fn new(value: T) -> Self {
            Self { word: Word::new(FREE), value: UnsafeCell::new(value) }
        }
    }

    /// Runs `f` with the value. `f` must not run code of users, nor panic.
    pub(crate) fn with<R>(&self, f: impl FnOnce(&mut T) -> R) -> R {
        /// Unlocks.
        struct Held<'a, T>(&'a Lock<T>);

        impl<T> Drop for Held<'_, T> {
            fn drop(&mut self) {
                self.0.unlock();
            }
        }

        if !self.try_lock() {
            self.lock_slow();
        }
        let _held = Held(self);
        self.value.with_mut(|value| {
            // SAFETY: we hold the lock.
            f(unsafe { &mut *value })
        })
    }

    #[inline]
    fn try_lock(&self) -> bool {
        // ORDERING(lock.hold): Acquire — sees what the last holder left; pairs with (lock.hold) in
        // unlock(). Relaxed dies in waits::turns.
        self.word.compare_exchange(FREE, HELD, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    #[cold]
    fn lock_slow(&self) {
        for _ in 0..shim::spin_probes(LOOKS) {
            // ORDERING(lock.look): Relaxed — a hint; try_lock() decides. Pairs with (lock.hold).
            if self.word.load(Ordering::Relaxed) == FREE && self.try_lock() {
                return;
            }
            shim::spin_loop();
        }
        // ORDERING(lock.hold): Acquire — as in try_lock(); Relaxed dies in waits::turns. The swap
        // leaves CONTENDED behind even where nobody else sleeps: at worst one wake too many.
        while self.word.swap(CONTENDED, Ordering::Acquire) != FREE {
            sys::wait::<Private>(&self.word, CONTENDED, None);
        }
    }

    fn unlock(&self) {
        let word = &raw const self.word;
        // ORDERING(lock.hold): Release — publishes the section; pairs with (lock.hold) in try_lock()
        // and lock_slow(). Relaxed dies in waits::turns.
        if self.word.swap(FREE, Ordering::Release) == CONTENDED {
            sys::wake::<Private>(word, 1);
        }
    }
}
