//! One run of the program: what suites run their cases through.

use core::time::Duration;
use std::fs;
use std::io;
use std::path::PathBuf;

use super::bars::Bar;
use super::json::JsonLines;
use super::pin::Cpus;
use super::quiet::Meter;
use super::results::{Case, CaseResult};
use super::rounds::{Contender, Plan};
use super::trace::{Trace, TracepointIds};
use super::{report, svg};
use crate::args::Options;

/// The plan, the outputs, and the results of the suite at hand.
#[derive(Debug)]
pub(crate) struct Session {
    plan: Plan,
    case: Option<String>,
    json: Option<JsonLines>,
    svg: Option<PathBuf>,
    suite: &'static str,
    cases: Vec<CaseResult>,
}

impl Session {
    /// Opens the outputs, so that a wrong path is known before hours of measuring.
    pub(crate) fn new(options: Options) -> io::Result<Self> {
        if let Some(directory) = &options.svg {
            fs::create_dir_all(directory)?;
        }
        Ok(Self {
            plan: Plan { cpus: Cpus::allowed(), quick: options.quick, tracepoints: tracepoints() },
            case: options.case,
            json: options.json.as_deref().map(JsonLines::create).transpose()?,
            svg: options.svg,
            suite: "",
            cases: Vec::new(),
        })
    }

    /// How long to wait for a quiet machine.
    pub(crate) fn patience(&self) -> Duration {
        Duration::from_secs(if self.plan.quick { 3 } else { 30 })
    }

    pub(crate) fn cpus(&self) -> &Cpus {
        &self.plan.cpus
    }

    pub(crate) fn quick(&self) -> bool {
        self.plan.quick
    }

    pub(crate) fn begin(&mut self, suite: &'static str) {
        self.suite = suite;
        self.cases.clear();
    }

    /// The cases of this suite that have run.
    pub(crate) fn cases(&self) -> &[CaseResult] {
        &self.cases
    }

    /// Whether a case of this name is to run.
    pub(crate) fn wants(&self, id: &str) -> bool {
        self.case.as_deref().is_none_or(|text| id.contains(text))
    }

    /// Runs a case with its contenders taking turns.
    pub(crate) fn compare(&mut self, case: Case, mut contenders: Vec<Contender>) -> io::Result<()> {
        if !self.wants(&case.id) {
            return Ok(());
        }
        eprintln!(
            "{} {}: {} contenders, {} rounds",
            self.suite,
            case.id,
            contenders.len(),
            self.plan.timed()
        );
        let meter = Meter::start();
        let result = self.plan.run(case, &mut contenders);
        self.record(result, &meter)
    }

    /// Takes in a case that a suite has run in its own way.
    pub(crate) fn record(&mut self, result: CaseResult, meter: &Meter) -> io::Result<()> {
        report::print_case(self.suite, &result);
        if let Some(note) = meter.note() {
            println!("{note}");
        }
        if let Some(json) = &mut self.json {
            json.write(self.suite, &result)?;
        }
        if let Some(directory) = &self.svg
            && let Some(plot) = svg::plot(self.suite, &result)
        {
            let name = format!("{}-{}.svg", self.suite, result.case.id.replace('/', "-"));
            fs::write(directory.join(name), plot)?;
        }
        self.cases.push(result);
        Ok(())
    }

    /// Ends a suite with its bars.
    pub(crate) fn finish(&self, bars: &[Bar]) {
        report::print_bars(self.suite, bars);
    }
}

/// The tracepoints, if this process may use them.
fn tracepoints() -> Option<TracepointIds> {
    let opened = TracepointIds::find().and_then(|ids| Trace::open(ids).map(|_| ids));
    match opened {
        Ok(ids) => Some(ids),
        Err(error) => {
            println!("note: system calls are not counted: {error}");
            None
        }
    }
}
