//! Models of the Basket: `src/basket`, compiled over loom.

mod harness;

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use harness::{Model, Payload};
use loom::thread;
use reveille_model::basket::{
    Basket, Bounded, BoundedForm, Closed, Drainer, FixedBasket, Form, OfferError,
    OfferTimeoutError, Offerer, Slot, WaitError,
};
use reveille_model::platform::expire_timed_waits;
use reveille_model::{NoSpin, Parker};

/// Long enough that only `expire_timed_waits` ends it.
const LONG: Duration = Duration::from_secs(3600);

type Item = Arc<Payload>;

/// Drains until the end and answers the values, which loom checks to be whole.
fn drain_all<F: Form<Item>>(drainer: &mut Drainer<Item, F>) -> Vec<usize> {
    let mut values = Vec::new();
    while drainer.wait().is_ok() {
        values.extend(drainer.drain().map(|item| item.read()));
    }
    values
}

fn sorted(mut values: Vec<usize>) -> Vec<usize> {
    values.sort_unstable();
    values
}

/// Waits for a future on this thread, with a Parker behind its waker.
fn block_on<F: Future>(future: F) -> F::Output {
    let mut parker = Parker::new();
    let waker = Waker::from(parker.unparker());
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => parker.park(),
        }
    }
}

/// Items arrive whole, in order, and wake the drainer.
#[test]
fn items_arrive_whole() {
    Model::bounded(3, 100).check(|| {
        let (mut offerer, mut drainer) = Basket::unbounded();
        let producer = thread::spawn(move || {
            for value in 1..=2 {
                offerer.offer(Payload::written(value)).unwrap();
            }
        });
        assert_eq!(drain_all(&mut drainer), [1, 2]);
        producer.join().unwrap();
    });
}

/// Two offerers: each one's items come in order, none is lost, whoever of them wakes.
#[test]
fn two_offerers() {
    Model::bounded(1, 1000).check(|| {
        let (offerer, mut drainer) = Basket::unbounded();
        let producers: Vec<_> = [10, 20]
            .into_iter()
            .map(|base| {
                let mut offerer = offerer.clone();
                thread::spawn(move || {
                    offerer.offer(Payload::written(base)).unwrap();
                    offerer.offer(Payload::written(base + 1)).unwrap();
                })
            })
            .collect();
        drop(offerer);
        let values = drain_all(&mut drainer);
        for base in [10, 20] {
            let of_one: Vec<_> = values
                .iter()
                .copied()
                .filter(|v| v / 10 * 10 == base)
                .collect();
            assert_eq!(of_one, [base, base + 1]);
        }
        for producer in producers {
            producer.join().unwrap();
        }
    });
}

/// An offer that happened before a drain is in it.
#[test]
fn offer_then_drain() {
    Model::exhaustive(5).check(|| {
        let (mut offerer, mut drainer) = Basket::unbounded();
        let mut other = offerer.clone();
        let producer = thread::spawn(move || other.offer(Payload::written(1)).unwrap());
        offerer.offer(Payload::written(2)).unwrap();
        assert!(!offerer.is_drained());
        assert!(drainer.drain().any(|item| item.read() == 2));
        producer.join().unwrap();
        assert!(drainer.drain().all(|item| item.read() == 1));
        assert!(offerer.is_drained());
    });
}

/// A batch of several runs comes in one piece and in order, beside another's offer.
#[test]
fn offer_all_in_one_piece() {
    Model::bounded(2, 50).check(|| {
        // So large that a run takes one of them.
        type Large = (Arc<Payload>, [u64; 32]);
        let (mut offerer, mut drainer) = Basket::<Large>::unbounded();
        let mut other = offerer.clone();
        let single = thread::spawn(move || {
            other.offer((Payload::written(9), [0; 32])).unwrap();
        });
        let batch = thread::spawn(move || {
            let items: Vec<_> = (1..=3).map(|n| (Payload::written(n), [0; 32])).collect();
            offerer.offer_all(items).unwrap();
        });
        let mut values = Vec::new();
        while drainer.wait().is_ok() {
            values.extend(drainer.drain().map(|(item, _)| item.read()));
        }
        let at = values.iter().position(|&value| value == 1).unwrap();
        assert_eq!(values[at..at + 3], [1, 2, 3]);
        assert_eq!(values.len(), 4);
        single.join().unwrap();
        batch.join().unwrap();
    });
}

