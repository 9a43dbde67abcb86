//! Restartable sequences on 64-bit Arm: a plain add to this CPU's cell. See `sys/mod.rs`.

#[path = "area.rs"]
mod area;

use core::arch::asm;
use core::ffi::CStr;

use super::Cells;

/// The threads of this process have an area.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rseq {
    /// From the thread pointer, `tpidr_el0`.
    area: isize,
}

impl Rseq {
    pub(crate) fn find() -> Option<Self> {
        if !kernel_is_sound() {
            return None;
        }
        area::offset().map(|area| Self { area })
    }

    pub(crate) fn cpus(self) -> usize {
        area::cpus()
    }

    /// Adds `n` in the cell of the CPU that this runs on, or in the shared one. [`leave`](Self::leave)
    /// is due.
    ///
    /// # Safety
    ///
    /// The cells are valid and aligned. Those by CPU are shared as atomics are and written by this
    /// function and its like only. (Two plain adds on one CPU do not overlap: the kernel sees to it that an
    /// interrupted one did not happen. Against any other write they are not atomic.)
    #[inline(always)]
    pub(crate) unsafe fn add(self, cells: Cells, n: u64) {
        // SAFETY: the area is glibc's for this thread, which lives as long as the thread. The cells are
        // valid by contract. The section, 2 to 3, follows the kernel's rules: it is announced before it
        // begins, writes nothing but the cell with its last instruction, changes no input, makes no
        // call; it is left by its end, or by a jump before the write. An abort goes on at 4, behind the
        // signature that glibc registered; all registers are as they were.
        unsafe {
            asm!(
                // The descriptor: version, flags, start, length, where to go on after an abort.
                ".pushsection __rseq_cs, \"aw\"",
                ".balign 32",
                "9:",
                ".word 0, 0",
                ".xword 2f, 3f - 2f, 4f",
                ".popsection",
                "mrs {area}, tpidr_el0",
                "add {area}, {area}, {offset}",
                "adrp {cell}, 9b",
                "add {cell}, {cell}, :lo12:9b",
                "str {cell}, [{area}, #{section}]",
                "2:",
                // The CPU's number is read within: after a migration it would not get to the end.
                "ldr {cell:w}, [{area}, #{cpu_id}]",
                // Unsigned, so that -1 and -2 are too large as well.
                "cmp {cell:w}, {cpus:w}",
                "b.hs 5f",
                "madd {cell}, {cell}, {stride}, {by_cpu}",
                "ldr {sum}, [{cell}]",
                "add {sum}, {sum}, {n}",
                "str {sum}, [{cell}]",
                "3:",
                "b 6f",
                // `brk #0x45e0`, the signature.
                ".inst 0xd428bc00",
                "4:",
                "5:",
                "ldxr {sum}, [{shared}]",
                "add {sum}, {sum}, {n}",
                "stxr {cell:w}, {sum}, [{shared}]",
                "cbnz {cell:w}, 5b",
                "6:",
                offset = in(reg) self.area,
                by_cpu = in(reg) cells.by_cpu,
                stride = in(reg) cells.stride,
                cpus = in(reg) cells.cpus,
                shared = in(reg) cells.shared,
                n = in(reg) n,
                area = out(reg) _,
                cell = out(reg) _,
                sum = out(reg) _,
                section = const area::SECTION,
                cpu_id = const area::CPU_ID,
                options(nostack),
            );
        }
    }

    /// The same with one.
    ///
    /// # Safety
    ///
    /// The cells are valid and aligned. Those by CPU are shared as atomics are and written by this
    /// function and its like only. (Two plain adds on one CPU do not overlap: the kernel sees to it that an
    /// interrupted one did not happen. Against any other write they are not atomic.)
    #[inline(always)]
    pub(crate) unsafe fn increment(self, cells: Cells) {
        // SAFETY: by contract.
        unsafe { self.add(cells, 1) }
    }

    /// Withdraws the announcement, so that the kernel never looks for a descriptor that has been unloaded.
    /// To be called after the last of a few adds.
    #[inline(always)]
    pub(crate) fn leave(self) {
        // SAFETY: this thread's area, and no section of ours is under way.
        unsafe {
            asm!(
                "mrs {area}, tpidr_el0",
                "add {area}, {area}, {offset}",
                "str xzr, [{area}, #{section}]",
                offset = in(reg) self.area,
                area = out(reg) _,
                section = const area::SECTION,
                options(nostack, preserves_flags),
            );
        }
    }
}

/// Linux 6.19 to 7.0.13 do not abort sections reliably on this architecture.
fn kernel_is_sound() -> bool {
    // SAFETY: all zeroes is a valid utsname.
    let mut name: libc::utsname = unsafe { core::mem::zeroed() };
    // SAFETY: valid for writing.
    if unsafe { libc::uname(&raw mut name) } != 0 {
        return false;
    }
    // SAFETY: the kernel ends it with a zero.
    let release = unsafe { CStr::from_ptr(name.release.as_ptr()) };
    let mut numbers = release
        .to_bytes()
        .split(|byte| !byte.is_ascii_digit())
        .map(|digits| digits.iter().fold(0, |n: u32, digit| n * 10 + u32::from(digit - b'0')));
    let mut next = || numbers.next().unwrap_or(0);
    let version = (next(), next(), next());
    !((6, 19, 0)..(7, 0, 14)).contains(&version)
}
