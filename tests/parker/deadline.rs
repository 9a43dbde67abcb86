//! Points in time.

use std::time::Duration;

use reveille::Deadline;

const ENDLESS: [Duration; 5] = [
    Duration::MAX,
    Duration::from_secs(u64::MAX),
    Duration::from_millis(u64::MAX),
    Duration::from_nanos(u64::MAX),
    Duration::from_secs(i64::MAX as u64),
];

#[test]
fn what_the_clock_cannot_count_never_comes() {
    for timeout in ENDLESS {
        assert_eq!(Deadline::after(timeout), Deadline::NEVER, "{timeout:?}");
    }
    assert!(!Deadline::NEVER.has_passed());
    assert_eq!(Deadline::NEVER.remaining(), Duration::MAX);
}

#[test]
fn what_it_can_count_comes_later_and_before_never() {
    const YEAR: Duration = Duration::from_secs(366 * 24 * 3600);
    let mut last = Deadline::now();
    for years in [1, 10, 100, 250, 300, 400, 500] {
        let deadline = Deadline::after(YEAR * years);
        assert!(last < deadline && deadline < Deadline::NEVER, "{years} years");
        assert!(!deadline.has_passed());
        assert!(deadline.remaining() <= YEAR * years);
        assert!(deadline.remaining() > YEAR * years - Duration::from_secs(60));
        last = deadline;
    }
}

#[test]
fn now_has_passed_and_stays_so() {
    let now = Deadline::now();
    assert!(now.has_passed());
    assert_eq!(now.remaining(), Duration::ZERO);
    assert!(Deadline::after(Duration::ZERO).has_passed());
    assert!(now <= Deadline::now());
}

#[test]
fn a_deadline_passes_when_its_time_is_over() {
    let wait = Duration::from_millis(5);
    let begun = std::time::Instant::now();
    let deadline = Deadline::after(wait);
    while !deadline.has_passed() {
        assert!(deadline.remaining() <= wait);
        std::thread::yield_now();
    }
    assert!(begun.elapsed() >= wait);
}

#[cfg(feature = "std")]
#[test]
fn an_instant_names_the_same_moment() {
    use std::time::Instant;

    let instant = Instant::now() + Duration::from_secs(100);
    let deadline = Deadline::from(instant);
    assert!(deadline.remaining() <= Duration::from_secs(100));
    assert!(deadline.remaining() > Duration::from_secs(90));
    // Never earlier than the instant.
    let soon = Instant::now() + Duration::from_millis(3);
    let deadline = Deadline::from_instant(soon);
    while !deadline.has_passed() {}
    assert!(Instant::now() >= soon);
    // The past is a deadline that has passed.
    let past = Instant::now();
    std::thread::sleep(Duration::from_millis(1));
    assert!(Deadline::from(past).has_passed());
}
