//! Where glibc keeps each thread's area of restartable sequences.
//!
//! glibc (2.35 and newer) registers an area for every thread and says where: `__rseq_offset` bytes from
//! the thread pointer, `__rseq_size` bytes of it in use, 0 if the kernel refused or the user switched it
//! off (`GLIBC_TUNABLES=glibc.pthread.rseq=0`). Both are asked for by name when the program runs: a
//! program that links them does not load with an older glibc.
#![expect(clippy::disallowed_types, reason = "a process-wide fact about the C library")]

use core::ffi::CStr;
use core::sync::atomic::{AtomicIsize, Ordering};

/// As much of `struct rseq` as the first kernels knew: `cpu_id` and `rseq_cs` are within.
const LEAST_SIZE: u32 = 20;

/// The number of the CPU, or -1 or -2 on a thread that is not registered.
pub(super) const CPU_ID: usize = 4;
/// Where the kernel looks for the descriptor of the section that runs.
pub(super) const SECTION: usize = 8;

const UNKNOWN: isize = isize::MIN;
const MISSING: isize = isize::MAX;

static OFFSET: AtomicIsize = AtomicIsize::new(UNKNOWN);

/// The area's offset from the thread pointer; `None` where there is none. Looks once.
pub(super) fn offset() -> Option<isize> {
    // ORDERING(sys.rseq): Relaxed — the number stands for itself; pairs with the store below.
    let mut offset = OFFSET.load(Ordering::Relaxed);
    if offset == UNKNOWN {
        offset = look().unwrap_or(MISSING);
        // ORDERING(sys.rseq): Relaxed — racing threads find the same.
        OFFSET.store(offset, Ordering::Relaxed);
    }
    (offset != MISSING).then_some(offset)
}

fn look() -> Option<isize> {
    let size = symbol(c"__rseq_size")?.cast::<u32>();
    // SAFETY: glibc's `const unsigned int`, set before main.
    if unsafe { *size } < LEAST_SIZE {
        return None;
    }
    let offset = symbol(c"__rseq_offset")?.cast::<isize>();
    // SAFETY: glibc's `const ptrdiff_t`, set before main.
    Some(unsafe { *offset })
}

fn symbol(name: &CStr) -> Option<*const libc::c_void> {
    // SAFETY: a name that ends with a zero; looked for in the whole program.
    let address = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    (!address.is_null()).then_some(address.cast_const())
}

/// How many CPUs the system is configured with, running or not.
pub(super) fn cpus() -> usize {
    // SAFETY: no preconditions.
    let count = unsafe { libc::sysconf(libc::_SC_NPROCESSORS_CONF) };
    usize::try_from(count).unwrap_or(0)
}
