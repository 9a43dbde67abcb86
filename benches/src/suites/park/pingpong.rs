//! `pingpong`: two threads hand a ball to and fro, each parked while the other has it.
//!
//! `pingpong-2cpu`: each on a CPU of its own; whoever is still awake when the ball comes back saves
//! two wake-ups. `pingpong-1cpu`: both on one; whoever stays awake keeps the other from playing.
//!
//! The ball is a number that each hit increments; both sides check every one.

use core::sync::atomic::{AtomicU64, Ordering};
use core::time::Duration;
use std::io;
use std::sync::OnceLock;
use std::thread;
use std::time::Instant;

use crossbeam_utils::CachePadded;

use super::roll::{ForEach, with_policies};
use super::subject::{Park, Subject, Unpark as _};
use crate::harness::latency::Latencies;
use crate::harness::metric::{
    ALLOCS_PER_OP, CORES_BUSY, CPU_NS_PER_OP, CTX_PER_OP, FUTEX_PER_OP, Metric, NS_PER_OP, P50_NS,
    P99_NS,
};
use crate::harness::results::Sample;
use crate::harness::rounds::{Contender, Round};
use crate::harness::window::Whose;
use crate::harness::{Case, Session};

const COLUMNS: &[Metric] = &[
    NS_PER_OP,
    P50_NS,
    P99_NS,
    CPU_NS_PER_OP,
    CTX_PER_OP,
    CORES_BUSY,
    FUTEX_PER_OP,
    ALLOCS_PER_OP,
];
const PLOTTED: &[Metric] = &[NS_PER_OP, CPU_NS_PER_OP];
const WARM_UP: Duration = Duration::from_millis(50);
const BUDGET: Duration = Duration::from_millis(300);
/// Trips between two that are timed alone, if trips are short: reading the clock would show.
const STRIDE: u64 = 16;
/// What counts as short.
const SHORT: Duration = Duration::from_micros(2);
/// More latencies than this make the list grow.
const LATENCIES: usize = 1 << 18;
/// The ball that ends the game.
const STOP: u64 = u64::MAX;

pub(super) fn run(session: &mut Session) -> io::Result<()> {
    let case = |id: &str, title: &str| Case {
        id: id.into(),
        title: format!("round trip between two parked threads, {title}"),
        columns: COLUMNS,
        plotted: PLOTTED,
    };
    if session.cpus().count() >= 2 {
        session.compare(case("pingpong-2cpu", "each on its own CPU"), with_policies::<Apart>())?;
    } else {
        println!("note: pingpong-2cpu needs two CPUs");
    }
    session.compare(case("pingpong-1cpu", "both on one CPU"), with_policies::<Together>())
}

/// On two CPUs.
struct Apart;
/// On one.
struct Together;

impl ForEach for Apart {
    type Output = Contender;

    fn make<S: Subject>() -> Contender {
        Contender::new(S::NAME, |round| play::<S>(round, 1))
    }
}

impl ForEach for Together {
    type Output = Contender;

    fn make<S: Subject>() -> Contender {
        Contender::new(S::NAME, |round| play::<S>(round, 0))
    }
}

/// What both players share.
struct Court<U> {
    ball: CachePadded<AtomicU64>,
    /// The server's and the returner's waking sides, each made by its own thread.
    server: OnceLock<U>,
    returner: OnceLock<U>,
}

fn play<S: Subject>(round: &Round<'_>, returners_cpu: usize) -> Sample {
    let court = Court::<S::Unparker> {
        ball: CachePadded::new(AtomicU64::new(0)),
        server: OnceLock::new(),
        returner: OnceLock::new(),
    };
    thread::scope(|scope| {
        let returner = scope.spawn(|| {
            round.cpus().pin(returners_cpu);
            give_back::<S>(&court)
        });
        let server = scope.spawn(|| {
            round.cpus().pin(0);
            serve::<S>(round, &court)
        });
        let (sample, served) = server.join().expect("the server does not panic");
        let returned = returner.join().expect("the returner does not panic");
        assert_eq!(served, returned, "{}: balls served and given back", S::NAME);
        sample
    })
}

/// Plays until the budget is used up; returns what it took and how many balls were served.
fn serve<S: Subject>(round: &Round<'_>, court: &Court<S::Unparker>) -> (Sample, u64) {
    let (mut parker, unparker) = S::pair();
    let published = court.server.set(unparker).is_ok();
    assert!(published, "one server");
    let returner = court.returner.wait();
    let mut ball = 0;
    let mut trip = || {
        court.ball.store(ball + 1, Ordering::Release);
        returner.unpark();
        await_ball(&mut parker, &court.ball, ball + 2);
        ball += 2;
    };

    let (mut warm_trips, begun) = (0, Instant::now());
    while begun.elapsed() < round.budget(WARM_UP) {
        (0..STRIDE).for_each(|_| trip());
        warm_trips += STRIDE as u32;
    }
    let short = begun.elapsed() / warm_trips < SHORT;
    let untimed = if short { STRIDE - 1 } else { 0 };

    let mut latencies = Latencies::with_capacity(LATENCIES);
    let mut trips = 0;
    let budget = round.budget(BUDGET);
    let window = round.window(Whose::Process);
    while window.elapsed() < budget {
        let hit = Instant::now();
        trip();
        latencies.record(hit.elapsed());
        (0..untimed).for_each(|_| trip());
        trips += 1 + untimed;
    }
    let used = window.close();

    court.ball.store(STOP, Ordering::Release);
    returner.unpark();
    let sample = used
        .per_op(trips)
        .with_known(P50_NS, latencies.percentile(0.5))
        .with_known(P99_NS, latencies.percentile(0.99));
    (sample, ball / 2)
}

/// Gives every ball back; returns how many.
fn give_back<S: Subject>(court: &Court<S::Unparker>) -> u64 {
    let (mut parker, unparker) = S::pair();
    let published = court.returner.set(unparker).is_ok();
    assert!(published, "one returner");
    let server = court.server.wait();
    let mut ball = 0;
    while await_ball(&mut parker, &court.ball, ball + 1) != STOP {
        ball += 2;
        court.ball.store(ball, Ordering::Release);
        server.unpark();
    }
    ball / 2
}

/// Parks until the ball is this one or the last. The park comes first, so that each takes one token.
fn await_ball(parker: &mut impl Park, ball: &AtomicU64, awaited: u64) -> u64 {
    loop {
        parker.park();
        let ball = ball.load(Ordering::Acquire);
        if ball == awaited || ball == STOP {
            return ball;
        }
    }
}
