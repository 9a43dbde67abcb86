//! The batch sender from outside: C26 to C31 of the case list, and what its documentation promises.
#![cfg(feature = "merge")]

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use reveille::merge::{
    self, Batch, Builder, CallError, Close, Lane, MergeSender, Reply, Sent, Sink, SubmitError,
};

const SECOND: Duration = Duration::from_secs(1);
const LONG: Duration = Duration::from_secs(60);

/// Runs a test on a thread of its own and fails if it hangs.
fn watched(test: impl FnOnce() + Send + 'static) {
    let (done, wait) = mpsc::channel();
    let thread = thread::spawn(move || {
        test();
        done.send(()).ok();
    });
    match wait.recv_timeout(LONG) {
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("hangs"),
        _ => thread.join().unwrap(),
    }
}

/// Repetitions of a race; more of them in a soak.
fn rounds(usual: usize) -> usize {
    if std::env::var_os("REVEILLE_SOAK").is_some() { usual * 20 } else { usual }
}

/// A gate that holds the sink.
#[derive(Default)]
struct Gate {
    open: Mutex<bool>,
    changed: Condvar,
}

impl Gate {
    fn set(&self, open: bool) {
        *self.open.lock().unwrap() = open;
        self.changed.notify_all();
    }

    fn pass(&self) {
        let mut open = self.open.lock().unwrap();
        while !*open {
            open = self.changed.wait(open).unwrap();
        }
    }
}

type Message = u32;

/// Answers each number with its double, holding every batch at the gate and noting its size.
fn doubling(
    gate: Arc<Gate>,
    sizes: Arc<Mutex<Vec<usize>>>,
) -> impl Sink<Key = (), Message = Message, Reply = u32, Error = &'static str> {
    merge::sink_fn(move |_: &(), batch: &mut Batch<'_, Message, u32, &'static str>| {
        gate.pass();
        sizes.lock().unwrap().push(batch.len());
        batch.complete_all(|message| message * 2);
        Ok(Sent::Done)
    })
}

fn open_gate() -> Arc<Gate> {
    let gate = Arc::new(Gate::default());
    gate.set(true);
    gate
}

/// Waits until `ready`, a second at the most.
fn soon(mut ready: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !ready() {
        assert!(begun.elapsed() < 10 * SECOND, "not soon");
        thread::sleep(Duration::from_millis(1));
    }
}

/// Submits a first message and waits until the sink holds it, so that what is submitted next is one
/// batch.
fn occupy<S: Sink<Message = Message>>(
    lane: &mut Lane<S>,
    sender: &MergeSender<S>,
) -> merge::Ticket<Message, S::Reply, S::Error> {
    let before = sender.stats().batches;
    let ticket = lane.submit(0).unwrap();
    soon(|| sender.stats().batches > before);
    ticket
}

#[test]
fn c26_one_bad_element_fails_alone() {
    watched(|| {
        const BAD: u32 = 1000;
        let all: Vec<u32> = (0..10).collect();
        // One batch of ten, and two of five: with bad ones first, last, and on both sides of the edge.
        for (most, bad) in [1024, 5].into_iter().flat_map(|most| {
            [vec![0], vec![4], vec![5], vec![9], vec![4, 5], vec![3, 7], all.clone()]
                .map(|bad| (most, bad))
        }) {
            let gate = Arc::new(Gate::default());
            let held = gate.clone();
            let sink = merge::sink_fn(move |_: &(), batch: &mut Batch<'_, Message, u32, &str>| {
                held.pass();
                while let Some((message, reply)) = batch.take() {
                    let answer = if message >= BAD { Err("bad") } else { Ok(message) };
                    reply.unwrap().complete(answer).unwrap();
                }
                Ok(Sent::Done)
            });
            let sender = Builder::new().max_batch(most).spawn(sink).unwrap();
            let mut lane = sender.lane(());
            let first = occupy(&mut lane, &sender);
            let tickets: Vec<_> = (0..10)
                .map(|n| lane.submit(if bad.contains(&n) { BAD + n } else { n }).unwrap())
                .collect();
            gate.set(true);
            assert_eq!(first.wait(), Ok(0));
            for (n, mut ticket) in (0..10).zip(tickets) {
                let answer = ticket.wait_timeout(SECOND);
                assert_eq!(
                    answer,
                    if bad.contains(&n) { Err(CallError::Failed("bad")) } else { Ok(n) }
                );
            }
            assert_eq!(lane.call(11, SECOND), Ok(11));
        }
    });
}

