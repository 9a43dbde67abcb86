//! Baskets in a forked child: a copy of its own.

use std::task::Context;
use std::thread;
use std::time::Duration;

use reveille::basket::{Closed, WaitError};

use crate::support::fork::{children_may_wait, fork};
use crate::support::{CountingWaker, watch};

#[test]
fn a_child_goes_on_with_its_copy() {
    let _watch = watch();
    if !children_may_wait() {
        return;
    }
    every_form!(room 10, |form, mut offerer, mut drainer| {
        offerer.offer_all(0..3).unwrap();
        assert_eq!(drainer.take(), Some(0), "{form}");
        let child = fork(|| {
            offerer.offer(3).unwrap();
            assert!(drainer.drain().eq(1..4), "{form}");
            let nothing = drainer.wait_timeout(Duration::from_millis(2));
            assert_eq!(nothing, Err(WaitError::TimedOut), "{form}");
            offerer.clone().offer(4).unwrap();
            drainer.wait().unwrap();
            assert_eq!(drainer.take(), Some(4), "{form}");
            assert!(offerer.close(), "{form}");
            assert_eq!(drainer.wait(), Err(Closed(())), "{form}");
        });
        child.join();
        assert!(!drainer.is_closed(), "{form}");
        assert!(drainer.drain().eq(1..3), "{form}");
        offerer.offer(5).unwrap();
        drainer.wait().unwrap();
        assert_eq!(drainer.take(), Some(5), "{form}");
    });
}

/// The parent's drainer sleeps. The child's offers are not for it.
#[test]
fn a_child_does_not_wake_its_parent() {
    let _watch = watch();
    if !children_may_wait() {
        return;
    }
    every_form!(room 10, |form, mut offerer, mut drainer| {
        thread::scope(|scope| {
            let sleeper = scope.spawn(move || {
                drainer.wait().unwrap();
                drainer.take()
            });
            thread::sleep(Duration::from_millis(10));
            fork(|| offerer.offer(100).unwrap()).join();
            thread::sleep(Duration::from_millis(2));
            assert!(!sleeper.is_finished(), "{form}");
            offerer.offer(1).unwrap();
            assert_eq!(sleeper.join().unwrap(), Some(1), "{form}");
        });
    });
}

/// A drainer that was announced as asleep when the process was copied.
#[test]
fn a_child_may_drain_what_was_announced_as_asleep() {
    let _watch = watch();
    every_form!(room 10, |form, mut offerer, mut drainer| {
        let counter = CountingWaker::new();
        let waker = counter.waker();
        let mut cx = Context::from_waker(&waker);
        assert!(drainer.poll_wait(&mut cx).is_pending(), "{form}");
        fork(|| {
            offerer.offer(1).unwrap();
            assert_eq!(counter.wakes(), 1, "{form}");
            assert!(drainer.poll_wait(&mut cx).is_ready(), "{form}");
            assert_eq!(drainer.take(), Some(1), "{form}");
        })
        .join();
        assert_eq!(counter.wakes(), 0, "{form}");
        offerer.offer(2).unwrap();
        assert_eq!(counter.wakes(), 1, "{form}");
        assert_eq!(drainer.take(), Some(2), "{form}");
    });
}
