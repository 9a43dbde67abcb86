//! `slot`: the memory that one token takes, shared by both sides: inline, and on the heap.
//!
//! Handles are not counted. `std::thread`'s token lives in the thread and has no size of its own.

use core::mem::size_of;
use std::io;

use reveille::parker::ClaimSlot;
use reveille::{ParkSlot, Parker};

use crate::harness::count::bytes_allocated;
use crate::harness::metric::{BYTES, Metric};
use crate::harness::quiet::Meter;
use crate::harness::results::Sample;
use crate::harness::{Case, CaseResult, Session};
use crate::peers::bare_futex::BareFutex;
use crate::peers::mutex_condvar::MutexCondvar;
use crate::peers::parking_lot_condvar::ParkingLotCondvar;

const COLUMNS: &[Metric] = &[BYTES];

pub(super) fn run(session: &mut Session) -> io::Result<()> {
    let case = Case {
        id: "slot".into(),
        title: "memory of one token".into(),
        columns: COLUMNS,
        plotted: &[],
    };
    if !session.wants(&case.id) {
        return Ok(());
    }
    let sizes = [
        ("reveille", size_of::<ParkSlot>() as u64),
        ("reveille:claimable", size_of::<ClaimSlot>() as u64),
        ("reveille:arc", bytes_allocated(Parker::new).1),
        ("crossbeam-utils", bytes_allocated(crossbeam_utils::sync::Parker::new).1),
        ("parking", bytes_allocated(parking::pair).1),
        ("parking_lot-condvar", size_of::<ParkingLotCondvar>() as u64),
        ("mutex-condvar", size_of::<MutexCondvar>() as u64),
        ("bare-futex", size_of::<BareFutex>() as u64),
    ];
    let meter = Meter::start();
    let mut result = CaseResult::new(case, sizes.map(|(name, _)| name));
    for (index, (_, bytes)) in sizes.into_iter().enumerate() {
        result.add(index, Sample::default().with(BYTES, bytes as f64), false);
    }
    session.record(result, &meter)
}