#[test]
fn c26_a_panicking_send_fails_its_batch_only() {
    watched(|| {
        let gate = Arc::new(Gate::default());
        let held = gate.clone();
        let sink = merge::sink_fn(move |_: &(), batch: &mut Batch<'_, Message, u32, ()>| {
            held.pass();
            if batch.messages().any(|&message| message == 13) {
                // Some have been taken out already, and go while unwinding.
                drop(batch.take());
                panic!("as the test wants");
            }
            batch.complete_all(|message| message);
            Ok(Sent::Done)
        });
        let sender = MergeSender::new(sink).unwrap();
        let mut lane = sender.lane(());
        let mut other = sender.lane(());
        let first = occupy(&mut lane, &sender);
        let tickets: Vec<_> = (10..20).map(|n| lane.submit(n).unwrap()).collect();
        gate.set(true);
        assert_eq!(first.wait(), Ok(0));
        for mut ticket in tickets {
            let error = ticket.wait_timeout(SECOND).unwrap_err();
            assert!(matches!(error, CallError::Panicked | CallError::Dropped), "{error:?}");
        }
        assert_eq!(lane.call(1, SECOND), Ok(1));
        assert_eq!(other.call(2, SECOND), Ok(2));
        assert_eq!(sender.stats().failures, 1);
    });
}

#[test]
fn a_message_whose_destructor_panics_takes_nobody_with_it() {
    struct Bomb(bool);

    impl Drop for Bomb {
        fn drop(&mut self) {
            assert!(!self.0 || thread::panicking(), "as the test wants");
        }
    }

    watched(|| {
        // The sink leaves every message where it is.
        let sink = merge::sink_fn(|_: &(), _: &mut Batch<'_, Bomb, (), ()>| Ok(Sent::Done));
        let sender = MergeSender::new(sink).unwrap();
        let mut lane = sender.lane(());
        let tickets: Vec<_> =
            [false, true, false].into_iter().map(|bad| lane.submit(Bomb(bad)).unwrap()).collect();
        for mut ticket in tickets {
            let error = ticket.wait_timeout(SECOND).unwrap_err();
            assert!(matches!(error, CallError::Panicked | CallError::Dropped), "{error:?}");
        }
        assert!(matches!(lane.call(Bomb(false), SECOND), Err(CallError::Dropped)));
        sender.close(Close::Drain);
    });
}

#[test]
fn a_failed_send_tells_every_caller_of_the_batch() {
    watched(|| {
        let gate = Arc::new(Gate::default());
        let held = gate.clone();
        let sink = merge::sink_fn(move |_: &(), batch: &mut Batch<'_, Message, u32, String>| {
            held.pass();
            if batch.len() > 1 {
                return Err("unreachable".into());
            }
            batch.complete_all(|message| message);
            Ok(Sent::Done)
        });
        let sender = MergeSender::new(sink).unwrap();
        let mut lane = sender.lane(());
        let first = occupy(&mut lane, &sender);
        let tickets: Vec<_> = (0..5).map(|n| lane.submit(n).unwrap()).collect();
        gate.set(true);
        assert_eq!(first.wait(), Ok(0));
        for mut ticket in tickets {
            assert_eq!(ticket.wait_timeout(SECOND), Err(CallError::Failed("unreachable".into())));
        }
        assert_eq!(lane.call(7, SECOND), Ok(7));
    });
}

