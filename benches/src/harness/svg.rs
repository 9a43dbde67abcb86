//! Plots: a horizontal bar for each contender's median, a whisker from its least to its greatest
//! round.
//!
//! Each metric has a panel of its own with an axis from zero. Names stand left of the bars and
//! figures right of them, in columns wide enough for the longest, so nothing overlaps. A whisker that
//! would squeeze the bars (one disturbed round) is cut and ends in an arrow; the figure beside it
//! tells its length.

use core::fmt::Write as _;

use super::format;
use super::metric::{Metric, Unit};
use super::results::{CaseResult, Row};
use super::stats::Summary;

const BARS: f64 = 420.0;
const ROW: f64 = 24.0;
const BAR: f64 = 13.0;
const MARGIN: f64 = 20.0;
/// Room for the plot's title.
const TITLE: f64 = 56.0;
/// Room above the bars of a panel, for its title.
const HEAD: f64 = 30.0;
/// Room below them, for the axis.
const FOOT: f64 = 34.0;
/// About the width of a character.
const NAME_CHARACTER: f64 = 7.3;
const FIGURE_CHARACTER: f64 = 6.6;
/// Whiskers longer than this many times the longest bar are cut.
const LONGEST_WHISKER: f64 = 1.5;

const STYLE: &str = "\
text{font-family:system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif;fill:#24292f}\
.t{font-size:16px;font-weight:600}.s{font-size:12px;fill:#57606a}.p{font-size:13px;font-weight:600}\
.n{font-size:13px}.v{font-size:12px;fill:#57606a}.a{font-size:11px;fill:#6e7781}\
.g{stroke:#d8dee4}.w{stroke:#24292f;stroke-width:1.2;fill:none}\
.ours{fill:#0969da}.variant{fill:#80b3ec}.peer{fill:#b8c0c8}";

/// Where the columns begin.
struct Columns {
    bars: f64,
    figures: f64,
    width: f64,
}

/// The plot of a case; `None` if there is nothing to plot.
pub(super) fn plot(suite: &str, result: &CaseResult) -> Option<String> {
    let panels: Vec<_> = result
        .case
        .plotted
        .iter()
        .map(|&metric| (metric, measured(result, metric)))
        .filter(|(_, rows)| !rows.is_empty())
        .collect();
    let columns = columns(panels.iter().flat_map(|(metric, rows)| {
        rows.iter().map(|(row, summary)| (row.name, format::spread(*summary, metric.unit)))
    }))?;
    let height = |rows: usize| HEAD + rows as f64 * ROW + FOOT;
    let total = TITLE + panels.iter().map(|(_, rows)| height(rows.len())).sum::<f64>();

    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0} {1:.0}\" \
         width=\"{0:.0}\" height=\"{1:.0}\">\n<style>{STYLE}</style>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
        columns.width, total
    );
    let rounds = panels.first().and_then(|(_, rows)| rows.first()).map_or(0, |(_, s)| s.rounds);
    text(&mut svg, "t", MARGIN, 28.0, "start", &format!("{suite} {}", result.case.id));
    let subtitle =
        format!("{}; median and range of {rounds} rounds, less is better", result.case.title);
    text(&mut svg, "s", MARGIN, 46.0, "start", &subtitle);
    let mut top = TITLE;
    for (metric, rows) in panels {
        panel(&mut svg, &columns, top, metric, &rows);
        top += height(rows.len());
    }
    svg.push_str("</svg>\n");
    Some(svg)
}

fn measured(result: &CaseResult, metric: Metric) -> Vec<(&Row, Summary)> {
    result.rows.iter().filter_map(|row| Some((row, row.summary(metric)?))).collect()
}

