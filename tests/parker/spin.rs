//! Spin policies give up, and can be the user's own.

use std::thread;
use std::time::{Duration, Instant};

use reveille::parker::Parked;
use reveille::{Adaptive, Deadline, Fixed, NoSpin, ParkSlot, SpinPolicy};

use crate::support::{eventually, watch};

/// How often a policy looks, and what it says, if nothing ever comes.
fn looks(policy: &mut impl SpinPolicy, until: Deadline) -> (u64, bool) {
    let mut looks = 0;
    let caught = policy.spin(until, || {
        looks += 1;
        false
    });
    (looks, caught)
}

#[test]
fn c05_no_spin_does_not_look() {
    assert_eq!(looks(&mut NoSpin, Deadline::NEVER), (0, false));
}

#[test]
fn c05_fixed_looks_so_often_and_gives_up() {
    for turns in [0, 1, 7, 1000] {
        assert_eq!(looks(&mut Fixed(turns), Deadline::NEVER), (turns.into(), false));
    }
}

#[test]
fn a_policy_stops_at_the_first_catch() {
    let mut looks = 0;
    let ready = || {
        looks += 1;
        looks == 3
    };
    assert!(Fixed(1000).spin(Deadline::NEVER, ready));
    assert_eq!(looks, 3);
}

/// The shortest time in which the policy gives up, of a few tries: others may take the CPU.
fn time_to_give_up(mut policy: Adaptive) -> Duration {
    let once = |_| {
        let begun = Instant::now();
        let (looks, caught) = looks(&mut policy, Deadline::NEVER);
        assert!(!caught);
        (looks > 0).then(|| begun.elapsed())
    };
    (0..200).filter_map(once).min().unwrap_or_default()
}

#[test]
fn c05_adaptive_gives_up_when_its_cap_is_over() {
    let _watch = watch();
    for cap in [0, 1, 20, 40, 200].map(Duration::from_micros) {
        let took = time_to_give_up(Adaptive::with_cap(cap));
        // It looks at the clock once in 64 turns, of some 10 ns each (more in a debug build).
        assert!(took <= cap + Duration::from_micros(100), "cap {cap:?}, but {took:?}");
    }
    assert_eq!(Adaptive::with_cap(Duration::MAX).cap(), Duration::from_nanos(u32::MAX.into()));
    assert_eq!(looks(&mut Adaptive::with_cap(Duration::ZERO), Deadline::NEVER), (0, false));
}

#[test]
fn c05_adaptive_gives_up_at_the_deadline() {
    let _watch = watch();
    let mut policy = Adaptive::with_cap(Duration::from_secs(4));
    let begun = Instant::now();
    let (_, caught) = looks(&mut policy, Deadline::after(Duration::from_millis(2)));
    assert!(!caught && begun.elapsed() < Duration::from_secs(2));
    let (looks, _) = looks(&mut policy, Deadline::now());
    assert!(looks <= 64, "{looks} looks after the deadline");
}

#[test]
fn c05_adaptive_looks_less_and_less_when_nothing_comes() {
    let _watch = watch();
    let mut policy = Adaptive::with_cap(Duration::from_micros(20));
    let mut spins = [0; 4];
    for spins in &mut spins {
        *spins = (0..1000).filter(|_| looks(&mut policy, Deadline::NEVER).0 > 0).count();
    }
    assert!(spins[0] < 20, "{spins:?} spins in a thousand waits");
    assert!(spins[3] <= 1, "{spins:?}");
}

#[test]
fn adaptive_tries_again_and_remembers_a_catch() {
    let _watch = watch();
    let mut policy = Adaptive::new();
    for _ in 0..100 {
        looks(&mut policy, Deadline::NEVER);
    }
    // The wakes come soon from now on: within two of the longest pauses it finds out.
    let caught = |policy: &mut Adaptive| policy.spin(Deadline::NEVER, || true);
    assert!((0..3 * 4096).any(|_| caught(&mut policy)) || !several_cpus());
    if several_cpus() {
        assert!((0..100).all(|_| caught(&mut policy)), "it forgot");
    }
}

fn several_cpus() -> bool {
    thread::available_parallelism().is_ok_and(|cpus| cpus.get() > 1)
}

/// A policy of the user's own: counts its calls and yields.
#[derive(Default)]
struct Yielding {
    spins: u32,
}

impl SpinPolicy for Yielding {
    fn spin(&mut self, until: Deadline, mut ready: impl FnMut() -> bool) -> bool {
        self.spins += 1;
        for _ in 0..3 {
            if ready() {
                return true;
            }
            if until.has_passed() {
                return false;
            }
            thread::yield_now();
        }
        false
    }
}

#[test]
fn a_policy_can_be_the_users_own() {
    let _watch = watch();
    let mut slot = ParkSlot::new();
    let (parker, unparker) = slot.split();
    let mut parker = parker.with_policy(Yielding::default());
    unparker.unpark();
    parker.park();
    assert_eq!(parker.policy_mut().spins, 0, "a token that is there needs no spin");
    assert_eq!(parker.park_timeout(Duration::from_millis(1)), Parked::TimedOut);
    assert_eq!(parker.policy_mut().spins, 1);
    thread::scope(|scope| {
        let sleeper = scope.spawn(|| {
            parker.park();
            assert_eq!(parker.policy_mut().spins, 2);
        });
        eventually(|| unparker.is_parked_hint());
        unparker.unpark();
        sleeper.join().unwrap();
    });
}

/// A policy that says it saw a token, whatever it saw.
struct Lying;

impl SpinPolicy for Lying {
    fn spin(&mut self, _until: Deadline, _ready: impl FnMut() -> bool) -> bool {
        true
    }
}

#[test]
fn a_policy_cannot_make_a_park_return_without_its_token() {
    let _watch = watch();
    let mut slot = ParkSlot::new();
    let (parker, unparker) = slot.split();
    let mut parker = parker.with_policy(Lying);
    let timeout = Duration::from_millis(20);
    let begun = Instant::now();
    assert_eq!(parker.park_timeout(timeout), Parked::TimedOut);
    assert!(begun.elapsed() >= timeout, "early, after {:?}", begun.elapsed());
    thread::scope(|scope| {
        let sleeper = scope.spawn(move || parker.park());
        thread::sleep(timeout);
        assert!(!sleeper.is_finished(), "returned without a token");
        unparker.unpark();
    });
}

/// Counts its drops.
struct Dropped<'a>(&'a std::cell::Cell<u32>);

impl Drop for Dropped<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() + 1);
    }
}

impl SpinPolicy for Dropped<'_> {
    fn spin(&mut self, _until: Deadline, _ready: impl FnMut() -> bool) -> bool {
        false
    }
}

#[test]
fn a_policy_that_is_replaced_is_dropped() {
    let drops = std::cell::Cell::new(0);
    let mut slot = ParkSlot::new();
    let parker = slot.split().0.with_policy(Dropped(&drops));
    assert_eq!(drops.get(), 0);
    let parker = parker.with_policy(Dropped(&drops));
    assert_eq!(drops.get(), 1);
    drop(parker);
    assert_eq!(drops.get(), 2);
}
