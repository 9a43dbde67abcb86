//! Restartable sequences on x86-64: a plain add to this CPU's cell. See `sys/mod.rs`.

#[path = "area.rs"]
mod area;

use core::arch::asm;

use super::Cells;

/// The threads of this process have an area.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rseq {
    /// From the thread pointer, `fs:0`.
    area: isize,
}

/// Adds by `$plain` to the cell of this CPU, or by `$shared` to the one that is shared.
macro_rules! sequence {
    ($self:ident, $cells:ident, $plain:literal, $shared:literal $(, $operand:tt)*) => {
        asm!(
            // The descriptor: version, flags, start, length, where to go on after an abort.
            ".pushsection __rseq_cs, \"aw\"",
            ".balign 32",
            "9:",
            ".long 0, 0",
            ".quad 2f, 3f - 2f, 4f",
            ".popsection",
            "lea {cell}, [rip + 9b]",
            "mov qword ptr fs:[{area} + {section}], {cell}",
            "2:",
            // The CPU's number is read within: after a migration it would not get to the end.
            "mov {cell:e}, dword ptr fs:[{area} + {cpu_id}]",
            // Unsigned, so that -1 and -2 are too large as well.
            "cmp {cell:e}, {cpus:e}",
            "jae 5f",
            "imul {cell}, {stride}",
            // The address in one register: some CPUs forward a store to the next load through it at once.
            "add {cell}, {by_cpu}",
            $plain,
            "3:",
            ".pushsection __rseq_failure, \"ax\"",
            // `ud1 edi, [rip + signature]`, so that it disassembles.
            ".byte 0x0f, 0xb9, 0x3d",
            ".long 0x53053053",
            "4:",
            "5:",
            $shared,
            "jmp 6f",
            ".popsection",
            "6:",
            area = in(reg) $self.area,
            by_cpu = in(reg) $cells.by_cpu,
            stride = in(reg) $cells.stride,
            cpus = in(reg) $cells.cpus,
            shared = in(reg) $cells.shared,
            $(n = in(reg) $operand,)*
            cell = out(reg) _,
            section = const area::SECTION,
            cpu_id = const area::CPU_ID,
            options(nostack),
        )
    };
}

impl Rseq {
    pub(crate) fn find() -> Option<Self> {
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
            sequence!(
                self,
                cells,
                "add qword ptr [{cell}], {n}",
                "lock add qword ptr [{shared}], {n}",
                n
            );
        }
    }

    /// The same with one: an immediate operand takes some CPUs no time at all.
    ///
    /// # Safety
    ///
    /// The cells are valid and aligned. Those by CPU are shared as atomics are and written by this
    /// function and its like only. (Two plain adds on one CPU do not overlap: the kernel sees to it that an
    /// interrupted one did not happen. Against any other write they are not atomic.)
    #[inline(always)]
    pub(crate) unsafe fn increment(self, cells: Cells) {
        // SAFETY: the area is glibc's for this thread, which lives as long as the thread. The cells are
        // valid by contract. The section, 2 to 3, follows the kernel's rules: it is announced before it
        // begins, writes nothing but the cell with its last instruction, changes no input, makes no
        // call; it is left by its end, or by a jump before the write. An abort goes on at 4, behind the
        // signature that glibc registered; all registers are as they were.
        unsafe {
            sequence!(self, cells, "inc qword ptr [{cell}]", "lock inc qword ptr [{shared}]");
        }
    }

    /// Withdraws the announcement, so that the kernel never looks for a descriptor that has been unloaded.
    /// To be called after the last of a few adds.
    #[inline(always)]
    pub(crate) fn leave(self) {
        // SAFETY: this thread's area, and no section of ours is under way.
        unsafe {
            asm!(
                "mov qword ptr fs:[{area} + {section}], 0",
                area = in(reg) self.area,
                section = const area::SECTION,
                options(nostack, preserves_flags),
            );
        }
    }
}
