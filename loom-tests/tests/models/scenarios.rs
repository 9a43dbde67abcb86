//! What every form of basket must do, as models over any of them.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use loom::thread;
use reveille_model::Parker;
use reveille_model::basket::{BoundedForm, Closed, Drainer, Form, OfferError, Offerer, WaitError};
use reveille_model::platform::expire_timed_waits;

use crate::harness::Payload;

/// Long enough that only `expire_timed_waits` ends it.
pub(crate) const LONG: Duration = Duration::from_secs(3600);

pub(crate) type Item = Arc<Payload>;
type Pair<F> = (Offerer<Item, F>, Drainer<Item, F>);

/// Drains until the end and answers the values, which loom checks to be whole.
pub(crate) fn drain_all<F: Form<Item>>(drainer: &mut Drainer<Item, F>) -> Vec<usize> {
    let mut values = Vec::new();
    while drainer.wait().is_ok() {
        values.extend(drainer.drain().map(|item| item.read()));
    }
    values
}

pub(crate) fn sorted(mut values: Vec<usize>) -> Vec<usize> {
    values.sort_unstable();
    values
}

/// Waits for a future on this thread, with a Parker behind its waker.
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
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

/// Offers one of the form's waiting kinds of item, each from its own thread, and goes.
fn spawn_offers<F: Form<Item> + 'static>(
    offerer: Offerer<Item, F>,
    values: &[usize],
) -> Vec<thread::JoinHandle<()>>
where
    Offerer<Item, F>: Send,
{
    let threads = values
        .iter()
        .map(|&value| {
            let mut offerer = offerer.clone();
            thread::spawn(move || offerer.offer(Payload::written(value)).unwrap())
        })
        .collect();
    drop(offerer);
    threads
}

fn join<R>(threads: Vec<thread::JoinHandle<R>>) -> Vec<R> {
    threads.into_iter().map(|thread| thread.join().unwrap()).collect()
}

/// Polls once with a waker that nobody listens to: the drainer announces that it sleeps.
pub(crate) fn fall_asleep<T, F: Form<T>>(drainer: &mut Drainer<T, F>) {
    let parker = Parker::new();
    let waker = Waker::from(parker.unparker());
    let _ = drainer.poll_wait(&mut Context::from_waker(&waker));
}

/// Items arrive whole and in order, and wake the drainer; then comes the end.
pub(crate) fn items_arrive_whole<F: Form<Item> + 'static>((mut offerer, mut drainer): Pair<F>)
where
    Offerer<Item, F>: Send,
{
    let producer = thread::spawn(move || {
        for value in 1..=2 {
            offerer.offer(Payload::written(value)).unwrap();
        }
    });
    assert_eq!(drain_all(&mut drainer), [1, 2]);
    producer.join().unwrap();
}

/// Two offerers: none of their items is lost, whoever of them wakes.
pub(crate) fn two_offerers<F: Form<Item> + 'static>((offerer, mut drainer): Pair<F>)
where
    Offerer<Item, F>: Send,
{
    let producers = spawn_offers(offerer, &[1, 2]);
    assert_eq!(sorted(drain_all(&mut drainer)), [1, 2]);
    join(producers);
}

/// Two offerers of two items: each one's come in order.
pub(crate) fn fifo_per_offerer<F: Form<Item> + 'static>((mut offerer, mut drainer): Pair<F>)
where
    Offerer<Item, F>: Send,
{
    let mut other = offerer.clone();
    let producer = thread::spawn(move || {
        other.offer(Payload::written(10)).unwrap();
        other.offer(Payload::written(11)).unwrap();
    });
    offerer.offer(Payload::written(20)).unwrap();
    offerer.offer(Payload::written(21)).unwrap();
    drop(offerer);
    let values = drain_all(&mut drainer);
    assert_eq!(values.len(), 4);
    for base in [10, 20] {
        let of_one: Vec<_> = values.iter().copied().filter(|v| v / 10 * 10 == base).collect();
        assert_eq!(of_one, [base, base + 1]);
    }
    producer.join().unwrap();
}

/// An offer that happened before a drain is in it.
pub(crate) fn offer_then_drain<F: Form<Item> + 'static>((mut offerer, mut drainer): Pair<F>)
where
    Offerer<Item, F>: Send,
{
    let producer = spawn_offers(offerer.clone(), &[1]);
    offerer.offer(Payload::written(2)).unwrap();
    assert!(!drainer.is_empty());
    assert!(drainer.drain().any(|item| item.read() == 2));
    join(producer);
    assert!(drainer.drain().all(|item| item.read() == 1));
    assert!(drainer.is_empty());
}

