//! The header of a run: on what, with what, when.

use std::fs;
use std::process::Command;

use super::pin::Cpus;

/// Every package that was linked, with its version.
const LOCK: &str = include_str!("../../../Cargo.lock");

/// Prints where the figures come from.
pub(crate) fn print_header(peers: impl Iterator<Item = &'static str>) {
    let repository = env!("CARGO_MANIFEST_DIR");
    let mut peers: Vec<_> = peers.collect();
    peers.sort_unstable();
    peers.dedup();
    let versions: Vec<_> =
        peers.iter().map(|peer| format!("{peer} {}", version(peer).unwrap_or("?"))).collect();

    println!("machine   {}", machine());
    println!("kernel    {}", output("uname", &["-srm"]));
    println!("built by  {}, {}", env!("BENCH_RUSTC"), profile());
    println!("commit    {}", commit(repository));
    println!("date      {}", output("date", &["-u", "+%Y-%m-%d %H:%M UTC"]));
    println!("reveille  {}", version("reveille").unwrap_or("?"));
    println!("peers     {}", versions.join(", "));
}

/// The commit, and whether something besides figures differs from it: a run writes those itself.
fn commit(repository: &str) -> String {
    let git = |arguments: &[&str]| output("git", &[&["-C", repository], arguments].concat());
    let changed = ["status", "--porcelain", "--", ":/", ":(top,exclude)docs/benchmarks"];
    let dirty = if git(&changed).is_empty() { "" } else { "-dirty" };
    git(&["rev-parse", "--short", "HEAD"]) + dirty
}

fn machine() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let line = info.lines().find(|line| line.starts_with(name))?;
        Some(line.split_once(':')?.1.trim())
    };
    let model = field("model name").unwrap_or("unknown CPU");
    let virtualization = match output("systemd-detect-virt", &["--vm"]).as_str() {
        "none" => "no virtual machine".into(),
        "unknown" if field("flags").is_some_and(|flags| flags.contains("hypervisor")) => {
            "a virtual machine".into()
        }
        "unknown" => "virtualization unknown".into(),
        name => format!("a virtual machine ({name})"),
    };
    format!("{model}, {} CPUs allowed, {virtualization}", Cpus::allowed().count())
}

fn profile() -> &'static str {
    match (cfg!(debug_assertions), cfg!(panic = "abort")) {
        (true, _) => "DEBUG BUILD: the figures mean nothing",
        (false, true) => "panic=abort",
        (false, false) => "panic=unwind",
    }
}

/// A package's version in the lock file; the newest if there are several.
fn version(package: &str) -> Option<&'static str> {
    let name = format!("name = \"{package}\"");
    let entries = LOCK.split("[[package]]");
    let entry = entries.filter(|entry| entry.lines().any(|line| line == name)).last()?;
    let line = entry.lines().find_map(|line| line.strip_prefix("version = \""))?;
    line.strip_suffix('"')
}

/// What a program prints; `unknown` if it is not there or fails.
fn output(program: &str, args: &[&str]) -> String {
    Command::new(program)
        .args(args)
        .output()
        .ok()
        .filter(|output| output.status.success() || !output.stdout.is_empty())
        .and_then(|output| String::from_utf8(output.stdout).ok())
        .map_or_else(|| "unknown".into(), |text| text.trim().into())
}
