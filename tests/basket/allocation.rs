//! Who allocates, how much, and that it all comes back.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crossbeam_utils::CachePadded;
use reveille::{Basket, platform::BACKEND};

use crate::support::{scaled, watch};

struct Counting;

thread_local! {
    /// Allocations of this thread, and bytes that it has allocated and not freed.
    static COUNTS: Cell<(u64, isize)> = const { Cell::new((0, 0)) };
}

/// Calls in progress.
static BUSY: AtomicUsize = AtomicUsize::new(0);

/// Whether some thread is inside the allocator: if it is a thread that was stopped there, others had
/// better not allocate.
pub(crate) fn is_busy() -> bool {
    BUSY.load(Ordering::SeqCst) > 0
}

fn note(calls: u64, bytes: isize) {
    let (all, live) = COUNTS.get();
    COUNTS.set((all + calls, live + bytes));
}

// SAFETY: every call goes to `System` unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(1, layout.size() as isize);
        BUSY.fetch_add(1, Ordering::SeqCst);
        // SAFETY: by the caller's contract.
        let memory = unsafe { System.alloc(layout) };
        BUSY.fetch_sub(1, Ordering::SeqCst);
        memory
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        note(0, -(layout.size() as isize));
        BUSY.fetch_add(1, Ordering::SeqCst);
        // SAFETY: by the caller's contract.
        unsafe { System.dealloc(pointer, layout) };
        BUSY.fetch_sub(1, Ordering::SeqCst);
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How often `work` allocates on this thread.
fn allocations(work: impl FnOnce()) -> u64 {
    let before = COUNTS.get().0;
    work();
    COUNTS.get().0 - before
}

fn live() -> isize {
    COUNTS.get().1
}

#[test]
fn a_warm_basket_allocates_nothing() {
    const WARM: u64 = 5_000;
    every_form!(room 10, |form, mut offerer, mut drainer| {
        let mut work = |items: u64| {
            for n in 0..items {
                offerer.offer(n).unwrap();
                assert_eq!(drainer.take(), Some(n), "{form}");
                assert!(drainer.wait_timeout(std::time::Duration::ZERO).is_err(), "{form}");
            }
        };
        work(WARM);
        let allocated = allocations(|| work(WARM));
        if form == "ordered" {
            // One chunk of 4 KiB for every 170 of them.
            assert!((1..=WARM / 160).contains(&allocated), "{form}: {allocated}");
        } else {
            assert_eq!(allocated, 0, "{form}");
        }
    });
}

/// However full it was: what was allocated then is used again, or given back.
#[test]
fn a_burst_is_forgotten() {
    const BURST: u64 = 100_000;
    every_form!(room BURST as usize, |form, mut offerer, mut drainer| {
        offerer.offer(0).unwrap();
        assert_eq!(drainer.take(), Some(0), "{form}");
        let before = live();
        for n in 0..BURST {
            offerer.offer(n).unwrap();
        }
        assert!(form == "fixed" || live() - before > 8 * BURST as isize, "{form}");
        assert!(drainer.drain().eq(0..BURST), "{form}");
        assert!(live() - before <= 3 * 4096, "{form}: {} bytes are kept", live() - before);
    });
}

#[test]
fn a_fixed_basket_never_allocates() {
    // Where the kernel does not say what it offers, whoever asks for the time first reads a file.
    let _ = reveille::Deadline::after(std::time::Duration::ZERO).has_passed();
    let mut basket = crate::forms::fixed(100);
    let allocated = allocations(|| {
        let (mut offerer, mut drainer) = basket.split();
        let mut other = offerer.clone();
        for n in 0..100 {
            offerer.offer(n).unwrap();
        }
        assert!(other.offer(0).is_err());
        assert!(other.offer_timeout(0, std::time::Duration::from_millis(1)).is_err());
        assert!(drainer.drain().eq(0..100));
        assert!(drainer.wait_timeout(std::time::Duration::from_millis(1)).is_err());
    });
    // Elsewhere waiting may need a lock and its like.
    assert!(allocated == 0 || BACKEND != "futex", "{allocated}");
}

