//! Batch sender: messages of many callers leave in few, larger sends.
//!
//! A [`MergeSender`] owns a thread and a [`Sink`]. Callers put messages into the [`Lane`] of a
//! destination and go on, or wait for the reply on a [`Ticket`]. The thread takes what has gathered
//! in a lane and gives it to the sink as one [`Batch`]: while one send is under way the next batch
//! builds up, so the busier it gets the larger the batches. It never waits to fill one, and when
//! there is nothing to send it sleeps: no polling, no timer.
//!
//! What goes wrong stays where it happened. A send that fails, or a sink that panics, concerns the
//! callers of that batch; a destination that blocks ([`Sent::Blocked`]) is set aside alone until it
//! is [resumed](Resume). Every ticket is resolved exactly once, whatever happens.
//!
//! # Examples
//!
//! ```
//! use reveille::merge::{self, Batch, MergeSender, Sent};
//!
//! // Destinations are named by strings, messages are numbers, replies are their doubles.
//! let sink = merge::sink_fn(|destination: &&str, batch: &mut Batch<'_, u32, u32, ()>| {
//!     assert_eq!(*destination, "there");
//!     // … one write for all of `batch.messages()`
//!     batch.complete_all(|message| message * 2);
//!     Ok(Sent::Done)
//! });
//! let sender = MergeSender::new(sink).unwrap();
//! let mut lane = sender.lane("there");
//! let tickets: Vec<_> = (0..10).map(|n| lane.submit(n).unwrap()).collect();
//! for (n, ticket) in (0..10).zip(tickets) {
//!     assert_eq!(ticket.wait(), Ok(n * 2));
//! }
//! ```
//!
//! # Order and fairness
//!
//! Messages of one `Lane` value to its destination are sent in order; clones of it are independent.
//! Destinations that have messages are served round-robin, one batch each.
//!
//! # Cost
//!
//! A message costs what [`Basket::bounded`](crate::Basket::bounded) costs, and an allocation if it has
//! a ticket. A lane that was idle costs a wake-up of the thread for its first message. Before it takes a
//! batch the thread lets other threads run (`sched_yield`) while that brings more messages, and else tries
//! it ever more rarely.
//! Idle lanes and an idle sender cost nothing. A wake-up of the thread looks at a bit for each
//! destination: 64 of them for a load.
//!
//! # Source
//!
//! Seata's merged-send thread (one basket for each address, drained into one frame) without its poll;
//! gRPC's and Dubbo's write queues.

mod batch;
mod builder;
mod driver;
mod error;
mod lane;
mod patience;
mod ready;
mod sender;
mod sink;
mod stats;
mod ticket;

pub use batch::{Batch, Reply, Resume, Taken};
pub use builder::Builder;
pub use error::{CallError, SubmitError};
pub use lane::Lane;
pub use sender::{Close, MergeSender};
pub use sink::{FnSink, Sent, Sink, sink_fn};
pub use stats::Stats;
pub use ticket::Ticket;