/// Chunks are freed exactly once, also half-used ones whose offerer has gone; loom tracks the memory.
#[test]
fn chunks_are_freed() {
    Model::bounded(3, 50).check(|| {
        let (mut offerer, mut drainer) = Basket::<[u64; 12]>::unbounded();
        let mut other = offerer.clone();
        let one = thread::spawn(move || {
            for _ in 0..3 {
                offerer.offer([0; 12]).unwrap();
            }
        });
        other.offer([1; 12]).unwrap();
        drop(other);
        let mut count = 0;
        while drainer.wait().is_ok() {
            count += drainer.drain().count();
        }
        assert_eq!(count, 4);
        one.join().unwrap();
    });
}

/// The end of a timed wait against an offer: the item is seen now or by the next wait.
#[test]
fn timeout_against_offer() {
    Model::bounded(3, 100).check(|| {
        let (mut offerer, mut drainer) = Basket::unbounded();
        let clock = thread::spawn(expire_timed_waits);
        let producer = thread::spawn(move || {
            offerer.offer(Payload::written(1)).unwrap();
            offerer
        });
        let first = drainer.wait_timeout(LONG);
        if first == Err(WaitError::TimedOut) {
            assert_eq!(drainer.wait(), Ok(()));
        }
        assert_eq!(drainer.take().unwrap().read(), 1);
        clock.join().unwrap();
        drop(producer.join().unwrap());
        assert_eq!(drainer.wait(), Err(Closed(())));
    });
}

/// A close carries what the closing side did, and wakes the drainer.
#[test]
fn close_carries_data() {
    Model::exhaustive(10).check(|| {
        let (offerer, mut drainer) = Basket::<Item>::unbounded();
        let data = Payload::new();
        let closer = thread::spawn({
            let data = data.clone();
            move || {
                data.write(1);
                assert!(offerer.close());
                assert!(!offerer.close());
            }
        });
        assert_eq!(drainer.wait(), Err(Closed(())));
        assert_eq!(data.read(), 1);
        closer.join().unwrap();
    });
}

/// The last offerer goes while the drainer falls asleep: it gets everything and then the end.
#[test]
fn last_offerer_drops() {
    Model::bounded(3, 100).check(|| {
        let (offerer, mut drainer) = Basket::unbounded();
        let mut other = offerer.clone();
        let one = thread::spawn(move || {
            other.offer(Payload::written(1)).unwrap();
        });
        let two = thread::spawn(move || drop(offerer));
        assert_eq!(drain_all(&mut drainer), [1]);
        one.join().unwrap();
        two.join().unwrap();
    });
}

/// The drainer closes against two offers: what was accepted is drained, what was refused came back,
/// and an offerer that was refused once is refused again.
fn close_against_offers<F: Form<Item> + 'static>(
    make: impl Fn() -> (Offerer<Item, F>, Drainer<Item, F>),
) where
    Offerer<Item, F>: Send,
{
    let (offerer, mut drainer) = make();
    let producers: Vec<_> = [1, 2]
        .into_iter()
        .map(|value| {
            let mut offerer = offerer.clone();
            thread::spawn(move || match offerer.offer(Payload::written(value)) {
                Ok(()) => Some(value),
                Err(error) => {
                    assert!(!error.is_full());
                    assert_eq!(error.into_inner().read(), value);
                    assert!(offerer.offer(Payload::written(value)).is_err());
                    None
                }
            })
        })
        .collect();
    drop(offerer);
    let mut values: Vec<_> = drainer.drain().map(|item| item.read()).collect();
    drainer.close();
    values.extend(drain_all(&mut drainer));
    let accepted: Vec<_> = producers
        .into_iter()
        .filter_map(|p| p.join().unwrap())
        .collect();
    assert_eq!(sorted(values), accepted);
    drop(drainer);
}

#[test]
fn close_against_offers_unbounded() {
    Model::bounded(3, 200).check(|| close_against_offers(Basket::unbounded));
}