/// CPU time and voluntary context switches of the sender's thread, by its name.
#[cfg(target_os = "linux")]
fn usage_of(thread_name: &str) -> Option<(Duration, u64)> {
    for task in std::fs::read_dir("/proc/self/task").ok()?.flatten() {
        let read = |file| std::fs::read_to_string(task.path().join(file)).unwrap_or_default();
        if read("comm").trim() != thread_name {
            continue;
        }
        let nanos = read("schedstat").split(' ').next()?.parse().ok()?;
        let status = read("status");
        let line = status.lines().find_map(|l| l.strip_prefix("voluntary_ctxt_switches:"))?;
        return Some((Duration::from_nanos(nanos), line.trim().parse().ok()?));
    }
    None
}

#[test]
#[cfg(target_os = "linux")]
fn c27_an_idle_sender_costs_nothing() {
    watched(|| {
        let sink = merge::sink_fn(|_: &usize, batch: &mut Batch<'_, Message, u32, ()>| {
            batch.complete_all(|message| message);
            Ok(Sent::Done)
        });
        let sender = Builder::new().thread_name("idle-merge").spawn(sink).unwrap();
        // A hundred destinations that were used once.
        let mut lanes: Vec<_> = (0..100).map(|key| sender.lane(key)).collect();
        for lane in &mut lanes {
            assert_eq!(lane.call(1, SECOND), Ok(1));
        }
        // The last answer came before the thread was asleep, which takes it a while on a busy machine.
        let settled = || {
            let before = usage_of("idle-merge");
            thread::sleep(Duration::from_millis(100));
            usage_of("idle-merge") == before
        };
        assert!((0..100).any(|_| settled()), "it does not come to rest");
        let (cpu, switches) = usage_of("idle-merge").unwrap();
        thread::sleep(3 * SECOND);
        let (cpu_after, switches_after) = usage_of("idle-merge").unwrap();
        assert!(cpu_after - cpu < Duration::from_millis(1), "{:?}", cpu_after - cpu);
        // In the fallback a wake meant for another test's thread may wake this one.
        if reveille::platform::BACKEND == "futex" {
            assert_eq!(switches_after, switches);
        }
    });
}

#[test]
fn c27_no_tick_delays_a_single_call() {
    watched(|| {
        let sender = MergeSender::new(doubling(open_gate(), Arc::default())).unwrap();
        let mut lane = sender.lane(());
        let mut latencies: Vec<_> = (0..50)
            .map(|_| {
                thread::sleep(Duration::from_millis(20));
                let begun = Instant::now();
                assert_eq!(lane.call(3, SECOND), Ok(6));
                begun.elapsed()
            })
            .collect();
        latencies.sort();
        // A poll of a millisecond could not do this; a busy machine may be late now and then.
        assert!(latencies[latencies.len() / 4] < Duration::from_millis(1), "{latencies:?}");
    });
}

#[test]
fn c28_nothing_is_stranded_between_the_last_look_and_sleep() {
    watched(|| {
        let sender = MergeSender::new(doubling(open_gate(), Arc::default())).unwrap();
        // One call open each, and no timeouts: a message that is left behind hangs the test.
        thread::scope(|scope| {
            for number in 0..4 {
                let mut lane = sender.lane(());
                scope.spawn(move || {
                    for n in 0..rounds(10_000) as u32 {
                        assert_eq!(
                            lane.submit(n * 4 + number).unwrap().wait(),
                            Ok((n * 4 + number) * 2)
                        );
                    }
                });
            }
        });
    });
}

#[test]
fn c29_timed_out_calls_leave_nothing_behind() {
    watched(|| {
        // A transport that keeps the replies and never answers.
        type Kept = Arc<Mutex<Vec<Reply<Arc<()>, u32, ()>>>>;
        let kept = Kept::default();
        let keeper = kept.clone();
        let sink = merge::sink_fn(move |_: &(), batch: &mut Batch<'_, Arc<()>, u32, ()>| {
            while let Some((_, reply)) = batch.take() {
                keeper.lock().unwrap().push(reply.unwrap());
            }
            Ok(Sent::Done)
        });
        let sender = MergeSender::new(sink).unwrap();
        let request = Arc::new(());
        let calls = rounds(500);
        thread::scope(|scope| {
            for _ in 0..8 {
                let mut lane = sender.lane(());
                let request = &request;
                scope.spawn(move || {
                    for _ in 0..calls / 8 {
                        let begun = Instant::now();
                        let timeout = Duration::from_millis(1);
                        assert_eq!(lane.call(request.clone(), timeout), Err(CallError::TimedOut));
                        assert!(begun.elapsed() >= timeout);
                    }
                });
            }
        });
        let calls = calls / 8 * 8;
        soon(|| kept.lock().unwrap().len() == calls);
        assert_eq!(Arc::strong_count(&request), 1);
        // Late answers are refused, and handed back.
        for reply in kept.lock().unwrap().drain(..) {
            assert!(reply.is_abandoned());
            assert_eq!(reply.complete(Ok(7)), Err(Ok(7)));
        }
        drop(sender);
    });
}

