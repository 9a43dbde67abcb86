//! No operating system and no std: the program supplies the waiting, or does without.
//!
//! Until a [`WaitBackend`] is installed, waiting spins, waking does nothing and the clock stands
//! still (so only a deadline at [`Deadline::now`](crate::Deadline::now) ever passes).
#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    clippy::extra_unused_type_parameters,
    reason = "the word is a plain AtomicU32, of one process"
)]

use core::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

use super::{Wait, has_passed};

pub(crate) type Word = AtomicU32;

static INSTALLED: AtomicPtr<public::WaitBackend> = AtomicPtr::new(core::ptr::null_mut());

fn installed() -> Option<&'static public::WaitBackend> {
    // ORDERING(sys.backend): Acquire — sees the table's contents; pairs with install().
    let table = INSTALLED.load(Ordering::Acquire);
    // SAFETY: null, or the `&'static` that install() stored.
    unsafe { table.as_ref() }
}

pub(crate) fn wait<S>(word: &Word, expected: u32, until: Option<u64>) -> Wait {
    match installed() {
        Some(backend) => (backend.wait)(word.as_ptr(), expected, until),
        None => core::hint::spin_loop(),
    }
    if has_passed(until) { Wait::TimedOut } else { Wait::Returned }
}

pub(crate) fn wake<S>(word: *const Word, count: u32) {
    if let Some(backend) = installed() {
        (backend.wake)(word.cast(), count);
    }
}

pub(crate) fn now() -> u64 {
    installed().map_or(1, |backend| (backend.now)())
}

pub(crate) fn several_cpus() -> bool {
    installed().is_some_and(|backend| backend.cpus > 1)
}

#[cfg(feature = "alloc")]
pub(crate) mod barrier {
    //! No asymmetric fence here: both sides use `fence(SeqCst)`.

    pub(crate) fn available() -> bool {
        false
    }

    pub(crate) fn light() {}

    pub(crate) fn heavy() -> bool {
        false
    }
}

pub(crate) mod public {
    /// The wait backend in use, by name.
    pub const BACKEND: &str = "bare";

    use core::sync::atomic::Ordering;

    /// How threads wait on a system that this crate does not know.
    ///
    /// # Semantics
    ///
    /// `wait(word, expected, deadline)` may block while the word has the expected value, and may
    /// return at any time; it must compare and start to wait in one step with respect to `wake` (on
    /// one core: with interrupts off). `deadline` is on the scale of `now`; `None` is never. `wake`
    /// must use the pointer as an address only. `now` counts nanoseconds, must not run backwards and
    /// should start above zero. `cpus` of 1 turns spinning off.
    #[derive(Clone, Copy, Debug)]
    pub struct WaitBackend {
        /// Blocks while `*word == expected`, until the deadline at the longest.
        pub wait: fn(word: *const u32, expected: u32, deadline: Option<u64>),
        /// Wakes up to `count` waiters of that address.
        pub wake: fn(word: *const u32, count: u32),
        /// A monotonic clock in nanoseconds.
        pub now: fn() -> u64,
        /// How many CPUs run this program.
        pub cpus: u32,
    }

    /// A backend was installed before.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct InstallError;

    impl core::fmt::Display for InstallError {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            f.write_str("a wait backend is installed already")
        }
    }

    impl core::error::Error for InstallError {}

    /// Installs the program's wait backend, once and for good, before anything waits.
    ///
    /// # Errors
    ///
    /// [`InstallError`] if there is one.
    pub fn install(backend: &'static WaitBackend) -> Result<(), InstallError> {
        let table = core::ptr::from_ref(backend).cast_mut();
        // ORDERING(sys.backend): Release — publishes the table; pairs with installed().
        super::INSTALLED
            .compare_exchange(core::ptr::null_mut(), table, Ordering::Release, Ordering::Relaxed)
            .map(drop)
            .map_err(|_| InstallError)
    }
}
