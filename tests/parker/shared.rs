//! Slots in memory that two processes share.

use std::mem;
use std::os::fd::OwnedFd;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use reveille::parker::{Parked, Unpark};
use reveille::{NoSpin, ParkSlot, platform::BACKEND};
use rustix::fs::{MemfdFlags, ftruncate, memfd_create};
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};

use crate::support::fork::fork;
use crate::support::{eventually, scaled, watch};

/// What the processes share. All zeroes is a valid one.
#[repr(C)]
struct Shared {
    parent: SharedSlot,
    child: SharedSlot,
    data: AtomicU64,
}

#[cfg(not(any(reveille_backend = "fallback", reveille_backend = "bare")))]
type SharedSlot = ParkSlot<reveille::platform::Shared>;
#[cfg(any(reveille_backend = "fallback", reveille_backend = "bare"))]
type SharedSlot = ParkSlot;

struct Mapping(NonNull<Shared>);

fn memory() -> OwnedFd {
    let memory = memfd_create("reveille", MemfdFlags::CLOEXEC).unwrap();
    ftruncate(&memory, mem::size_of::<Shared>() as u64).unwrap();
    memory
}

impl Mapping {
    fn of(memory: &OwnedFd) -> Self {
        let protection = ProtFlags::READ | ProtFlags::WRITE;
        let len = mem::size_of::<Shared>();
        // SAFETY: a new mapping, at an address of the kernel's choice.
        let place = unsafe { mmap(ptr::null_mut(), len, protection, MapFlags::SHARED, memory, 0) };
        Self(NonNull::new(place.unwrap()).unwrap().cast())
    }

    fn get(&self) -> &Shared {
        // SAFETY: mapped and zeroed, and of atomics only.
        unsafe { self.0.as_ref() }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: our mapping, which nobody refers to any more.
        let _ = unsafe { munmap(self.0.as_ptr().cast(), mem::size_of::<Shared>()) };
    }
}

/// Whether this backend has such slots; says so if not.
fn offered() -> bool {
    if BACKEND != "futex" {
        eprintln!("SKIPPED: no slots between processes on the {BACKEND} backend");
    }
    BACKEND == "futex"
}

#[test]
fn two_processes_wake_each_other() {
    let _watch = watch();
    if !offered() {
        return;
    }
    let memory = memory();
    let rounds = scaled(2_000, 100_000) as u64;
    // Each at an address of its own.
    let (ours, theirs) = (Mapping::of(&memory), Mapping::of(&memory));
    assert_ne!(ours.0, theirs.0);
    let child = fork(|| {
        let shared = theirs.get();
        // SAFETY: the only parker of this slot.
        let mut parker = unsafe { shared.child.parker() }.with_policy(NoSpin);
        for round in 1..=rounds {
            parker.park();
            assert_eq!(shared.data.load(Ordering::Relaxed), 2 * round - 1);
            shared.data.store(2 * round, Ordering::Relaxed);
            shared.parent.unparker().unpark();
        }
    });
    let shared = ours.get();
    // SAFETY: the only parker of this slot.
    let mut parker = unsafe { shared.parent.parker() }.with_policy(NoSpin);
    let mut woke = 0;
    for round in 1..=rounds {
        shared.data.store(2 * round - 1, Ordering::Relaxed);
        woke += u64::from(shared.child.unparker().unpark() == Unpark::Woke);
        assert_eq!(parker.park_timeout(Duration::from_secs(30)), Parked::Token);
        assert_eq!(shared.data.load(Ordering::Relaxed), 2 * round);
    }
    child.join();
    assert!(woke * 10 > rounds, "the child hardly ever slept: {woke} of {rounds}");
}

#[test]
fn a_token_outlives_the_process_that_gave_it() {
    let _watch = watch();
    if !offered() {
        return;
    }
    let memory = memory();
    let mapping = Mapping::of(&memory);
    let shared = mapping.get();
    fork(|| {
        shared.parent.unparker().unpark();
    })
    .join();
    // SAFETY: the only parker of this slot.
    assert!(unsafe { shared.parent.parker() }.try_park());
}

/// The kernel looks behind the address of a shared slot, and finds nothing any more.
#[test]
fn a_wake_for_memory_that_is_gone_keeps_errno() {
    let _watch = watch();
    if !offered() {
        return;
    }
    let memory = memory();
    let mapping = Mapping::of(&memory);
    let shared = mapping.get();
    let pending = thread::scope(|scope| {
        let unparker = shared.parent.unparker();
        scope.spawn(|| {
            // SAFETY: the only parker of this slot.
            let mut parker = unsafe { shared.parent.parker() };
            assert_eq!(parker.park_timeout(Duration::from_millis(50)), Parked::Token);
        });
        eventually(|| unparker.is_parked_hint());
        unparker.unpark_deferred()
    });
    assert_eq!(pending.result(), Unpark::Woke);
    drop(Mapping(mapping.0)); // unmapped
    // SAFETY: this thread's errno.
    let errno = unsafe { libc::__errno_location() };
    // SAFETY: as above.
    unsafe { *errno = 77 };
    drop(pending);
    // SAFETY: as above.
    assert_eq!(unsafe { *errno }, 77);
    mem::forget(mapping);
}
