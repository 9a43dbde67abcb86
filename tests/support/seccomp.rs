//! Threads for which the kernel answers some system calls as a test wants.

use std::io;

/// What the kernel does with a call that the filter names.
#[derive(Clone, Copy)]
pub(crate) enum Answer {
    /// Fails with this number.
    Errno(i32),
    /// Raises `SIGSYS` in the calling thread.
    Trap,
}

/// Calls that a filter names.
#[derive(Clone, Copy)]
pub(crate) enum Calls<'a> {
    /// All calls with these numbers.
    Numbers(&'a [libc::c_long]),
    /// Those of them whose first argument is this address.
    About(&'a [libc::c_long], *const u32),
}

/// The numbers of the futex call: on 32-bit systems there are two.
#[cfg(target_pointer_width = "32")]
pub(crate) const FUTEX: &[libc::c_long] =
    &[libc::SYS_futex, 422 /* futex_time64, which libc does not name everywhere */];
/// The numbers of the futex call: on 32-bit systems there are two.
#[cfg(target_pointer_width = "64")]
pub(crate) const FUTEX: &[libc::c_long] = &[libc::SYS_futex];

/// From now on the kernel answers these calls of the calling thread, and of threads and processes
/// that it starts, in that way. For good: call it in a thread of its own.
///
/// `Err` where filters are not permitted; the test is to be skipped then.
pub(crate) fn filter(calls: Calls<'_>, answer: Answer) -> io::Result<()> {
    let (numbers, address) = match calls {
        Calls::Numbers(numbers) => (numbers, None),
        Calls::About(numbers, address) => (numbers, Some(address as u64)),
    };
    let mut program = Vec::new();
    for &number in numbers {
        add_call(&mut program, number, address, answer);
    }
    program.push(statement(libc::BPF_RET, libc::SECCOMP_RET_ALLOW));
    install(&mut program)
}

fn statement(code: u32, k: u32) -> libc::sock_filter {
    libc::sock_filter { code: code as u16, jt: 0, jf: 0, k }
}

/// Goes on with the next statement if the loaded word is `k`, else leaves out `otherwise` of them.
fn unless_equal(k: u32, otherwise: usize) -> libc::sock_filter {
    let code = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
    libc::sock_filter { code, jt: 0, jf: otherwise as u8, k }
}

fn add_call(
    program: &mut Vec<libc::sock_filter>,
    number: libc::c_long,
    address: Option<u64>,
    answer: Answer,
) {
    const LOAD: u32 = libc::BPF_LD | libc::BPF_W | libc::BPF_ABS;
    /// Offsets in `struct seccomp_data`.
    const NUMBER: u32 = 0;
    const FIRST_ARGUMENT: u32 = 16;

    let mut body = Vec::new();
    if let Some(address) = address {
        let (low, high) = if cfg!(target_endian = "little") { (0, 4) } else { (4, 0) };
        body.push(statement(LOAD, FIRST_ARGUMENT + low));
        body.push(unless_equal(address as u32, 3));
        body.push(statement(LOAD, FIRST_ARGUMENT + high));
        body.push(unless_equal((address >> 32) as u32, 1));
    }
    body.push(statement(
        libc::BPF_RET,
        match answer {
            Answer::Errno(errno) => libc::SECCOMP_RET_ERRNO | errno as u32,
            Answer::Trap => libc::SECCOMP_RET_TRAP,
        },
    ));
    program.push(statement(LOAD, NUMBER));
    program.push(unless_equal(number as u32, body.len()));
    program.extend(body);
}

fn install(program: &mut [libc::sock_filter]) -> io::Result<()> {
    let program = libc::sock_fprog { len: program.len() as u16, filter: program.as_mut_ptr() };
    // SAFETY: affects this thread only, and takes numbers.
    let confined = unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) };
    if confined != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: affects this thread only; the program is valid for the call.
    let set =
        unsafe { libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program) };
    if set != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// Says why a test is left out.
pub(crate) fn skipped(error: &io::Error) {
    eprintln!("SKIPPED: no system call filter for this thread: {error}");
}
