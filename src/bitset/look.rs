//! What a search is for.

/// A kind of bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    Set,
    Clear,
}

impl Look {
    /// The bits of `word` that are of this kind.
    #[inline(always)]
    pub(super) const fn of(self, word: usize) -> usize {
        match self {
            Self::Set => word,
            Self::Clear => !word,
        }
    }

    /// The kind that a bit of this kind becomes when it changes.
    #[inline(always)]
    pub(super) const fn other(self) -> Self {
        match self {
            Self::Set => Self::Clear,
            Self::Clear => Self::Set,
        }
    }
}