/// The end of a timed wait against an offer: the item is seen now or by the next wait.
pub(crate) fn timeout_against_offer<F: Form<Item> + 'static>((mut offerer, mut drainer): Pair<F>)
where
    Offerer<Item, F>: Send,
{
    let clock = thread::spawn(expire_timed_waits);
    // Nothing to loom: it switches threads nowhere between the step that decides and a look at this.
    let offered = Arc::new(AtomicBool::new(false));
    let producer = thread::spawn({
        let offered = offered.clone();
        move || {
            offerer.offer(Payload::written(1)).unwrap();
            offered.store(true, Ordering::Relaxed);
            offerer
        }
    });
    if drainer.wait_timeout(LONG) == Err(WaitError::TimedOut) {
        assert!(!offered.load(Ordering::Relaxed), "items win over the deadline");
        assert_eq!(drainer.wait(), Ok(()));
    }
    assert_eq!(drainer.take().unwrap().read(), 1);
    clock.join().unwrap();
    drop(producer.join().unwrap());
    assert_eq!(drainer.wait(), Err(Closed(())));
}

/// A close carries what the closing side did, and wakes the drainer.
pub(crate) fn close_carries_data<F: Form<Item> + 'static>((offerer, mut drainer): Pair<F>)
where
    Offerer<Item, F>: Send,
{
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
}

/// The last offerer goes while the drainer falls asleep: it gets everything and then the end.
pub(crate) fn last_offerer_drops<F: Form<Item> + 'static>((offerer, mut drainer): Pair<F>)
where
    Offerer<Item, F>: Send,
{
    let one = spawn_offers(offerer.clone(), &[1]);
    let two = thread::spawn(move || drop(offerer));
    assert_eq!(drain_all(&mut drainer), [1]);
    join(one);
    two.join().unwrap();
}

