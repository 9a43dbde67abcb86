//! `gap-100us`: a wake-up every 100 µs, too seldom to wait for awake. What does a wait cost the
//! waiting thread?
//!
//! The waker spins on the clock on a CPU of its own and keeps to a fixed schedule. Two tokens become
//! one when the waiter is late, so the waits counted are those that the waiter made. It checks that
//! the wake-ups' numbers never go back, and at the end that it has seen the last.

use core::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use core::time::Duration;
use std::io;
use std::sync::OnceLock;
use std::thread;
use std::time::Instant;

use crossbeam_utils::CachePadded;

use super::roll::{ForEach, with_policies};
use super::subject::{Park as _, Subject, Unpark};
use crate::harness::latency::Latencies;
use crate::harness::metric::{CPU_NS_PER_OP, CTX_PER_OP, Metric, P50_NS, P99_NS};
use crate::harness::results::Sample;
use crate::harness::rounds::{Contender, Round};
use crate::harness::window::Whose;
use crate::harness::{Case, Session};

const COLUMNS: &[Metric] = &[CPU_NS_PER_OP, P50_NS, P99_NS, CTX_PER_OP];
const GAP: Duration = Duration::from_micros(100);
/// Long enough for a policy that learns to have learnt.
const WARM_UP: Duration = Duration::from_millis(250);
const BUDGET: Duration = Duration::from_millis(500);
const LATENCIES: usize = 1 << 13;

/// What the waiter is told along with a wake-up.
const WARMING_UP: u8 = 0;
const MEASURING: u8 = 1;
const OVER: u8 = 2;

pub(super) fn run(session: &mut Session) -> io::Result<()> {
    if session.cpus().count() < 2 {
        println!("note: gap-100us needs two CPUs");
        return Ok(());
    }
    let case = Case {
        id: "gap-100us".into(),
        title: "the waiting thread's share of a wake-up every 100 µs, on another CPU".into(),
        columns: COLUMNS,
        plotted: &[CPU_NS_PER_OP, P50_NS],
    };
    session.compare(case, with_policies::<Gap>())
}

struct Gap;

impl ForEach for Gap {
    type Output = Contender;

    fn make<S: Subject>() -> Contender {
        Contender::new(S::NAME, wake_ups::<S>)
    }
}

/// What waker and waiter share.
struct Shared<U> {
    unparker: OnceLock<U>,
    /// Written before each wake-up: its number, when it was, and what it means.
    message: CachePadded<Message>,
    base: Instant,
}

#[derive(Default)]
struct Message {
    number: AtomicU64,
    nanos: AtomicU64,
    phase: AtomicU8,
}

fn wake_ups<S: Subject>(round: &Round<'_>) -> Sample {
    let shared = Shared::<S::Unparker> {
        unparker: OnceLock::new(),
        message: CachePadded::default(),
        base: Instant::now(),
    };
    thread::scope(|scope| {
        let waiter = scope.spawn(|| {
            round.cpus().pin(0);
            wait::<S>(round, &shared)
        });
        let waker = scope.spawn(|| {
            round.cpus().pin(1);
            wake(round, &shared)
        });
        let last = waker.join().expect("the waker does not panic");
        let (sample, seen) = waiter.join().expect("the waiter does not panic");
        assert_eq!(seen, last, "{}: the last wake-up seen", S::NAME);
        sample
    })
}

/// Wakes on schedule; returns the number of the last wake-up.
fn wake<U: Unpark>(round: &Round<'_>, shared: &Shared<U>) -> u64 {
    let unparker = shared.unparker.wait();
    let measuring = round.budget(WARM_UP);
    let over = measuring + round.budget(BUDGET);
    let begun = Instant::now();
    let mut due = Duration::ZERO;
    let mut number = 0;
    loop {
        while begun.elapsed() < due {
            core::hint::spin_loop();
        }
        let phase = match due {
            _ if due >= over => OVER,
            _ if due >= measuring => MEASURING,
            _ => WARMING_UP,
        };
        number += 1;
        let nanos = shared.base.elapsed().as_nanos() as u64;
        shared.message.number.store(number, Ordering::Relaxed);
        shared.message.nanos.store(nanos, Ordering::Relaxed);
        shared.message.phase.store(phase, Ordering::Release);
        unparker.unpark();
        if phase == OVER {
            return number;
        }
        due += GAP;
        // Late by more than a gap (the thread was off its CPU): the schedule starts anew.
        due = due.max(begun.elapsed());
    }
}

/// Parks until told that it is over; returns what a wait cost and the last wake-up's number.
fn wait<S: Subject>(round: &Round<'_>, shared: &Shared<S::Unparker>) -> (Sample, u64) {
    let (mut parker, unparker) = S::pair();
    let published = shared.unparker.set(unparker).is_ok();
    assert!(published, "one waiter");
    let mut latencies = Latencies::with_capacity(LATENCIES);
    let mut seen = 0;
    let mut next = || {
        parker.park();
        let woken = shared.base.elapsed();
        let phase = shared.message.phase.load(Ordering::Acquire);
        let number = shared.message.number.load(Ordering::Relaxed);
        assert!(number >= seen, "{}: wake-up {number} after {seen}", S::NAME);
        seen = number;
        let sent = Duration::from_nanos(shared.message.nanos.load(Ordering::Relaxed));
        (phase, woken.saturating_sub(sent))
    };

    while next().0 == WARMING_UP {}
    let window = round.window(Whose::Thread);
    let mut waits = 1;
    loop {
        let (phase, latency) = next();
        if phase == OVER {
            break;
        }
        latencies.record(latency);
        waits += 1;
    }
    let sample = window
        .close()
        .per_op(waits)
        .with_known(P50_NS, latencies.percentile(0.5))
        .with_known(P99_NS, latencies.percentile(0.99));
    (sample, seen)
}
