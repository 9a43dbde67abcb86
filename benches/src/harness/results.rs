//! What came out of a case.

use super::metric::Metric;
use super::stats::Summary;

/// What a case is: its name and what is shown of it.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) id: String,
    /// One line for the table's heading and the plot's title.
    pub(crate) title: String,
    /// What is kept, in the order of the table's columns. Ratios are taken of the first.
    pub(crate) columns: &'static [Metric],
    /// What is plotted.
    pub(crate) plotted: &'static [Metric],
}

/// What one contender did in one round.
#[derive(Debug, Default)]
pub(crate) struct Sample(Vec<(Metric, f64)>);

impl Sample {
    /// With one figure more.
    #[must_use]
    pub(crate) fn with(mut self, metric: Metric, value: f64) -> Self {
        self.0.push((metric, value));
        self
    }

    /// Of each figure the median of what these have, one of which there is.
    pub(crate) fn median_of(samples: &[Self]) -> Self {
        let metrics = samples[0].0.iter().map(|&(metric, _)| metric);
        let values = |metric: Metric| -> Vec<f64> {
            let figures = samples.iter().flat_map(|sample| &sample.0);
            figures.filter(|(other, _)| *other == metric).map(|&(_, value)| value).collect()
        };
        let median = |metric| Some((metric, Summary::of(&values(metric))?.median));
        Self(metrics.filter_map(median).collect())
    }

    /// With one figure more, if it could be taken.
    #[must_use]
    pub(crate) fn with_known(self, metric: Metric, value: Option<f64>) -> Self {
        match value {
            Some(value) => self.with(metric, value),
            None => self,
        }
    }
}

/// A contender's figures, one value a round.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) name: &'static str,
    series: Vec<(Metric, Vec<f64>)>,
}

impl Row {
    fn add(&mut self, metric: Metric, value: f64) {
        match self.series.iter_mut().find(|(known, _)| *known == metric) {
            Some((_, values)) => values.push(value),
            None => self.series.push((metric, vec![value])),
        }
    }

    /// The values of all rounds; empty if it was not measured.
    pub(crate) fn values(&self, metric: Metric) -> &[f64] {
        let found = self.series.iter().find(|(known, _)| *known == metric);
        found.map_or(&[], |(_, values)| values)
    }

    pub(crate) fn summary(&self, metric: Metric) -> Option<Summary> {
        Summary::of(self.values(metric))
    }

    /// Whether this is the crate measured, in its default form or a variant.
    pub(crate) fn is_ours(&self) -> bool {
        self.name == OURS || self.name.starts_with("reveille:")
    }
}

/// The contender that all others are compared with.
pub(crate) const OURS: &str = "reveille";

/// A case and the figures of everyone in it.
#[derive(Debug)]
pub(crate) struct CaseResult {
    pub(crate) case: Case,
    pub(crate) rows: Vec<Row>,
}

impl CaseResult {
    pub(crate) fn new(case: Case, names: impl IntoIterator<Item = &'static str>) -> Self {
        let rows = names.into_iter().map(|name| Row { name, series: Vec::new() }).collect();
        Self { case, rows }
    }

    /// Adds a round's sample to row `index`: the figures that a round of this kind is for.
    pub(crate) fn add(&mut self, index: usize, sample: Sample, traced: bool) {
        for (metric, value) in sample.0 {
            if metric.traced == traced && self.case.columns.contains(&metric) {
                self.rows[index].add(metric, value);
            }
        }
    }

    pub(crate) fn row(&self, name: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.name == name)
    }

    /// The metric that contenders are compared by.
    pub(crate) fn lead(&self) -> Metric {
        self.case.columns[0]
    }

    /// A contender's median.
    pub(crate) fn median(&self, name: &str, metric: Metric) -> Option<f64> {
        Some(self.row(name)?.summary(metric)?.median)
    }

    /// How many times as much a row took as `below` did, round by round.
    pub(crate) fn ratio(&self, above: &str, below: &str, metric: Metric) -> Option<Summary> {
        Summary::of_ratios(self.row(above)?.values(metric), self.row(below)?.values(metric))
    }

    /// Ours against the best of these peers: peer ÷ ours, so more is better for us.
    pub(crate) fn gain(&self, peers: &[&str], metric: Metric) -> Option<f64> {
        self.gains(peers, metric)?.first().copied()
    }

    /// The best of these peers against the one in their middle: how far chance alone sets like apart.
    pub(crate) fn spread(&self, peers: &[&str], metric: Metric) -> Option<f64> {
        let gains = self.gains(peers, metric)?;
        Some(gains.first()? / gains.get(gains.len() / 2)?)
    }

    /// Each of these peers ÷ ours, the best first.
    fn gains(&self, peers: &[&str], metric: Metric) -> Option<Vec<f64>> {
        let ratios = peers.iter().map(|peer| Some(self.ratio(peer, OURS, metric)?.median));
        let mut gains = ratios.collect::<Option<Vec<f64>>>()?;
        gains.sort_by(f64::total_cmp);
        Some(gains)
    }
}
