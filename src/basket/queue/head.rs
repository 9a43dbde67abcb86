//! One word that holds the newest item's place, whether the drainer sleeps, and whether it is over.
//!
//! # The handshake
//!
//! Broken: the offerer's look and the drainer's look cross.
//!
//! ```text
//!   offerer                         drainer
//!   items := item                   items == none
//!   asleep == 0, no wake            asleep := 1
//!                                   parks beside the item
//! ```
//!
//! Here *empty*, *asleep* and *closed* are values of the word that offerers change to publish:
//!
//! ```text
//!   offerer                         drainer
//!   (O1) CAS old -> node            (D1) CAS EMPTY -> ARMED     succeeds only while empty
//!   (O2) wake if old == ARMED       (D2) park while word == ARMED
//! ```
//!
//! Forbidden: the drainer parks for good while an offer has returned. D1 proves emptiness at the
//! moment of the announcement; the next publish reads ARMED, so exactly that offerer wakes. Nobody
//! else does: wakes are never more than sleeps.
//!
//! | from \ by | publish | arm | disarm | take | close |
//! |---|---|---|---|---|---|
//! | `EMPTY` | node | `ARMED` | – | – | `CLOSED` |
//! | `ARMED` | node, wake | – | `EMPTY` | `EMPTY` | `CLOSED`, wake |
//! | node | node before it | – | – | `EMPTY` | node + `CLOSED` |
//! | `CLOSED` | refused | – | – | – | – |
//! | node + `CLOSED` | refused | – | – | `CLOSED` | – |
//!
//! Every change is a read-modify-write, so all publishes since the last take form one release
//! sequence, and the take, reading its newest link, sees every item behind it.
//!
//! Nodes are named by exposed addresses, not pointers: a publish may succeed although the node it
//! read was freed and its address came back as another node in between. The value it stored as *next*
//! is right then (the address is the current head), but a pointer kept from before would belong to
//! the freed allocation.
//!
//! Source: a Treiber stack taken whole (Linux `llist`), with the sleeper's announcement in its head
//! as in folly's `AtomicNotificationQueue`.

use crate::shim::atomic::{AtomicUsize, Ordering, fence};
use crate::spin::Backoff;

const EMPTY: usize = 0;
/// Empty, and the drainer waits to be woken.
const ARMED: usize = 1;
/// No more offers. Also a flag beside a node's address.
const CLOSED: usize = 2;

/// Addresses of nodes are multiples of this.
#[cfg(feature = "alloc")]
pub(crate) const NODE_ALIGN: usize = 4;

/// The exposed address of a node; zero for none.
pub(crate) type NodeAddr = usize;

pub(crate) struct Head(AtomicUsize);

/// What a drainer found.
#[derive(Clone, Copy)]
pub(crate) struct Taken {
    /// The newest node; through it, all.
    pub(crate) newest: NodeAddr,
    /// Whether nothing will come after it.
    pub(crate) closed: bool,
}

impl Head {
    const_fn! {
        pub(crate) const fn new() -> Self {
            Self(AtomicUsize::new(EMPTY))
        }
    }

    /// Publishes a chain of nodes whose newest is `newest`. `link` is told what comes before its
    /// oldest (zero: nothing), perhaps several times.
    ///
    /// `Ok(true)`: the drainer sleeps and the caller must wake it, now that the node is in.
    /// `Err(())`: closed, nothing was published.
    #[inline]
    pub(crate) fn publish(&self, newest: NodeAddr, link: impl Fn(NodeAddr)) -> Result<bool, ()> {
        // ORDERING(basket.guess): Relaxed — the exchange decides; pairs with every write of the word.
        let mut old = self.0.load(Ordering::Relaxed);
        let mut backoff = Backoff::new();
        loop {
            if old & CLOSED != 0 {
                return Err(());
            }
            link(if old == ARMED { 0 } else { old });
            // ORDERING(basket.publish): Release — the nodes and their items; pairs with
            // (basket.publish) in take(). Relaxed dies in ordered::items_arrive_whole. Relaxed on
            // failure: the value is only looked at.
            match self.0.compare_exchange_weak(old, newest, Ordering::Release, Ordering::Relaxed) {
                Ok(_) => return Ok(old == ARMED && wake_is_due()),
                Err(_) => {
                    backoff.pause();
                    // ORDERING(basket.guess): Relaxed — as above.
                    old = self.0.load(Ordering::Relaxed);
                }
            }
        }
    }