#[test]
fn handles_cost_nothing_until_they_are_used() {
    every_form!(room 4, |form, mut offerer, mut drainer| {
        offerer.offer(1_u64).unwrap();
        let allocated = allocations(|| {
            for _ in 0..100 {
                drop((offerer.clone(), drainer.offerer()));
            }
        });
        assert_eq!(allocated, 0, "{form}");
        // Refused, an offer does not need anything, either.
        drainer.close();
        let mut late = offerer.clone();
        let allocated = allocations(|| assert!(late.offer(2).is_err()));
        assert!(allocated == 0 || form == "ordered", "{form}: {allocated}");
        assert_eq!(drainer.take(), Some(1), "{form}");
    });
}

/// The documented 512 bytes of an offerer's lane; more where a cache line has more than 128 (s390x).
#[test]
fn a_lane_is_small() {
    let (mut offerer, mut drainer) = Basket::<u64>::unbounded();
    offerer.offer(1).unwrap();
    assert_eq!(drainer.take(), Some(1));
    let before = live();
    let mut offerers: Vec<_> = Vec::with_capacity(1000);
    let vec = live() - before;
    for _ in 0..1000 {
        offerers.push(offerer.clone());
        offerers.last_mut().unwrap().offer(2).unwrap();
    }
    let lanes = usize::try_from(live() - before - vec).unwrap();
    let limit = 4 * size_of::<CachePadded<u8>>().max(128);
    assert!(lanes <= 1000 * limit, "{} bytes each", lanes / 1000);
    assert_eq!(drainer.drain().count(), 1000);
    drop(offerers);
    assert_eq!(drainer.take(), None);
    assert!(live() - before < 100_000, "{} bytes are kept", live() - before);
}

#[test]
fn a_shared_offer_allocates_once() {
    let (offerer, mut drainer) = Basket::<u64>::ordered();
    let shared = offerer.share();
    let before = live();
    let allocated = allocations(|| (0..100).for_each(|n| shared.offer(n).unwrap()));
    assert_eq!(allocated, 100);
    assert!(drainer.drain().eq(0..100));
    assert!(live() <= before, "{} bytes are kept", live() - before);
}

#[test]
fn everything_comes_back_in_the_end() {
    for left in [0, 1, 500] {
        let before = live();
        every_form!(room 1000, |form, mut offerer, mut drainer| {
            let mut other = offerer.clone();
            offerer.offer_all(0..300).unwrap();
            other.offer_all(0..300).unwrap();
            assert_eq!(drainer.drain().count(), 600, "{form}");
            offerer.offer_all(0..left).unwrap();
            match left {
                0 => drop((offerer, drainer, other)),
                1 => drop((drainer, offerer, other)),
                _ => drop((other, drainer, offerer)),
            }
        });
        assert_eq!(live(), before, "with {left} left");
    }
}

/// Offerers come and go by the thousands, on the drainer's own thread and on others.
#[test]
fn offerers_that_come_and_go_leave_nothing() {
    let _watch = watch();
    let many = scaled(20_000, 10_000_000);
    every_form!(room 4, |form, offerer, mut drainer| {
        let visit = |n: usize| {
            let mut visitor = offerer.clone();
            visitor.offer(n).unwrap();
        };
        visit(0);
        assert_eq!(drainer.take(), Some(0), "{form}");
        let before = live();
        for n in 0..many {
            visit(n);
            if n % 3 == 0 {
                assert!(drainer.wait_timeout(std::time::Duration::ZERO).is_ok(), "{form}");
                let _: usize = drainer.drain().count();
            }
        }
        let _: usize = drainer.drain().count();
        assert!(live() - before <= 8192, "{form}: {} bytes are kept", live() - before);
    });
    // Freed on another thread than allocated: the count of both together.
    every_form!(room 1000, |form, offerer, mut drainer| {
        let before = live();
        let theirs = thread::scope(|scope| {
            let theirs = scope.spawn(move || {
                let before = live();
                for n in 0..many / 4 {
                    let mut visitor = offerer.clone();
                    while visitor.offer(n).is_err() {
                        thread::yield_now();
                    }
                }
                drop(offerer);
                live() - before
            });
            while drainer.wait().is_ok() {
                let _: usize = drainer.drain().count();
            }
            theirs.join().unwrap()
        });
        // Its list of lanes is as long as it once had to be.
        drop(drainer);
        let kept = live() - before + theirs;
        // A thread's own things.
        assert!(kept <= 1024, "{form}: {kept} bytes are kept");
    });
}
