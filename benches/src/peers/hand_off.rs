//! One item handed to a sleeping thread: a word for the item and a bare futex. The floor of what a
//! queue can do for the first item after a pause.

use core::hint::spin_loop;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::Arc;

use super::bare_futex::BareFutex;

/// No item.
const NONE: u64 = u64::MAX;

#[derive(Debug)]
struct HandOff {
    item: AtomicU64,
    /// No more items after the one that is there.
    over: AtomicBool,
    parker: BareFutex,
}

/// The giving side: one thread at a time.
#[derive(Clone, Debug)]
pub(crate) struct Giver(Arc<Ending>);

/// Says that it is over when the last giver goes.
#[derive(Debug)]
struct Ending(Arc<HandOff>);

/// The taking side.
#[derive(Debug)]
pub(crate) struct Taker(Arc<HandOff>);

pub(crate) fn pair() -> (Giver, Taker) {
    let shared = Arc::new(HandOff {
        item: AtomicU64::new(NONE),
        over: AtomicBool::new(false),
        parker: BareFutex::default(),
    });
    (Giver(Arc::new(Ending(Arc::clone(&shared)))), Taker(shared))
}

impl Giver {
    /// Gives an item once the one before is taken.
    pub(crate) fn give(&self, item: u64) {
        let HandOff { item: place, parker, .. } = &*self.0.0;
        while place.load(Ordering::Acquire) != NONE {
            spin_loop();
        }
        place.store(item, Ordering::Release);
        parker.unpark();
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.over.store(true, Ordering::Release);
        self.0.parker.unpark();
    }
}

impl Taker {
    /// Waits for an item; `None` when it is over.
    pub(crate) fn take(&mut self) -> Option<u64> {
        let HandOff { item: place, over, parker } = &*self.0;
        loop {
            let over = over.load(Ordering::Acquire);
            let item = place.load(Ordering::Acquire);
            if item != NONE {
                place.store(NONE, Ordering::Release);
                return Some(item);
            }
            if over {
                return None;
            }
            parker.park();
        }
    }
}
