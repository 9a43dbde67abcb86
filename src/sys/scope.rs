//! Who may sleep on a word.

/// Which threads may sleep on a slot and wake its sleeper: [`Private`] or, where the platform has
/// it, `platform::Shared`. Sealed.
pub trait Scope: sealed::Sealed {}

/// Threads of this process: the kernel finds the word by its virtual address.
#[derive(Clone, Copy, Debug)]
pub struct Private;

/// Threads of every process that maps the word: the kernel finds it by the page behind it.
#[derive(Clone, Copy, Debug)]
pub struct Shared;

impl Scope for Private {}
impl Scope for Shared {}

mod sealed {
    pub trait Sealed {
        #[doc(hidden)]
        const PRIVATE: bool;
    }

    impl Sealed for super::Private {
        const PRIVATE: bool = true;
    }

    impl Sealed for super::Shared {
        const PRIVATE: bool = false;
    }
}
