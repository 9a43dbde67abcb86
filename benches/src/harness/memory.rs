//! Keeps freed memory in the process.
//!
//! By default glibc gives the top of the heap back and maps large blocks anew each time. The first
//! touch of a page costs microseconds in a virtual machine, so a queue that grows and shrinks would
//! be measured by its page faults.

/// Never trim, never map a block by itself.
#[cfg(target_env = "gnu")]
pub(crate) fn keep() {
    for (option, value) in [(libc::M_TRIM_THRESHOLD, i32::MAX), (libc::M_MMAP_MAX, 0)] {
        // SAFETY: any option and value may be passed; no other thread runs yet.
        let accepted = unsafe { libc::mallopt(option, value) };
        if accepted == 0 {
            println!("note: mallopt({option}, {value}) was refused; page faults may show");
        }
    }
}

/// Other C libraries have no such setting.
#[cfg(not(target_env = "gnu"))]
pub(crate) fn keep() {}
