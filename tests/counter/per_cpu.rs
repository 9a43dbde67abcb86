//! Plain adds by CPU: exact wherever threads are interrupted and moved.

use std::sync::Arc;
use std::thread;

use reveille::counter::{PerCpuCounter, PerCpuSet};
use static_assertions::{assert_impl_all, assert_not_impl_any};

use crate::sums::{sums_go_up, while_others_add};
use crate::support::{Random, scaled, watch};

assert_impl_all!(PerCpuCounter: Send, Sync, Unpin, std::fmt::Debug, Default);
assert_impl_all!(PerCpuSet<3>: Send, Sync, Unpin, std::fmt::Debug, Default);
assert_not_impl_any!(PerCpuCounter: Clone);

#[test]
fn behaves_like_an_array() {
    const K: usize = 5;
    let mut random = Random::new(1);
    let set = PerCpuSet::<K>::new();
    let mut model = [0_u64; K];
    let mut last = [0; K];
    for _ in 0..scaled(20_000, 1_000_000) {
        let (k, n) = (random.below(K), random.next() >> random.below(64));
        match random.below(4) {
            0 => {
                set.add(k, n);
                model[k] = model[k].wrapping_add(n);
            }
            1 => {
                set.add_all([(k, n), (0, 1), (k, 2)]);
                model[k] = model[k].wrapping_add(n).wrapping_add(2);
                model[0] = model[0].wrapping_add(1);
            }
            2 => {
                let wanted = core::array::from_fn(|k| model[k].wrapping_sub(last[k]));
                assert_eq!(set.delta(&mut last), wanted);
            }
            _ => {
                assert_eq!(set.snapshot(), model);
                assert_eq!(set.sum(k), model[k]);
            }
        }
    }
}

