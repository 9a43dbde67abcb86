//! Counts the system calls of this process through the kernel's tracepoints.
//!
//! `perf_event_open` on `syscalls:sys_enter_futex` and `raw_syscalls:sys_enter`, inherited by the
//! threads started later. While such an event is open every system call of the machine takes the
//! slow path, so it is open in counting rounds only. Where the kernel does not permit it the figures
//! are left out.

use core::ffi::CStr;
use core::mem::size_of;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};

/// Calls counted so far.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Calls {
    pub(crate) futex: u64,
    /// All system calls.
    pub(crate) any: u64,
}

/// The open counters of the calling thread and of those that it starts from now on.
#[derive(Debug)]
pub(crate) struct Trace {
    futex: OwnedFd,
    any: OwnedFd,
}

impl Trace {
    pub(crate) fn open(ids: TracepointIds) -> io::Result<Self> {
        Ok(Self { futex: open_event(ids.futex)?, any: open_event(ids.any)? })
    }

    /// The counts at the start of a stretch.
    pub(crate) fn start(&self) -> Calls {
        let futex = read_count(&self.futex);
        Calls { futex, any: read_count(&self.any) }
    }

    /// The counts at its end, less the call that reads them.
    pub(crate) fn end(&self) -> Calls {
        let any = read_count(&self.any) - 1;
        Calls { any, futex: read_count(&self.futex) }
    }
}

/// The kernel's numbers for the two tracepoints.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TracepointIds {
    futex: u64,
    any: u64,
}

impl TracepointIds {
    /// Reads them from the trace file system, mounted or not.
    pub(crate) fn find() -> io::Result<Self> {
        let root = match File::open("/sys/kernel/tracing/events") {
            Ok(_) => File::open("/sys/kernel/tracing")?.into(),
            Err(_) => detached_tracefs()?,
        };
        Ok(Self {
            futex: read_id(&root, c"events/syscalls/sys_enter_futex/id")?,
            any: read_id(&root, c"events/raw_syscalls/sys_enter/id")?,
        })
    }
}

/// A trace file system of our own, visible to nobody else and gone when closed.
fn detached_tracefs() -> io::Result<OwnedFd> {
    const FSCONFIG_CMD_CREATE: libc::c_uint = 6;
    // SAFETY: the name is a C string.
    let context = owned(unsafe { libc::syscall(libc::SYS_fsopen, c"tracefs".as_ptr(), 0) })?;
    let null = core::ptr::null::<libc::c_char>();
    // SAFETY: creating takes no key, no value and no number.
    let created = unsafe {
        libc::syscall(libc::SYS_fsconfig, context.as_raw_fd(), FSCONFIG_CMD_CREATE, null, null, 0)
    };
    if created < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: two sets of flags, both empty.
    owned(unsafe { libc::syscall(libc::SYS_fsmount, context.as_raw_fd(), 0, 0) })
}

fn read_id(root: &OwnedFd, path: &CStr) -> io::Result<u64> {
    // SAFETY: the directory is open, the path a C string.
    let fd =
        unsafe { libc::openat(root.as_raw_fd(), path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) };
    let mut text = String::new();
    File::from(owned(fd.into())?).read_to_string(&mut text)?;
    text.trim().parse().map_err(io::Error::other)
}

/// `struct perf_event_attr` as the kernel first had it, which it still takes.
#[repr(C)]
#[derive(Default)]
struct EventAttributes {
    kind: u32,
    size: u32,
    config: u64,
    sample_period: u64,
    sample_type: u64,
    read_format: u64,
    flags: u64,
    wakeup_events: u32,
    bp_type: u32,
    config1: u64,
}

fn open_event(tracepoint: u64) -> io::Result<OwnedFd> {
    const PERF_TYPE_TRACEPOINT: u32 = 2;
    const INHERIT: u64 = 1 << 1;
    const PERF_FLAG_FD_CLOEXEC: libc::c_ulong = 8;
    const THIS_THREAD: libc::pid_t = 0;
    const ANY_CPU: libc::c_int = -1;
    const NO_GROUP: libc::c_int = -1;

    let attributes = EventAttributes {
        kind: PERF_TYPE_TRACEPOINT,
        size: size_of::<EventAttributes>() as u32,
        config: tracepoint,
        flags: INHERIT,
        ..EventAttributes::default()
    };
    // SAFETY: the attributes are valid for the size that they name.
    owned(unsafe {
        libc::syscall(
            libc::SYS_perf_event_open,
            &raw const attributes,
            THIS_THREAD,
            ANY_CPU,
            NO_GROUP,
            PERF_FLAG_FD_CLOEXEC,
        )
    })
}

fn read_count(event: &OwnedFd) -> u64 {
    let mut count = 0_u64;
    // SAFETY: a counter without read_format is 8 bytes, written to a u64.
    let read = unsafe { libc::read(event.as_raw_fd(), (&raw mut count).cast(), size_of::<u64>()) };
    assert_eq!(read, 8, "reading a counter: {}", io::Error::last_os_error());
    count
}

/// The descriptor that a system call returned.
fn owned(result: libc::c_long) -> io::Result<OwnedFd> {
    if result < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel has just made this descriptor for us.
    Ok(unsafe { OwnedFd::from_raw_fd(result as libc::c_int) })
}
