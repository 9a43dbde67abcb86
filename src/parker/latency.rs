//! Calibration of spinning.

use core::time::Duration;
use std::io;
use std::sync::PoisonError;
use std::time::Instant;

use super::Parker;
use crate::shim::Arc;
use crate::shim::thread::{self, Mutex};
use crate::spin::NoSpin;

/// Wake-ups measured: an odd number.
const ROUNDS: usize = 15;
/// Long enough for the sleeper to be asleep, and its CPU with it.
const PAUSE: Duration = Duration::from_micros(300);

/// Measures how long it takes on this machine, from an unpark to the return of a park that slept: the
/// median of some.
///
/// Meant for [`Adaptive::with_cap`](crate::Adaptive::with_cap). Takes about 5 ms and a thread. On a
/// busy machine, or confined to one CPU, it measures that.
///
/// # Errors
///
/// If the thread cannot be started.
///
/// # Examples
///
/// ```
/// use reveille::{Adaptive, Parker, parker};
///
/// let cap = parker::wake_latency().unwrap();
/// let parker = Parker::new().with_policy(Adaptive::with_cap(cap));
/// # drop(parker);
/// ```
pub fn wake_latency() -> io::Result<Duration> {
    let sent = Arc::new(Mutex::new(Instant::now()));
    let mut sleeper = Parker::new().with_policy(NoSpin);
    let mut waker = Parker::new().with_policy(NoSpin);
    let (wake_sleeper, wake_waker) = (sleeper.unparker(), waker.unparker());
    let thread = thread::spawn("reveille-latency", {
        let sent = sent.clone();
        move || {
            let mut latencies = [Duration::ZERO; ROUNDS];
            for latency in &mut latencies {
                sleeper.park();
                *latency = sent.lock().unwrap_or_else(PoisonError::into_inner).elapsed();
                wake_waker.unpark();
            }
            latencies.sort_unstable();
            latencies[ROUNDS / 2]
        }
    })?;
    for _ in 0..ROUNDS {
        let _ = waker.park_timeout(PAUSE);
        *sent.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        wake_sleeper.unpark();
        waker.park();
    }
    thread.join().map_err(|_| io::Error::other("the measuring thread panicked"))
}
