//! Threads that sleep while nothing happens, looked at from outside.
//!
//! CPU time of exactly zero also means that no system call was made, since making one takes time.

use core::time::Duration;
use std::fs;
use std::io;
use std::os::unix::thread::JoinHandleExt as _;
use std::sync::mpsc::{self, SyncSender};
use std::thread::{self, JoinHandle};

use super::metric::{CPU_MS, Metric, VOLUNTARY_SWITCHES};
use super::quiet::Meter;
use super::results::{Case, CaseResult, Sample};
use super::session::Session;
use super::window::clock;

/// The case.
const ID: &str = "idle-10s";
const COLUMNS: &[Metric] = &[CPU_MS, VOLUNTARY_SWITCHES];
const STACK: usize = 64 << 10;
/// How long to give them to fall asleep.
const SETTLING: Duration = Duration::from_millis(500);

/// Runs `idle-10s`: all herds sleep side by side, so that a window counts for each. After the last
/// window every thread is woken and must have waited until then.
pub(crate) fn watch(
    session: &mut Session,
    who: &str,
    herds: impl FnOnce() -> Vec<Herd>,
) -> io::Result<()> {
    if !session.wants(ID) {
        return Ok(());
    }
    let herds = herds();
    let (seconds, windows) = if session.quick() { (2, 1) } else { (10, 3) };
    let case = Case {
        id: ID.into(),
        title: format!("{who}, all together, in {seconds} s"),
        columns: COLUMNS,
        plotted: &[],
    };
    eprintln!("{ID}: {windows} windows of {seconds} s");
    let meter = Meter::start();
    let mut result = CaseResult::new(case, herds.iter().map(|herd| herd.name));
    thread::sleep(SETTLING);
    for _ in 0..windows {
        let before: Vec<Activity> = herds.iter().map(Herd::activity).collect();
        thread::sleep(Duration::from_secs(seconds));
        let after: Vec<Activity> = herds.iter().map(Herd::activity).collect();
        for (index, (before, after)) in before.iter().zip(after).enumerate() {
            let cpu = after.cpu - before.cpu;
            let switches = after.switches - before.switches;
            let sample = Sample::default()
                .with(CPU_MS, cpu.as_secs_f64() * 1e3)
                .with(VOLUNTARY_SWITCHES, switches as f64);
            result.add(index, sample, false);
        }
    }
    herds.into_iter().for_each(Herd::end);
    session.record(result, &meter)
}

/// All sleepers of a kind.
#[derive(Debug)]
pub(crate) struct Herd {
    name: &'static str,
    sleepers: Vec<Sleeper>,
}

/// What threads have done since they started.
#[derive(Default)]
struct Activity {
    cpu: Duration,
    switches: u64,
}

impl Herd {
    /// Starts so many threads. Each says how it is to be woken, then sleeps until it is, and ends.
    pub(crate) fn start(
        name: &'static str,
        threads: usize,
        sleep: impl Fn(Ready) + Clone + Send + 'static,
    ) -> Self {
        let sleepers = (0..threads).map(|_| Sleeper::start(sleep.clone())).collect();
        Self { name, sleepers }
    }

    fn activity(&self) -> Activity {
        self.sleepers.iter().fold(Activity::default(), |sum, sleeper| Activity {
            cpu: sum.cpu + sleeper.cpu(),
            switches: sum.switches + sleeper.switches(),
        })
    }

    fn end(self) {
        for sleeper in self.sleepers {
            assert!(!sleeper.thread.is_finished(), "{}: a thread ended too early", self.name);
            (sleeper.wake)();
            sleeper.thread.join().expect("a sleeper does not panic");
        }
    }
}

type Wake = Box<dyn FnOnce() + Send>;

/// For a thread that is about to sleep.
#[derive(Debug)]
pub(crate) struct Ready(SyncSender<(libc::pid_t, Wake)>);

impl Ready {
    /// Tells who it is and what wakes it.
    pub(crate) fn wake_by(self, wake: impl FnOnce() + Send + 'static) {
        // SAFETY: no preconditions.
        let id = unsafe { libc::gettid() };
        self.0.send((id, Box::new(wake))).expect("the main thread listens");
    }
}

struct Sleeper {
    thread: JoinHandle<()>,
    id: libc::pid_t,
    wake: Wake,
}

impl Sleeper {
    fn start(sleep: impl FnOnce(Ready) + Send + 'static) -> Self {
        let (sender, receiver) = mpsc::sync_channel(1);
        let thread = thread::Builder::new()
            .stack_size(STACK)
            .spawn(move || sleep(Ready(sender)))
            .expect("a thread");
        let (id, wake) = receiver.recv().expect("the thread says who it is");
        Self { thread, id, wake }
    }

    fn cpu(&self) -> Duration {
        let mut id = 0;
        // SAFETY: the thread has not been joined.
        let status =
            unsafe { libc::pthread_getcpuclockid(self.thread.as_pthread_t(), &raw mut id) };
        assert_eq!(status, 0, "the CPU clock of thread {}", self.id);
        clock(id)
    }

    fn switches(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/self/task/{}/status", self.id));
        let status = status.expect("the thread lives");
        let line = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
        line.and_then(|count| count.trim().parse().ok()).expect("the kernel counts switches")
    }
}

impl core::fmt::Debug for Sleeper {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Sleeper").field("id", &self.id).finish_non_exhaustive()
    }
}
