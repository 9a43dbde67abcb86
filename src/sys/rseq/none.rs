//! Where there are no restartable sequences that this crate can use.

/// There are none.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Rseq {}

impl Rseq {
    pub(crate) fn find() -> Option<Self> {
        None
    }

    pub(crate) fn cpus(self) -> usize {
        match self {}
    }

    /// # Safety
    ///
    /// None needed.
    pub(crate) unsafe fn add(self, _base: *mut u64, _stride: usize, _cpus: u32, _n: u64) -> bool {
        match self {}
    }
}
