//! Who pays for the barriers: the drainer with a system call for each sleep, or each offer with fences.
//!
//! The call interrupts every CPU that runs the process and costs as much as the fences of some hundreds of
//! offers. A drainer that gets thousands of items between two sleeps is glad to pay it; one that sleeps
//! after a few, an executor with many baskets say, would spend most of its time on it. So the drainer
//! counts. Offers begin with fences; it takes the bill over when it has had many items without a sleep,
//! and hands it back when several sleeps in a row were not worth it. In between it tries now and then: fences
//! slow offers down, and slow offers let the drainer sleep, so the load may look smaller than it is.

use core::mem;

use crate::shim::{FENCES_AT_FIRST, POOR_SLEEPS, WORTH_A_CALL};

/// Fewer items between two sleeps are not worth the call; more than [`WORTH_A_CALL`] are.
const FEW: usize = 128;
/// With fences, as many might be.
const SOME: usize = FEW / 4;
/// Sleeps after some items, and not after fewer, until the drainer tries the call.
const LONG_ENOUGH: u32 = 64;

/// What the drainer keeps to decide it. Nobody else does.
pub(super) struct Payer {
    who: Who,
    /// Items seen since the last sleep.
    items: usize,
    /// Sleeps in a row that came after few.
    poor: u32,
    /// With fences: how many more sleeps came after some than after fewer.
    fair: u32,
    /// Looks into lanes that had been quiet for long, since some were last struck off.
    wasted: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Who {
    Drainer,
    /// They are asked to, and the call still works.
    Offerers,
    /// There is no call.
    OfferersForGood,
}

impl Payer {
    pub(super) const fn new(has_call: bool) -> Self {
        let who = match has_call {
            true if FENCES_AT_FIRST => Who::Offerers,
            true => Who::Drainer,
            false => Who::OfferersForGood,
        };
        Self { who, items: 0, poor: 0, fair: 0, wasted: 0 }
    }

    /// Whether offers make fences.
    pub(super) const fn has_fences(&self) -> bool {
        !matches!(self.who, Who::Drainer)
    }

    /// So many items were seen. `true`: from now on offers need no fences.
    pub(super) fn saw(&mut self, items: usize) -> bool {
        self.items = self.items.saturating_add(items);
        let worth_it = self.items > WORTH_A_CALL || self.items > 0 && self.fair >= LONG_ENOUGH;
        let drainer_pays = worth_it && self.who == Who::Offerers;
        if drainer_pays {
            (self.who, self.poor, self.fair) = (Who::Drainer, 0, 0);
        }
        drainer_pays
    }

    /// The drainer is about to sleep. `true`: from now on offers are to make fences.
    pub(super) fn before_sleep(&mut self) -> bool {
        let poor = self.items < FEW && self.poor + 1 >= POOR_SLEEPS;
        let offerers_pay = poor && self.who == Who::Drainer;
        if offerers_pay {
            self.who = Who::Offerers;
        }
        offerers_pay
    }

    /// The drainer sleeps.
    pub(super) fn sleeps(&mut self) {
        let items = mem::take(&mut self.items);
        self.poor = if items < FEW { (self.poor + 1).min(POOR_SLEEPS) } else { 0 };
        if self.who == Who::Offerers {
            self.fair = if items < SOME { self.fair.saturating_sub(1) } else { self.fair + 1 };
        }
    }

    /// Whether to strike lanes off before the next sleep, of which so many have been quiet for long.
    ///
    /// It needs the call. Where that is not made anyway they are kept until the looks into them have cost
    /// as much: else offerers that take turns would bring it back, though each of them pays with fences.
    pub(super) fn strikes_off(&mut self, quiet: usize) -> bool {
        self.wasted = self.wasted.saturating_add(quiet);
        let strikes = quiet > 0 && (self.who != Who::Offerers || self.wasted > WORTH_A_CALL);
        if strikes {
            self.wasted = 0;
        }
        strikes
    }

    /// Whether the drainer makes the next barrier by the call.
    ///
    /// With a lane `doubted` it does, also where offers make fences: one may find that they have been given
    /// up, and then makes none before it looks at its listing.
    pub(super) const fn takes_call(&self, doubted: bool) -> bool {
        match self.who {
            Who::Drainer => true,
            Who::Offerers => doubted,
            Who::OfferersForGood => false,
        }
    }

    /// The call does not work any more.
    pub(super) const fn has_no_call(&mut self) {
        self.who = Who::OfferersForGood;
    }
}
