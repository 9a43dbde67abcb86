//! Finishing what was begun, whatever user code does in between.

/// Repeats `step` until it answers `false`. Should it panic (a destructor, a waker), the rest is done
/// while unwinding; a second panic aborts, as everywhere.
pub(crate) fn to_the_end(mut step: impl FnMut() -> bool) {
    struct Rest<'a, F: FnMut() -> bool> {
        step: &'a mut F,
        more: bool,
    }

    impl<F: FnMut() -> bool> Rest<'_, F> {
        fn run(&mut self) {
            while self.more {
                self.more = (self.step)();
            }
        }
    }

    impl<F: FnMut() -> bool> Drop for Rest<'_, F> {
        fn drop(&mut self) {
            self.run();
        }
    }

    Rest { step: &mut step, more: true }.run();
}

/// Does something when it is dropped: what must happen though user code panics.
pub(crate) struct OnDrop<F: Fn()>(pub(crate) F);

impl<F: Fn()> OnDrop<F> {
    /// There was no panic: nothing is to be done.
    pub(crate) fn defuse(self) {
        #[expect(clippy::mem_forget, reason = "the closure borrows; its drop is what is left out")]
        core::mem::forget(self);
    }
}

impl<F: Fn()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        crate::shim::unwinding(&self.0);
    }
}