#[test]
fn c30_a_lost_transport_fails_every_open_call_at_once() {
    watched(|| {
        let (replies, lost) = mpsc::channel::<Reply<Message, u32, &str>>();
        let sink =
            merge::sink_fn(move |_: &(), batch: &mut Batch<'_, Message, u32, &'static str>| {
                while let Some((_, reply)) = batch.take() {
                    replies.send(reply.unwrap()).unwrap();
                }
                Ok(Sent::Done)
            });
        let sender = MergeSender::new(sink).unwrap();
        thread::scope(|scope| {
            for n in 0..8 {
                let mut lane = sender.lane(());
                scope.spawn(move || assert_eq!(lane.call(n, LONG), Err(CallError::Failed("lost"))));
            }
            for _ in 0..8 {
                lost.recv().unwrap().complete(Err("lost")).unwrap();
            }
        });
    });
}

#[test]
fn c30_close_gives_back_what_was_not_sent() {
    watched(|| {
        let gate = Arc::new(Gate::default());
        let sender = MergeSender::new(doubling(gate.clone(), Arc::default())).unwrap();
        let mut lane = sender.lane(());
        let first = occupy(&mut lane, &sender);
        let queued: Vec<_> = (1..5).map(|n| lane.submit(n).unwrap()).collect();
        let closing = thread::spawn(move || sender.close(Close::Abort));
        // The batch that the sink holds is let go; the rest is given back.
        thread::sleep(Duration::from_millis(20));
        gate.set(true);
        closing.join().unwrap();
        assert_eq!(first.wait(), Ok(0));
        for (n, mut ticket) in (1..5).zip(queued) {
            match ticket.wait_timeout(SECOND) {
                Err(CallError::Unsent(message)) => assert_eq!(message, n),
                Ok(reply) => assert_eq!(reply, n * 2),
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(lane.submit(9).unwrap_err(), SubmitError::Closed(9));
        assert_eq!(lane.call(9, LONG), Err(CallError::Unsent(9)));
        assert_eq!(lane.post(9), Err(SubmitError::Closed(9)));
    });
}

#[test]
fn c30_close_races_calls() {
    watched(|| {
        for round in 0..rounds(300) {
            let how = if round % 2 == 0 { Close::Drain } else { Close::Abort };
            let sent = Arc::new(AtomicUsize::new(0));
            let counter = sent.clone();
            let sink = merge::sink_fn(move |_: &(), batch: &mut Batch<'_, Message, u32, ()>| {
                counter.fetch_add(batch.len(), Ordering::Relaxed);
                batch.complete_all(|message| message);
                Ok(Sent::Done)
            });
            let sender = MergeSender::new(sink).unwrap();
            let callers: Vec<_> = (0..4)
                .map(|n| {
                    let mut lane = sender.lane(());
                    thread::spawn(move || match lane.call(n, LONG) {
                        Ok(reply) => {
                            assert_eq!(reply, n);
                            0
                        }
                        Err(CallError::Unsent(message)) => {
                            assert_eq!(message, n);
                            1
                        }
                        Err(other) => panic!("{other:?}"),
                    })
                })
                .collect();
            if round % 3 > 0 {
                thread::yield_now();
            }
            sender.close(how);
            let returned: usize = callers.into_iter().map(|caller| caller.join().unwrap()).sum();
            assert_eq!(sent.load(Ordering::Relaxed) + returned, 4);
        }
    });
}

#[test]
fn drain_sends_everything() {
    watched(|| {
        let gate = Arc::new(Gate::default());
        let sender = MergeSender::new(doubling(gate.clone(), Arc::default())).unwrap();
        let mut lane = sender.lane(());
        let tickets: Vec<_> = (0..100).map(|n| lane.submit(n).unwrap()).collect();
        gate.set(true);
        sender.close(Close::Drain);
        for (n, mut ticket) in (0..100).zip(tickets) {
            assert_eq!(ticket.try_take(), Some(Ok(n * 2)));
        }
    });
}

#[test]
fn c31_batches_end_at_the_cap_and_none_is_empty() {
    watched(|| {
        const MOST: usize = 128;
        for count in [0, 1, 127, 128, 129, 255, 256, 257] {
            let gate = Arc::new(Gate::default());
            let sizes = Arc::new(Mutex::new(Vec::new()));
            let order = Arc::new(Mutex::new(Vec::new()));
            let sink = {
                let (gate, sizes, order) = (gate.clone(), sizes.clone(), order.clone());
                merge::sink_fn(move |_: &(), batch: &mut Batch<'_, Message, u32, ()>| {
                    gate.pass();
                    sizes.lock().unwrap().push(batch.len());
                    order.lock().unwrap().extend(batch.messages().copied());
                    batch.complete_all(|message| message);
                    Ok(Sent::Done)
                })
            };
            let sender = Builder::new().max_batch(MOST).spawn(sink).unwrap();
            let mut lane = sender.lane(());
            let first = occupy(&mut lane, &sender);
            let tickets: Vec<_> = (1..=count).map(|n| lane.submit(n).unwrap()).collect();
            gate.set(true);
            assert_eq!(first.wait(), Ok(0));
            for (n, ticket) in (1..=count).zip(tickets) {
                assert_eq!(ticket.wait(), Ok(n));
            }
            let sizes = sizes.lock().unwrap();
            assert_eq!(sizes.len() - 1, (count as usize).div_ceil(MOST));
            assert!(sizes.iter().all(|size| (1..=MOST).contains(size)), "{sizes:?}");
            assert!(order.lock().unwrap().iter().copied().eq(0..=count));
        }
    });
}

