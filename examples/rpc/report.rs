//! The table, or the JSON lines.

use std::thread;
use std::time::Duration;

use crate::args::Args;
use crate::measure::{Histogram, Usage, wakeups_of_others};

/// One round of one mode.
pub struct Sample {
    pub calls: u64,
    pub elapsed: Duration,
    pub latencies: Histogram,
    pub writes: u64,
    pub usage: Usage,
    pub batches: usize,
    pub messages: usize,
    pub largest_batch: usize,
}

impl Sample {
    pub fn calls_per_s(&self) -> f64 {
        self.calls as f64 / self.elapsed.as_secs_f64()
    }
}

/// All rounds of one mode.
pub struct Report {
    mode: &'static str,
    rounds: Vec<f64>,
    total: Sample,
}

impl Report {
    pub fn new(mode: &'static str) -> Self {
        let total = Sample {
            calls: 0,
            elapsed: Duration::ZERO,
            latencies: Histogram::new(),
            writes: 0,
            usage: Usage::default(),
            batches: 0,
            messages: 0,
            largest_batch: 0,
        };
        Self { mode, rounds: Vec::new(), total }
    }

    pub fn add(&mut self, round: Sample) {
        self.rounds.push(round.calls_per_s());
        let total = &mut self.total;
        total.calls += round.calls;
        total.elapsed += round.elapsed;
        total.latencies.merge(&round.latencies);
        total.writes += round.writes;
        total.usage += round.usage;
        total.batches += round.batches;
        total.messages += round.messages;
        total.largest_batch = total.largest_batch.max(round.largest_batch);
    }

    /// The median of the rounds.
    fn calls_per_s(&self) -> f64 {
        let mut rounds = self.rounds.clone();
        rounds.sort_by(f64::total_cmp);
        match rounds.len() {
            0 => 0.0,
            n if n % 2 == 1 => rounds[n / 2],
            n => (rounds[n / 2 - 1] + rounds[n / 2]) / 2.0,
        }
    }

    /// The median of the ratios, round by round.
    fn ratio_to(&self, other: &Self) -> f64 {
        let ratios = self.rounds.iter().zip(&other.rounds).map(|(mine, theirs)| mine / theirs);
        Self { mode: "", rounds: ratios.collect(), total: Self::new("").total }.calls_per_s()
    }

    fn per_call(&self, amount: f64) -> f64 {
        amount / (self.total.calls as f64).max(1.0)
    }

    fn batch_avg(&self) -> f64 {
        if self.total.batches == 0 {
            1.0
        } else {
            self.total.messages as f64 / self.total.batches as f64
        }
    }

    fn batch_max(&self) -> usize {
        self.total.largest_batch.max(1)
    }

    fn fields(&self) -> Vec<(&'static str, &'static str, f64)> {
        let total = &self.total;
        vec![
            ("calls_per_s", "calls/s", self.calls_per_s()),
            ("p50_us", "latency p50, µs", total.latencies.quantile_us(0.5)),
            ("p99_us", "latency p99, µs", total.latencies.quantile_us(0.99)),
            ("batch_avg", "batch, average", self.batch_avg()),
            ("batch_max", "batch, largest", self.batch_max() as f64),
            ("write_syscalls_per_call", "write calls per call", self.per_call(total.writes as f64)),
            (
                "ctx_switches_per_call",
                "context switches per call",
                self.per_call(total.usage.switches as f64),
            ),
            (
                "user_us_per_call",
                "user CPU per call, µs",
                self.per_call(total.usage.user.as_secs_f64() * 1e6),
            ),
            (
                "sys_us_per_call",
                "system CPU per call, µs",
                self.per_call(total.usage.sys.as_secs_f64() * 1e6),
            ),
        ]
    }
}

/// What a connection costs on which nobody calls.
pub struct Idle {
    seconds: f64,
    cpu: Duration,
    wakeups: u64,
}

impl Idle {
    pub fn watch(args: &Args) -> Self {
        eprintln!("  idle  {} s without a call", args.seconds);
        // Whoever is about to fall asleep does so first.
        thread::sleep(Duration::from_millis(100));
        let wakeups = wakeups_of_others().unwrap_or(0);
        // Innermost: counting the wake-ups costs time of its own.
        let usage = Usage::now();
        thread::sleep(Duration::from_secs_f64(args.seconds));
        let usage = Usage::now() - usage;
        let wakeups = wakeups_of_others().unwrap_or(0) - wakeups;
        Self { seconds: args.seconds, cpu: usage.user + usage.sys, wakeups }
    }
}

pub fn print(args: &Args, direct: Option<&Report>, merged: Option<&Report>, idle: Option<&Idle>) {
    if args.json {
        print_json(args, direct, merged, idle);
    } else {
        print_table(args, direct, merged, idle);
    }
}

fn print_json(args: &Args, direct: Option<&Report>, merged: Option<&Report>, idle: Option<&Idle>) {
    for report in [direct, merged].into_iter().flatten() {
        let head = format!(
            r#"{{"mode":"{}","callers":{},"inflight":{},"payload":{}"#,
            report.mode, args.callers, args.inflight, args.payload
        );
        let fields: String = report
            .fields()
            .iter()
            .map(|(key, _, value)| format!(r#","{key}":{value:.4}"#))
            .collect();
        println!("{head}{fields}}}");
    }
    if let Some(idle) = idle {
        println!(
            r#"{{"mode":"idle","seconds":{},"cpu_ms":{:.3},"wakeups":{}}}"#,
            idle.seconds,
            idle.cpu.as_secs_f64() * 1e3,
            idle.wakeups
        );
    }
}

fn print_table(args: &Args, direct: Option<&Report>, merged: Option<&Report>, idle: Option<&Idle>) {
    println!(
        "\n{} callers, {} in flight each, {} B requests and replies, one loopback connection;\n\
         counts are the whole process's: client and server, both directions\n",
        args.callers, args.inflight, args.payload
    );
    let columns: Vec<_> = [direct, merged].into_iter().flatten().collect();
    print!("{:<28}", "");
    columns.iter().for_each(|report| print!("{:>12}", report.mode));
    println!();
    let fields: Vec<_> = columns.iter().map(|report| report.fields()).collect();
    for row in 0..fields.first().map_or(0, Vec::len) {
        print!("{:<28}", fields[0][row].1);
        for column in &fields {
            let value = column[row].2;
            if value >= 1000.0 { print!("{value:>12.0}") } else { print!("{value:>12.3}") }
        }
        println!();
    }
    if let (Some(direct), Some(merged)) = (direct, merged) {
        println!("\nmerged ÷ direct, calls/s: {:.2}×", merged.ratio_to(direct));
    }
    if let Some(idle) = idle {
        println!(
            "idle for {} s: {:.3} ms CPU, {} wake-ups",
            idle.seconds,
            idle.cpu.as_secs_f64() * 1e3,
            idle.wakeups
        );
    }
}
