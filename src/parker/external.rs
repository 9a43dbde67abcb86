//! Waiting somewhere else than on the word.

use core::fmt;
use core::mem;

use super::hold::Hold;

/// The owner waits outside its slot, and unparks ring it there. See
/// [`Parker::begin_external_wait`](super::Parker::begin_external_wait).
///
/// Dropped, it ends the announcement and leaves a token where it is. Leaked, it leaves the
/// announcement in place: the next park takes over from it and loses no token, and until then
/// unparks go on ringing.
#[must_use = "the announcement ends when the guard is dropped"]
pub struct ExternalWait<'a, H: Hold> {
    hold: &'a H,
}

impl<'a, H: Hold> ExternalWait<'a, H> {
    pub(super) const fn new(hold: &'a H) -> Self {
        Self { hold }
    }

    /// Ends the wait and takes the token. `true` if there was one, and then everything before each
    /// unpark that gave it happens before this returns.
    pub fn finish(self) -> bool {
        let hold = self.hold;
        #[expect(clippy::mem_forget, reason = "the guard is a reference; its drop is done here")]
        mem::forget(self);
        hold.slot().finish_external()
    }
}

impl<H: Hold> Drop for ExternalWait<'_, H> {
    fn drop(&mut self) {
        self.hold.slot().withdraw_external();
    }
}

impl<H: Hold> fmt::Debug for ExternalWait<'_, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ExternalWait").field(self.hold.slot()).finish()
    }
}
