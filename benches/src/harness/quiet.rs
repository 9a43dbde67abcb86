//! What other processes do meanwhile.
//!
//! A busy neighbour changes the results in both directions: it takes CPU time, and it keeps a CPU
//! from being halted, which makes waking a thread there *faster*.

use core::time::Duration;
use std::fs;
use std::thread;
use std::time::Instant;

use super::window::{Whose, children_cpu_time, cpu_time};

/// Others may use this share of all cores.
const TOLERATED: f64 = 0.1;
/// How long one look takes.
const LOOK: Duration = Duration::from_millis(500);

/// Waits until the machine is quiet, at most this long, and says so if it is not.
pub(crate) fn wait(patience: Duration) {
    let begun = Instant::now();
    loop {
        let meter = Meter::start();
        thread::sleep(LOOK);
        let Some(share) = meter.others() else {
            println!("note: /proc/stat cannot be read; whether the machine is quiet is not known");
            return;
        };
        if share <= TOLERATED {
            return;
        }
        if begun.elapsed() >= patience {
            println!(
                "note: after {} s of waiting other processes still use {:.0} % of the cores",
                patience.as_secs(),
                share * 100.0
            );
            return;
        }
    }
}

/// Measures what others use while it runs.
#[derive(Debug)]
pub(crate) struct Meter {
    machine: Option<MachineTime>,
    own: Duration,
}

impl Meter {
    pub(crate) fn start() -> Self {
        Self { machine: MachineTime::now(), own: own_time() }
    }

    /// The share of all cores that others have used since then.
    fn others(&self) -> Option<f64> {
        let (before, after) = (self.machine?, MachineTime::now()?);
        let all = after.all.saturating_sub(before.all).as_secs_f64();
        let busy = after.busy.saturating_sub(before.busy).as_secs_f64();
        let own = own_time().saturating_sub(self.own).as_secs_f64();
        (all > 0.0).then(|| ((busy - own) / all).max(0.0))
    }

    /// A line to print if others used too much.
    pub(crate) fn note(&self) -> Option<String> {
        let share = self.others()?;
        (share > TOLERATED)
            .then(|| format!("noisy run: other processes used {:.0} % of the cores", share * 100.0))
    }
}

/// Of this process and of those that it ran.
fn own_time() -> Duration {
    cpu_time(Whose::Process) + children_cpu_time()
}

/// CPU time of the whole machine since it started.
#[derive(Clone, Copy, Debug)]
struct MachineTime {
    /// Of all cores, in whatever state.
    all: Duration,
    /// Not idle, not waiting for a disk; stolen by the host counts as busy.
    busy: Duration,
}

impl MachineTime {
    fn now() -> Option<Self> {
        /// The kernel shows times in hundredths of a second, whatever its own tick.
        const TICK: Duration = Duration::from_millis(10);
        const IDLE: usize = 3;
        const IOWAIT: usize = 4;
        /// Later fields (guest time) are contained in earlier ones.
        const FIELDS: usize = 8;

        let stat = fs::read_to_string("/proc/stat").ok()?;
        let total = stat.lines().next()?.strip_prefix("cpu ")?;
        let fields: Option<Vec<u32>> =
            total.split_whitespace().take(FIELDS).map(|field| field.parse().ok()).collect();
        let fields = fields?;
        let all = fields.iter().sum::<u32>();
        let idle = fields.get(IDLE)? + fields.get(IOWAIT)?;
        Some(Self { all: TICK * all, busy: TICK * (all - idle) })
    }
}
