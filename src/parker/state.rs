//! The values of the word, and who may change which into which.
//!
//! | from \ by | owner parks | owner takes token / gives up | external wait begins | `unpark` | `unpark_deferred` |
//! |---|---|---|---|---|---|
//! | `EMPTY` | `PARKED` | – | `EXTERNAL` | `NOTIFIED` | `NOTIFIED` |
//! | `NOTIFIED` | – | `EMPTY` | – | `NOTIFIED` | `NOTIFIED` |
//! | `PARKED` | – | `EMPTY` (deadline) | – | `NOTIFIED`, wake | `WAKE_OWED` |
//! | `WAKE_OWED` | – | `EMPTY` | – | `NOTIFIED`, wake | `WAKE_OWED` |
//! | `EXTERNAL` | `EMPTY` first | `EMPTY` | `EXTERNAL` | `NOTIFIED`, ring | `RING_OWED` |
//! | `RING_OWED` | – | `EMPTY` | – | `NOTIFIED`, ring | `RING_OWED` |
//!
//! `NOTIFIED`, `WAKE_OWED` and `RING_OWED` hold the token. Only the owner writes `EMPTY`, `PARKED`
//! and `EXTERNAL`; only others write the token states. So a token state that the owner has seen
//! stays one until the owner takes it. `EXTERNAL` is found by a parking owner, or by one that begins
//! another external wait, only if the guard of an external wait was leaked.

/// No token; the owner is awake. Zero, so that zeroed memory is a valid slot.
pub(super) const EMPTY: u32 = 0;
/// The token is there; nobody owes anything.
pub(super) const NOTIFIED: u32 = 1;
/// No token; the owner sleeps on the word, or is about to.
pub(super) const PARKED: u32 = 2;
/// The token is there, left by a deferred unpark whose wake-up may still be outstanding. Whoever
/// unparks now wakes as well, so a deferred wake that is forgotten silences nobody.
pub(super) const WAKE_OWED: u32 = 3;
/// No token; the owner waits somewhere else and must be rung up there.
pub(super) const EXTERNAL: u32 = 4;
/// As `WAKE_OWED`, towards an owner that waits somewhere else.
pub(super) const RING_OWED: u32 = 5;

pub(super) const fn has_token(state: u32) -> bool {
    matches!(state, NOTIFIED | WAKE_OWED | RING_OWED)
}

/// Why a timed park returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use = "a timed park may return without the token"]
pub enum Parked {
    /// It consumed a token.
    Token,
    /// The deadline has passed and there was no token.
    TimedOut,
}

/// What an unpark did. The token is there in every case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unpark {
    /// The token was there already, and whoever gave it woke the owner if that was due.
    AlreadyNotified,
    /// The token is new; the owner was awake.
    Notified,
    /// The owner slept (or was about to) and is being woken.
    Woke,
    /// The owner waits outside the slot and must be rung there. Halves that know how, those held
    /// through [`HasParkSlot`](super::HasParkSlot), have called
    /// [`ring`](super::HasParkSlot::ring) already; with a borrowed slot the caller must do it.
    External,
}
