//! Waiting costs nothing, and nobody is woken for nothing.

use std::cell::Cell;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::task::Context;
use std::thread;
use std::time::{Duration, Instant};

use reveille::{Basket, NoSpin, platform::BACKEND};

use crate::support::cpu::{pin_to_one, sleeps, switches, thread_id, thread_time};
use crate::support::race::spin_until;
use crate::support::seccomp::{Answer, Calls, FUTEX, filter, skipped};
use crate::support::signal::handle;
use crate::support::{CountingWaker, scaled, watch};

/// Offerers that were used once and do nothing since do not make it dearer.
#[test]
fn a_drainer_that_waits_costs_nothing() {
    let _watch = watch();
    every_form!(room 200, |form, mut offerer, mut drainer| {
        let mut idle: Vec<_> = (0..100).map(|_| offerer.clone()).collect();
        idle.iter_mut().for_each(|offerer| offerer.offer(1).unwrap());
        assert_eq!(drainer.drain().count(), 100, "{form}");
        let (send, id) = mpsc::channel();
        thread::scope(|scope| {
            let sleeper = scope.spawn(move || {
                send.send(thread_id()).unwrap();
                let before = thread_time();
                drainer.wait().unwrap();
                thread_time() - before
            });
            let id = id.recv().unwrap();
            thread::sleep(Duration::from_millis(50));
            let before = switches(id);
            thread::sleep(Duration::from_millis(200));
            let after = switches(id);
            offerer.offer(2).unwrap();
            let cost = sleeper.join().unwrap();
            // In the fallback a wake meant for another test's thread may wake this one.
            let switches = after - before;
            assert!(switches <= 1 || BACKEND != "futex", "{form}: scheduled {switches} times");
            assert!(cost < Duration::from_millis(20), "{form}: {cost:?} of CPU");
        });
    });
}

#[test]
fn an_offerer_that_waits_costs_nothing() {
    let _watch = watch();
    bounded_forms!(room 1, |form, mut offerer, mut drainer| {
        offerer.offer(0).unwrap();
        let (send, id) = mpsc::channel();
        thread::scope(|scope| {
            let sleeper = scope.spawn(move || {
                send.send(thread_id()).unwrap();
                let before = thread_time();
                offerer.offer_blocking(1).unwrap();
                thread_time() - before
            });
            let id = id.recv().unwrap();
            thread::sleep(Duration::from_millis(50));
            let before = switches(id);
            thread::sleep(Duration::from_millis(200));
            let after = switches(id);
            assert_eq!(drainer.take(), Some(0), "{form}");
            let cost = sleeper.join().unwrap();
            // In the fallback a wake meant for another test's thread may wake this one.
            let switches = after - before;
            assert!(switches <= 1 || BACKEND != "futex", "{form}: scheduled {switches} times");
            assert!(cost < Duration::from_millis(20), "{form}: {cost:?} of CPU");
        });
    });
}

thread_local! {
    /// System calls of this thread that its filter caught.
    static TRAPPED: Cell<u64> = const { Cell::new(0) };
}

extern "C" fn count(_: libc::c_int) {
    TRAPPED.set(TRAPPED.get() + 1);
}

/// With nobody asleep, neither offers nor drains nor looks ask the kernel for anything.
#[test]
fn without_a_sleeper_there_is_no_system_call() {
    let _watch = watch();
    if BACKEND != "futex" {
        return;
    }
    handle(libc::SIGSYS, count, false);
    every_form!(room 10, |form, mut offerer, mut drainer| {
        let sides = thread::scope(|scope| {
            let filtered = scope.spawn(move || {
                let calls = [FUTEX, &[libc::SYS_membarrier, libc::SYS_sched_yield]].concat();
                if let Err(error) = filter(Calls::Numbers(&calls), Answer::Trap) {
                    skipped(&error);
                    return (offerer, drainer);
                }
                for n in 0..1000 {
                    offerer.offer(n).unwrap();
                    offerer.offer_all([n; 3]).unwrap();
                    drainer.wait().unwrap();
                    assert_eq!(drainer.drain_up_to(2).count(), 2);
                    drainer.wait_timeout(Duration::ZERO).unwrap();
                    assert_eq!(drainer.drain().count(), 2);
                    assert_eq!(drainer.take(), None);
                    assert_eq!(drainer.len(), 0);
                }
                assert_eq!(TRAPPED.get(), 0, "{form}");
                (offerer, drainer)
            });
            filtered.join().unwrap()
        });
        // Here, where the end may have its barrier.
        drop(sides);
    });
}

