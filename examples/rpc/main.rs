//! An RPC over one loopback TCP connection: calls merged into batches, beside one write per call.
//!
//! `cargo run --release --example rpc -- --help`
//!
//! Caller threads encode requests on their own thread and hand them to the connection; the server
//! reads frames, answers each, and sends the replies the same way; replies find their callers by id.
//! The two modes share framing, encoder, reply table, readers and waiting primitive. They differ only
//! in the write path (`path.rs`): `direct` makes one `write` per message under a mutex, on the thread
//! that has the message; `merged` gives messages to a `MergeSender`, which writes what has gathered
//! with one vectored write.
//!
//! Client and server run in this one process, and all counts are the whole process's: both ends, both
//! directions. The modes take turns, a round each, so that a noisy machine treats them alike. Every
//! reply is checked; a wrong or a lost one ends the program with an error.

mod args;
mod client;
mod measure;
mod path;
mod report;
mod server;
mod slots;
mod wire;

use std::process::ExitCode;
use std::time::Duration;

use args::{Args, Mode};
use client::Client;
use path::{Direct, Merged, WritePath};
use report::{Idle, Report};

/// Rounds that the modes take in turn.
const ROUNDS: u32 = 6;

type Error = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    let args = match Args::parse() {
        Ok(Some(args)) => args,
        Ok(None) => return ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}\n\n{}", args::USAGE);
            return ExitCode::from(2);
        }
    };
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Result<(), Error> {
    if let Some(cpus) = args.cpus {
        measure::use_cpus(cpus)?;
    }
    let mut direct = match args.mode {
        Mode::Merged => None,
        Mode::Direct | Mode::Both => Some(Side::<Direct>::start(args)?),
    };
    let mut merged = match args.mode {
        Mode::Direct => None,
        Mode::Merged | Mode::Both => Some(Side::<Merged>::start(args)?),
    };
    for round in 0..ROUNDS {
        if let Some(side) = &mut direct {
            side.round(args, round)?;
        }
        if let Some(side) = &mut merged {
            side.round(args, round)?;
        }
    }
    let direct = direct.map(Side::finish).transpose()?;
    // The idle phase is the merged side's: its connection is still open, and nobody calls.
    let idle = merged.as_ref().map(|_| Idle::watch(args));
    let merged = merged.map(Side::finish).transpose()?;
    report::print(args, direct.as_ref(), merged.as_ref(), idle.as_ref());
    Ok(())
}

/// One mode: a connection with its server and callers, and what was measured so far.
struct Side<P: WritePath> {
    client: Client<P>,
    report: Report,
}

impl<P: WritePath> Side<P> {
    fn start(args: &Args) -> Result<Self, Error> {
        Ok(Self { client: Client::connect(args)?, report: Report::new(P::NAME) })
    }

    fn round(&mut self, args: &Args, round: u32) -> Result<(), Error> {
        let length = Duration::from_secs_f64(args.seconds / f64::from(ROUNDS));
        // A short run-in, so that no round begins with cold threads.
        self.client.call_for(length / 10)?;
        let sample = self.client.call_for(length)?;
        eprintln!(
            "{:>6}  round {}/{ROUNDS}: {:.0} calls/s",
            P::NAME,
            round + 1,
            sample.calls_per_s()
        );
        self.report.add(sample);
        Ok(())
    }

    fn finish(self) -> Result<Report, Error> {
        self.client.close()?;
        Ok(self.report)
    }
}
