//! The example as a process.

use core::time::Duration;
use std::env;
use std::io;
use std::process::{Command, Stdio};

use crate::harness::metric::{
    BATCH_AVG, CPU_NS_PER_OP, CTX_PER_OP, NS_PER_OP, P50_NS, P99_NS, WRITES_PER_OP,
};
use crate::harness::results::Sample;

const MANIFEST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml");

fn cargo(command: &str) -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args([command, "--quiet", "--release", "--manifest-path", MANIFEST, "--example", "rpc"]);
    cargo
}

/// Builds it, so that no turn does.
pub(super) fn build() -> io::Result<()> {
    let status = cargo("build").status()?;
    if status.success() { Ok(()) } else { Err(io::Error::other("the example does not build")) }
}

/// Runs it for so long.
///
/// # Panics
///
/// If it fails: a call was lost or answered wrongly.
pub(super) fn calls(mode: &str, callers: usize, inflight: usize, length: Duration) -> Sample {
    let output = cargo("run")
        .args(["--", "--json", "--mode", mode])
        .args(["--callers", &callers.to_string(), "--inflight", &inflight.to_string()])
        .args(["--seconds", &length.as_secs_f64().to_string()])
        .stderr(Stdio::null())
        .output()
        .expect("cargo can be run");
    assert!(output.status.success(), "the example failed in mode {mode}: {}", output.status);
    let output = String::from_utf8(output.stdout).expect("it prints text");
    let line = output.lines().find(|line| line.contains(&format!(r#""mode":"{mode}""#)));
    let line = line.expect("it prints its figures");
    let cpu = ["user_us_per_call", "sys_us_per_call"].map(|name| field(line, name));
    Sample::default()
        .with(NS_PER_OP, 1e9 / field(line, "calls_per_s"))
        .with(CPU_NS_PER_OP, cpu.iter().sum::<f64>() * 1e3)
        .with(CTX_PER_OP, field(line, "ctx_switches_per_call"))
        .with(WRITES_PER_OP, field(line, "write_syscalls_per_call"))
        .with(BATCH_AVG, field(line, "batch_avg"))
        .with(P50_NS, field(line, "p50_us") * 1e3)
        .with(P99_NS, field(line, "p99_us") * 1e3)
}

/// A number in a flat JSON object.
fn field(line: &str, name: &str) -> f64 {
    let value = line.split_once(&format!(r#""{name}":"#)).map(|(_, rest)| rest);
    let number = value.and_then(|rest| rest.split([',', '}']).next()?.parse().ok());
    number.unwrap_or_else(|| panic!("no {name} in {line}"))
}

#[cfg(test)]
mod tests {
    use super::field;

    #[test]
    fn fields_of_a_line() {
        let line = r#"{"mode":"merged","callers":32,"p50_us":1.5}"#;
        assert!((field(line, "callers") - 32.0).abs() < 1e-9);
        assert!((field(line, "p50_us") - 1.5).abs() < 1e-9);
    }
}
