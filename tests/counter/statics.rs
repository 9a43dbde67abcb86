//! What the types are, how large, and that they live in statics.

use std::thread;

use static_assertions::{assert_impl_all, assert_not_impl_any};

use reveille::StripedCounter;
use reveille::counter::{
    CounterSet, CounterWriter, InFlight, OwnedCounter, OwnedSet, STRIPES, SetWriter, Stripe,
    StripedGauge,
};

use crate::support::{StartLine, watch};

/// c24: the stripes are there from the start; nothing is made on first use.
#[test]
fn c24_a_static_is_first_used_by_many_threads_at_once() {
    static COUNTER: StripedCounter = StripedCounter::new();
    static GAUGE: StripedGauge = StripedGauge::new();
    static SET: CounterSet<2> = CounterSet::new();
    let _watch = watch();
    let line = StartLine::new(8);
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                line.wait();
                for _ in 0..1000 {
                    let _in_flight = GAUGE.enter();
                    COUNTER.increment();
                    SET.increment(1);
                }
            });
        }
        assert!(COUNTER.sum() <= 8000);
    });
    assert_eq!((COUNTER.sum(), GAUGE.sum(), SET.snapshot()), (8000, 0, [0, 8000]));
}

/// c25: cells of different stripes are on cache lines of their own.
#[test]
fn c25_stripes_do_not_share_cache_lines() {
    let line = align_of::<StripedCounter>();
    if cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) {
        assert_eq!(line, 128, "pairs of lines are fetched together");
    }
    if cfg!(target_arch = "s390x") {
        assert_eq!(line, 256);
    }
    assert_eq!(size_of::<StripedCounter>(), STRIPES * line);
    assert_eq!(size_of::<StripedGauge>(), STRIPES * line);
    assert_eq!(size_of::<StripedCounter<3>>(), 3 * line);
    assert_eq!(align_of::<CounterSet<4>>(), line);
    assert_eq!(size_of::<CounterSet<4>>(), STRIPES * (4 * 8_usize).next_multiple_of(line));
    assert_eq!(size_of::<CounterSet<17, 2>>(), 2 * (17 * 8_usize).next_multiple_of(line));
}

/// As documented.
#[test]
fn sizes() {
    if cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) {
        assert_eq!(size_of::<StripedCounter>(), 2048);
        assert_eq!(size_of::<CounterSet<16>>(), 2048);
    }
    // Where a 64-bit atomic is aligned to 4 bytes it would be less; there is no such target.
    assert_eq!(size_of::<OwnedCounter>(), 16);
    assert_eq!(size_of::<OwnedSet<5>>(), 48);
    let word = size_of::<usize>();
    assert_eq!(size_of::<InFlight<'_>>(), 2 * word);
    assert_eq!(size_of::<CounterWriter<&OwnedCounter>>(), word);
    assert_eq!(size_of::<Stripe<'_, 3>>(), word);
}

assert_impl_all!(StripedCounter: Send, Sync, Unpin, std::fmt::Debug, Default);
assert_impl_all!(StripedGauge<2>: Send, Sync, Unpin, std::fmt::Debug, Default);
assert_impl_all!(CounterSet<3>: Send, Sync, Unpin, std::fmt::Debug, Default);
assert_impl_all!(OwnedCounter: Send, Sync, Unpin, std::fmt::Debug, Default);
assert_impl_all!(OwnedSet<3>: Send, Sync, Unpin, std::fmt::Debug, Default);
// A guard may be dropped on another thread; a writer may move to one, but is no use to two.
assert_impl_all!(InFlight<'static>: Send, Sync);
assert_not_impl_any!(InFlight<'static>: Clone);
assert_impl_all!(CounterWriter: Send);
assert_impl_all!(SetWriter<3>: Send);
assert_not_impl_any!(CounterWriter: Clone);
assert_not_impl_any!(SetWriter<3>: Clone);
// A stripe is a thread's own.
assert_not_impl_any!(Stripe<'static, 3>: Send, Sync);

#[cfg(feature = "alloc")]
mod on_the_heap {
    use reveille::counter::LazyCounter;
    use static_assertions::assert_impl_all;

    assert_impl_all!(LazyCounter: Send, Sync, Unpin, std::fmt::Debug, Default);

    static LAZY: LazyCounter = LazyCounter::new();

    #[test]
    fn the_lazy_form_is_16_bytes_and_may_be_static() {
        LAZY.increment();
        assert_eq!(LAZY.sum(), 1);
        assert_eq!(size_of::<LazyCounter>(), 16);
        assert_eq!(size_of::<LazyCounter<3>>(), 16);
    }
}
