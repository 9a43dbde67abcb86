//! Which CPUs there are, and keeping a thread on one.
//!
//! Only threads of a round are pinned, never the main thread: a pin ends with its thread.

use core::mem::size_of;
use std::fs;
use std::thread;

/// The CPUs that this process may use, those of different cores first.
#[derive(Clone, Debug)]
pub(crate) struct Cpus(Vec<usize>);

impl Cpus {
    /// Asks the kernel. To be called before anything is pinned.
    pub(crate) fn allowed() -> Self {
        let set = affinity();
        let mut firsts = Vec::new();
        let mut siblings = Vec::new();
        let mut cores_seen = Vec::new();
        for cpu in 0..libc::CPU_SETSIZE as usize {
            // SAFETY: the number is below the size of the set.
            if !unsafe { libc::CPU_ISSET(cpu, &set) } {
                continue;
            }
            let core = core_of(cpu);
            if cores_seen.contains(&core) {
                siblings.push(cpu);
            } else {
                cores_seen.push(core);
                firsts.push(cpu);
            }
        }
        firsts.extend(siblings);
        Self(firsts)
    }

    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// Runs `work` on a thread of its own, pinned to the `index`th CPU, and waits for it.
    ///
    /// # Panics
    ///
    /// If `work` does.
    pub(crate) fn run_on<R: Send>(&self, index: usize, work: impl FnOnce() -> R + Send) -> R {
        thread::scope(|scope| {
            let worker = scope.spawn(|| {
                self.pin(index);
                work()
            });
            worker.join().expect("the work does not panic")
        })
    }

    /// Pins whichever thread calls it: for a thread that somebody else starts.
    pub(crate) fn pinning(&self, index: usize) -> impl FnOnce() + Send + use<> {
        let cpus = self.clone();
        move || cpus.pin(index)
    }

    /// Pins the calling thread to the `index`th CPU, counted round and round.
    ///
    /// # Panics
    ///
    /// If the kernel refuses: an unpinned measurement is not the one that was asked for.
    pub(crate) fn pin(&self, index: usize) {
        let cpu = self.0[index % self.0.len()];
        // SAFETY: all zeroes is the empty set.
        let mut set: libc::cpu_set_t = unsafe { core::mem::zeroed() };
        // SAFETY: the kernel named this CPU in a set of the same size.
        unsafe { libc::CPU_SET(cpu, &mut set) };
        // SAFETY: 0 is the calling thread; the set is valid for its size.
        let status =
            unsafe { libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const set) };
        assert_eq!(status, 0, "pinning to CPU {cpu}: {}", std::io::Error::last_os_error());
    }
}

fn affinity() -> libc::cpu_set_t {
    // SAFETY: all zeroes is the empty set.
    let mut set: libc::cpu_set_t = unsafe { core::mem::zeroed() };
    // SAFETY: 0 is the calling thread; the set is valid for its size.
    let status = unsafe { libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &raw mut set) };
    assert_eq!(status, 0, "asking for the CPUs: {}", std::io::Error::last_os_error());
    set
}

/// The hardware threads of the same core; the CPU itself where the kernel does not say.
fn core_of(cpu: usize) -> String {
    fs::read_to_string(format!("/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list"))
        .unwrap_or_else(|_| cpu.to_string())
}
