//! What the process used, and how long calls took.

use std::io;
use std::ops::Sub;
use std::time::Duration;

/// What the process has used so far, or between two moments.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    pub user: Duration,
    pub sys: Duration,
    pub switches: u64,
}

impl Usage {
    pub fn now() -> Self {
        // SAFETY: all zeroes is a valid value.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY: it is written by the call.
        unsafe { libc::getrusage(libc::RUSAGE_SELF, &raw mut usage) };
        let time = |time: libc::timeval| {
            Duration::from_secs(time.tv_sec as u64) + Duration::from_micros(time.tv_usec as u64)
        };
        Self {
            user: time(usage.ru_utime),
            sys: time(usage.ru_stime),
            switches: (usage.ru_nvcsw + usage.ru_nivcsw) as u64,
        }
    }
}

impl Sub for Usage {
    type Output = Self;

    fn sub(self, earlier: Self) -> Self {
        Self {
            user: self.user - earlier.user,
            sys: self.sys - earlier.sys,
            switches: self.switches - earlier.switches,
        }
    }
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.user += other.user;
        self.sys += other.sys;
        self.switches += other.switches;
    }
}

/// Times that threads other than this one have been woken, and the CPU time of the process.
pub fn wakeups_of_others() -> io::Result<u64> {
    let me = std::fs::read_link("/proc/thread-self")?;
    let mut wakeups = 0;
    for task in std::fs::read_dir("/proc/self/task")? {
        let task = task?;
        if Some(task.file_name().as_os_str()) == me.file_name() {
            continue;
        }
        let status = std::fs::read_to_string(task.path().join("status"))?;
        let line = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
        wakeups += line.and_then(|count| count.trim().parse::<u64>().ok()).unwrap_or(0);
    }
    Ok(wakeups)
}

/// Confines this process to the first so many of its CPUs.
pub fn use_cpus(count: usize) -> io::Result<()> {
    // SAFETY: all zeroes is a valid, empty set.
    let mut have: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    let size = size_of::<libc::cpu_set_t>();
    // SAFETY: the set is written by the call.
    if unsafe { libc::sched_getaffinity(0, size, &raw mut have) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: as above.
    let mut want: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: the numbers are within the set.
    let cpus =
        (0..libc::CPU_SETSIZE as usize).filter(|&cpu| unsafe { libc::CPU_ISSET(cpu, &have) });
    let taken: Vec<_> = cpus.take(count).collect();
    if taken.len() < count {
        return Err(io::Error::other(format!("there are only {} CPUs", taken.len())));
    }
    for cpu in taken {
        // SAFETY: as above.
        unsafe { libc::CPU_SET(cpu, &mut want) };
    }
    // SAFETY: the set is only read.
    if unsafe { libc::sched_setaffinity(0, size, &raw const want) } != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// Durations, counted in buckets 1/16 apart.
#[derive(Clone)]
pub struct Histogram(Vec<u64>);

const STEPS: u32 = 16;

impl Histogram {
    pub fn new() -> Self {
        Self(vec![0; 64 * STEPS as usize])
    }

    pub fn record(&mut self, duration: Duration) {
        let nanos = (duration.as_nanos() as u64).max(u64::from(STEPS));
        let octave = nanos.ilog2();
        let step = (nanos >> (octave - STEPS.ilog2())) as u32 - STEPS;
        self.0[(octave * STEPS + step) as usize] += 1;
    }

    pub fn merge(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(mine, theirs)| *mine += theirs);
    }

    /// The duration below which this share of them are, in microseconds.
    pub fn quantile_us(&self, share: f64) -> f64 {
        let total: u64 = self.0.iter().sum();
        let wanted = (total as f64 * share).ceil() as u64;
        let mut seen = 0;
        for (bucket, count) in self.0.iter().enumerate() {
            seen += count;
            if seen >= wanted && seen > 0 {
                let (octave, step) = (bucket as u32 / STEPS, bucket as u32 % STEPS);
                let nanos = f64::from(STEPS + step) * 2f64.powi((octave - STEPS.ilog2()) as i32);
                return nanos / 1000.0;
            }
        }
        0.0
    }
}