#[test]
fn batches_end_at_the_weight() {
    struct Bytes {
        gate: Arc<Gate>,
        sizes: Arc<Mutex<Vec<usize>>>,
    }

    impl Sink for Bytes {
        type Key = ();
        type Message = Vec<u8>;
        type Reply = ();
        type Error = ();

        fn send(&mut self, (): &(), batch: &mut Batch<'_, Vec<u8>, (), ()>) -> Result<Sent, ()> {
            self.gate.pass();
            assert_eq!(batch.bytes(), batch.messages().map(Vec::len).sum());
            self.sizes.lock().unwrap().push(batch.bytes());
            batch.complete_all(drop);
            Ok(Sent::Done)
        }

        fn weigh(message: &Vec<u8>) -> usize {
            message.len()
        }
    }

    watched(|| {
        let gate = Arc::new(Gate::default());
        let sizes = Arc::new(Mutex::new(Vec::new()));
        let sink = Bytes { gate: gate.clone(), sizes: sizes.clone() };
        let sender = Builder::new().max_bytes(100).spawn(sink).unwrap();
        let mut lane = sender.lane(());
        let before = sender.stats().batches;
        lane.post(vec![0; 1]).unwrap();
        soon(|| sender.stats().batches > before);
        // The heaviest is sent alone.
        lane.post_all([40, 60, 1, 500, 99, 1, 1].map(|size| vec![0; size])).unwrap();
        gate.set(true);
        sender.close(Close::Drain);
        assert_eq!(*sizes.lock().unwrap(), [1, 100, 1, 500, 100, 1]);
    });
}