#[test]
fn counts_exactly() {
    let _watch = watch();
    let counter = Arc::new(PerCpuCounter::new());
    if let Some(wanted) = std::env::var_os("REVEILLE_PER_CPU") {
        assert_eq!(counter.is_per_cpu(), wanted == "1");
    }
    let each = scaled(200_000, 10_000_000) as u64;
    let threads: Vec<_> = (0..8)
        .map(|_| {
            let counter = Arc::clone(&counter);
            thread::spawn(move || (0..each).for_each(|_| counter.increment()))
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert_eq!(counter.sum(), 8 * each);
}

#[test]
fn c22_sums_by_cpu_never_go_back() {
    let _watch = watch();
    let counter = PerCpuCounter::new();
    sums_go_up(|n| counter.add(n), || counter.sum());
}

#[test]
fn deltas_by_cpu_add_up() {
    let _watch = watch();
    let counter = PerCpuCounter::new();
    let (mut last, mut seen) = (0, 0);
    let total = while_others_add(2, |n| counter.add(n), || seen += counter.delta(&mut last));
    assert_eq!(seen + counter.delta(&mut last), total);
}

#[test]
#[should_panic = "counter 2 of 2"]
fn there_is_no_counter_beyond_the_last() {
    PerCpuSet::<2>::new().increment(2);
}

#[cfg(all(target_os = "linux", not(miri)))]
mod linux {
    use std::process::Command;
    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
    use std::sync::{Mutex, OnceLock};
    use std::thread;
    use std::time::{Duration, Instant};

    use reveille::counter::{PerCpuCounter, PerCpuSet};
    use rustix::thread::{CpuSet, Pid, gettid, sched_getaffinity};

    use crate::support::cpu::{pin, pin_to_last};
    use crate::support::fork::fork;
    use crate::support::signal::{Target, handle};
    use crate::support::{Random, rounds, scaled, watch};

    static HANDLED: AtomicU64 = AtomicU64::new(0);
    static FOR_HANDLER: OnceLock<&'static PerCpuSet<3>> = OnceLock::new();

    extern "C" fn count(_: libc::c_int) {
        if let Some(set) = FOR_HANDLER.get() {
            set.increment(2);
            HANDLED.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Threads that do nothing but add are moved from CPU to CPU and showered with signals, whose
    /// handler adds as well.
    #[test]
    fn is_exact_under_migration_and_signals() {
        const WRITERS: usize = 4;
        let _watch = watch();
        let set = *FOR_HANDLER.get_or_init(|| Box::leak(Box::default()));
        if !set.is_per_cpu() {
            eprintln!("SKIPPED in part: no restartable sequences here, adds are shared");
        }
        handle(libc::SIGURG, count, true);
        let allowed = sched_getaffinity(None).unwrap();
        let cpus: Vec<_> = (0..CpuSet::MAX_CPU).filter(|&cpu| allowed.is_set(cpu)).collect();
        let stop = AtomicBool::new(false);
        let here: Mutex<Vec<(Pid, Target)>> = Mutex::default();
        let sent = AtomicU64::new(0);
        let added: [u64; 2] = thread::scope(|scope| {
            let writers = [0; WRITERS].map(|_| {
                scope.spawn(|| {
                    here.lock().unwrap().push((gettid(), Target::this_thread()));
                    let mut added = [0; 2];
                    while !stop.load(Ordering::Relaxed) {
                        for n in 1..100 {
                            if n % 2 == 0 {
                                set.add_all([(0, 1), (1, n)]);
                            } else {
                                set.increment(0);
                                set.add(1, n);
                            }
                            added[0] += 1;
                            added[1] += n;
                        }
                    }
                    added
                })
            });
            while here.lock().unwrap().len() < WRITERS {
                thread::yield_now();
            }
            let threads = here.lock().unwrap().clone();
            let mut random = Random::new(7);
            for _ in rounds(20_000, 500_000) {
                let (thread, target) = threads[random.below(WRITERS)];
                if random.one_in(3) {
                    pin(Some(thread), cpus[random.below(cpus.len())]);
                } else {
                    target.send(libc::SIGURG);
                    sent.fetch_add(1, Ordering::Relaxed);
                }
                if random.one_in(50) {
                    thread::yield_now();
                }
            }
            stop.store(true, Ordering::Relaxed);
            let added = writers.map(|writer| writer.join().unwrap());
            [0, 1].map(|k| added.iter().map(|added| added[k]).sum())
        });
        // Signals of one kind merge while one is pending: what counts is what was handled.
        let handled = HANDLED.load(Ordering::Relaxed);
        assert!(handled > 0 && handled <= sent.load(Ordering::Relaxed));
        assert_eq!(set.snapshot(), [added[0], added[1], handled]);
    }

    /// One CPU, more threads than it: they interrupt each other all the time.
    #[test]
    fn c23_is_exact_on_the_last_cpu() {
        let _watch = watch();
        let counter = PerCpuCounter::new();
        let added: u64 = thread::scope(|scope| {
            let threads = [0; 4].map(|_| {
                scope.spawn(|| {
                    pin_to_last();
                    let begun = Instant::now();
                    let mut added = 0;
                    while begun.elapsed() < Duration::from_millis(scaled(200, 5_000) as u64) {
                        (0..1000).for_each(|_| counter.increment());
                        added += 1000;
                    }
                    added
                })
            });
            threads.map(|thread| thread.join().unwrap()).iter().sum()
        });
        assert_eq!(counter.sum(), added);
    }

    #[test]
    fn a_forked_child_has_a_copy_of_its_own() {
        let _watch = watch();
        let counter = PerCpuCounter::new();
        counter.add(5);
        let child = fork(|| {
            (0..1000).for_each(|_| counter.increment());
            assert_eq!(counter.sum(), 1005);
        });
        child.join();
        counter.increment();
        assert_eq!(counter.sum(), 6);
    }

    /// glibc lets the user switch them off: then it counts in shared cells.
    #[test]
    fn falls_back_where_there_are_none() {
        let _watch = watch();
        let Ok(program) = std::env::current_exe() else { return };
        let run = Command::new(program)
            .args(["--exact", "per_cpu::counts_exactly"])
            .env("GLIBC_TUNABLES", "glibc.pthread.rseq=0")
            .env("REVEILLE_PER_CPU", "0")
            .output();
        match run {
            Ok(output) => {
                let text = String::from_utf8_lossy(&output.stdout);
                if !text.contains("running 1 test") {
                    eprintln!("SKIPPED: an emulator that does not start programs");
                    return;
                }
                assert!(output.status.success() && text.contains("1 passed"), "{text}");
            }
            // Under an emulator a program may not be able to start one.
            Err(error) => eprintln!("SKIPPED: {error}"),
        }
    }
}
