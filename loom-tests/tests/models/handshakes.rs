//! What every form of basket must do when one offer meets one step of the drainer: small models, for
//! they run on the form's shortest path (an offerer that the drainer knows) and name what they lose.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Wake, Waker};

use loom::thread;
use reveille_model::Parker;
use reveille_model::basket::{BoundedForm, Closed, Drainer, Form, Offerer, Unbounded};

use crate::harness::Payload;
use crate::scenarios::{Item, block_on, drain_all, fall_asleep};

type Pair<F> = (Offerer<Item, F>, Drainer<Item, F>);

/// An offerer that has offered before: the drainer knows it.
pub(crate) fn known<F: Form<Item>>((mut offerer, mut drainer): Pair<F>) -> Pair<F> {
    offerer.offer(Payload::written(0)).unwrap();
    assert_eq!(drainer.take().unwrap().read(), 0);
    (offerer, drainer)
}

/// One offer against one sleep.
pub(crate) fn offer_against_sleep<F: Form<Item> + 'static>(pair: Pair<F>)
where
    Offerer<Item, F>: Send,
{
    let (mut offerer, mut drainer) = known(pair);
    let producer = thread::spawn(move || {
        offerer.offer(Payload::written(1)).unwrap();
        offerer
    });
    drainer.wait().unwrap();
    assert_eq!(drainer.take().unwrap().read(), 1);
    drop(producer.join().unwrap());
}

/// Counts its wakes, and is nothing to loom.
#[derive(Default)]
struct Count(AtomicUsize);

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// Two offers against one sleep: exactly one wakes it, and has when it returns.
pub(crate) fn one_wake_per_sleep<F: Form<Item> + 'static>(pair: Pair<F>)
where
    Offerer<Item, F>: Send,
{
    let (mut offerer, mut drainer) = known(pair);
    let wakes = Arc::new(Count::default());
    let waker = Waker::from(wakes.clone());
    let producer = thread::spawn(move || {
        offerer.offer(Payload::written(1)).unwrap();
        offerer.offer(Payload::written(2)).unwrap();
        offerer
    });
    let asleep = drainer.poll_wait(&mut Context::from_waker(&waker)).is_pending();
    let offerer = producer.join().unwrap();
    let wakes = wakes.0.load(Ordering::Relaxed);
    assert!(wakes == 1 || !asleep, "an offer that has returned has woken the drainer");
    assert!(wakes <= 1, "one wake per sleep");
    assert!(drainer.drain().map(|item| item.read()).eq([1, 2]));
    drop(offerer);
}

/// One batch against one sleep: it is seen whole.
pub(crate) fn batch_against_sleep<F: Form<Item> + 'static>(pair: Pair<F>)
where
    Offerer<Item, F>: Send,
{
    let (mut offerer, mut drainer) = known(pair);
    let producer = thread::spawn(move || {
        offerer.offer_all([Payload::written(1), Payload::written(2)]).unwrap();
        offerer
    });
    drainer.wait().unwrap();
    assert!(drainer.drain().map(|item| item.read()).eq([1, 2]));
    drop(producer.join().unwrap());
}

fn close_against<F: Form<Item> + 'static>(
    pair: Pair<F>,
    offer: impl FnOnce(&mut Offerer<Item, F>) -> bool + Send + 'static,
    offered: &[usize],
) where
    Offerer<Item, F>: Send,
{
    let (mut offerer, mut drainer) = pair;
    let producer = thread::spawn(move || {
        let accepted = offer(&mut offerer);
        (offerer, accepted)
    });
    drainer.close();
    let values = drain_all(&mut drainer);
    let (offerer, accepted) = producer.join().unwrap();
    assert_eq!(values, if accepted { offered } else { &[] }, "accepted is drained before the end");
    drop(offerer);
}

/// The drainer closes against one offer: it is refused, or drained before the end is reported.
pub(crate) fn close_against_offer<F: Form<Item> + 'static>(pair: Pair<F>)
where
    Offerer<Item, F>: Send,
{
    close_against(known(pair), |offerer| offerer.offer(Payload::written(1)).is_ok(), &[1]);
}

/// The drainer closes against the first offer of an offerer that it does not know.
pub(crate) fn close_against_first_offer<F: Form<Item> + 'static>(pair: Pair<F>)
where
    Offerer<Item, F>: Send,
{
    close_against(pair, |offerer| offerer.offer(Payload::written(1)).is_ok(), &[1]);
}

/// The drainer closes against a batch: all of it is refused, or drained before the end is reported.
pub(crate) fn close_against_batch<F: Form<Item> + 'static>(pair: Pair<F>)
where
    Offerer<Item, F>: Send,
{
    let offer = |offerer: &mut Offerer<Item, F>| match offerer
        .offer_all([Payload::written(1), Payload::written(2)])
    {
        Ok(()) => true,
        Err(error) => {
            assert!(error.is_closed());
            assert!(error.into_inner().iter().map(|item| item.read()).eq([1, 2]));
            false
        }
    };
    close_against(known(pair), offer, &[1, 2]);
}

