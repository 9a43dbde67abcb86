//! `burst-4x25`: four callers post 25 messages each at once, and the sender is idle again before the
//! next burst. What does sending a message cost: the callers' posts and the sender's thread together,
//! and that thread alone? Of ten bursts a round has 16 senders, each of them new, and takes the median.

use core::time::Duration;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use super::subject::{ForEach, Merger, Post as _, Then, everyone};
use super::worker;
use crate::harness::metric::{
    BATCH_AVG, BATCH_MAX, FUTEX_PER_OP, Metric, SEND_CPU_NS_PER_OP, SENDER_CPU_NS_PER_OP,
};
use crate::harness::results::Sample;
use crate::harness::rounds::{Contender, Round};
use crate::harness::window::{Whose, clock};
use crate::harness::{Case, Session};

const COLUMNS: &[Metric] =
    &[SEND_CPU_NS_PER_OP, SENDER_CPU_NS_PER_OP, FUTEX_PER_OP, BATCH_AVG, BATCH_MAX];
const CALLERS: usize = 4;
const MESSAGES: u64 = 25;
/// From burst to burst.
const PERIOD: Duration = Duration::from_millis(1);

pub(super) fn run(session: &mut Session) -> io::Result<()> {
    for bursts in [10, 1_000] {
        let case = Case {
            id: format!("burst-4x25/r{bursts}"),
            title: format!(
                "{bursts} bursts of 25 messages from each of 4 callers; CPU time of posts and sender"
            ),
            columns: COLUMNS,
            plotted: &[SEND_CPU_NS_PER_OP, SENDER_CPU_NS_PER_OP],
        };
        let contenders = if bursts == 10 { everyone::<Few>() } else { everyone::<Many>() };
        session.compare(case, contenders)?;
    }
    Ok(())
}

struct Few;
struct Many;

impl ForEach for Few {
    type Output = Contender;

    fn make<M: Merger>() -> Contender {
        // Ten bursts alone are over in the time of one hiccup of the machine.
        Contender::new(M::NAME, |round| {
            let samples: Vec<_> = (0..round.count(16)).map(|_| bursts::<M>(round, 10)).collect();
            Sample::median_of(&samples)
        })
    }
}

impl ForEach for Many {
    type Output = Contender;

    fn make<M: Merger>() -> Contender {
        Contender::new(M::NAME, |round| bursts::<M>(round, 1_000))
    }
}

/// What the sink has seen.
#[derive(Default)]
struct Seen {
    messages: AtomicU64,
    batches: AtomicU64,
    largest: AtomicU64,
}

impl Seen {
    fn batch(&self, messages: u64) {
        self.batches.fetch_add(1, Ordering::Relaxed);
        self.largest.fetch_max(messages, Ordering::Relaxed);
        self.messages.fetch_add(messages, Ordering::Release);
    }
}

fn bursts<M: Merger>(round: &Round<'_>, bursts: u64) -> Sample {
    let seen = Arc::<Seen>::default();
    let deliver = Box::new({
        let seen = Arc::clone(&seen);
        move |_, messages: &mut dyn Iterator<Item = u64>| {
            seen.batch(messages.count() as u64);
            Then::Next
        }
    });
    let (merger, worker) = worker::start::<M>(|| (), deliver);
    // Callers keep to a schedule and meet without a barrier, whose futex calls would be counted too.
    let begun = Instant::now() + PERIOD;
    let sleep_until = |burst: u64| {
        let due = begun + PERIOD * u32::try_from(burst).expect("few bursts");
        thread::sleep(due.saturating_duration_since(Instant::now()));
    };
    let posts = || {
        let mut lane = merger.lane(0);
        move || {
            let mut cpu = Duration::ZERO;
            for burst in 1..=bursts {
                sleep_until(burst);
                let begun = thread_cpu();
                (0..MESSAGES).for_each(|message| lane.post(message));
                cpu += thread_cpu() - begun;
            }
            cpu
        }
    };
    thread::scope(|scope| {
        let callers: Vec<_> = (0..CALLERS).map(|_| scope.spawn(posts())).collect();
        sleep_until(0);
        let sender = worker.cpu();
        let window = round.window(Whose::Process);
        sleep_until(bursts + 1);
        let all = bursts * CALLERS as u64 * MESSAGES;
        while seen.messages.load(Ordering::Acquire) < all {
            thread::sleep(PERIOD);
        }
        let used = window.close();
        let sender = worker.cpu() - sender;
        let callers = callers.into_iter().map(|caller| caller.join().expect("it does not panic"));
        let send = sender + callers.sum::<Duration>();
        let per_message = |cpu: Duration| cpu.as_nanos() as f64 / all as f64;
        let batches = seen.batches.load(Ordering::Relaxed);
        used.per_op(all)
            .with(SEND_CPU_NS_PER_OP, per_message(send))
            .with(SENDER_CPU_NS_PER_OP, per_message(sender))
            .with(BATCH_AVG, all as f64 / batches as f64)
            .with(BATCH_MAX, seen.largest.load(Ordering::Relaxed) as f64)
    })
}

fn thread_cpu() -> Duration {
    clock(libc::CLOCK_THREAD_CPUTIME_ID)
}
