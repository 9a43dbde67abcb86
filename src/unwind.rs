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
