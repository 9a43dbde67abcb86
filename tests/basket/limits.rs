//! Capacities of every size.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use reveille::Basket;
use reveille::basket::{CapacityError, FixedBasket, OfferError, Slot};

use crate::support::{Random, scaled, watch};

#[test]
fn c15_no_room_is_an_error() {
    assert_eq!(Basket::<u8>::bounded(0).err(), Some(CapacityError::Zero));
    assert_eq!(Basket::<u8>::weighed(0, |_| 1).err(), Some(CapacityError::Zero));
    let none: &mut [Slot<u8>] = &mut [];
    assert_eq!(FixedBasket::new(none).err(), Some(CapacityError::Zero));
    let none: Box<[Slot<u8>]> = Box::new([]);
    assert_eq!(FixedBasket::new(none).err(), Some(CapacityError::Zero));
}

#[test]
fn c15_too_much_room_is_an_error() {
    for capacity in [usize::MAX, usize::MAX - 1, usize::MAX / 2 + 1, usize::MAX / 2] {
        assert_eq!(Basket::<u64>::bounded(capacity).err(), Some(CapacityError::TooLarge));
        assert_eq!(Basket::<()>::bounded(capacity).err(), Some(CapacityError::TooLarge));
        let weighed = Basket::<u64>::weighed(capacity, |_| 1);
        assert_eq!(weighed.err(), Some(CapacityError::TooLarge));
    }
}

/// Room is counted, not allocated.
#[test]
fn c15_huge_room_works() {
    const HUGE: usize = usize::MAX >> 4;
    let (mut offerer, mut drainer) = Basket::bounded(HUGE).unwrap();
    assert_eq!(offerer.capacity(), HUGE);
    offerer.offer_all(0..1000).unwrap();
    assert_eq!(offerer.len(), 1000);
    assert!(drainer.drain().eq(0..1000));
    assert!(offerer.is_empty());

    // The weights wrap around many times.
    let (mut offerer, mut drainer) = Basket::weighed(HUGE, |&weight| weight).unwrap();
    for _ in 0..100 {
        offerer.offer(HUGE - 1).unwrap();
        offerer.offer(1).unwrap();
        assert_eq!(offerer.offer(1), Err(OfferError::Full(1)));
        assert_eq!(offerer.offer(HUGE + 1), Err(OfferError::TooHeavy(HUGE + 1)));
        assert_eq!(offerer.offer(usize::MAX), Err(OfferError::TooHeavy(usize::MAX)));
        assert_eq!(offerer.len(), HUGE);
        assert!(drainer.drain().eq([HUGE - 1, 1]));
        assert_eq!(offerer.len(), 0);
    }
}

#[test]
fn c15_so_many_fit_and_no_more() {
    for room in [1, 2, 3, 5, 7, 8, 9, 31, 32, 33, 1000] {
        let mut random = Random::new(room as u64);
        bounded_forms!(room room, |form, mut offerer, mut drainer| {
            assert_eq!((offerer.capacity(), drainer.capacity()), (room, room), "{form}");
            for n in 0..room {
                offerer.offer(n).unwrap();
                assert_eq!(offerer.len(), n + 1, "{form}");
            }
            assert_eq!(offerer.offer(room), Err(OfferError::Full(room)), "{form}");
            assert_eq!(drainer.drain().count(), room, "{form}");
            let (mut next_in, mut next_out) = (0, 0);
            while next_out < 80 * room {
                for _ in 0..random.within(1..room + 2) {
                    let fits = next_in - next_out < room;
                    assert_eq!(offerer.offer(next_in).is_ok(), fits, "{form}: {room}");
                    next_in += usize::from(fits);
                }
                for n in drainer.drain_up_to(random.within(1..room + 2)) {
                    assert_eq!(n, next_out, "{form}: {room}");
                    next_out += 1;
                }
                assert_eq!(offerer.len(), next_in - next_out, "{form}: {room}");
            }
        });
    }
}

/// However offers come and go, in the end there is as much room as in the beginning.
#[test]
fn room_is_never_lost() {
    const OFFERERS: usize = 4;
    let _watch = watch();
    for room in [1, 3, 8] {
        bounded_forms!(room room, |form, mut offerer, mut drainer| {
            let running = AtomicUsize::new(OFFERERS);
            thread::scope(|scope| {
                for _ in 0..OFFERERS {
                    let (mut offerer, running) = (offerer.clone(), &running);
                    scope.spawn(move || {
                        for n in 0..scaled(2000, 60_000) {
                            match n % 5 {
                                0 => drop(offerer.offer(n)),
                                1 => drop(offerer.offer_all(0..n % 7)),
                                2 => drop(offerer.offer_timeout(n, Duration::ZERO)),
                                3 => drop(offerer.offer_timeout(n, Duration::from_micros(20))),
                                _ => offerer.offer_blocking(n).unwrap(),
                            }
                        }
                        running.fetch_sub(1, Ordering::SeqCst);
                    });
                }
                while running.load(Ordering::SeqCst) > 0 {
                    let _: Result<(), _> = drainer.wait_timeout(Duration::from_millis(1));
                    let _: usize = drainer.drain_up_to(room).count();
                }
            });
            let _: usize = drainer.drain().count();
            assert_eq!(offerer.len(), 0, "{form}");
            (0..room).for_each(|n| offerer.offer(n).unwrap());
            assert!(offerer.offer(0).is_err(), "{form}");
        });
    }
}

#[test]
fn batches_count_against_the_limit_item_by_item() {
    bounded_forms!(room 10, |form, mut offerer, mut drainer| {
        offerer.offer_all(0..7).unwrap();
        assert_eq!(offerer.offer_all(7..14), Err(OfferError::Full((10..14).collect())), "{form}");
        assert_eq!(offerer.len(), 10, "{form}");
        assert!(drainer.drain().eq(0..10), "{form}");
        assert!(offerer.is_empty(), "{form}");
    });
}

/// A batch gives room back as it goes, up to 32 items late, and all of it when it ends.
#[test]
fn room_comes_back_with_the_batch() {
    bounded_forms!(room 256, |form, mut offerer, mut drainer| {
        offerer.offer_all(0..256).unwrap();
        let mut batch = drainer.drain();
        for taken in 1..=256 {
            assert!(batch.next().is_some(), "{form}");
            let used = offerer.len();
            assert!(used >= 256 - taken && used <= 256 - taken + 32, "{form}: {used} at {taken}");
        }
        drop(batch);
        assert_eq!(offerer.len(), 0, "{form}");
        offerer.offer_all(0..256).unwrap();
        let mut batch = drainer.drain();
        assert!(batch.nth(9).is_some(), "{form}");
        std::mem::forget(batch);
        assert!(drainer.take().is_some(), "{form}");
        assert_eq!(offerer.len(), 245, "{form}");
    });
}
