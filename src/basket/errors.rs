//! What can go wrong, with the item given back.

use core::error::Error;
use core::fmt;

/// The basket is closed: for an offerer, the item comes back; for the drainer, nothing is left and
/// nothing will come.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Closed<T = ()>(
    /// What was to be offered.
    pub T,
);

/// Why an offer that does not wait failed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum OfferError<T> {
    /// A bounded basket has no room, or offerers that wait come first. Unbounded baskets never say
    /// this.
    Full(T),
    /// The basket is closed.
    Closed(T),
}

/// Why a timed offer failed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum OfferTimeoutError<T> {
    /// The deadline passed before there was room.
    TimedOut(T),
    /// The basket is closed.
    Closed(T),
}

/// Why a timed wait for items ended without any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitError {
    /// The deadline passed first.
    TimedOut,
    /// The basket is closed and nothing is left in it.
    Closed,
}

/// Why a bounded basket could not be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CapacityError {
    /// A basket without room can take nothing: there is no rendezvous form.
    Zero,
    /// So many slots cannot be counted or allocated.
    TooLarge,
}

impl CapacityError {
    pub(super) const fn check(capacity: usize) -> Result<(), Self> {
        match capacity {
            0 => Err(Self::Zero),
            _ if capacity > super::slab::MOST_SLOTS => Err(Self::TooLarge),
            _ => Ok(()),
        }
    }
}

impl<T> Closed<T> {
    /// The item.
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl<T> OfferError<T> {
    /// The item.
    pub fn into_inner(self) -> T {
        match self {
            Self::Full(item) | Self::Closed(item) => item,
        }
    }

    /// Whether a later offer can succeed.
    pub const fn is_full(&self) -> bool {
        matches!(self, Self::Full(_))
    }

    /// The same error about something else.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> OfferError<U> {
        match self {
            Self::Full(item) => OfferError::Full(f(item)),
            Self::Closed(item) => OfferError::Closed(f(item)),
        }
    }
}

impl<T> OfferTimeoutError<T> {
    /// The item.
    pub fn into_inner(self) -> T {
        match self {
            Self::TimedOut(item) | Self::Closed(item) => item,
        }
    }
}

impl<T> From<Closed<T>> for OfferError<T> {
    fn from(closed: Closed<T>) -> Self {
        Self::Closed(closed.0)
    }
}

// By hand: an item need not be `Debug` to be handed back.

impl<T> fmt::Debug for Closed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Closed(..)")
    }
}

impl<T> fmt::Debug for OfferError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_full() { "Full(..)" } else { "Closed(..)" })
    }
}

impl<T> fmt::Debug for OfferTimeoutError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TimedOut(_) => "TimedOut(..)",
            Self::Closed(_) => "Closed(..)",
        })
    }
}

impl<T> fmt::Display for Closed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the basket is closed")
    }
}

impl<T> fmt::Display for OfferError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_full() { "the basket is full" } else { "the basket is closed" })
    }
}

impl<T> fmt::Display for OfferTimeoutError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TimedOut(_) => "the deadline passed while the basket was full",
            Self::Closed(_) => "the basket is closed",
        })
    }
}

impl fmt::Display for WaitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TimedOut => "the deadline passed while the basket was empty",
            Self::Closed => "the basket is closed and empty",
        })
    }
}

impl fmt::Display for CapacityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Zero => "a basket needs room for at least one item",
            Self::TooLarge => "the capacity is too large",
        })
    }
}

impl Error for CapacityError {}
impl<T> Error for Closed<T> {}
impl<T> Error for OfferError<T> {}
impl<T> Error for OfferTimeoutError<T> {}
impl Error for WaitError {}