/// The drainer closes against two offers: what was accepted is drained, what was refused came back,
/// and an offerer that was refused once is refused again.
pub(crate) fn close_against_offers<F: Form<Item> + 'static>((offerer, mut drainer): Pair<F>)
where
    Offerer<Item, F>: Send,
{
    let producers: Vec<_> = [1, 2]
        .into_iter()
        .map(|value| {
            let mut offerer = offerer.clone();
            thread::spawn(move || match offerer.offer(Payload::written(value)) {
                Ok(()) => Some(value),
                Err(error) => {
                    assert!(error.is_closed());
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
    let accepted: Vec<_> = join(producers).into_iter().flatten().collect();
    assert_eq!(sorted(values), accepted);
}

/// The drainer is dropped against an offer: the item is dropped or comes back, before the offerer
/// goes.
pub(crate) fn drainer_drops<F: Form<Item> + 'static>((mut offerer, drainer): Pair<F>)
where
    Offerer<Item, F>: Send,
{
    let first = Payload::written(1);
    let second = Payload::written(2);
    offerer.offer(first.clone()).unwrap();
    let producer = thread::spawn({
        let second = second.clone();
        move || {
            let accepted = offerer.offer(second).is_ok();
            (offerer, accepted)
        }
    });
    drop(drainer);
    let (mut offerer, _) = producer.join().unwrap();
    assert_eq!(Arc::strong_count(&first), 1);
    assert_eq!(Arc::strong_count(&second), 1);
    assert!(offerer.offer(first).unwrap_err().is_closed());
}

/// The drainer sees the last item and everything is torn down while the wake is on its way.
pub(crate) fn teardown_while_waking<F: Form<Item> + 'static>((offerer, mut drainer): Pair<F>)
where
    Offerer<Item, F>: Send,
{
    let producer = spawn_offers(offerer, &[1]);
    drainer.wait().unwrap();
    assert_eq!(drainer.take().unwrap().read(), 1);
    drop(drainer);
    join(producer);
}

/// A task that waits is woken by the waker that it registered.
pub(crate) fn waker_is_seen<F: Form<Item> + 'static>((mut offerer, mut drainer): Pair<F>)
where
    Offerer<Item, F>: Send,
{
    let producer = thread::spawn(move || {
        offerer.offer(Payload::written(1)).unwrap();
        offerer
    });
    block_on(drainer.wait_async()).unwrap();
    assert_eq!(drainer.take().unwrap().read(), 1);
    drop(producer.join().unwrap());
    assert_eq!(block_on(drainer.wait_async()), Err(Closed(())));
}

/// A task changes its waker between polls while offers wake: the one that counts is fired.
pub(crate) fn waker_changes<F: Form<Item> + 'static>((mut offerer, mut drainer): Pair<F>)
where
    Offerer<Item, F>: Send,
{
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
        // A poll whose waker is not listened to any more, then one with the waker that is.
        if drainer.poll_wait(&mut Context::from_waker(&old)).is_pending()
            && drainer.poll_wait(&mut Context::from_waker(&new)).is_pending()
        {
            second.park();
            // A registration that met a wake under way has fired itself. Without this loom may keep
            // that wake where it is, for ever.
            thread::yield_now();
        }
        values.extend(drainer.drain().map(|item| item.read()));
    }
    assert_eq!(values, [1, 2]);
    let offerer = producer.join().unwrap();
    // No wake is under way: a poll that finds nothing does not fire itself.
    assert!(drainer.poll_wait(&mut Context::from_waker(&new)).is_pending());
    while second.try_park() {}
    assert!(drainer.poll_wait(&mut Context::from_waker(&new)).is_pending());
    assert!(!second.try_park(), "a poll has fired itself");
    drop(offerer);
}

/// The drainer polls, drops that, and blocks instead: the wake goes to the thread.
pub(crate) fn task_then_thread<F: Form<Item> + 'static>((mut offerer, mut drainer): Pair<F>)
where
    Offerer<Item, F>: Send,
{
    let producer = thread::spawn(move || {
        offerer.offer(Payload::written(1)).unwrap();
        offerer.offer(Payload::written(2)).unwrap();
    });
    let parker = Parker::new();
    let waker = Waker::from(parker.unparker());
    let _ = drainer.poll_wait(&mut Context::from_waker(&waker));
    assert_eq!(drain_all(&mut drainer), [1, 2]);
    producer.join().unwrap();
}

// Forms with a limit, each made with room for as many items as is said.

/// Room goes round: what is full becomes free, and every item arrives whole.
pub(crate) fn reuse_of_two<F: BoundedForm<Item> + 'static>((mut offerer, mut drainer): Pair<F>)
where
    Offerer<Item, F>: Send,
{
    let producer = thread::spawn(move || {
        let mut value = 1;
        while value <= 3 {
            match offerer.offer(Payload::written(value)) {
                Ok(()) => value += 1,
                Err(OfferError::Full(_)) => thread::yield_now(),
                Err(_) => unreachable!(),
            }
        }
    });
    assert_eq!(drain_all(&mut drainer), [1, 2, 3]);
    producer.join().unwrap();
}

/// An offerer waits for the only room, and gets it.
pub(crate) fn hand_off_of_one<F: BoundedForm<Item> + 'static>((mut offerer, mut drainer): Pair<F>)
where
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

/// Two offerers wait for the only room; the drainer sleeps in between: nobody waits beside room.
pub(crate) fn two_wait_for_one<F: BoundedForm<Item> + 'static>((mut offerer, mut drainer): Pair<F>)
where
    Offerer<Item, F>: Send,
{
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
    join(producers);
}

/// The end of a timed offer against the hand-off: in or back, and no room is lost.
pub(crate) fn timeout_of_one<F: BoundedForm<Item> + 'static>((mut offerer, mut drainer): Pair<F>)
where
    Offerer<Item, F>: Send,
{
    offerer.offer(Payload::written(1)).unwrap();
    let clock = thread::spawn(expire_timed_waits);
    let producer = thread::spawn(move || {
        let accepted = match offerer.offer_timeout(Payload::written(2), LONG) {
            Ok(()) => true,
            Err(OfferError::TimedOut(item)) => item.read() != 2,
            Err(_) => unreachable!(),
        };
        (offerer, accepted)
    });
    let mut values: Vec<_> = drainer.drain().map(|item| item.read()).collect();
    let (mut offerer, accepted) = producer.join().unwrap();
    clock.join().unwrap();
    values.extend(drainer.drain().map(|item| item.read()));
    assert_eq!(values, if accepted { vec![1, 2] } else { vec![1] });
    // Exactly the capacity is there, whoever had the room.
    offerer.offer(Payload::written(3)).unwrap();
    assert!(offerer.offer(Payload::written(4)).unwrap_err().is_full());
}

/// Close wakes whoever waits for room; the item comes back and what was accepted is drained.
pub(crate) fn close_of_one<F: BoundedForm<Item> + 'static>((mut offerer, mut drainer): Pair<F>)
where
    Offerer<Item, F>: Send,
{
    offerer.offer(Payload::written(1)).unwrap();
    let producers: Vec<_> = [2, 3]
        .into_iter()
        .map(|value| {
            let mut offerer = offerer.clone();
            thread::spawn(move || {
                let error = offerer.offer_blocking(Payload::written(value)).unwrap_err();
                assert!(error.is_closed());
                assert_eq!(error.into_inner().read(), value);
            })
        })
        .collect();
    assert!(drainer.close());
    join(producers);
    assert_eq!(drain_all(&mut drainer), [1]);
}

/// A task waits for the only room; it is woken when it was handed it.
pub(crate) fn task_waits_for_one<F: BoundedForm<Item> + 'static>(
    (mut offerer, mut drainer): Pair<F>,
) where
    Offerer<Item, F>: Send,
{
    offerer.offer(Payload::written(1)).unwrap();
    let producer = thread::spawn(move || {
        block_on(offerer.offer_async(Payload::written(2))).unwrap();
    });
    assert_eq!(drain_all(&mut drainer), [1, 2]);
    producer.join().unwrap();
}