#[test]
fn close_against_offers_bounded() {
    Model::bounded(2, 200).check(|| close_against_offers(|| Basket::bounded(2).unwrap()));
}

/// The drainer is dropped against an offer: the item is dropped or comes back, and the memory goes.
#[test]
fn drainer_drops() {
    Model::exhaustive(10).check(|| {
        let (mut offerer, drainer) = Basket::unbounded();
        let item = Payload::written(1);
        let producer = thread::spawn({
            let item = item.clone();
            move || drop(offerer.offer(item))
        });
        drop(drainer);
        producer.join().unwrap();
        assert_eq!(Arc::strong_count(&item), 1);
    });
}

/// The drainer sees the last item and everything is torn down while the wake is on its way.
#[test]
fn teardown_while_waking() {
    Model::bounded(3, 10).check(|| {
        let (mut offerer, mut drainer) = Basket::unbounded();
        let producer = thread::spawn(move || {
            offerer.offer(Payload::written(1)).unwrap();
        });
        drainer.wait().unwrap();
        assert_eq!(drainer.take().unwrap().read(), 1);
        drop(drainer);
        producer.join().unwrap();
    });
}

/// Offers through a shared reference.
#[test]
fn shared_offers() {
    Model::bounded(3, 50).check(|| {
        let (offerer, mut drainer) = Basket::unbounded();
        let shared = Arc::new(offerer.share());
        drop(offerer);
        let producers: Vec<_> = [1, 2]
            .into_iter()
            .map(|value| {
                let shared = shared.clone();
                thread::spawn(move || shared.offer(Payload::written(value)).unwrap())
            })
            .collect();
        drop(shared);
        let mut values = Vec::new();
        while values.len() < 2 {
            drainer.wait().unwrap();
            values.extend(drainer.drain().map(|item| item.read()));
        }
        assert_eq!(sorted(values), [1, 2]);
        for producer in producers {
            producer.join().unwrap();
        }
    });
}

/// A task that waits is woken by the waker that it registered.
#[test]
fn waker_is_seen() {
    Model::exhaustive(50).check(|| {
        let (mut offerer, mut drainer) = Basket::unbounded();
        let producer = thread::spawn(move || {
            offerer.offer(Payload::written(1)).unwrap();
            offerer
        });
        block_on(drainer.wait_async()).unwrap();
        assert_eq!(drainer.take().unwrap().read(), 1);
        drop(producer.join().unwrap());
        assert_eq!(block_on(drainer.wait_async()), Err(Closed(())));
    });
}

/// A task changes its waker between polls while an offer wakes: the one that counts is fired.
#[test]
fn waker_changes() {
    Model::bounded(4, 100).check(|| {
        let (mut offerer, mut drainer) = Basket::unbounded();
        let producer = thread::spawn(move || {
            offerer.offer(Payload::written(1)).unwrap();
            offerer.offer(Payload::written(2)).unwrap();
            offerer
        });
        let first = Parker::new();
        let mut second = Parker::new();
        let old = Waker::from(first.unparker());
        let new = Waker::from(second.unparker());
        let mut values = Vec::new();
        while values.len() < 2 {
            // loom may keep the producer in the middle of its wake for ever otherwise.
            thread::yield_now();
            // A poll whose waker is not listened to any more, then one with the waker that is.
            if drainer
                .poll_wait(&mut Context::from_waker(&old))
                .is_pending()
                && drainer
                    .poll_wait(&mut Context::from_waker(&new))
                    .is_pending()
            {
                second.park();
            }
            values.extend(drainer.drain().map(|item| item.read()));
        }
        assert_eq!(values, [1, 2]);
        drop(producer.join().unwrap());
        drop(drainer);
        // The basket keeps no waker of a task that is gone.
        drop((old, new));
    });
}

/// The drainer polls, drops that, and blocks instead: the wake goes to the thread.
#[test]
fn task_then_thread() {
    Model::bounded(4, 100).check(|| {
        let (mut offerer, mut drainer) = Basket::unbounded();
        let producer = thread::spawn(move || {
            offerer.offer(Payload::written(1)).unwrap();
            offerer.offer(Payload::written(2)).unwrap();
        });
        let parker = Parker::new();
        let waker = Waker::from(parker.unparker());
        let _ = drainer.poll_wait(&mut Context::from_waker(&waker));
        assert_eq!(drain_all(&mut drainer), [1, 2]);
        producer.join().unwrap();
    });
}