    /// Takes everything.
    #[inline]
    pub(crate) fn take(&self) -> Taken {
        // ORDERING(basket.guess): Relaxed — an empty answer needs no data, and an offer that happened
        // before this call is seen by coherence; pairs with every write of the word.
        let seen = self.0.load(Ordering::Relaxed);
        if seen == EMPTY {
            return Taken { newest: 0, closed: false };
        }
        if seen == CLOSED {
            // ORDERING(basket.closed): Acquire fence — what the closing side did before; pairs with
            // (basket.closed) in close(). Without it ordered::close_carries_data dies.
            fence(Ordering::Acquire);
            return Taken { newest: 0, closed: true };
        }
        // ORDERING(basket.publish): Acquire — sees the nodes and items of every publish since the last
        // take; pairs with (basket.publish) in publish(). Relaxed dies in ordered::items_arrive_whole.
        let old = self.0.fetch_and(CLOSED, Ordering::Acquire);
        Taken { newest: old & !(ARMED | CLOSED), closed: old & CLOSED != 0 }
    }

    /// Announces that the drainer will sleep. `false`: there is something to take, or it is closed.
    pub(crate) fn arm(&self) -> bool {
        // ORDERING(basket.arm): Release — the one who wakes sees how the drainer waits; pairs with
        // (basket.arm) in wake_is_due(). Relaxed dies in ordered::waker_is_seen.
        self.0.compare_exchange(EMPTY, ARMED, Ordering::Release, Ordering::Relaxed).is_ok()
    }

    /// Takes the announcement back. `false`: somebody published or closed, and wakes or woke.
    pub(crate) fn disarm(&self) -> bool {
        // ORDERING(basket.disarm): Relaxed — only the drainer writes ARMED, and taking it back carries
        // no data; pairs with (basket.publish) in publish(). A store would lose a publish: dies in
        // ordered::timeout_against_offer.
        self.0.compare_exchange(ARMED, EMPTY, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// Whether the announcement stands.
    #[inline]
    pub(crate) fn is_armed(&self) -> bool {
        // ORDERING(basket.guess): Relaxed — take() synchronizes; pairs with every write of the word.
        self.0.load(Ordering::Relaxed) == ARMED
    }

    /// Whether a take would find nothing, neither items nor the end.
    #[inline]
    pub(crate) fn is_idle(&self) -> bool {
        // ORDERING(basket.guess): Relaxed — as in is_armed().
        matches!(self.0.load(Ordering::Relaxed), EMPTY | ARMED)
    }

    /// The newest node, for the drainer to count from: only it frees nodes. Zero: none.
    pub(crate) fn newest(&self) -> NodeAddr {
        // ORDERING(basket.publish): Acquire — sees the nodes that it counts; pairs with
        // (basket.publish) in publish(). Relaxed dies in ordered::length_beside_offer.
        self.0.load(Ordering::Acquire) & !(ARMED | CLOSED)
    }

    /// Whether offers are refused.
    pub(crate) fn is_closed(&self) -> bool {
        // ORDERING(basket.closed): Acquire — what the closing side did before; pairs with
        // (basket.closed) in close(). Relaxed dies in ordered::closed_is_seen.
        self.0.load(Ordering::Acquire) & CLOSED != 0
    }

    /// Refuses offers from now on. `Some(true)`: the drainer sleeps and the caller must wake it;
    /// `None`: it was closed before.
    pub(crate) fn close(&self) -> Option<bool> {
        // ORDERING(basket.closed): Release — what the closing side did before, for whoever finds it
        // closed; pairs with (basket.closed) in take() and is_closed(). Relaxed dies in
        // ordered::close_carries_data.
        let old = self.0.fetch_or(CLOSED, Ordering::Release);
        if old & CLOSED != 0 {
            return None;
        }
        Some(old == ARMED && wake_is_due())
    }
}

/// Answers `true`, with the drainer's preparations in view.
#[cold]
fn wake_is_due() -> bool {
    // ORDERING(basket.arm): Acquire fence — the exchange that led here read the announcement; pairs
    // with (basket.arm) in arm(). Without it ordered::waker_is_seen dies.
    fence(Ordering::Acquire);
    true
}
