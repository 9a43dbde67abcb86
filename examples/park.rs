//! A worker that sleeps until it is told to look: the slot is a static, the message an atomic.
//!
//! `cargo run --example park`

use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use reveille::parker::{ClaimSlot, Parked};
use reveille::{Parker, Unparker};

static SLOT: ClaimSlot = ClaimSlot::new();
static TOTAL: AtomicU32 = AtomicU32::new(0);

const WAKERS: u32 = 3;
const EACH: u32 = 1000;

fn main() {
    let worker = thread::spawn(|| {
        let mut parker = Parker::claim(&SLOT).expect("the slot has no other owner");
        let mut parks = 0;
        // Many unparks may be one token, so what counts is what the memory says.
        while TOTAL.load(Ordering::Relaxed) < WAKERS * EACH {
            parker.park();
            parks += 1;
        }
        // The last token has been taken or is taken here: nobody unparks any more after the join.
        (parks, parker.park_timeout(Duration::from_millis(10)))
    });
    let wakers: Vec<_> = (0..WAKERS)
        .map(|_| {
            thread::spawn(|| {
                let unparker = Unparker::of(&SLOT);
                for _ in 0..EACH {
                    // Relaxed will do: the unpark makes it visible to the park that it ends.
                    TOTAL.fetch_add(1, Ordering::Relaxed);
                    unparker.unpark();
                }
            })
        })
        .collect();
    wakers.into_iter().for_each(|waker| waker.join().expect("it does not panic"));
    let (parks, last) = worker.join().expect("it does not panic");
    let left = if last == Parked::Token { "one token was left" } else { "no token was left" };
    println!("{} unparks, {parks} parks; {left}", WAKERS * EACH);
    assert!(parks <= WAKERS * EACH);
}