/// Slots go round: an offerer fills one only after the drainer is done with it.
#[test]
fn bounded_reuse() {
    Model::bounded(2, 10).check(|| {
        let (mut offerer, mut drainer) = Basket::bounded(2).unwrap();
        let producer = thread::spawn(move || {
            let mut value = 1;
            while value <= 4 {
                match offerer.offer(Payload::written(value)) {
                    Ok(()) => value += 1,
                    Err(OfferError::Full(_)) => thread::yield_now(),
                    Err(OfferError::Closed(_)) => unreachable!(),
                }
            }
        });
        assert_eq!(drain_all(&mut drainer), [1, 2, 3, 4]);
        producer.join().unwrap();
    });
}

/// An offerer waits for the only slot, and it is handed over.
#[test]
fn bounded_hand_off() {
    Model::bounded(3, 100).check(|| {
        let (mut offerer, drainer) = Basket::bounded(1).unwrap();
        let mut drainer = drainer.with_policy(NoSpin);
        let producer = thread::spawn(move || {
            for value in 1..=2 {
                offerer.offer_blocking(Payload::written(value)).unwrap();
            }
        });
        let mut values = Vec::new();
        while drainer.wait().is_ok() {
            values.extend(drainer.drain().map(|item| item.read()));
        }
        assert_eq!(values, [1, 2]);
        producer.join().unwrap();
    });
}

/// Two offerers wait; the drainer goes to sleep in between: none is left waiting beside room.
#[test]
fn bounded_two_wait() {
    Model::bounded(1, 500).check(|| {
        let (mut offerer, mut drainer) = Basket::bounded(1).unwrap();
        offerer.offer(Payload::written(1)).unwrap();
        let producers: Vec<_> = [2, 3]
            .into_iter()
            .map(|value| {
                let mut offerer = offerer.clone();
                thread::spawn(move || offerer.offer_blocking(Payload::written(value)).unwrap())
            })
            .collect();
        drop(offerer);
        assert_eq!(sorted(drain_all(&mut drainer)), [1, 2, 3]);
        for producer in producers {
            producer.join().unwrap();
        }
    });
}

/// Room for two is freed by one batch while two wait: both get in, though only one is woken by it.
#[test]
fn bounded_pass_on() {
    Model::bounded(2, 500).check(|| {
        let (mut offerer, mut drainer) = Basket::bounded(2).unwrap();
        offerer
            .offer_all([Payload::written(1), Payload::written(2)])
            .unwrap();
        let producers: Vec<_> = [3, 4]
            .into_iter()
            .map(|value| {
                let mut offerer = offerer.clone();
                thread::spawn(move || offerer.offer_blocking(Payload::written(value)).unwrap())
            })
            .collect();
        // One batch, and no further call of the drainer until both are in.
        let first: Vec<_> = drainer.drain().map(|item| item.read()).collect();
        for producer in producers {
            producer.join().unwrap();
        }
        let mut values = first;
        drop(offerer);
        values.extend(drain_all(&mut drainer));
        assert_eq!(sorted(values), [1, 2, 3, 4]);
    });
}

/// The end of a timed offer against the hand-off: in or back, and the slot is not lost.
#[test]
fn bounded_timeout() {
    Model::bounded(2, 200).check(|| {
        let (mut offerer, mut drainer) = Basket::bounded(1).unwrap();
        offerer.offer(Payload::written(1)).unwrap();
        let clock = thread::spawn(expire_timed_waits);
        let producer = thread::spawn(move || {
            let accepted = match offerer.offer_timeout(Payload::written(2), LONG) {
                Ok(()) => true,
                Err(OfferTimeoutError::TimedOut(item)) => item.read() != 2,
                Err(OfferTimeoutError::Closed(_)) => unreachable!(),
            };
            (offerer, accepted)
        });
        let mut values: Vec<_> = drainer.drain().map(|item| item.read()).collect();
        let (mut offerer, accepted) = producer.join().unwrap();
        clock.join().unwrap();
        values.extend(drainer.drain().map(|item| item.read()));
        assert_eq!(values, if accepted { vec![1, 2] } else { vec![1] });
        // Exactly the capacity is there, whoever had the slot.
        offerer.offer(Payload::written(3)).unwrap();
        assert!(offerer.offer(Payload::written(4)).unwrap_err().is_full());
    });
}

