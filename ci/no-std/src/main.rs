//! Links only if `reveille` without features asks for neither std nor an allocator, and exits with 0
//! only if it works like that.
#![no_std]
#![no_main]

#[cfg(feature = "evil")]
extern crate std;

use core::time::Duration;

use reveille::basket::{FixedBasket, Slot};
use reveille::parker::{ClaimSlot, Parked, Unpark, WakeBatch};
use reveille::{Deadline, ParkSlot, Parker, Unparker};

static SLOT: ClaimSlot = ClaimSlot::new();
static EVENTS: FixedBasket<u32, [Slot<u32>; 3]> = FixedBasket::in_array([const { Slot::new() }; 3]);

fn borrowed() -> bool {
    let mut slot = ParkSlot::new();
    let (mut parker, unparker) = slot.split();
    let first = unparker.unpark() == Unpark::Notified;
    let second = unparker.unpark() == Unpark::AlreadyNotified;
    parker.park();
    first && second && !parker.try_park() && parker.park_timeout(Duration::ZERO) == Parked::TimedOut
}

fn claimed() -> bool {
    let Ok(mut parker) = Parker::claim(&SLOT) else {
        return false;
    };
    let mut batch = WakeBatch::<1>::new();
    let room = batch.push(Unparker::of(&SLOT).unpark_deferred()).is_ok();
    batch.wake_all();
    room && parker.park_deadline(Deadline::NEVER) == Parked::Token
}

fn basket() -> bool {
    let Some((mut offerer, mut drainer)) = EVENTS.claim() else {
        return false;
    };
    let room = (1..=3).all(|item| offerer.offer(item).is_ok());
    let full = offerer.offer(4).is_err();
    room && full && drainer.drain().eq(1..=3)
}

#[cfg(target_has_atomic = "64")]
fn counter() -> bool {
    static COUNTER: reveille::StripedCounter<4> = reveille::StripedCounter::with_stripes();
    COUNTER.increment();
    COUNTER.add_at(usize::MAX, 2);
    COUNTER.sum() == 3 && COUNTER.sum_then_reset() == 3
}

/// There are no 64-bit atomics, and so no counters.
#[cfg(not(target_has_atomic = "64"))]
fn counter() -> bool {
    true
}

fn works() -> bool {
    borrowed() && claimed() && basket() && counter()
}

/// Called by the C runtime of a hosted system.
#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    if works() { 0 } else { 1 }
}

/// Where a program without any system starts.
#[cfg(target_os = "none")]
#[unsafe(no_mangle)]
pub extern "C" fn _start() -> ! {
    main();
    loop {}
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
