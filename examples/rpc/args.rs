//! The command line.

use lexopt::prelude::*;

pub const USAGE: &str = "\
usage: rpc [--callers N] [--inflight N] [--payload BYTES] [--seconds S] [--mode both|merged|direct]
           [--cpus 1|2] [--json]

  --callers N      caller threads (32)
  --inflight N     calls that each caller keeps open: 1 is a blocking client (1)
  --payload BYTES  of a request and of its reply (64)
  --seconds S      to measure each mode, and to watch the idle connection (3)
  --mode MODE      which write paths to run (both)
  --cpus N         confine the process to so many CPUs
  --json           one JSON object a line on stdout, and nothing else there";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Both,
    Merged,
    Direct,
}

#[derive(Clone, Debug)]
pub struct Args {
    pub callers: usize,
    pub inflight: usize,
    pub payload: usize,
    pub seconds: f64,
    pub mode: Mode,
    pub cpus: Option<usize>,
    pub json: bool,
}

impl Args {
    /// `None`: help was asked for and given.
    pub fn parse() -> Result<Option<Self>, lexopt::Error> {
        let mut args = Self {
            callers: 32,
            inflight: 1,
            payload: 64,
            seconds: 3.0,
            mode: Mode::Both,
            cpus: None,
            json: false,
        };
        let mut parser = lexopt::Parser::from_env();
        while let Some(arg) = parser.next()? {
            match arg {
                Long("callers") => args.callers = within(&mut parser, "--callers", 1, 4096)?,
                Long("inflight") => args.inflight = within(&mut parser, "--inflight", 1, 4096)?,
                Long("payload") => args.payload = within(&mut parser, "--payload", 0, 1 << 20)?,
                Long("cpus") => args.cpus = Some(within(&mut parser, "--cpus", 1, 2)?),
                Long("seconds") => {
                    args.seconds = parser.value()?.parse()?;
                    if !(args.seconds > 0.0 && args.seconds <= 3600.0) {
                        return Err("--seconds must be above 0 and at most 3600".into());
                    }
                }
                Long("mode") => {
                    args.mode = match parser.value()?.to_str() {
                        Some("both") => Mode::Both,
                        Some("merged") => Mode::Merged,
                        Some("direct") => Mode::Direct,
                        _ => return Err("--mode must be both, merged or direct".into()),
                    }
                }
                Long("json") => args.json = true,
                Long("help") | Short('h') => {
                    println!("{USAGE}");
                    return Ok(None);
                }
                _ => return Err(arg.unexpected()),
            }
        }
        Ok(Some(args))
    }
}

fn within(
    parser: &mut lexopt::Parser,
    flag: &str,
    least: usize,
    most: usize,
) -> Result<usize, lexopt::Error> {
    let number = parser.value()?.parse()?;
    if (least..=most).contains(&number) {
        Ok(number)
    } else {
        Err(format!("{flag} must be between {least} and {most}").into())
    }
}
