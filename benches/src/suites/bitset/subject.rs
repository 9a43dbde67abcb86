//! What every set of free slots here can do.

/// Slots of which some are free.
pub(super) trait Slots: Send + Sync + 'static {
    /// Its name in tables.
    const NAME: &'static str;
    /// What a thread keeps between its claims.
    type Hint;

    /// So many slots, all free.
    fn new(slots: usize) -> Self;

    /// For the thread of this number.
    fn hint(thread: usize) -> Self::Hint;

    /// Claims a free slot; there is one.
    fn claim(&self, hint: &mut Self::Hint) -> usize;

    /// Releases a claimed slot.
    fn release(&self, slot: usize);
}