/// Close wakes whoever waits for room; the item comes back and what was accepted is drained.
#[test]
fn bounded_close() {
    Model::bounded(2, 200).check(|| {
        let (mut offerer, mut drainer) = Basket::bounded(1).unwrap();
        offerer.offer(Payload::written(1)).unwrap();
        let producers: Vec<_> = [2, 3]
            .into_iter()
            .map(|value| {
                let mut offerer = offerer.clone();
                thread::spawn(move || {
                    let Closed(item) = offerer.offer_blocking(Payload::written(value)).unwrap_err();
                    assert_eq!(item.read(), value);
                })
            })
            .collect();
        assert!(drainer.close());
        for producer in producers {
            producer.join().unwrap();
        }
        assert_eq!(drain_all(&mut drainer), [1]);
    });
}

/// A task waits for room; it is woken when it was handed a slot.
#[test]
fn bounded_async() {
    Model::bounded(3, 200).check(|| {
        let (mut offerer, mut drainer) = Basket::bounded(1).unwrap();
        offerer.offer(Payload::written(1)).unwrap();
        let producer = thread::spawn(move || {
            block_on(offerer.offer_async(Payload::written(2))).unwrap();
        });
        assert_eq!(drain_all(&mut drainer), [1, 2]);
        producer.join().unwrap();
    });
}

/// A task that was handed a slot gives up: the slot goes to the thread that waits behind it.
#[test]
fn bounded_async_cancel() {
    Model::bounded(1, 500).check(|| {
        let (mut offerer, mut drainer) = Basket::bounded(1).unwrap();
        offerer.offer(Payload::written(1)).unwrap();
        let mut task = offerer.clone();
        let quitter = thread::spawn(move || {
            let parker = Parker::new();
            let waker = Waker::from(parker.unparker());
            let mut offering = pin!(task.offer_async(Payload::written(2)));
            if offering
                .as_mut()
                .poll(&mut Context::from_waker(&waker))
                .is_ready()
            {
                return true;
            }
            offering.as_mut().cancel().is_none()
        });
        let mut blocking = offerer.clone();
        let producer = thread::spawn(move || {
            blocking.offer_blocking(Payload::written(3)).unwrap();
        });
        drop(offerer);
        let values = sorted(drain_all(&mut drainer));
        let offered = quitter.join().unwrap();
        producer.join().unwrap();
        assert_eq!(values, if offered { vec![1, 2, 3] } else { vec![1, 3] });
    });
}

/// A basket in the caller's storage, which is used again after both sides are gone.
#[test]
fn fixed_storage() {
    Model::bounded(2, 10).check(|| {
        fn once<F: BoundedForm<Item> + 'static>(
            mut offerer: Offerer<Item, F>,
            mut drainer: Drainer<Item, F>,
        ) where
            Offerer<Item, F>: Send,
        {
            let producer = thread::spawn(move || {
                for value in 1..=2 {
                    offerer.offer_blocking(Payload::written(value)).unwrap();
                }
            });
            assert_eq!(drain_all(&mut drainer), [1, 2]);
            producer.join().unwrap();
        }

        let basket = Box::leak(Box::new(FixedBasket::in_array([Slot::new()])));
        let address = &raw mut *basket;
        let (offerer, drainer) = basket.split();
        once(offerer, drainer);
        // SAFETY: leaked above; both sides are gone.
        let mut basket = unsafe { Box::from_raw(address) };
        let (mut offerer, mut drainer) = basket.split();
        offerer.offer(Payload::written(3)).unwrap();
        assert!(offerer.offer(Payload::written(4)).unwrap_err().is_full());
        assert_eq!(drainer.take().unwrap().read(), 3);
    });
}

const _: fn() = || {
    // The form of `Basket::bounded` can wait for room.
    fn bounded<F: BoundedForm<Item>>() {}
    bounded::<Bounded>();
};
