//! `offerers/N`: what an offer and a drain cost beside N other offerers, all alive, which offered once
//! and no more.
//!
//! One thread offers an item and drains it, again and again: each drain brings one item, so whatever
//! it costs for the idle ones is seen in full. Before that the drainer has slept a few times, while
//! the active offerer alone woke it. `reveille:awake` has not slept: its drainer has no reason yet to
//! think that the others are idle.

use core::time::Duration;
use std::io;
use std::thread;

use super::ours::{Lanes, OneOrder};
use super::subject::{Drain, Offer, Subject};
use super::theirs::{crossbeam, kanal, ports};
use crate::harness::metric::{CPU_NS_PER_OP, Metric, NS_PER_OP};
use crate::harness::results::Sample;
use crate::harness::rounds::{Contender, Round};
use crate::harness::{Case, Session};

const COLUMNS: &[Metric] = &[NS_PER_OP, CPU_NS_PER_OP];
/// Numbers of idle offerers.
pub(super) const IDLE: &[usize] = &[1, 16, 256, 2048];
const BUDGET: Duration = Duration::from_millis(50);
/// Items between two looks at the clock.
const BATCH: u64 = 1000;
/// How often the drainer sleeps first, and how long an offer lets it.
const SLEEPS: u64 = 16;
const SLEEP: Duration = Duration::from_micros(500);

pub(super) fn run(session: &mut Session) -> io::Result<()> {
    for &idle in IDLE {
        let case = Case {
            id: format!("offerers/{idle}"),
            title: format!("an offer and a drain beside idle offerers: {idle}"),
            columns: COLUMNS,
            plotted: &[NS_PER_OP],
        };
        let contenders = vec![
            contender::<Lanes>(idle),
            Contender::new("reveille:awake", move |round| growth::<Lanes>(round, idle, false)),
            contender::<OneOrder>(idle),
            contender::<crossbeam::Unbounded>(idle),
            contender::<kanal::Unbounded>(idle),
            contender::<ports::Vector>(idle),
        ];
        session.compare(case, contenders)?;
    }
    Ok(())
}

fn contender<S: Subject>(idle: usize) -> Contender {
    Contender::new(S::NAME, move |round| growth::<S>(round, idle, true))
}

fn growth<S: Subject>(round: &Round<'_>, idle: usize, sleeps: bool) -> Sample {
    round.cpus().run_on(0, || {
        let (mut active, mut drainer) = S::pair();
        let mut others: Vec<S::Offer> = (0..idle).map(|_| active.clone()).collect();
        others.iter_mut().for_each(|offerer| offerer.offer(0));
        drain(&mut drainer, idle as u64);
        if sleeps {
            active = let_sleep(&mut drainer, active);
        }
        round.repeat(BUDGET, BATCH, || {
            for item in 0..BATCH {
                active.offer(item);
                let more = drainer.drain(|drained| assert_eq!(drained, item, "{}", S::NAME));
                assert!(more, "{}: the item is there", S::NAME);
            }
        })
    })
}

/// Lets the drainer sleep before each of a few items.
fn let_sleep<O: Offer>(drainer: &mut impl Drain, mut offerer: O) -> O {
    thread::scope(|scope| {
        let active = scope.spawn(move || {
            for item in 0..SLEEPS {
                thread::sleep(SLEEP);
                offerer.offer(item);
            }
            offerer
        });
        drain(drainer, SLEEPS);
        active.join().expect("an offerer does not panic")
    })
}

/// Drains so many items.
fn drain(drainer: &mut impl Drain, count: u64) {
    let mut left = count;
    while left > 0 {
        let more = drainer.drain(|_| left -= 1);
        assert!(more, "an offerer lives");
    }
}
