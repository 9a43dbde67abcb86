//! `idle-10s`: many parked threads of every kind, for ten seconds, in which nothing happens.
//!
//! All kinds sleep side by side, so that a window counts for each. The main thread looks at them
//! from outside; CPU time of exactly zero also means that no system call was made, since making one
//! takes time. After the last window every thread is woken and must have waited until then.

use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::fs;
use std::io;
use std::os::unix::thread::JoinHandleExt as _;
use std::sync::Arc;
use std::sync::mpsc;
use std::thread::{self, JoinHandle};

use super::roll::{ForEach, plain};
use super::subject::{Park as _, Subject, Unpark as _};
use crate::harness::metric::{CPU_MS, Metric, VOLUNTARY_SWITCHES};
use crate::harness::quiet::Meter;
use crate::harness::results::Sample;
use crate::harness::window::clock;
use crate::harness::{Case, CaseResult, Session};

const COLUMNS: &[Metric] = &[CPU_MS, VOLUNTARY_SWITCHES];
/// Parked threads of each kind.
const THREADS: usize = 64;
const STACK: usize = 64 << 10;
/// How long to give them to fall asleep.
const SETTLING: Duration = Duration::from_millis(500);

pub(super) fn run(session: &mut Session) -> io::Result<()> {
    let (seconds, windows) = if session.quick() { (2, 1) } else { (10, 3) };
    let case = Case {
        id: "idle-10s".into(),
        title: format!("{THREADS} parked threads, all together, in {seconds} s"),
        columns: COLUMNS,
        plotted: &[],
    };
    eprintln!("park idle-10s: {windows} windows of {seconds} s");
    let meter = Meter::start();
    let herds = plain::<Asleep>();
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

struct Asleep;

impl ForEach for Asleep {
    type Output = Herd;

    fn make<S: Subject>() -> Herd {
        let morning = Arc::new(AtomicBool::new(false));
        let sleepers = (0..THREADS).map(|_| Sleeper::start::<S>(Arc::clone(&morning))).collect();
        Herd { name: S::NAME, morning, sleepers }
    }
}

/// All sleepers of a kind.
struct Herd {
    name: &'static str,
    morning: Arc<AtomicBool>,
    sleepers: Vec<Sleeper>,
}

/// What threads have done since they started.
#[derive(Default)]
struct Activity {
    cpu: Duration,
    switches: u64,
}

impl Herd {
    fn activity(&self) -> Activity {
        self.sleepers.iter().fold(Activity::default(), |sum, sleeper| Activity {
            cpu: sum.cpu + sleeper.cpu(),
            switches: sum.switches + sleeper.switches(),
        })
    }

    fn end(self) {
        self.morning.store(true, Ordering::Release);
        for sleeper in self.sleepers {
            (sleeper.wake)();
            sleeper.thread.join().expect("a sleeper does not panic");
        }
    }
}

struct Sleeper {
    thread: JoinHandle<()>,
    id: libc::pid_t,
    wake: Box<dyn FnOnce()>,
}

impl Sleeper {
    fn start<S: Subject>(morning: Arc<AtomicBool>) -> Self {
        let (sender, receiver) = mpsc::sync_channel(1);
        let sleep = move || {
            let (mut parker, unparker) = S::pair();
            // SAFETY: no preconditions.
            let id = unsafe { libc::gettid() };
            sender.send((id, unparker)).expect("the main thread listens");
            drop(sender);
            while !morning.load(Ordering::Acquire) {
                parker.park();
            }
        };
        let thread = thread::Builder::new().stack_size(STACK).spawn(sleep).expect("a thread");
        let (id, unparker) = receiver.recv().expect("the thread says who it is");
        Self { thread, id, wake: Box::new(move || unparker.unpark()) }
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
