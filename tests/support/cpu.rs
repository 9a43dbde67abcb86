//! What a thread cost the machine, and where it may run.

use std::time::Duration;

use rustix::thread::{CpuSet, Pid, sched_getaffinity, sched_setaffinity};
use rustix::time::{ClockId, clock_gettime};

/// CPU time of the calling thread.
pub(crate) fn thread_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// The kernel's number of the calling thread.
pub(crate) fn thread_id() -> i32 {
    rustix::thread::gettid().as_raw_nonzero().get()
}

fn status(thread: i32, field: &str) -> u64 {
    let path = format!("/proc/self/task/{thread}/status");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let line = text.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'));
    line.unwrap_or_else(|| panic!("{path}: no {field}")).trim().parse().unwrap()
}

/// How often a thread of this process gave its CPU up of its own accord: how often it slept.
pub(crate) fn sleeps(thread: i32) -> u64 {
    status(thread, "voluntary_ctxt_switches")
}

/// How often a thread of this process left its CPU, for whatever reason.
pub(crate) fn switches(thread: i32) -> u64 {
    sleeps(thread) + status(thread, "nonvoluntary_ctxt_switches")
}

/// Lets the calling thread run on one CPU only: the first that it may use.
pub(crate) fn pin_to_one() {
    let allowed = sched_getaffinity(None).unwrap();
    let first = (0..CpuSet::MAX_CPU).find(|&cpu| allowed.is_set(cpu)).unwrap();
    pin(None, first);
}

/// Lets the calling thread run on one CPU only: the last that it may use.
pub(crate) fn pin_to_last() {
    let allowed = sched_getaffinity(None).unwrap();
    let last = (0..CpuSet::MAX_CPU).rfind(|&cpu| allowed.is_set(cpu)).unwrap();
    pin(None, last);
}

/// Lets a thread, or the calling one, run on that CPU only.
pub(crate) fn pin(thread: Option<Pid>, cpu: usize) {
    let mut one = CpuSet::new();
    one.set(cpu);
    sched_setaffinity(thread, &one).unwrap();
}

/// How many CPUs the calling thread may use.
pub(crate) fn allowed() -> u32 {
    sched_getaffinity(None).unwrap().count()
}
