//! Rounds: every contender once, in an order that changes.
//!
//! The machine drifts: clocks change, neighbours come and go. So nobody runs all its repetitions in
//! a row. In each round all run once; the order is rotated by one each time and reversed in odd
//! rounds, so that everyone runs early, late, and behind different neighbours. Ratios are taken
//! within a round.
//!
//! After the timed rounds come a few that count system calls and allocations, since counting costs
//! time.

use core::fmt;
use core::time::Duration;

use super::count::Counting;
use super::pin::Cpus;
use super::results::{Case, CaseResult, Sample};
use super::trace::{Trace, TracepointIds};
use super::watchdog::Watchdog;
use super::window::{Whose, Window};

/// Someone to be measured in a case.
pub(crate) struct Contender {
    pub(crate) name: &'static str,
    run: Box<dyn FnMut(&Round<'_>) -> Sample>,
}

impl Contender {
    pub(crate) fn new(name: &'static str, run: impl FnMut(&Round<'_>) -> Sample + 'static) -> Self {
        Self { name, run: Box::new(run) }
    }
}

impl fmt::Debug for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Contender").field("name", &self.name).finish_non_exhaustive()
    }
}

/// One contender's turn.
#[derive(Debug)]
pub(crate) struct Round<'a> {
    plan: &'a Plan,
    trace: Option<Trace>,
}

impl Round<'_> {
    pub(crate) fn cpus(&self) -> &Cpus {
        &self.plan.cpus
    }

    /// How long to go on, given how long it takes in earnest.
    pub(crate) fn budget(&self, full: Duration) -> Duration {
        if self.plan.quick { full / 5 } else { full }
    }

    /// How many of something to do, given how many it takes in earnest.
    pub(crate) fn count(&self, full: u64) -> u64 {
        if self.plan.quick { full / 4 } else { full }
    }

    /// Measures something short, alone on a pinned thread: `batch` does so many of it, again and
    /// again until the budget is used up, after once for warming up.
    pub(crate) fn repeat(
        &self,
        full: Duration,
        batch_size: u64,
        mut batch: impl FnMut(),
    ) -> Sample {
        batch();
        let budget = self.budget(full);
        let window = self.window(Whose::Thread);
        let mut done = 0;
        while window.elapsed() < budget {
            batch();
            done += batch_size;
        }
        window.close().per_op(done)
    }

    /// Begins a measured stretch.
    pub(crate) fn window(&self, whose: Whose) -> Window<'_> {
        Window::open(whose, self.trace.as_ref())
    }
}

/// How a case is run.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) cpus: Cpus,
    pub(crate) quick: bool,
    /// `None` if system calls cannot be counted here.
    pub(crate) tracepoints: Option<TracepointIds>,
}

impl Plan {
    /// Rounds with a clock.
    pub(crate) fn timed(&self) -> usize {
        if self.quick { 3 } else { 9 }
    }

    /// Rounds with counters.
    fn counted(&self) -> usize {
        if self.quick { 1 } else { 3 }
    }

    /// Runs all rounds of a case.
    pub(crate) fn run(&self, case: Case, contenders: &mut [Contender]) -> CaseResult {
        let names: Vec<_> = contenders.iter().map(|contender| contender.name).collect();
        let counts = case.columns.iter().any(|metric| metric.traced);
        let mut result = CaseResult::new(case, names);
        for round in 0..self.timed() {
            for index in order(round, contenders.len()) {
                let sample = self.turn(&mut contenders[index], None);
                result.add(index, sample, false);
            }
        }
        if counts {
            for round in 0..self.counted() {
                for index in order(round, contenders.len()) {
                    let counting = Counting::start();
                    let sample = self.turn(&mut contenders[index], self.trace());
                    drop(counting);
                    result.add(index, sample, true);
                }
            }
        }
        result
    }

    fn turn(&self, contender: &mut Contender, trace: Option<Trace>) -> Sample {
        let _watchdog = Watchdog::arm();
        (contender.run)(&Round { plan: self, trace })
    }

    /// Opens the counters, to be inherited by the threads of one turn.
    fn trace(&self) -> Option<Trace> {
        self.tracepoints.and_then(|ids| Trace::open(ids).ok())
    }
}

/// Who runs when in a round.
fn order(round: usize, contenders: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..contenders).collect();
    order.rotate_left(round % contenders.max(1));
    if round % 2 == 1 {
        order.reverse();
    }
    order
}

#[cfg(test)]
mod tests {
    use super::order;

    #[test]
    fn orders_rotate_and_odd_ones_are_reversed() {
        assert_eq!(order(0, 4), [0, 1, 2, 3]);
        assert_eq!(order(1, 4), [0, 3, 2, 1]);
        assert_eq!(order(2, 4), [2, 3, 0, 1]);
        assert!(order(5, 0).is_empty());
    }
}
