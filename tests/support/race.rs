//! Making threads meet.

use std::hint;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Where racing threads wait for each other, awake, so that they leave within nanoseconds.
pub(crate) struct StartLine {
    missing: AtomicUsize,
}

impl StartLine {
    pub(crate) fn new(threads: usize) -> Self {
        Self { missing: AtomicUsize::new(threads) }
    }

    pub(crate) fn wait(&self) {
        self.missing.fetch_sub(1, Ordering::SeqCst);
        spin_until(|| self.missing.load(Ordering::SeqCst) == 0);
    }
}

/// Tells other threads to stop when it is dropped: at the end, or in a panic that would otherwise wait
/// for them for ever.
pub(crate) struct Stop<'a>(pub(crate) &'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Waits awake, but lets others run now and then: there may be one CPU only.
pub(crate) fn spin_until(mut ready: impl FnMut() -> bool) {
    let mut turns = 0_u32;
    while !ready() {
        turns += 1;
        if turns % 4096 == 0 {
            thread::yield_now();
        } else {
            hint::spin_loop();
        }
    }
}

/// Lets that much time pass, awake.
pub(crate) fn spin_for(time: Duration) {
    let begun = Instant::now();
    spin_until(|| begun.elapsed() >= time);
}

/// Linux lets short sleeps of the calling thread last 50 µs longer unless it is told not to.
pub(crate) fn precise_timers() {
    #[cfg(all(target_os = "linux", not(miri)))]
    {
        // SAFETY: affects the calling thread's timers only.
        let done = unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1_u64, 0, 0, 0) };
        assert_eq!(done, 0);
    }
}

/// Waits until the condition holds, for as long as the watchdog lets it.
pub(crate) fn eventually(mut condition: impl FnMut() -> bool) {
    let mut pause = Duration::from_micros(10);
    while !condition() {
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(5));
    }
}

/// Finds the delay at which two events meet: turned after each round towards the outcome that was
/// missed, so that both keep happening, whatever the machine's latencies are.
pub(crate) struct Dial {
    delay: Duration,
    longest: Duration,
    late: u64,
    early: u64,
}

impl Dial {
    pub(crate) fn new(start: Duration, longest: Duration) -> Self {
        Self { delay: start, longest, late: 0, early: 0 }
    }

    /// How long the second event is to be held back, with some spread around the turning point.
    pub(crate) fn delay(&self, random: &mut super::Random) -> Duration {
        let spread = self.delay.as_nanos() as usize / 4 + 2_000;
        let offset = Duration::from_nanos(random.below(spread) as u64);
        (self.delay + offset).saturating_sub(Duration::from_nanos(spread as u64 / 2))
    }

    /// Whether the second event came too late.
    pub(crate) fn turn(&mut self, late: bool) {
        let step = self.delay / 16 + Duration::from_nanos(200);
        if late {
            self.late += 1;
            self.delay = self.delay.saturating_sub(step);
        } else {
            self.early += 1;
            self.delay = (self.delay + step).min(self.longest);
        }
    }

    /// Fails if one of the outcomes made less than a tenth of the rounds.
    #[track_caller]
    pub(crate) fn check(&self) {
        let Self { late, early, .. } = *self;
        assert!(
            late.min(early) * 10 >= late + early,
            "the race was hardly hit: {late} late, {early} early"
        );
    }
}
