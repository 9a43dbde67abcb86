//! A thread that is stopped in the middle of an offer.

use std::hint;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use reveille::Basket;
use reveille::basket::{OfferError, WaitError};

use crate::allocation;
use crate::support::cpu::thread_time;
use crate::support::signal::{Section, Stopper, Target, nap};
use crate::support::{Random, scaled, watch};

/// Lets the other thread go, also when a check fails.
struct SetAtEnd<'a>(&'a AtomicBool);

impl Drop for SetAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Runs `check` while a thread is stopped somewhere inside an offer, so many times. It gets the
/// number of items that the thread has offered for sure, or one less than it may have.
macro_rules! while_stopped {
    ($offerer:expr, $times:expr, |$drainer:ident| $drain:expr, |$ended:ident| $check:block) => {{
        let stopper = Stopper::new();
        let (section, over) = (Section::default(), AtomicBool::new(false));
        let (send, target) = mpsc::channel();
        thread::scope(|scope| {
            let (section, over) = (&section, &over);
            let mut offerer = $offerer.clone();
            scope.spawn(move || {
                send.send(Target::this_thread()).unwrap();
                let mut n = 0;
                while !over.load(Ordering::SeqCst) {
                    let done = section.run(|| offerer.offer((0, n)));
                    match done {
                        Ok(()) => n += 1,
                        Err(OfferError::Full(_)) => hint::spin_loop(),
                        Err(_) => break,
                    }
                }
                while !over.load(Ordering::SeqCst) {
                    nap(Duration::from_micros(100));
                }
            });
            let target = target.recv().unwrap();
            let _over = SetAtEnd(over);
            let mut random = Random::new(9);
            let mut caught = 0;
            while caught < $times {
                $drain;
                nap(random.micros(50));
                let stopped = stopper.stop(target);
                if section.is_inside() && !allocation::is_busy() {
                    caught += 1;
                    let $ended = section.ended();
                    $check
                }
                drop(stopped);
            }
        });
    }};
}

#[test]
fn c09_nobody_elses_item_is_held_up() {
    let _watch = watch();
    let times = scaled(10, 300);
    macro_rules! check {
        ($form:expr, $offerer:expr, $drainer:expr) => {{
            let (offerer, mut drainer) = ($offerer, $drainer);
            let mut other = offerer.clone();
            let mut number = 0;
            while_stopped!(offerer, times, |drainer| drainer.drain().for_each(drop), |_ended| {
                number += 1;
                let room = loop {
                    match other.offer((1, number)) {
                        Ok(()) => break true,
                        Err(OfferError::Full(_)) if drainer.is_empty() => break false,
                        Err(OfferError::Full(_)) => drainer.drain().for_each(drop),
                        Err(error) => panic!("{error}"),
                    }
                };
                if room {
                    assert!(!drainer.is_empty(), "{}", $form);
                    assert!(drainer.len() >= 1, "{}", $form);
                    let mut found = false;
                    let begun = Instant::now();
                    while !found {
                        drainer.wait_timeout(Duration::from_secs(20)).unwrap();
                        found = drainer.drain().any(|item| item == (1, number));
                    }
                    assert!(begun.elapsed() < Duration::from_secs(10), "{}", $form);
                }
                let _: usize = drainer.drain().count();
                // Now nothing is left but perhaps the item of the one that is stopped.
                assert!(drainer.is_empty(), "{}", $form);
                assert_eq!(drainer.wait_timeout(Duration::ZERO), Err(WaitError::TimedOut));
            });
        }};
    }
    let (offerer, drainer) = Basket::unbounded();
    check!("unbounded", offerer, drainer);
    let (offerer, drainer) = Basket::ordered();
    check!("ordered", offerer, drainer);
    let (offerer, drainer) = Basket::bounded(100).unwrap();
    check!("bounded", offerer, drainer);
    let mut basket = crate::forms::fixed(100);
    let (offerer, drainer) = basket.split();
    check!("fixed", offerer, drainer);
}

#[test]
fn c09_the_drainer_sleeps_meanwhile() {
    let _watch = watch();
    macro_rules! check {
        ($form:expr, $offerer:expr, $drainer:expr) => {{
            let (offerer, mut drainer) = ($offerer, $drainer);
            while_stopped!(offerer, 2, |drainer| drainer.drain().for_each(drop), |_ended| {
                let _: usize = drainer.drain().count();
                let before = thread_time();
                let waited = drainer.wait_timeout(Duration::from_millis(250));
                let cost = thread_time() - before;
                assert_eq!(waited, Err(WaitError::TimedOut), "{}", $form);
                assert!(cost < Duration::from_millis(10), "{}: {cost:?} of CPU", $form);
            });
        }};
    }
    let (offerer, drainer) = Basket::unbounded();
    check!("unbounded", offerer, drainer);
    let (offerer, drainer) = Basket::ordered();
    check!("ordered", offerer, drainer);
    let (offerer, drainer) = Basket::bounded(100).unwrap();
    check!("bounded", offerer, drainer);
    let mut basket = crate::forms::fixed(100);
    let (offerer, drainer) = basket.split();
    check!("fixed", offerer, drainer);
}

/// Closed while an offer is stopped: the end is not told before it is decided whether that is in. And
/// whatever it comes to, the one who offers and the one who drains agree.
#[test]
fn c09_the_end_and_a_stopped_offer_agree() {
    let _watch = watch();
    for round in 0..scaled(10, 300) {
        every_form!(room 100, |form, offerer, mut drainer| {
            let stopper = Stopper::new();
            let section = Section::default();
            let (send, target) = mpsc::channel();
            let over = AtomicBool::new(false);
            thread::scope(|scope| {
                let (section, over) = (&section, &over);
                let mut offerer = offerer.clone();
                let accepted = scope.spawn(move || {
                    send.send(Target::this_thread()).unwrap();
                    let mut accepted = 0_usize;
                    loop {
                        match section.run(|| offerer.offer(accepted)) {
                            Ok(()) => accepted += 1,
                            Err(OfferError::Full(_)) => hint::spin_loop(),
                            Err(_) => break,
                        }
                    }
                    while !over.load(Ordering::SeqCst) {
                        nap(Duration::from_micros(50));
                    }
                    accepted
                });
                let target = target.recv().unwrap();
                let end = SetAtEnd(over);
                let mut random = Random::new(round as u64);
                let mut got = 0;
                let stopped = loop {
                    got += drainer.drain().count();
                    nap(random.micros(30));
                    let stopped = stopper.stop(target);
                    if section.is_inside() && !allocation::is_busy() {
                        break stopped;
                    }
                };
                drainer.close();
                got += drainer.drain().count();
                let before = thread_time();
                let waited = drainer.wait_timeout(Duration::from_millis(5));
                let cost = thread_time() - before;
                assert!(cost < Duration::from_millis(4), "{form}: {cost:?} of CPU");
                assert_ne!(waited, Ok(()), "{form}");
                drop(stopped);
                while drainer.wait().is_ok() {
                    got += drainer.drain().count();
                }
                drop(end);
                assert_eq!(accepted.join().unwrap(), got, "{form}");
            });
        });
    }
}
