//! Passes the compiler's version on to the header of a run.

use std::process::Command;

fn main() {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc).arg("--version").output().ok();
    let version = version.and_then(|output| String::from_utf8(output.stdout).ok());
    let version = version.unwrap_or_else(|| "unknown rustc".into());
    println!("cargo::rustc-env=BENCH_RUSTC={}", version.trim());
    println!("cargo::rerun-if-changed=build.rs");
}
