//! Tables on stdout.

use super::bars::Bar;
use super::format;
use super::metric::Unit;
use super::results::{CaseResult, OURS, Row};

/// Prints a case: a row for each contender, a column for each metric, and at the end how many times
/// ours each took.
pub(super) fn print_case(suite: &str, result: &CaseResult) {
    let lead = result.lead();
    let shown: Vec<_> = result
        .case
        .columns
        .iter()
        .copied()
        .filter(|&metric| result.rows.iter().any(|row| row.summary(metric).is_some()))
        .collect();
    let mut table = vec![vec!["impl".to_owned()]];
    table[0].extend(shown.iter().map(|metric| metric.name.to_owned()));
    table[0].push(format!("{} ÷ ours", lead.name));
    for row in &result.rows {
        let mut cells = vec![row.name.to_owned()];
        cells.extend(shown.iter().map(|&metric| match row.summary(metric) {
            Some(summary) if metric == lead => format::spread(summary, metric.unit),
            Some(summary) => format::figure(summary.median, metric.unit),
            None => "–".into(),
        }));
        cells.push(ratio(result, row));
        table.push(cells);
    }
    println!("\n{suite} {}: {}", result.case.id, result.case.title);
    print_table(&table);
}

fn ratio(result: &CaseResult, row: &Row) -> String {
    match result.ratio(row.name, OURS, result.lead()) {
        _ if row.name == OURS => "1".into(),
        Some(ratio) => format::spread(ratio, Unit::Count),
        None => "–".into(),
    }
}

/// Prints the bars of a suite.
pub(super) fn print_bars(suite: &str, bars: &[Bar]) {
    let mut table = vec![["bar", "figure", "must", "goal", ""].map(str::to_owned).to_vec()];
    table.extend(bars.iter().map(|bar| {
        vec![
            bar.what().to_owned(),
            bar.figure(),
            bar.must_text(),
            bar.goal_text(),
            bar.verdict().to_owned(),
        ]
    }));
    println!("\n{suite}: bars");
    print_table(&table);
}

/// Prints cells in columns, the first to the left, the others to the right; the first row is the
/// heading.
fn print_table(table: &[Vec<String>]) {
    let columns = table[0].len();
    let width = |column: usize| table.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<usize> = (0..columns).filter_map(width).collect();
    for (index, row) in table.iter().enumerate() {
        let mut line = format!("  {:<width$}", row[0], width = widths[0]);
        for (cell, width) in row.iter().zip(&widths).skip(1) {
            line.push_str(&format!("  {cell:>width$}"));
        }
        println!("{}", line.trim_end());
        if index == 0 {
            println!("  {}", "─".repeat(widths.iter().sum::<usize>() + 2 * (columns - 1)));
        }
    }
}
