//! What a stretch of code used.

use core::time::Duration;
use std::time::Instant;

use super::count;
use super::metric::{
    ALLOCS_PER_OP, CORES_BUSY, CPU_NS_PER_OP, CTX_PER_OP, FUTEX_PER_OP, NS_PER_OP, OPS_PER_S,
    SYSCALLS_PER_OP,
};
use super::results::Sample;
use super::trace::{Calls, Trace};

/// Whose CPU time and switches count.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Whose {
    /// All threads of the process: both sides of a hand-over.
    Process,
    /// The calling thread. Open and close the window on the same one.
    Thread,
}

/// An open stretch.
#[derive(Debug)]
pub(crate) struct Window<'a> {
    whose: Whose,
    trace: Option<&'a Trace>,
    switches: u64,
    cpu: Duration,
    allocations: u64,
    calls: Option<Calls>,
    begun: Instant,
}

/// A closed one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Used {
    wall: Duration,
    cpu: Duration,
    switches: u64,
    allocations: u64,
    /// Futex calls and all calls of the process; `None` if they were not traced.
    calls: Option<(u64, u64)>,
}

impl<'a> Window<'a> {
    /// Begins. What the window itself does lies outside of it.
    pub(super) fn open(whose: Whose, trace: Option<&'a Trace>) -> Self {
        let switches = switches(whose);
        let cpu = cpu_time(whose);
        let allocations = count::allocations();
        let calls = trace.map(Trace::start);
        Self { whose, trace, switches, cpu, allocations, calls, begun: Instant::now() }
    }

    /// How long it has been open.
    pub(crate) fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    /// Ends.
    pub(crate) fn close(self) -> Used {
        let wall = self.begun.elapsed();
        let end = self.trace.map(Trace::end);
        let cpu = cpu_time(self.whose).saturating_sub(self.cpu);
        Used {
            wall,
            cpu,
            switches: switches(self.whose) - self.switches,
            allocations: count::allocations() - self.allocations,
            calls: self.calls.zip(end).map(|(a, b)| (b.futex - a.futex, b.any - a.any)),
        }
    }
}

impl Used {
    /// With CPU time that the window did not see.
    pub(crate) fn and_cpu(self, more: Duration) -> Self {
        Self { cpu: self.cpu + more, ..self }
    }

    /// Everything known about an operation, for a stretch of so many of them.
    pub(crate) fn per_op(&self, operations: u64) -> Sample {
        let operations = operations as f64;
        let calls = self.calls.map(|(futex, any)| (futex as f64, any as f64));
        Sample::default()
            .with(NS_PER_OP, self.wall.as_nanos() as f64 / operations)
            .with(OPS_PER_S, operations / self.wall.as_secs_f64())
            .with(CPU_NS_PER_OP, self.cpu.as_nanos() as f64 / operations)
            .with(CTX_PER_OP, self.switches as f64 / operations)
            .with(CORES_BUSY, self.cpu.as_secs_f64() / self.wall.as_secs_f64())
            .with(ALLOCS_PER_OP, self.allocations as f64 / operations)
            .with_known(FUTEX_PER_OP, calls.map(|(futex, _)| futex / operations))
            .with_known(SYSCALLS_PER_OP, calls.map(|(_, any)| any / operations))
    }
}

/// CPU time used so far. For the process, a thread that runs on another CPU right now is up to one
/// timer tick behind.
pub(super) fn cpu_time(whose: Whose) -> Duration {
    clock(match whose {
        Whose::Process => libc::CLOCK_PROCESS_CPUTIME_ID,
        Whose::Thread => libc::CLOCK_THREAD_CPUTIME_ID,
    })
}

/// For a thread whose work is done but which may still be running when a window on the process is
/// closed elsewhere: has the kernel bring the thread's CPU time up to date.
pub(crate) fn settle_cpu_time() {
    let _: Duration = cpu_time(Whose::Thread);
}

/// What a clock of this process shows.
///
/// # Panics
///
/// If there is no such clock.
pub(crate) fn clock(id: libc::clockid_t) -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the timespec is valid for writing.
    let status = unsafe { libc::clock_gettime(id, &raw mut time) };
    assert_eq!(status, 0, "clock {id}: {}", std::io::Error::last_os_error());
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// CPU time of child processes that have ended and been waited for.
pub(super) fn children_cpu_time() -> Duration {
    let usage = usage(libc::RUSAGE_CHILDREN);
    let duration = |time: libc::timeval| {
        Duration::from_secs(time.tv_sec as u64) + Duration::from_micros(time.tv_usec as u64)
    };
    duration(usage.ru_utime) + duration(usage.ru_stime)
}

/// Context switches so far, voluntary and forced.
fn switches(whose: Whose) -> u64 {
    let usage = usage(match whose {
        Whose::Process => libc::RUSAGE_SELF,
        Whose::Thread => libc::RUSAGE_THREAD,
    });
    (usage.ru_nvcsw + usage.ru_nivcsw) as u64
}

fn usage(who: libc::c_int) -> libc::rusage {
    // SAFETY: all zeroes is a valid rusage.
    let mut usage: libc::rusage = unsafe { core::mem::zeroed() };
    // SAFETY: the rusage is valid for writing.
    let status = unsafe { libc::getrusage(who, &raw mut usage) };
    assert_eq!(status, 0, "getrusage: {}", std::io::Error::last_os_error());
    usage
}
