//! Bars: what a suite owes, and what it is after.

use super::format;
use super::metric::Unit;

/// One line at the end of a suite.
#[derive(Debug)]
pub(crate) struct Bar {
    what: String,
    figure: Option<f64>,
    kind: Kind,
    must: Option<Bound>,
    goal: Option<Bound>,
}

/// Which side of a value is good.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Bound {
    AtLeast(f64),
    AtMost(f64),
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Times,
    Amount(Unit),
}

impl Bound {
    fn holds(self, figure: f64) -> bool {
        match self {
            Self::AtLeast(bound) => figure >= bound,
            Self::AtMost(bound) => figure <= bound,
        }
    }
}

impl Bar {
    /// On a factor between two contenders. `None` if it could not be measured.
    pub(crate) fn times(what: impl Into<String>, figure: Option<f64>) -> Self {
        Self { what: what.into(), figure, kind: Kind::Times, must: None, goal: None }
    }

    /// On an amount.
    pub(crate) fn amount(what: impl Into<String>, figure: Option<f64>, unit: Unit) -> Self {
        Self { what: what.into(), figure, kind: Kind::Amount(unit), must: None, goal: None }
    }

    /// What is owed.
    #[must_use]
    pub(crate) fn must(self, bound: Bound) -> Self {
        Self { must: Some(bound), ..self }
    }

    /// What is hoped for.
    #[must_use]
    pub(crate) fn goal(self, bound: Bound) -> Self {
        Self { goal: Some(bound), ..self }
    }

    pub(super) fn what(&self) -> &str {
        &self.what
    }

    pub(super) fn figure(&self) -> String {
        self.figure.map_or_else(|| "–".into(), |figure| self.show(figure))
    }

    pub(super) fn must_text(&self) -> String {
        self.must.map_or_else(|| "–".into(), |bound| self.show_bound(bound))
    }

    /// The goal, and whether it is reached.
    pub(super) fn goal_text(&self) -> String {
        match (self.goal, self.figure) {
            (Some(goal), Some(figure)) if goal.holds(figure) => {
                format!("{} reached", self.show_bound(goal))
            }
            (Some(goal), _) => self.show_bound(goal),
            (None, _) => "–".into(),
        }
    }

    /// Whether what is owed is there.
    pub(super) fn verdict(&self) -> &'static str {
        match (self.must, self.figure) {
            (_, None) => "not measured",
            (Some(must), Some(figure)) if must.holds(figure) => "ok",
            (Some(_), Some(_)) => "MISSED",
            (None, Some(_)) => "",
        }
    }

    fn show(&self, value: f64) -> String {
        match self.kind {
            Kind::Times => format::times(value),
            Kind::Amount(unit) => format::figure(value, unit),
        }
    }

    fn show_bound(&self, bound: Bound) -> String {
        match bound {
            Bound::AtLeast(value) => format!("≥ {}", self.show(value)),
            Bound::AtMost(0.0) => self.show(0.0),
            Bound::AtMost(value) => format!("≤ {}", self.show(value)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Bar, Bound};

    #[test]
    fn verdicts() {
        let bar =
            |figure| Bar::times("", figure).must(Bound::AtLeast(2.0)).goal(Bound::AtLeast(3.0));
        assert_eq!(bar(Some(1.9)).verdict(), "MISSED");
        assert_eq!(bar(Some(2.0)).verdict(), "ok");
        assert_eq!(bar(None).verdict(), "not measured");
        assert_eq!(bar(Some(2.0)).goal_text(), "≥ 3×");
        assert_eq!(bar(Some(3.0)).goal_text(), "≥ 3× reached");
    }
}
