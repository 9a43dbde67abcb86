//! Figures for human eyes: three digits and a fitting unit.

use super::metric::Unit;
use super::stats::Summary;

/// A figure with its unit.
pub(super) fn figure(value: f64, unit: Unit) -> String {
    let (scale, symbol) = scale(value, unit);
    join(&digits(value / scale), symbol)
}

/// A median and what the rounds ranged over, in one unit.
pub(super) fn spread(summary: Summary, unit: Unit) -> String {
    let (scale, symbol) = scale(summary.median, unit);
    let Summary { median, min, max, .. } = summary;
    let [median, min, max] = [median, min, max].map(|value| digits(value / scale));
    if min == max {
        return join(&median, symbol);
    }
    join(&format!("{median} [{min} .. {max}]"), symbol)
}

/// A factor.
pub(super) fn times(ratio: f64) -> String {
    format!("{}×", digits(ratio))
}

/// Three significant digits, or as many as five decimals show; whole numbers as they are.
pub(super) fn digits(value: f64) -> String {
    if value.fract() == 0.0 {
        return format!("{value:.0}");
    }
    let magnitude = value.abs().log10().floor();
    if magnitude < -5.0 {
        return format!("{value:.0e}");
    }
    let decimals = (2.0 - magnitude).clamp(0.0, 5.0) as usize;
    format!("{value:.decimals$}")
}

/// What to divide a figure of this size by, and the symbol for the result.
fn scale(value: f64, unit: Unit) -> (f64, &'static str) {
    match unit {
        Unit::Nanoseconds if value >= 999_500.0 => (1e6, "ms"),
        Unit::Nanoseconds if value >= 999.5 => (1e3, "µs"),
        Unit::Nanoseconds => (1.0, "ns"),
        Unit::PerSecond if value >= 999_500.0 => (1e6, "M/s"),
        Unit::PerSecond if value >= 999.5 => (1e3, "k/s"),
        Unit::PerSecond => (1.0, "/s"),
        Unit::Milliseconds => (1.0, "ms"),
        Unit::Bytes => (1.0, "B"),
        Unit::Count | Unit::Items | Unit::Cores => (1.0, ""),
    }
}

fn join(digits: &str, symbol: &str) -> String {
    if symbol.is_empty() { digits.to_owned() } else { format!("{digits} {symbol}") }
}

#[cfg(test)]
mod tests {
    use super::{Summary, Unit, digits, figure, spread};

    #[test]
    fn three_digits() {
        let cases = [
            (0.0, "0"),
            (4.0, "4"),
            (12.345, "12.3"),
            (12.96, "13.0"),
            (71_234.5, "71234"),
            (0.000_39, "0.00039"),
            (3e-7, "3e-7"),
        ];
        for (value, text) in cases {
            assert_eq!(digits(value), text);
        }
    }

    #[test]
    fn units_fit_the_size() {
        assert_eq!(figure(210.4, Unit::Nanoseconds), "210 ns");
        assert_eq!(figure(71_234.0, Unit::Nanoseconds), "71.2 µs");
        assert_eq!(figure(2.5e6, Unit::Nanoseconds), "2.50 ms");
        assert_eq!(figure(2.5e6, Unit::PerSecond), "2.50 M/s");
        let summary = Summary { median: 1100.0, min: 700.0, max: 2000.0, rounds: 3 };
        assert_eq!(spread(summary, Unit::Nanoseconds), "1.10 [0.700 .. 2] µs");
    }
}
