//! Restartable sequences on x86-64: a plain add to this CPU's cell. See `sys/mod.rs`.

#[path = "area.rs"]
mod area;

use core::arch::asm;

/// The threads of this process have an area.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rseq {
    /// From the thread pointer, `fs:0`.
    area: isize,
}

impl Rseq {
    pub(crate) fn find() -> Option<Self> {
        area::offset().map(|area| Self { area })
    }

    pub(crate) fn cpus(self) -> usize {
        area::cpus()
    }

    /// Adds `n` to the cell of the CPU that this runs on, cell `c` being `c * stride` bytes after
    /// `base`. `false`: nothing was added, because the thread was interrupted, is not registered, or the
    /// CPU's number is not below `cpus`.
    ///
    /// # Safety
    ///
    /// The cells are valid, aligned and shared as atomics are, and nothing but this function writes
    /// them. (Two plain adds on one CPU do not overlap: the kernel sees to it that an interrupted one
    /// did not happen. Against any other write they are not atomic.)
    #[inline(always)]
    pub(crate) unsafe fn add(self, base: *mut u64, stride: usize, cpus: u32, n: u64) -> bool {
        let done: u32;
        // SAFETY: the area is glibc's for this thread, which lives as long as the thread. The cell is
        // valid by contract. The section, 2 to 3, follows the kernel's rules: it is announced before it
        // begins, writes nothing but the cell with its last instruction, changes no input, makes no
        // call; it is left by its end, or by a jump before the write. An abort goes on at 4, behind the
        // signature that glibc registered; all registers are as they were. The announcement is withdrawn
        // at the end, so that the kernel never looks for a descriptor that has been unloaded.
        unsafe {
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
                "add qword ptr [{base} + {cell}], {n}",
                "3:",
                "mov {done:e}, 1",
                "jmp 6f",
                // `ud1 edi, [rip + signature]`, so that it disassembles.
                ".pushsection __rseq_failure, \"ax\"",
                ".byte 0x0f, 0xb9, 0x3d",
                ".long 0x53053053",
                "4:",
                "jmp 5f",
                ".popsection",
                "5:",
                "xor {done:e}, {done:e}",
                "6:",
                "mov qword ptr fs:[{area} + {section}], 0",
                area = in(reg) self.area,
                base = in(reg) base,
                stride = in(reg) stride,
                cpus = in(reg) cpus,
                n = in(reg) n,
                cell = out(reg) _,
                done = out(reg) done,
                section = const area::SECTION,
                cpu_id = const area::CPU_ID,
                options(nostack),
            );
        }
        done != 0
    }
}