/// Columns that hold all of these names and figures; `None` without any.
fn columns(labels: impl Iterator<Item = (&'static str, String)>) -> Option<Columns> {
    let (name, figure) = labels
        .map(|(name, figure)| (name.chars().count(), figure.chars().count()))
        .reduce(|(a, b), (c, d)| (a.max(c), b.max(d)))?;
    let bars = MARGIN + name as f64 * NAME_CHARACTER + 10.0;
    let figures = bars + BARS + 14.0;
    Some(Columns { bars, figures, width: figures + figure as f64 * FIGURE_CHARACTER + MARGIN })
}

fn panel(svg: &mut String, columns: &Columns, top: f64, metric: Metric, rows: &[(&Row, Summary)]) {
    let title = format!("{} ({})", metric.about, metric.name);
    text(svg, "p", columns.bars, top + 18.0, "start", &title);
    let first = top + HEAD;
    let bottom = first + rows.len() as f64 * ROW;
    let longest = rows.iter().map(|(_, summary)| summary.median).fold(0.0, f64::max);
    let farthest = rows.iter().map(|(_, summary)| summary.max).fold(0.0, f64::max);
    let end = if longest > 0.0 { farthest.min(longest * LONGEST_WHISKER) } else { farthest };
    let end = if end > 0.0 { end } else { 1.0 };
    let x = |value: f64| columns.bars + value.min(end) / end * BARS;

    axis(svg, x, first, bottom, end, metric.unit);
    for (index, (row, summary)) in rows.iter().enumerate() {
        let middle = first + (index as f64 + 0.5) * ROW;
        text(svg, "n", columns.bars - 8.0, middle + 4.5, "end", row.name);
        let _ = writeln!(
            svg,
            "<rect class=\"{}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{BAR}\"/>",
            class(row),
            columns.bars,
            middle - BAR / 2.0,
            x(summary.median) - columns.bars
        );
        whisker(svg, x(summary.min), x(summary.max), middle, summary.max > end);
        let figure = format::spread(*summary, metric.unit);
        text(svg, "v", columns.figures, middle + 4.0, "start", &figure);
    }
}

fn class(row: &Row) -> &'static str {
    match (row.is_ours(), row.name.contains(':')) {
        (true, false) => "ours",
        (true, true) => "variant",
        (false, _) => "peer",
    }
}

/// Grid lines at round values, and their names.
fn axis(svg: &mut String, x: impl Fn(f64) -> f64, top: f64, bottom: f64, end: f64, unit: Unit) {
    let step = round_step(end / 5.0);
    let ticks = (end / step + 1e-9).floor() as u32;
    for tick in 0..=ticks {
        let value = f64::from(tick) * step;
        let x = x(value);
        let _ = writeln!(svg, "<path class=\"g\" d=\"M{x:.1} {top:.1}V{:.1}\"/>", bottom + 4.0);
        text(svg, "a", x, bottom + 17.0, "middle", &format::figure(value, unit));
    }
}

/// The least of 1, 2, 5, 10, 20, … that is not below `least`.
fn round_step(least: f64) -> f64 {
    let power = 10_f64.powf(least.log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|factor| factor * power >= least);
    factor.unwrap_or(10.0) * power
}

/// From `left` to `right`, with an arrow if it goes on beyond the axis.
fn whisker(svg: &mut String, left: f64, right: f64, middle: f64, cut: bool) {
    let (top, bottom) = (middle - 4.0, middle + 4.0);
    let tip = if cut {
        format!(
            "M{:.1} {top:.1}L{right:.1} {middle:.1}L{:.1} {bottom:.1}",
            right - 5.0,
            right - 5.0
        )
    } else {
        format!("M{right:.1} {top:.1}V{bottom:.1}")
    };
    let _ = writeln!(
        svg,
        "<path class=\"w\" d=\"M{left:.1} {top:.1}V{bottom:.1}M{left:.1} {middle:.1}H{right:.1}{tip}\"/>"
    );
}

fn text(svg: &mut String, class: &str, x: f64, y: f64, anchor: &str, words: &str) {
    let words = words.replace('&', "&amp;").replace('<', "&lt;");
    let _ = writeln!(
        svg,
        "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{words}</text>"
    );
}

#[cfg(test)]
mod tests {
    use super::round_step;

    #[test]
    fn steps_are_round() {
        assert!((round_step(14.0) - 20.0).abs() < 1e-9);
        assert!((round_step(0.21) - 0.5).abs() < 1e-9);
        assert!((round_step(7_000.0) - 10_000.0).abs() < 1e-6);
        assert!((round_step(100.0) - 100.0).abs() < 1e-9);
    }
}
