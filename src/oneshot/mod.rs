//! One value, handed over once: a [`Completer`] gives it, a [`Ticket`] waits for it.
//!
//! The ticket waits as a thread, with a deadline or without, or as a future; the completer makes a
//! system call only if a thread sleeps. Either side may go away: a completer that is dropped resolves
//! its ticket with [`Dropped`], and one that finds its ticket gone gets the value back.
//!
//! # Examples
//!
//! ```
//! use reveille::oneshot;
//!
//! let (completer, ticket) = oneshot::pair();
//! std::thread::spawn(move || completer.complete(6 * 7));
//! assert_eq!(ticket.wait(), Ok(42));
//! ```
//!
//! # Source
//!
//! The three-state notification of Kudu (`util/notification.h`), on a [`ParkSlot`](crate::ParkSlot):
//! its token says that the value is there.

mod cell;
mod completer;
mod ticket;

pub use completer::Completer;
pub use ticket::{Dropped, Ticket, TicketError};

use crate::shim::Arc;

/// A completer and its ticket.
///
/// # Cost
///
/// One allocation, of the value and about 64 bytes.
pub fn pair<T>() -> (Completer<T>, Ticket<T>) {
    let cell = Arc::new(cell::Cell::new());
    (Completer::new(cell.clone()), Ticket::new(cell))
}
