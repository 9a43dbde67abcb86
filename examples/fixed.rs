//! A basket in a static: no allocator, no operating system needed, and yet it may block.
//!
//! `cargo run --example fixed`

use std::thread;

use reveille::basket::{FixedBasket, Slot};

static EVENTS: FixedBasket<Event, [Slot<Event>; 8]> =
    FixedBasket::in_array([const { Slot::new() }; 8]);

#[derive(Debug, PartialEq, Eq)]
enum Event {
    Tick(u32),
    Overrun,
}

fn main() {
    let (mut offerer, mut drainer) = EVENTS.claim().expect("nobody else has its sides");

    // An interrupt handler would not wait, so it drops what does not fit.
    let dropped = (0..10).filter(|&n| offerer.offer(Event::Tick(n)).is_err()).count();
    assert_eq!(dropped, 2);
    assert_eq!(drainer.drain().count(), 8);

    // A thread may wait for room.
    let ticker = thread::spawn(move || {
        for n in 0..100 {
            offerer.offer_blocking(Event::Tick(n)).expect("the drainer is there");
        }
        offerer.offer_blocking(Event::Overrun).expect("the drainer is there");
    });
    let mut next = 0;
    while drainer.wait().is_ok() {
        for event in drainer.drain() {
            match event {
                Event::Tick(n) => assert_eq!(n, next),
                Event::Overrun => assert_eq!(next, 100),
            }
            next += 1;
        }
    }
    ticker.join().expect("it does not panic");
    println!("{next} events through {} slots", 8);
    assert_eq!(next, 101);
}
