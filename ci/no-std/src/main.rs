//! Links only if `reveille` without features asks for neither std nor an allocator, and exits with 0
//! only if it works like that.
#![no_std]
#![no_main]

#[cfg(feature = "evil")]
extern crate std;

use core::time::Duration;

use reveille::parker::{ClaimSlot, Parked, Unpark, WakeBatch};
use reveille::{Deadline, ParkSlot, Parker, Unparker};

static SLOT: ClaimSlot = ClaimSlot::new();

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

fn works() -> bool {
    borrowed() && claimed()
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
