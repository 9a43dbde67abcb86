//! One value, handed over once: to a thread that waits, to a task, or to nobody any more.
//!
//! `cargo run --example oneshot`

use std::thread;
use std::time::Duration;

use reveille::oneshot;

fn main() {
    // To a thread.
    let (completer, ticket) = oneshot::pair();
    let worker = thread::spawn(move || completer.complete("done"));
    assert_eq!(ticket.wait(), Ok("done"));
    assert!(worker.join().expect("it does not panic").is_ok());

    // Not soon enough; the ticket is still good.
    let (completer, mut ticket) = oneshot::pair();
    assert!(ticket.wait_timeout(Duration::from_millis(1)).is_err());
    completer.complete(5).expect("somebody waits");
    assert_eq!(ticket.try_take(), Some(Ok(5)));

    // Nobody waits any more: the value comes back, or is not even made.
    let (completer, ticket) = oneshot::pair();
    drop(ticket);
    assert!(completer.is_abandoned());
    assert_eq!(completer.complete(vec![1, 2, 3]), Err(vec![1, 2, 3]));

    // Nobody answers any more.
    let (completer, ticket) = oneshot::pair::<()>();
    drop(completer);
    assert!(ticket.wait().is_err());
    println!("every ticket was told");
}
