//! Measures `reveille` beside its peers.
//!
//! One process, ours and the peers interleaved round by round, every thread pinned. `harness` knows
//! how to measure and to report, `suites` what, `peers` holds the ports of what is no crate.

#[cfg(not(target_os = "linux"))]
compile_error!("the harness pins threads and counts system calls: build it on Linux");

mod args;
mod harness;
mod peers;
mod suites;

use std::process::ExitCode;

use args::{Command, Options};
use harness::{Session, machine, memory, quiet};
use suites::Suite;

#[global_allocator]
static ALLOCATOR: harness::count::CountingAllocator = harness::count::CountingAllocator;

fn main() -> ExitCode {
    match args::parse(std::env::args().skip(1)) {
        Ok(Command::Help) => {
            print!("{}", args::usage());
            ExitCode::SUCCESS
        }
        Ok(Command::Run { suites, options }) => match run(&suites, options) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("error: {error}");
                ExitCode::FAILURE
            }
        },
        Err(mistake) => {
            eprint!("error: {mistake}\n\n{}", args::usage());
            ExitCode::from(2)
        }
    }
}

fn run(suites: &[&'static Suite], options: Options) -> std::io::Result<()> {
    memory::keep();
    let mut session = Session::new(options)?;
    machine::print_header(suites.iter().flat_map(|suite| suite.peers).copied());
    quiet::wait(session.patience());
    for suite in suites {
        session.begin(suite.name);
        (suite.run)(&mut session)?;
        session.finish(&(suite.bars)(session.cases()));
    }
    Ok(())
}
