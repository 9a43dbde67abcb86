//! Who takes part.

use super::ours::{Default, Reveille, Sleeper, Turns};
use super::subject::Subject;
use super::theirs::{CrossbeamUtils, Parking, Ported, StdThread};
use crate::peers::bare_futex::BareFutex;
use crate::peers::mutex_condvar::MutexCondvar;
use crate::peers::parking_lot_condvar::ParkingLotCondvar;

/// Something made for every kind of parker.
pub(super) trait ForEach {
    type Output;

    fn make<S: Subject>() -> Self::Output;
}

/// Ours in its default form, and every peer.
pub(super) fn plain<F: ForEach>() -> Vec<F::Output> {
    let mut all = vec![F::make::<Reveille<Default>>()];
    all.extend(peers::<F>());
    all
}

/// Ours under every policy, and every peer.
pub(super) fn with_policies<F: ForEach>() -> Vec<F::Output> {
    let mut all = vec![
        F::make::<Reveille<Default>>(),
        F::make::<Reveille<Sleeper>>(),
        F::make::<Reveille<Turns<300>>>(),
        F::make::<Reveille<Turns<1000>>>(),
    ];
    all.extend(peers::<F>());
    all
}

fn peers<F: ForEach>() -> Vec<F::Output> {
    vec![
        F::make::<CrossbeamUtils>(),
        F::make::<Parking>(),
        F::make::<StdThread>(),
        F::make::<Ported<ParkingLotCondvar>>(),
        F::make::<Ported<MutexCondvar>>(),
        F::make::<Ported<BareFutex>>(),
    ]
}