/// A close wakes the task that waits, by the waker that it registered.
pub(crate) fn close_wakes_task<F: Form<Item> + 'static>((offerer, mut drainer): Pair<F>)
where
    Offerer<Item, F>: Send,
{
    let closer = thread::spawn(move || {
        offerer.close();
        offerer
    });
    assert_eq!(block_on(drainer.wait_async()), Err(Closed(())));
    drop(closer.join().unwrap());
}

/// Whoever sees that it is closed sees what the closing side did.
pub(crate) fn closed_is_seen<F: Form<Item> + 'static>((offerer, mut drainer): Pair<F>)
where
    Offerer<Item, F>: Send,
{
    let data = Payload::new();
    let looker = thread::spawn({
        let data = data.clone();
        move || {
            if offerer.is_closed() {
                assert_eq!(data.read(), 1);
            }
            offerer
        }
    });
    data.write(1);
    drainer.close();
    drop(looker.join().unwrap());
}

/// The end comes after everything that any offerer did before it went, the last one or not.
pub(crate) fn drops_carry_data<F: Form<Item> + 'static>((offerer, mut drainer): Pair<F>)
where
    Offerer<Item, F>: Send,
{
    let data = [Payload::new(), Payload::new()];
    let offerers = [offerer.clone(), offerer];
    let threads: Vec<_> = offerers
        .into_iter()
        .zip(data.clone())
        .map(|(offerer, data)| {
            thread::spawn(move || {
                data.write(1);
                drop(offerer);
            })
        })
        .collect();
    if drainer.is_closed() {
        assert!(data.iter().all(|data| data.read() == 1));
    }
    assert!(drainer.wait().is_err());
    assert!(data.iter().all(|data| data.read() == 1));
    for thread in threads {
        thread.join().unwrap();
    }
}

/// A drainer that polled is dropped against an offer: the wake finds nobody and hurts nobody.
pub(crate) fn armed_drainer_drops<F: Form<Item> + 'static>(pair: Pair<F>)
where
    Offerer<Item, F>: Send,
{
    let (mut offerer, mut drainer) = known(pair);
    let parker = Parker::new();
    let waker = Waker::from(parker.unparker());
    assert!(drainer.poll_wait(&mut Context::from_waker(&waker)).is_pending());
    let item = Payload::written(1);
    let producer = thread::spawn({
        let item = item.clone();
        move || {
            let _ = offerer.offer(item);
            offerer
        }
    });
    drop(drainer);
    let offerer = producer.join().unwrap();
    assert_eq!(Arc::strong_count(&item), 1);
    assert!(offerer.is_closed());
}

/// An armed drainer, by a poll, is looked into without a wait: the announcement is taken back, and the
/// next sleep is honoured.
pub(crate) fn drain_while_armed<F: Form<Item> + 'static>(pair: Pair<F>)
where
    Offerer<Item, F>: Send,
{
    let (mut offerer, mut drainer) = known(pair);
    fall_asleep(&mut drainer);
    let producer = thread::spawn(move || {
        offerer.offer(Payload::written(1)).unwrap();
        offerer
    });
    if let Some(item) = drainer.take() {
        assert_eq!(item.read(), 1);
    } else {
        drainer.wait().unwrap();
        assert_eq!(drainer.take().unwrap().read(), 1);
    }
    drop(producer.join().unwrap());
}

/// The drainer goes while an offerer waits for the only room: the item comes back.
pub(crate) fn drop_against_wait<F: BoundedForm<Item> + 'static>((mut offerer, drainer): Pair<F>)
where
    Offerer<Item, F>: Send,
{
    offerer.offer(Payload::written(1)).unwrap();
    let producer = thread::spawn(move || match offerer.offer_blocking(Payload::written(2)) {
        // Room that a drainer gives back on its way out may let it in; it is dropped there.
        Ok(()) => None,
        Err(error) => Some(error.into_inner().read()),
    });
    drop(drainer);
    assert!(matches!(producer.join().unwrap(), None | Some(2)));
}

/// An offerer was quiet for so many sleeps that the drainer strikes its lane off with the next one, or
/// finds that it offers again; afterwards it is known as before.
pub(crate) fn lane_is_struck(
    pair: (Offerer<Item, Unbounded>, Drainer<Item, Unbounded>),
    sleeps: usize,
) {
    let (mut idle, mut drainer) = known(pair);
    (0..sleeps).for_each(|_| fall_asleep(&mut drainer));
    let producer = thread::spawn(move || {
        idle.offer(Payload::written(1)).unwrap();
        idle
    });
    drainer.wait().unwrap();
    assert_eq!(drainer.take().unwrap().read(), 1);
    let mut idle = producer.join().unwrap();
    idle.offer(Payload::written(2)).unwrap();
    assert_eq!(drainer.take().unwrap().read(), 2);
}

