//! An executor of one thread: its run queue is a basket, and idle it sleeps there.
//!
//! A task's waker offers the task to the basket of ready ones; only the offer that finds the executor
//! asleep wakes it. `block_on` shows the smaller case, one task on a park slot's own waker.
//!
//! `cargo run --example executor`

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;

use reveille::basket::{Drainer, Ordered, SharedOfferer};
use reveille::{Basket, Parker, oneshot};

/// Runs one future on this thread.
fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let mut parker = Parker::new();
    let waker = Waker::from(parker.unparker());
    let mut cx = Context::from_waker(&waker);
    loop {
        match future.as_mut().poll(&mut cx) {
            Poll::Ready(output) => return output,
            Poll::Pending => parker.park(),
        }
    }
}

struct Task {
    /// Polled by the executor's thread alone; the mutex says so to the compiler.
    future: Mutex<Option<Pin<Box<dyn Future<Output = ()> + Send>>>>,
    /// It is in the basket, or about to be: more wakes change nothing.
    queued: AtomicBool,
    ready: SharedOfferer<Arc<Self>>,
}

impl Wake for Task {
    fn wake(self: Arc<Self>) {
        if !self.queued.swap(true, Ordering::AcqRel) {
            // Refused only when the executor is gone.
            let _ = self.ready.offer(Arc::clone(&self));
        }
    }
}

struct Executor {
    ready: Drainer<Arc<Task>, Ordered>,
    offerer: SharedOfferer<Arc<Task>>,
    alive: usize,
}

impl Executor {
    fn new() -> Self {
        let (offerer, ready) = Basket::ordered();
        Self { ready, offerer: offerer.share(), alive: 0 }
    }

    fn spawn(&mut self, future: impl Future<Output = ()> + Send + 'static) {
        let task = Task {
            future: Mutex::new(Some(Box::pin(future))),
            queued: AtomicBool::new(false),
            ready: self.offerer.clone(),
        };
        self.alive += 1;
        Arc::new(task).wake();
    }

    /// Until all tasks are done.
    fn run(&mut self) {
        while self.alive > 0 && self.ready.wait().is_ok() {
            for task in self.ready.drain() {
                // Before the poll: a wake during it queues the task again.
                task.queued.store(false, Ordering::Release);
                let waker = Waker::from(Arc::clone(&task));
                let mut future = task.future.lock().unwrap_or_else(PoisonError::into_inner);
                let Some(running) = future.as_mut() else { continue };
                if running.as_mut().poll(&mut Context::from_waker(&waker)).is_ready() {
                    *future = None;
                    self.alive -= 1;
                }
            }
        }
    }
}

fn main() {
    let (sum, total) = oneshot::pair();
    let mut executor = Executor::new();
    let (results, mut arrived) = Basket::unbounded();
    // A hundred tasks, each waiting for an answer that another thread gives.
    let completers: Vec<_> = (0..100_u64)
        .map(|_| {
            let (completer, ticket) = oneshot::pair::<u64>();
            let mut results = results.clone();
            executor.spawn(async move {
                let answer = ticket.await.expect("it is answered");
                results.offer(answer).expect("somebody sums up");
            });
            completer
        })
        .collect();
    drop(results);
    executor.spawn(async move {
        let mut all = 0;
        while arrived.wait_async().await.is_ok() {
            all += arrived.drain().sum::<u64>();
        }
        sum.complete(all).expect("the main thread asks for it");
    });
    let answers = thread::spawn(move || {
        for (n, completer) in (0..).zip(completers) {
            completer.complete(n).expect("its task waits");
        }
    });
    executor.run();
    answers.join().expect("it does not panic");
    let total = block_on(total).expect("the last task has it");
    println!("100 tasks, sum {total}");
    assert_eq!(total, (0..100).sum());
}
