//! Models of the unbounded basket where the kernel makes no barriers and offers make fences.

use reveille_model::basket::Basket;
use reveille_model::platform::{Barriers, set_barriers};

use crate::harness::Model;
use crate::{handshakes, scenarios};

/// One offer against one sleep.
#[test]
fn offer_against_sleep() {
    Model::bounded(3, 730).check(|| {
        set_barriers(Barriers::Missing);
        handshakes::offer_against_sleep(Basket::unbounded());
    });
}

/// The drainer closes against one offer.
#[test]
fn close_against_offer() {
    Model::bounded(3, 3380).check(|| {
        set_barriers(Barriers::Missing);
        handshakes::close_against_offer(Basket::unbounded());
    });
}

/// The drainer is dropped against an offer.
#[test]
fn drainer_drops() {
    Model::bounded(3, 4030).check(|| {
        set_barriers(Barriers::Missing);
        scenarios::drainer_drops(Basket::unbounded());
    });
}

/// A lane is struck off the drainer's list while its offerer offers again.
#[test]
fn lane_is_struck() {
    Model::bounded(2, 1860).check(|| {
        set_barriers(Barriers::Missing);
        handshakes::lane_is_struck(Basket::unbounded(), 4);
    });
}

/// The drainer closes against the first offer of an offerer.
#[test]
fn close_against_first_offer() {
    Model::bounded(3, 1040).check(|| {
        set_barriers(Barriers::Missing);
        handshakes::close_against_first_offer(Basket::unbounded());
    });
}

/// Two offers against one sleep: exactly one wakes it.
#[test]
fn one_wake_per_sleep() {
    Model::bounded(2, 280).check(|| {
        set_barriers(Barriers::Missing);
        handshakes::one_wake_per_sleep(Basket::unbounded());
    });
}