/// The first offer of an offerer against one sleep.
pub(crate) fn first_offer_against_sleep<F: Form<Item> + 'static>(
    (mut offerer, mut drainer): Pair<F>,
) where
    Offerer<Item, F>: Send,
{
    let producer = thread::spawn(move || {
        offerer.offer(Payload::written(1)).unwrap();
        offerer
    });
    drainer.wait().unwrap();
    assert_eq!(drainer.take().unwrap().read(), 1);
    drop(producer.join().unwrap());
}

/// The drainer counts while an offerer that it does not know offers. (It is the drainer that has a
/// thread of its own: loom would not try the other order where a look comes first.)
pub(crate) fn length_beside_offer<F: Form<Item> + 'static>((mut offerer, drainer): Pair<F>)
where
    Drainer<Item, F>: Send,
{
    let counter = thread::spawn(move || {
        assert!(drainer.len() <= 1);
        drainer
    });
    offerer.offer(Payload::written(1)).unwrap();
    let drainer = counter.join().unwrap();
    assert_eq!(drainer.len(), 1);
    drop((offerer, drainer));
}

/// Both sides go at once.
pub(crate) fn both_sides_go<F: Form<Item> + 'static>(pair: Pair<F>)
where
    Offerer<Item, F>: Send,
{
    let (offerer, drainer) = known(pair);
    let other = thread::spawn(move || drop(offerer));
    drop(drainer);
    other.join().unwrap();
}

// Forms with a limit.

/// A task that waits for the only room gives up, while the drainer may hand it that: the room is there
/// for the task behind it, and then for anybody.
pub(crate) fn task_cancels<F: BoundedForm<Item> + 'static>((mut offerer, mut drainer): Pair<F>)
where
    Drainer<Item, F>: Send,
{
    offerer.offer(Payload::written(1)).unwrap();
    let (mut one, mut two) = (offerer.clone(), offerer.clone());
    let mut first = pin!(one.offer_async(Payload::written(2)));
    let mut second = pin!(two.offer_async(Payload::written(3)));
    let mut cx = Context::from_waker(Waker::noop());
    assert!(first.as_mut().poll(&mut cx).is_pending());
    assert!(second.as_mut().poll(&mut cx).is_pending());
    let draining = thread::spawn(move || {
        assert!(drainer.drain().map(|item| item.read()).eq([1]));
        drainer
    });
    assert_eq!(first.as_mut().cancel().unwrap().read(), 2);
    let mut drainer = draining.join().unwrap();
    assert!(second.as_mut().poll(&mut cx).is_ready(), "the room goes to the next");
    assert!(drainer.drain().map(|item| item.read()).eq([3]));
    offerer.offer(Payload::written(4)).unwrap();
    assert!(offerer.offer(Payload::written(5)).unwrap_err().is_full());
}

/// Room for two of eight is freed at once while two wait: both get in, though only one is woken by it
/// and the drainer does nothing more.
pub(crate) fn pass_on_of_eight<F: BoundedForm<Item> + 'static>((mut offerer, mut drainer): Pair<F>)
where
    Offerer<Item, F>: Send,
{
    offerer.offer_all((1..=8).map(Payload::written)).unwrap();
    let producers = [9, 10].map(|value| {
        let mut offerer = offerer.clone();
        thread::spawn(move || offerer.offer_blocking(Payload::written(value)).unwrap())
    });
    drop(offerer);
    assert!(drainer.drain_up_to(2).map(|item| item.read()).eq([1, 2]));
    for producer in producers {
        producer.join().unwrap();
    }
    let mut values: Vec<_> = drainer.drain().map(|item| item.read()).collect();
    values.sort_unstable();
    assert!(values.into_iter().eq(3..=10));
}

/// An offer that waited for the only room is served and then refused: the room is given back.
pub(crate) fn refused_after_wait<F: BoundedForm<Item> + 'static>(
    (mut offerer, mut drainer): Pair<F>,
) where
    Offerer<Item, F>: Send,
{
    offerer.offer(Payload::written(1)).unwrap();
    let producer = thread::spawn(move || {
        let refused = offerer.offer_blocking(Payload::written(2)).is_err();
        (offerer, refused)
    });
    assert_eq!(drainer.take().unwrap().read(), 1);
    drainer.close();
    let (offerer, refused) = producer.join().unwrap();
    assert_eq!(offerer.len(), usize::from(!refused));
}
