//! Runs a model, counts its executions, and fails if there were too few to have checked anything.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use loom::cell::UnsafeCell;

/// A full exploration that takes longer is cut off and says so. The ordinary one never is.
const ENOUGH: Duration = Duration::from_secs(20);

/// How far a model is explored.
#[derive(Clone, Copy)]
pub(crate) struct Model {
    /// Preemptions per execution in an ordinary test run; `None`: every interleaving.
    bound: Option<usize>,
    /// The same with `REVEILLE_MODEL=full`, as far as [`ENOUGH`] goes.
    full: Option<usize>,
    /// Executions below which the model is taken to be broken, at the ordinary bound.
    floor: usize,
}

impl Model {
    /// Every interleaving.
    #[must_use]
    pub(crate) const fn exhaustive(floor: usize) -> Self {
        Self { bound: None, full: None, floor }
    }

    /// At most `bound` preemptions in an execution.
    #[must_use]
    pub(crate) const fn bounded(bound: usize, floor: usize) -> Self {
        Self { bound: Some(bound), full: Some(bound + 1), floor }
    }

    /// Another bound for the full run.
    #[must_use]
    pub(crate) const fn full(mut self, bound: Option<usize>) -> Self {
        self.full = bound;
        self
    }

    /// Explores `model`; fails if an execution does, or if there were fewer than the floor.
    pub(crate) fn check(self, model: impl Fn() + Send + Sync + 'static) {
        let full = std::env::var_os("REVEILLE_MODEL").is_some_and(|value| value == "full");
        let mut builder = loom::model::Builder::new();
        // Nothing of the environment may cut a model short and let it pass.
        builder.max_duration = full.then_some(ENOUGH);
        builder.max_permutations = None;
        builder.max_branches = 10_000;
        builder.preemption_bound = if full { self.full } else { self.bound };

        let begun = Instant::now();
        let executions = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&executions);
        builder.check(move || {
            count.fetch_add(1, Ordering::Relaxed);
            model();
        });
        let executions = executions.load(Ordering::Relaxed);
        let cut = if full && begun.elapsed() >= ENOUGH { ", cut off" } else { "" };
        println!("{executions} executions, bound {:?}{cut}", builder.preemption_bound);
        assert!(executions >= self.floor, "{executions} executions: fewer than {}", self.floor);
    }
}

/// A value that loom watches: reading it unordered with its writing is reported.
#[derive(Default, Debug)]
pub(crate) struct Payload(UnsafeCell<usize>);

// SAFETY: that accesses are ordered is what the models check.
unsafe impl Sync for Payload {}
// SAFETY: plain data.
unsafe impl Send for Payload {}

impl Payload {
    #[must_use]
    pub(crate) fn new() -> Arc<Self> {
        Arc::default()
    }

    /// One that was written already.
    #[must_use]
    pub(crate) fn written(value: usize) -> Arc<Self> {
        let payload = Self::new();
        payload.write(value);
        payload
    }

    pub(crate) fn write(&self, value: usize) {
        // SAFETY: loom checks that nothing overlaps.
        self.0.with_mut(|place| unsafe { *place = value });
    }

    #[must_use]
    pub(crate) fn read(&self) -> usize {
        // SAFETY: loom checks that nothing overlaps.
        self.0.with(|place| unsafe { *place })
    }
}