#[test]
fn c31_a_flooded_destination_starves_nobody() {
    watched(|| {
        let (turns, gate) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Gate::default()));
        let sink = {
            let (turns, gate) = (turns.clone(), gate.clone());
            merge::sink_fn(move |key: &char, batch: &mut Batch<'_, Message, u32, ()>| {
                turns.lock().unwrap().push(*key);
                gate.pass();
                batch.complete_all(|message| message);
                Ok(Sent::Done)
            })
        };
        let sender = Builder::new().max_batch(16).spawn(sink).unwrap();
        let mut flood = sender.lane('a');
        // Destinations made before and after the flooded one.
        let mut others = ['b', 'c'].map(|key| sender.lane(key));
        for n in 0..rounds(50) {
            gate.set(false);
            turns.lock().unwrap().clear();
            flood.post_all(0..1600).unwrap();
            let last = flood.submit(1600).unwrap();
            soon(|| !turns.lock().unwrap().is_empty());
            let tickets = others.each_mut().map(|lane| lane.submit(n as Message).unwrap());
            gate.set(true);
            tickets.into_iter().for_each(|ticket| assert_eq!(ticket.wait(), Ok(n as Message)));
            // Those that are ready take turns: one batch of the flood is under way, one may be next.
            let turns = turns.lock().unwrap();
            let end = turns.iter().rposition(|&key| key != 'a').unwrap();
            let before = turns[..end].iter().filter(|&&key| key == 'a').count();
            assert!(before <= 2, "{before} batches of the flood first");
            drop(turns);
            assert_eq!(last.wait(), Ok(1600));
        }
    });
}

/// With callers that never let the queue run empty, a message is sent after those before it.
#[test]
fn c31_a_message_does_not_wait_until_the_queue_is_empty() {
    const ROOM: usize = 64;
    watched(|| {
        let (sent, sends) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let sink = {
            let (sent, sends) = (sent.clone(), sends.clone());
            merge::sink_fn(move |_: &(), batch: &mut Batch<'_, Message, u32, ()>| {
                let number = sends.fetch_add(1, Ordering::SeqCst) + 1;
                if batch.messages().any(|&message| message > 0) {
                    sent.store(number, Ordering::SeqCst);
                }
                thread::sleep(Duration::from_micros(200));
                batch.complete_all(|message| message);
                Ok(Sent::Done)
            })
        };
        let sender = Builder::new().max_batch(16).lane_capacity(ROOM).spawn(sink).unwrap();
        let stop = std::sync::atomic::AtomicBool::new(false);
        thread::scope(|scope| {
            for _ in 0..2 {
                let (mut flood, stop) = (sender.lane(()), &stop);
                scope.spawn(move || {
                    while !stop.load(Ordering::Relaxed) {
                        let _: Result<(), _> = flood.post(0);
                    }
                });
            }
            let mut lane = sender.lane(());
            for n in 1..100 {
                // There may be no room: that is another matter.
                let ticket = loop {
                    match lane.submit(n) {
                        Ok(ticket) => break ticket,
                        Err(_) => thread::yield_now(),
                    }
                };
                let before = sends.load(Ordering::SeqCst);
                assert_eq!(ticket.wait(), Ok(n));
                let batches = sent.load(Ordering::SeqCst).saturating_sub(before);
                // As many as there can be messages before it, at the very most.
                assert!(batches <= ROOM, "{batches} batches before one message");
            }
            stop.store(true, Ordering::Relaxed);
        });
    });
}

