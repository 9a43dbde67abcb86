//! Percentiles of many short times.

use core::time::Duration;

/// Times in nanoseconds, kept as they are: no buckets.
#[derive(Debug)]
pub(crate) struct Latencies {
    samples: Vec<u32>,
}

impl Latencies {
    /// With room for this many, so that the measured loop does not allocate.
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        Self { samples: Vec::with_capacity(capacity) }
    }

    /// Adds one. More than 4 s counts as 4 s.
    pub(crate) fn record(&mut self, time: Duration) {
        self.samples.push(u32::try_from(time.as_nanos()).unwrap_or(u32::MAX));
    }

    /// The value that `share` of the times do not exceed; `None` without any.
    pub(crate) fn percentile(&mut self, share: f64) -> Option<f64> {
        let last = self.samples.len().checked_sub(1)?;
        let rank = (last as f64 * share).round() as usize;
        let (_, value, _) = self.samples.select_nth_unstable(rank);
        Some(f64::from(*value))
    }
}

#[cfg(test)]
mod tests {
    use super::{Duration, Latencies};

    #[test]
    fn percentiles_of_a_known_set() {
        let mut latencies = Latencies::with_capacity(101);
        assert_eq!(latencies.percentile(0.5), None);
        (0..=100).rev().for_each(|ns| latencies.record(Duration::from_nanos(ns)));
        assert_eq!(latencies.percentile(0.5), Some(50.0));
        assert_eq!(latencies.percentile(0.99), Some(99.0));
        assert_eq!(latencies.percentile(1.0), Some(100.0));
    }
}
