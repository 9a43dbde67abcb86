//! Statistics of a server: workers count, a reporter reads what is new and what is in flight.
//!
//! `cargo run --example request_stats`

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use reveille::StripedCounter;
use reveille::counter::{CounterSet, LazyCounter, OwnedCounter, StripedGauge};

const WORKERS: u64 = 4;
const EACH: u64 = 5_000;
const ROUTES: usize = 100;

/// The counters of one request, in one stripe.
const OK: usize = 0;
const FAILED: usize = 1;
const BYTES: usize = 2;
const SLOW: usize = 3;

static REQUESTS: CounterSet<4> = CounterSet::new();
static IN_FLIGHT: StripedGauge = StripedGauge::new();
static RETRIES: StripedCounter = StripedCounter::new();
/// What the reporter alone counts.
static REPORTS: OwnedCounter = OwnedCounter::new();
/// Most routes are idle, and a counter of 16 bytes will do until two threads collide there.
static BY_ROUTE: [LazyCounter; ROUTES] = [const { LazyCounter::new() }; ROUTES];

static OVER: AtomicBool = AtomicBool::new(false);

fn main() {
    let reporter = thread::spawn(report);
    let workers: Vec<_> = (0..WORKERS).map(|worker| thread::spawn(move || work(worker))).collect();
    workers.into_iter().for_each(|worker| worker.join().expect("it does not panic"));
    OVER.store(true, Ordering::Release);
    let reported = reporter.join().expect("it does not panic");

    // Joined threads happen before: now the sums are exact.
    let [ok, failed, bytes, slow] = REQUESTS.snapshot();
    assert_eq!(ok + failed, WORKERS * EACH);
    assert_eq!(reported, [ok, failed, bytes, slow], "each add was in one report");
    assert_eq!(IN_FLIGHT.sum(), 0);
    assert_eq!(BY_ROUTE.iter().map(LazyCounter::sum).sum::<u64>(), WORKERS * EACH);
    let spread = BY_ROUTE.iter().filter(|route| route.is_spread()).count();
    println!(
        "{ok} answered, {failed} failed, {slow} slow, {bytes} bytes, {} retries; {} reports; \
         {spread} of {ROUTES} routes needed stripes",
        RETRIES.sum(),
        REPORTS.get(),
    );
}

fn work(worker: u64) {
    for request in 0..EACH {
        // Leaves on every way out.
        let _in_flight = IN_FLIGHT.enter();
        let begun = Instant::now();
        let answer = answer(worker + request);

        BY_ROUTE[(request % 7) as usize].increment();
        let stripe = REQUESTS.pin();
        match answer {
            Ok(bytes) => {
                stripe.increment(OK);
                stripe.add(BYTES, bytes);
            }
            Err(retries) => {
                stripe.increment(FAILED);
                RETRIES.add(retries);
            }
        }
        if begun.elapsed() > Duration::from_micros(50) {
            stripe.increment(SLOW);
        }
    }
}

/// How many bytes, or after how many retries it was given up.
fn answer(request: u64) -> Result<u64, u64> {
    if request % 97 == 0 { Err(3) } else { Ok(100 + request % 1000) }
}

/// Tells what is new, again and again; returns all that it has told.
fn report() -> [u64; 4] {
    let mut reports = REPORTS.writer().expect("there is one reporter");
    let mut last = [0; 4];
    let mut told = [0; 4];
    loop {
        // Asked first: what is counted before that is in this report, the last one.
        let over = OVER.load(Ordering::Acquire);
        let new = REQUESTS.delta(&mut last);
        reports.increment();
        (0..4).for_each(|k| told[k] += new[k]);
        println!("+{} answered, +{} failed; in flight {}", new[OK], new[FAILED], IN_FLIGHT.sum());
        if over {
            return told;
        }
        thread::sleep(Duration::from_millis(1));
    }
}
