//! A limit, and three ways to meet it: come back, wait, or await.
//!
//! `cargo run --example bounded`

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::Duration;

use reveille::Basket;
use reveille::basket::OfferError;

fn main() {
    let (mut offerer, mut drainer) = Basket::bounded(2).expect("a capacity that can be had");
    offerer.offer("a").expect("room for two");
    offerer.offer("b").expect("room for two");

    // Full: the item comes back.
    let refused = offerer.offer("c").expect_err("there are two");
    assert!(refused.is_full());
    assert_eq!(refused.into_inner(), "c");

    // Wait a little.
    let late = offerer.offer_timeout("c", Duration::from_millis(1));
    assert!(matches!(late, Err(OfferError::TimedOut("c"))));

    // Await: room goes to those who wait, in turn, and wakes their task.
    {
        let mut offering = pin!(offerer.offer_async("c"));
        let mut cx = Context::from_waker(Waker::noop());
        assert!(offering.as_mut().poll(&mut cx).is_pending());
        assert_eq!(drainer.take(), Some("a"));
        assert!(matches!(offering.poll(&mut cx), Poll::Ready(Ok(()))));
    }

    // Wait for as long as it takes.
    let waiting = thread::spawn(move || offerer.offer_blocking("d").is_ok());
    let mut seen = Vec::new();
    while drainer.wait().is_ok() {
        seen.extend(drainer.drain());
    }
    assert!(waiting.join().expect("it does not panic"));
    assert_eq!(seen, ["b", "c", "d"]);
    println!("{seen:?}, never more than two at once");
}
