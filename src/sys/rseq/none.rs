//! Where there are no restartable sequences that this crate can use.

use super::Cells;

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
    pub(crate) unsafe fn add(self, cells: Cells, _n: u64) {
        let Cells { by_cpu: _by_cpu, stride: _stride, cpus: _cpus, shared: _shared } = cells;
        match self {}
    }

    /// # Safety
    ///
    /// None needed.
    pub(crate) unsafe fn increment(self, _cells: Cells) {
        match self {}
    }

    pub(crate) fn leave(self) {
        match self {}
    }
}
