//! The command line.

use core::fmt::Write as _;
use std::path::PathBuf;

use crate::suites::{SUITES, Suite};

/// What the caller asks for.
pub(crate) enum Command {
    Help,
    Run { suites: Vec<&'static Suite>, options: Options },
}

/// How to run and where to write, beside the tables on stdout.
#[derive(Default)]
pub(crate) struct Options {
    /// Fewer and shorter rounds: to see that it works, not to quote.
    pub(crate) quick: bool,
    /// Runs only cases with this in their name.
    pub(crate) case: Option<String>,
    /// A file for one JSON object per figure and line.
    pub(crate) json: Option<PathBuf>,
    /// A directory for one plot per case.
    pub(crate) svg: Option<PathBuf>,
}

/// Reads the arguments, or says what is wrong with them.
pub(crate) fn parse(args: impl Iterator<Item = String>) -> Result<Command, String> {
    let mut args = args;
    let mut options = Options::default();
    let mut wanted: Option<String> = None;
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--help" | "-h" => return Ok(Command::Help),
            "--quick" => options.quick = true,
            "--case" => options.case = Some(value("--case", args.next())?),
            "--json" => options.json = Some(value("--json", args.next())?.into()),
            "--svg" => options.svg = Some(value("--svg", args.next())?.into()),
            flag if flag.starts_with('-') => return Err(format!("unknown flag `{flag}`")),
            _ if wanted.is_some() => return Err(format!("one suite at a time, not also `{arg}`")),
            _ => wanted = Some(arg),
        }
    }
    let suites = select(&wanted.ok_or("which suite?")?)?;
    Ok(Command::Run { suites, options })
}

fn value(flag: &str, value: Option<String>) -> Result<String, String> {
    value
        .filter(|value| !value.starts_with('-'))
        .ok_or_else(|| format!("`{flag}` needs something to follow it"))
}

fn select(wanted: &str) -> Result<Vec<&'static Suite>, String> {
    if wanted == "all" {
        return Ok(SUITES.iter().collect());
    }
    match SUITES.iter().find(|suite| suite.name == wanted) {
        Some(suite) => Ok(vec![suite]),
        None => Err(format!("unknown suite `{wanted}`")),
    }
}

/// The help text, with the list of suites.
pub(crate) fn usage() -> String {
    let mut text =
        String::from("usage: cargo run --release -p reveille-bench -- SUITE [OPTIONS]\n\n");
    text.push_str("suites:\n");
    for suite in SUITES {
        let _ = writeln!(text, "  {:<10} {}", suite.name, suite.about);
    }
    let _ = writeln!(text, "  {:<10} each of them", "all");
    text.push_str(
        "\noptions:\n  \
           --quick      3 short rounds instead of 9: a trial, not figures to quote\n  \
           --case TEXT  only cases with this in their name\n  \
           --json FILE  one line a figure: suite, case, impl, metric, unit, median, min, max, rounds\n  \
           --svg DIR    one plot a case\n  \
           --help       this text\n",
    );
    text
}