#[test]
fn a_blocked_destination_is_set_aside_alone() {
    watched(|| {
        let resumes = Arc::new(Mutex::new(Vec::new()));
        let open = open_gate();
        let (keeper, state) = (resumes.clone(), open.clone());
        let sink = merge::sink_fn(move |key: &char, batch: &mut Batch<'_, Message, u32, ()>| {
            if *key == 'x' && !*state.open.lock().unwrap() {
                // One fits, the rest does not.
                batch.complete(1, |message| message);
                keeper.lock().unwrap().push(batch.resume());
                return Ok(Sent::Blocked);
            }
            batch.complete_all(|message| message);
            Ok(Sent::Done)
        });
        let sender = MergeSender::new(sink).unwrap();
        open.set(false);
        let mut blocked = sender.lane('x');
        let mut free = sender.lane('y');
        // Filled before the thread sees it, or bit by bit: one passes each time it is asked.
        let tickets: Vec<_> = (0..10).map(|n| blocked.submit(n).unwrap()).collect();
        soon(|| !resumes.lock().unwrap().is_empty());
        for n in 0..100 {
            assert_eq!(free.call(n, SECOND), Ok(n));
        }
        open.set(true);
        for resume in resumes.lock().unwrap().drain(..) {
            resume.resume();
        }
        for (n, mut ticket) in (0..10).zip(tickets) {
            // Resumes that were kept while another send was blocked are not lost.
            let answer = ticket.wait_timeout(SECOND);
            if answer == Err(CallError::TimedOut) {
                panic!("message {n} is stuck");
            }
            assert_eq!(answer, Ok(n));
        }
        for resume in resumes.lock().unwrap().drain(..) {
            resume.resume();
        }
    });
}

#[test]
fn close_while_blocked() {
    watched(|| {
        let resumes = Arc::new(Mutex::new(Vec::new()));
        let keeper = resumes.clone();
        let sink = merge::sink_fn(move |_: &(), batch: &mut Batch<'_, Message, u32, ()>| {
            keeper.lock().unwrap().push(batch.resume());
            Ok(Sent::Blocked)
        });
        let sender = MergeSender::new(sink).unwrap();
        let mut lane = sender.lane(());
        let ticket = lane.submit(1).unwrap();
        soon(|| !resumes.lock().unwrap().is_empty());
        // A drain would wait for a resume; an abort does not.
        sender.close(Close::Abort);
        assert_eq!(ticket.wait(), Err(CallError::Unsent(1)));
        // Long after the end.
        resumes.lock().unwrap().drain(..).for_each(|resume| resume.resume());
    });
}

#[test]
fn a_full_lane_refuses_or_waits() {
    watched(|| {
        let gate = Arc::new(Gate::default());
        let sink = doubling(gate.clone(), Arc::default());
        let sender = Builder::new().lane_capacity(2).spawn(sink).unwrap();
        let mut lane = sender.lane(());
        let first = occupy(&mut lane, &sender);
        let one = lane.submit(1).unwrap();
        let two = lane.submit(2).unwrap();
        assert_eq!(lane.submit(3).unwrap_err(), SubmitError::Full(3));
        let soon = reveille::Deadline::after(Duration::from_millis(10));
        assert_eq!(lane.submit_deadline(3, soon).unwrap_err(), SubmitError::TimedOut(3));
        assert_eq!(lane.post_all([3, 4]), Err(SubmitError::Full(vec![3, 4])));
        assert_eq!(lane.call(3, Duration::from_millis(10)), Err(CallError::Unsent(3)));
        let waiting = thread::spawn(move || {
            let ticket = lane.submit_deadline(5, reveille::Deadline::NEVER).unwrap();
            ticket.wait()
        });
        thread::sleep(Duration::from_millis(10));
        gate.set(true);
        assert_eq!((first.wait(), one.wait(), two.wait()), (Ok(0), Ok(2), Ok(4)));
        assert_eq!(waiting.join().unwrap(), Ok(10));
    });
}

#[test]
fn destinations_are_forgotten_with_their_last_lane() {
    struct Forgetful {
        forgotten: Arc<Mutex<Vec<usize>>>,
        seen: HashMap<usize, usize>,
    }

    impl Sink for Forgetful {
        type Key = usize;
        type Message = ();
        type Reply = usize;
        type Error = ();

        fn send(&mut self, key: &usize, batch: &mut Batch<'_, (), usize, ()>) -> Result<Sent, ()> {
            let seen = self.seen.entry(*key).or_default();
            batch.complete_all(|()| {
                *seen += 1;
                *seen
            });
            Ok(Sent::Done)
        }

        fn forget(&mut self, key: &usize) {
            self.seen.remove(key);
            self.forgotten.lock().unwrap().push(*key);
        }
    }

    watched(|| {
        let forgotten = Arc::new(Mutex::new(Vec::new()));
        let sender =
            MergeSender::new(Forgetful { forgotten: forgotten.clone(), seen: HashMap::new() })
                .unwrap();
        for key in 0..100 {
            let mut lane = sender.lane(key);
            let mut twin = lane.clone();
            assert_eq!(lane.call((), SECOND), Ok(1));
            drop(lane);
            assert_eq!(twin.call((), SECOND), Ok(2));
        }
        soon(|| forgotten.lock().unwrap().len() == 100);
        // A destination that comes back starts anew.
        assert_eq!(sender.lane(7).call((), SECOND), Ok(1));
    });
}

