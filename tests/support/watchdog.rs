//! Ends the process when a test hangs, and says which one it was.

use std::io::Write as _;
use std::panic::Location;
use std::process;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::rounds::patience;

/// How long a test may take.
const LIMIT: Duration = Duration::from_secs(60);

struct Entry {
    id: u64,
    test: String,
    begun: Instant,
}

struct Running {
    next_id: u64,
    entries: Vec<Entry>,
}

static RUNNING: Mutex<Running> = Mutex::new(Running { next_id: 0, entries: Vec::new() });

fn running() -> MutexGuard<'static, Running> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A test is under watch while this lives.
pub(crate) struct Watch(u64);

/// Begins to watch the test that calls it.
#[track_caller]
#[must_use = "the test is watched until this is dropped"]
pub(crate) fn watch() -> Watch {
    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        thread::Builder::new().name("watchdog".into()).spawn(look_again_and_again).unwrap();
    });
    let place = Location::caller();
    let test = format!("{} ({place})", thread::current().name().unwrap_or("a test"));
    let mut running = running();
    let id = running.next_id;
    running.next_id += 1;
    running.entries.push(Entry { id, test, begun: Instant::now() });
    Watch(id)
}

impl Drop for Watch {
    fn drop(&mut self) {
        running().entries.retain(|entry| entry.id != self.0);
    }
}

fn look_again_and_again() {
    let limit = LIMIT * patience();
    loop {
        thread::sleep(Duration::from_millis(500));
        let running = running();
        let late: Vec<_> = running.entries.iter().filter(|e| e.begun.elapsed() > limit).collect();
        if late.is_empty() {
            continue;
        }
        // Not eprintln: the test harness may be capturing that, and the process ends here.
        let mut out = std::io::stderr();
        for entry in late {
            let _ = writeln!(out, "\nHANGS for {:?}: {}", entry.begun.elapsed(), entry.test);
        }
        report_threads(&mut out);
        process::abort();
    }
}

/// The process's threads and what they are doing, where the system tells.
fn report_threads(out: &mut impl std::io::Write) {
    let Ok(tasks) = std::fs::read_dir("/proc/self/task") else { return };
    for task in tasks.flatten() {
        let read = |name| std::fs::read_to_string(task.path().join(name)).unwrap_or_default();
        let status = read("status");
        let state = status.lines().find(|line| line.starts_with("State:")).unwrap_or_default();
        let _ = writeln!(out, "  {}: {state}, {}", read("comm").trim(), read("wchan").trim());
    }
}
