//! One JSON object per figure and line.

use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::Path;

use super::results::CaseResult;

/// An open file of lines.
#[derive(Debug)]
pub(super) struct JsonLines(BufWriter<File>);

impl JsonLines {
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        Ok(Self(BufWriter::new(File::create(path)?)))
    }

    /// Writes every figure of a case; what was not measured has no line.
    pub(super) fn write(&mut self, suite: &str, result: &CaseResult) -> io::Result<()> {
        for row in &result.rows {
            for &metric in result.case.columns {
                let Some(summary) = row.summary(metric) else {
                    continue;
                };
                writeln!(
                    self.0,
                    "{{\"suite\":{},\"case\":{},\"impl\":{},\"metric\":{},\"unit\":{},\
                     \"median\":{},\"min\":{},\"max\":{},\"rounds\":{}}}",
                    quote(suite),
                    quote(&result.case.id),
                    quote(row.name),
                    quote(metric.name),
                    quote(metric.unit.symbol()),
                    summary.median,
                    summary.min,
                    summary.max,
                    summary.rounds,
                )?;
            }
        }
        self.0.flush()
    }
}

/// A JSON string. Names here are short and printable; the two characters that would end or bend a
/// string are escaped.
fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