#[test]
fn dropping_the_sender_sends_what_there_is() {
    watched(|| {
        let sender = MergeSender::new(doubling(open_gate(), Arc::default())).unwrap();
        let mut lane = sender.lane(());
        let tickets: Vec<_> = (0..50).map(|n| lane.submit(n).unwrap()).collect();
        drop(sender);
        for (n, mut ticket) in (0..50).zip(tickets) {
            assert_eq!(ticket.wait_timeout(SECOND), Ok(n * 2));
        }
        soon(|| lane.post(1).is_err());
    });
}

#[test]
fn the_sink_may_submit_and_close() {
    watched(|| {
        type Slot = Arc<Mutex<Option<MergeSender<Boxed>>>>;
        struct Boxed {
            sender: Slot,
        }

        impl Sink for Boxed {
            type Key = ();
            type Message = Message;
            type Reply = Message;
            type Error = ();

            fn send(&mut self, (): &(), batch: &mut Batch<'_, u32, u32, ()>) -> Result<Sent, ()> {
                while let Some((message, reply)) = batch.take() {
                    let mut sender = self.sender.lock().unwrap();
                    match message {
                        1 => sender.as_ref().unwrap().lane(()).post(2).unwrap(),
                        // Closing from the thread itself does not wait for it.
                        2 => sender.take().unwrap().close(Close::Drain),
                        _ => {}
                    }
                    if let Some(reply) = reply {
                        reply.complete(Ok(message)).unwrap();
                    }
                }
                Ok(Sent::Done)
            }
        }

        let slot = Slot::default();
        let sender = MergeSender::new(Boxed { sender: slot.clone() }).unwrap();
        let mut lane = sender.lane(());
        *slot.lock().unwrap() = Some(sender);
        assert_eq!(lane.call(1, SECOND), Ok(1));
        soon(|| slot.lock().unwrap().is_none());
        soon(|| lane.post(3).is_err());
    });
}

#[test]
fn tickets_are_futures() {
    struct Thread(thread::Thread);

    impl std::task::Wake for Thread {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }

    watched(|| {
        let gate = Arc::new(Gate::default());
        let sender = MergeSender::new(doubling(gate.clone(), Arc::default())).unwrap();
        let mut lane = sender.lane(());
        let mut ticket = std::pin::pin!(lane.submit(21).unwrap());
        let waker = std::task::Waker::from(Arc::new(Thread(thread::current())));
        let mut cx = std::task::Context::from_waker(&waker);
        assert!(ticket.as_mut().poll(&mut cx).is_pending());
        gate.set(true);
        let reply = loop {
            match ticket.as_mut().poll(&mut cx) {
                std::task::Poll::Ready(reply) => break reply,
                std::task::Poll::Pending => thread::park(),
            }
        };
        assert_eq!(reply, Ok(42));
    });
}

#[test]
fn huge_and_zero_options() {
    watched(|| {
        let sink = || doubling(open_gate(), Arc::default());
        for sender in [
            Builder::new().max_batch(0).spawn(sink()),
            Builder::new().max_batch(usize::MAX).spawn(sink()),
            Builder::new().max_bytes(0).spawn(sink()),
            Builder::new().lane_capacity(0).spawn(sink()),
            Builder::new().lane_capacity(usize::MAX).spawn(sink()),
        ] {
            let sender = sender.unwrap();
            assert_eq!(sender.lane(()).call(4, Duration::MAX), Ok(8));
        }
        assert!(Builder::new().thread_name("with\0nul").spawn(sink()).is_err());
    });
}
