//! An owner that sleeps in `epoll_wait` and is rung up through an eventfd.

use std::mem;
use std::os::fd::OwnedFd;
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

use reveille::parker::{ClaimSlot, HasParkSlot, Parked, Unpark};
use reveille::{Parker, Unparker};
use rustix::event::{EventfdFlags, Timespec, epoll, eventfd};

use crate::support::{Random, eventually, rounds, spin_for, watch};

struct Reactor {
    slot: ClaimSlot,
    bell: OnceLock<OwnedFd>,
}

impl Reactor {
    const fn new() -> Self {
        Self { slot: ClaimSlot::new(), bell: OnceLock::new() }
    }

    fn bell(&self) -> &OwnedFd {
        self.bell.get_or_init(|| eventfd(0, EventfdFlags::NONBLOCK).unwrap())
    }

    /// How often it was rung since it was asked last.
    fn rings(&self) -> u64 {
        let mut count = [0; 8];
        match rustix::io::read(self.bell(), &mut count) {
            Ok(_) => u64::from_ne_bytes(count),
            Err(_) => 0,
        }
    }
}

impl HasParkSlot for Reactor {
    fn park_slot(&self) -> &ClaimSlot {
        &self.slot
    }

    fn ring(&self) {
        rustix::io::write(self.bell(), &1_u64.to_ne_bytes()).unwrap();
    }
}

struct Poll(OwnedFd);

impl Poll {
    fn new(reactor: &Reactor) -> Self {
        let poll = epoll::create(epoll::CreateFlags::CLOEXEC).unwrap();
        let data = epoll::EventData::new_u64(7);
        epoll::add(&poll, reactor.bell(), data, epoll::EventFlags::IN).unwrap();
        Self(poll)
    }

    /// Waits for the bell; whether it rang.
    fn wait(&self, timeout: Option<Duration>) -> bool {
        let timeout = timeout.map(|t| Timespec {
            tv_sec: t.as_secs() as i64,
            tv_nsec: i64::from(t.subsec_nanos()) as _,
        });
        let mut events = Vec::with_capacity(4);
        let room = rustix::buffer::spare_capacity(&mut events);
        epoll::wait(&self.0, room, timeout.as_ref()).unwrap() > 0
    }
}

#[test]
fn an_unpark_ends_the_wait_in_epoll() {
    static REACTOR: Reactor = Reactor::new();
    let _watch = watch();
    let mut parker = Parker::claim(&REACTOR).unwrap();
    let poll = Poll::new(&REACTOR);
    thread::scope(|scope| {
        scope.spawn(|| {
            let unparker = Unparker::of(&REACTOR);
            eventually(|| unparker.is_parked_hint());
            thread::sleep(Duration::from_millis(20));
            assert_eq!(unparker.unpark(), Unpark::External);
        });
        let wait = parker.begin_external_wait().unwrap();
        assert!(poll.wait(None));
        assert!(wait.finish());
    });
    assert_eq!(REACTOR.rings(), 1);
}

/// The owner waits outside or in the slot, for a while or for ever; each unpark must end the wait.
#[test]
fn no_wake_up_is_lost_between_epoll_and_the_slot() {
    static REACTOR: Reactor = Reactor::new();
    let _watch = watch();
    let mut parker = Parker::claim(&REACTOR).unwrap();
    let poll = Poll::new(&REACTOR);
    let (give, turns) = std::sync::mpsc::sync_channel::<Duration>(0);
    let (mut rung, mut found) = (0, 0);
    thread::scope(|scope| {
        scope.spawn(move || {
            for (number, delay) in turns.iter().enumerate() {
                spin_for(delay);
                if number % 3 == 0 {
                    drop(Unparker::of(&REACTOR).unpark_deferred());
                } else {
                    Unparker::of(&REACTOR).unpark();
                }
            }
        });
        let mut random = Random::new(8);
        for _ in rounds(10_000, 100_000) {
            // Taken when the last unpark is over, ring included; the next rings only when it is asked to.
            give.send(random.micros(20)).unwrap();
            REACTOR.rings();
            spin_for(random.micros(10));
            match random.below(4) {
                // Waits outside until it is rung.
                0 | 1 => match parker.begin_external_wait() {
                    None => found += 1,
                    Some(wait) => {
                        assert!(poll.wait(None));
                        assert!(wait.finish(), "rung without a token");
                        rung += 1;
                    }
                },
                // Gives up the wait outside and sleeps in the slot.
                2 => {
                    let wait = parker.begin_external_wait();
                    let waits = wait.is_some();
                    drop(wait);
                    if waits {
                        parker.park();
                    }
                }
                // Forgets it, even.
                _ => {
                    let wait = parker.begin_external_wait();
                    let waits = wait.is_some();
                    mem::forget(wait);
                    if waits {
                        assert_eq!(parker.park_timeout(Duration::from_secs(50)), Parked::Token);
                    }
                }
            }
        }
        drop(give);
    });
    assert!(rung > 0 && found > 0, "{rung} rung, {found} found the token before");
}

#[test]
fn a_wait_in_epoll_may_time_out() {
    static REACTOR: Reactor = Reactor::new();
    let _watch = watch();
    let mut parker = Parker::claim(&REACTOR).unwrap();
    let poll = Poll::new(&REACTOR);
    let wait = parker.begin_external_wait().unwrap();
    assert!(!poll.wait(Some(Duration::from_millis(5))));
    assert!(!wait.finish());
    Unparker::of(&REACTOR).unpark();
    assert_eq!(REACTOR.rings(), 0);
    parker.park();
}
