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

/// Why an offer failed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum OfferError<T> {
    /// There is no room now. Only from bounded baskets, and only from offers that do not wait.
    Full(T),
    /// The deadline passed before there was room. Only from timed offers.
    TimedOut(T),
    /// The item weighs more than the basket's limit, and will never fit.
    TooHeavy(T),
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
            _ if capacity > super::queue::slab::MOST_SLOTS => Err(Self::TooLarge),
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
            Self::Full(item) | Self::TimedOut(item) | Self::TooHeavy(item) | Self::Closed(item) => {
                item
            }
        }
    }

    /// Whether a later offer can succeed for want of room only.
    pub const fn is_full(&self) -> bool {
        matches!(self, Self::Full(_) | Self::TimedOut(_))
    }

    /// Whether no later offer can succeed.
    pub const fn is_closed(&self) -> bool {
        matches!(self, Self::Closed(_))
    }

    const fn name(&self) -> &'static str {
        match self {
            Self::Full(_) => "Full(..)",
            Self::TimedOut(_) => "TimedOut(..)",
            Self::TooHeavy(_) => "TooHeavy(..)",
            Self::Closed(_) => "Closed(..)",
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
        f.write_str(self.name())
    }
}

impl<T> fmt::Display for Closed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the basket is closed")
    }
}

impl<T> fmt::Display for OfferError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Full(_) => "the basket is full",
            Self::TimedOut(_) => "the deadline passed while the basket was full",
            Self::TooHeavy(_) => "the item is heavier than the basket's limit",
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
impl Error for WaitError {}