/// A drainer that sleeps after every few items leaves the barriers to the offers; after many items it makes
/// them itself.
#[test]
fn who_pays_for_the_barriers_follows_the_load() {
    let _watch = watch();
    // SAFETY: it asks what the kernel can do.
    let known = unsafe { libc::syscall(libc::SYS_membarrier, 0, 0) };
    if BACKEND != "futex" || known <= 0 {
        return;
    }
    handle(libc::SIGSYS, count, false);
    let (offerer, mut drainer) = Basket::unbounded();
    // They take turns, so that most are quiet for a while.
    let mut offerers = vec![offerer; 8];
    let mut sleep_for = move |items| {
        offerers.rotate_left(1);
        let offerer = &mut offerers[0];
        let flag = CountingWaker::new();
        assert!(drainer.poll_wait(&mut Context::from_waker(&flag.waker())).is_pending());
        (0..items).for_each(|n| offerer.offer(n).unwrap());
        assert_eq!(flag.wakes(), 1);
        assert_eq!(drainer.drain().count(), items);
    };
    // The drainer takes the barriers over from the offers, and hands them back.
    sleep_for(5000);
    (0..20).for_each(|_| sleep_for(1));
    let barriers = &[libc::SYS_membarrier];
    thread::scope(|scope| {
        let few = scope.spawn(move || {
            if let Err(error) = filter(Calls::Numbers(barriers), Answer::Trap) {
                skipped(&error);
            }
            (0..100).for_each(|_| sleep_for(1));
            assert_eq!(TRAPPED.get(), 0);
            sleep_for(5000);
            sleep_for
        });
        let mut sleep_for = few.join().unwrap();
        // It tries, in vain here, and lets offers that could not know of it come to their end.
        scope.spawn(move || {
            let filtered = filter(Calls::Numbers(barriers), Answer::Errno(libc::EPERM));
            let before = sleeps(thread_id());
            sleep_for(1);
            match filtered {
                Ok(()) => assert_ne!(sleeps(thread_id()), before),
                Err(error) => skipped(&error),
            }
        });
    });
}

/// The kernel stops making barriers in the middle (a sandbox was put up): slower, but never wrong.
#[test]
fn without_barriers_of_the_kernel_nothing_is_lost() {
    let _watch = watch();
    let items = scaled(8000, 200_000);
    every_form!(room 1000, |form, mut offerer, mut drainer| {
        thread::scope(|scope| {
            scope.spawn(move || {
                for n in 0..items {
                    while offerer.offer(n).is_err() {
                        thread::yield_now();
                    }
                    if n > items / 2 && n % 10 == 0 {
                        thread::sleep(Duration::from_micros(50));
                    }
                }
            });
            scope.spawn(move || {
                let mut next = 0;
                // So many without a sleep that it does make barriers.
                while next < items / 4 {
                    thread::yield_now();
                    next += drainer.drain().map(|n| assert!(n < items)).count();
                }
                let calls = Calls::Numbers(&[libc::SYS_membarrier]);
                if let Err(error) = filter(calls, Answer::Errno(libc::EPERM)) {
                    skipped(&error);
                }
                while drainer.wait().is_ok() {
                    for n in drainer.drain() {
                        assert_eq!(n, next, "{form}");
                        next += 1;
                    }
                }
                assert_eq!(next, items, "{form}");
            });
        });
    });
}

/// At most one wake for each sleep: many offers to one sleeper make it run once.
#[test]
fn a_crowd_of_offers_wakes_a_sleeper_once() {
    let _watch = watch();
    every_form!(room 100, |form, mut offerer, drainer| {
        let mut drainer = drainer.with_policy(NoSpin);
        let hold = Mutex::new(());
        let (send, id) = mpsc::channel();
        let got = AtomicUsize::new(0);
        thread::scope(|scope| {
            let (hold, got) = (&hold, &got);
            scope.spawn(move || {
                send.send(thread_id()).unwrap();
                while drainer.wait().is_ok() {
                    let _held = hold.lock().unwrap();
                    got.fetch_add(drainer.drain().count(), Ordering::SeqCst);
                }
            });
            let id = id.recv().unwrap();
            let before = sleeps(id);
            let rounds = 20;
            for round in 1..=rounds {
                thread::sleep(Duration::from_millis(2));
                let held = hold.lock().unwrap();
                (0..50).for_each(|n| offerer.offer(n).unwrap());
                drop(held);
                spin_until(|| got.load(Ordering::SeqCst) == 50 * round);
            }
            // One sleep in the wait, and one at the lock.
            let slept = sleeps(id) - before;
            assert!(slept <= 3 * rounds as u64 + 5, "{form}: {slept} sleeps");
            drop(offerer);
        });
    });
}

#[test]
fn two_threads_on_one_cpu_do_not_burn_it() {
    let _watch = watch();
    let items = scaled(5_000, 100_000);
    bounded_forms!(room 2, |form, mut offerer, mut drainer| {
        let begun = Instant::now();
        let cost = thread::scope(|scope| {
            let one = scope.spawn(move || {
                pin_to_one();
                let before = thread_time();
                (0..items).for_each(|n| offerer.offer_blocking(n).unwrap());
                thread_time() - before
            });
            let other = scope.spawn(move || {
                pin_to_one();
                let before = thread_time();
                let mut got = 0;
                while drainer.wait().is_ok() {
                    got += drainer.drain().count();
                }
                assert_eq!(got, items, "{form}");
                thread_time() - before
            });
            one.join().unwrap() + other.join().unwrap()
        });
        // As for the parker: generous, but far from what spinning through time slices takes.
        let (took, most) = (begun.elapsed(), Duration::from_micros(200) * items as u32);
        assert!(took < most * 3 || cost < most, "{form}: {took:?}, {cost:?}");
    });
}
