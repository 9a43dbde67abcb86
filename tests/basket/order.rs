//! In which order items come out.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use reveille::Basket;

use crate::support::race::spin_until;
use crate::support::{Random, scaled, watch};

#[test]
fn items_come_out_as_they_were_offered() {
    every_form!(room 100, |form, mut offerer, mut drainer| {
        for n in 0..100 {
            offerer.offer(n).unwrap();
        }
        assert!(drainer.drain().eq(0..100), "{form}");
        assert_eq!(drainer.take(), None, "{form}");
    });
}

#[test]
fn what_a_batch_leaves_comes_first_in_the_next() {
    every_form!(room 20, |form, mut offerer, mut drainer| {
        offerer.offer_all(0..10).unwrap();
        assert_eq!(drainer.drain().next(), Some(0), "{form}");
        assert!(drainer.drain_up_to(3).eq(1..4), "{form}");
        offerer.offer_all(10..12).unwrap();
        assert_eq!(drainer.drain().nth(1), Some(5), "{form}");
        assert_eq!(drainer.take(), Some(6), "{form}");
        assert!(drainer.drain().eq(7..12), "{form}");
    });
}

#[test]
fn items_offered_during_a_batch_are_in_a_later_one() {
    every_form!(room 10, |form, mut offerer, mut drainer| {
        offerer.offer_all([0, 1]).unwrap();
        let mut batch = drainer.drain();
        assert_eq!(batch.next(), Some(0), "{form}");
        offerer.offer_all([2, 3]).unwrap();
        assert_eq!(batch.len(), 1, "{form}");
        assert_eq!(batch.next(), Some(1), "{form}");
        assert_eq!(batch.next(), None, "{form}");
        drop(batch);
        assert!(drainer.drain().eq([2, 3]), "{form}");
    });
}

#[test]
fn offerers_by_turns_keep_one_order() {
    let (mut one, mut drainer) = Basket::ordered();
    let (mut two, shared) = (one.clone(), one.share());
    for n in 0..1000 {
        one.offer(3 * n).unwrap();
        two.offer(3 * n + 1).unwrap();
        shared.offer(3 * n + 2).unwrap();
    }
    assert!(drainer.drain().eq(0..3000));

    let mut basket = crate::forms::fixed(300);
    let (mut one, mut drainer) = basket.split();
    let mut two = one.clone();
    for round in 0..10 {
        for n in 0..150 {
            one.offer(2 * n).unwrap();
            two.offer(2 * n + 1).unwrap();
        }
        assert!(drainer.drain().eq(0..300), "round {round}");
    }
}

/// One thread's offer happens before another's; the drainer looks at any time.
#[test]
fn an_effect_never_overtakes_its_cause() {
    const OFFERERS: usize = 2;
    let _watch = watch();
    let turns = scaled(3_000, 1_000_000);
    macro_rules! check {
        ($offerer:expr, $drainer:expr) => {{
            let (offerer, mut drainer) = ($offerer, $drainer);
            let turn = AtomicUsize::new(0);
            thread::scope(|scope| {
                for me in 0..OFFERERS {
                    let (mut offerer, turn) = (offerer.clone(), &turn);
                    scope.spawn(move || {
                        for n in (me..turns).step_by(OFFERERS) {
                            spin_until(|| turn.load(Ordering::Relaxed) == n);
                            offerer.offer(n).unwrap();
                            turn.store(n + 1, Ordering::Release);
                        }
                    });
                }
                drop(offerer);
                let mut next = 0;
                while drainer.wait().is_ok() {
                    for n in drainer.drain() {
                        assert_eq!(n, next);
                        next += 1;
                    }
                }
                assert_eq!(next, turns);
            });
        }};
    }
    let (offerer, drainer) = Basket::ordered();
    check!(offerer, drainer);
    let mut basket = crate::forms::fixed(turns);
    let (offerer, drainer) = basket.split();
    check!(offerer, drainer);
}

#[test]
fn c14_each_offerer_keeps_its_order_on_every_path() {
    const OFFERERS: usize = 3;
    let _watch = watch();
    let each = scaled(20_000, 200_000);
    bounded_forms!(room 4, |form, offerer, mut drainer| {
        thread::scope(|scope| {
            for id in 0..OFFERERS {
                let mut offerer = offerer.clone();
                scope.spawn(move || {
                    for n in 0..each {
                        if n % 3 == 0 || offerer.offer((id, n)).is_err() {
                            offerer.offer_blocking((id, n)).unwrap();
                        }
                    }
                });
            }
            drop(offerer);
            let mut next = [0; OFFERERS];
            let mut random = Random::new(14);
            loop {
                let limit = match random.below(3) {
                    0 if drainer.wait().is_err() => break,
                    0 => usize::MAX,
                    1 => 1,
                    _ => 7,
                };
                for (id, n) in drainer.drain_up_to(limit) {
                    assert_eq!(n, next[id], "{form}");
                    next[id] += 1;
                }
            }
            assert_eq!(next, [each; OFFERERS], "{form}");
        });
    });
}

#[test]
fn c14_each_offerer_keeps_its_order_without_a_limit() {
    const OFFERERS: usize = 3;
    let _watch = watch();
    let each = scaled(50_000, 200_000);
    every_form!(room OFFERERS * each, |form, offerer, mut drainer| {
        thread::scope(|scope| {
            for id in 0..OFFERERS {
                let mut offerer = offerer.clone();
                scope.spawn(move || {
                    let mut n = 0;
                    while n < each {
                        let many = (n % 5).min(each - n - 1) + 1;
                        match many {
                            1 => offerer.offer((id, n)).unwrap(),
                            _ => offerer.offer_all((n..n + many).map(|n| (id, n))).unwrap(),
                        }
                        n += many;
                    }
                });
            }
            drop(offerer);
            let mut next = [0; OFFERERS];
            while drainer.wait().is_ok() {
                for (id, n) in drainer.drain_up_to(7) {
                    assert_eq!(n, next[id], "{form}");
                    next[id] += 1;
                }
            }
            assert_eq!(next, [each; OFFERERS], "{form}");
        });
    });
}

/// The drainer is always asleep before the next offer.
#[test]
fn c14_a_sleeping_drainer_gets_every_item_in_order() {
    let _watch = watch();
    every_form!(room 1, |form, mut offerer, mut drainer| {
        let got = AtomicUsize::new(0);
        thread::scope(|scope| {
            let got = &got;
            scope.spawn(move || {
                while drainer.wait().is_ok() {
                    for n in drainer.drain() {
                        assert_eq!(n, got.load(Ordering::Relaxed), "{form}");
                        got.store(n + 1, Ordering::Release);
                    }
                }
            });
            for n in 0..scaled(500, 20_000) {
                // Full while the drainer still has the last one in its hands.
                spin_until(|| offerer.offer(n).is_ok());
                spin_until(|| got.load(Ordering::Acquire) > n);
                if n % 50 == 0 {
                    thread::sleep(std::time::Duration::from_micros(200));
                }
            }
            drop(offerer);
        });
    });
}
