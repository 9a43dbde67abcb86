//! Threads that do the same thing, all at once.

use std::thread;

use super::gate::Gate;
use super::results::Sample;
use super::rounds::Round;
use super::window::{Whose, settle_cpu_time};

/// Threads that each do `work` so often, dealt out to the CPUs. Before that they warm up.
pub(crate) struct Team<'a, W> {
    pub(crate) round: &'a Round<'a>,
    pub(crate) threads: usize,
    pub(crate) each: u64,
    /// Is told which thread it runs on, and how often.
    pub(crate) work: W,
}

/// The warm-up is as long as one of so many parts of what counts.
const WARM_UP: u64 = 16;

impl<W: Fn(usize, u64) + Sync> Team<'_, W> {
    /// What doing it once took.
    pub(crate) fn run(&self) -> Sample {
        let gate = Gate::default();
        thread::scope(|scope| {
            let members: Vec<_> = (0..self.threads)
                .map(|thread| {
                    let (team, gate) = (self, &gate);
                    scope.spawn(move || {
                        team.round.cpus().pin(thread);
                        (team.work)(thread, team.each / WARM_UP);
                        gate.pass();
                        (team.work)(thread, team.each);
                        settle_cpu_time();
                    })
                })
                .collect();
            gate.gather(self.threads);
            let window = self.round.window(Whose::Process);
            gate.open();
            members.into_iter().for_each(|member| member.join().expect("the work does not panic"));
            window.close().per_op(self.each * self.threads as u64)
        })
    }

    /// How often all of them have done it by then, warming up and in earnest.
    pub(crate) fn in_all(&self) -> u64 {
        (self.each + self.each / WARM_UP) * self.threads as u64
    }
}
