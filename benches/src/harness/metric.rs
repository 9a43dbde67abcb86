//! The names of what is measured.

/// Something measured: `ns_per_op` and the like.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Metric {
    pub(crate) name: &'static str,
    pub(crate) unit: Unit,
    /// In words, for a plot.
    pub(crate) about: &'static str,
    /// Whether tracing had to be on, which slows every system call. Such figures come from rounds of
    /// their own.
    pub(crate) traced: bool,
}

/// What a figure counts. Less is better, but for `PerSecond` (more is), and `Items` and `Cores`
/// (neither).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    Nanoseconds,
    Milliseconds,
    Bytes,
    Count,
    PerSecond,
    Items,
    Cores,
}

impl Unit {
    /// The unit in JSON.
    pub(crate) const fn symbol(self) -> &'static str {
        match self {
            Self::Nanoseconds => "ns",
            Self::Milliseconds => "ms",
            Self::Bytes => "B",
            Self::Count => "1",
            Self::PerSecond => "1/s",
            Self::Items => "items",
            Self::Cores => "cores",
        }
    }
}

impl PartialEq for Metric {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

const fn timed(name: &'static str, unit: Unit, about: &'static str) -> Metric {
    Metric { name, unit, about, traced: false }
}

const fn traced(name: &'static str, about: &'static str) -> Metric {
    Metric { name, unit: Unit::Count, about, traced: true }
}

pub(crate) const NS_PER_OP: Metric =
    timed("ns_per_op", Unit::Nanoseconds, "wall time per operation");
pub(crate) const CPU_NS_PER_OP: Metric =
    timed("cpu_ns_per_op", Unit::Nanoseconds, "CPU time per operation");
pub(crate) const OPS_PER_S: Metric =
    timed("ops_per_s", Unit::PerSecond, "operations per second (more is better)");
pub(crate) const P50_NS: Metric = timed("p50_ns", Unit::Nanoseconds, "median latency");
pub(crate) const P99_NS: Metric = timed("p99_ns", Unit::Nanoseconds, "99th percentile of latency");
pub(crate) const P999_NS: Metric =
    timed("p999_ns", Unit::Nanoseconds, "99.9th percentile of latency");
pub(crate) const CPU_MS: Metric = timed("cpu_ms", Unit::Milliseconds, "CPU time of the window");
pub(crate) const CTX_PER_OP: Metric =
    timed("ctx_per_op", Unit::Count, "context switches per operation, voluntary and forced");
pub(crate) const VOLUNTARY_SWITCHES: Metric =
    timed("voluntary_switches", Unit::Count, "voluntary context switches in the window");
/// Tells whether threads that should run at once did.
pub(crate) const CORES_BUSY: Metric = timed("cores_busy", Unit::Cores, "CPU time ÷ wall time");
pub(crate) const BYTES: Metric = timed("bytes", Unit::Bytes, "memory");
pub(crate) const FUTEX_PER_OP: Metric = traced("futex_per_op", "futex calls per operation");
pub(crate) const SYSCALLS_PER_OP: Metric = traced("syscalls_per_op", "system calls per operation");
pub(crate) const ALLOCS_PER_OP: Metric = traced("allocs_per_op", "allocations per operation");
pub(crate) const SEND_CPU_NS_PER_OP: Metric =
    timed("send_cpu_ns_per_op", Unit::Nanoseconds, "CPU time of posting and sending per message");
pub(crate) const SENDER_CPU_NS_PER_OP: Metric =
    timed("sender_cpu_ns_per_op", Unit::Nanoseconds, "CPU time of the sender's thread per message");
pub(crate) const BATCH_AVG: Metric = timed("batch_avg", Unit::Items, "messages in a batch");
pub(crate) const BATCH_MAX: Metric =
    timed("batch_max", Unit::Items, "messages in the largest batch");
pub(crate) const WRITES_PER_OP: Metric =
    timed("write_syscalls_per_op", Unit::Count, "write calls per operation");
