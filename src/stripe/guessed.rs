//! Without thread-locals: threads have stacks of their own, so an address on the stack tells them
//! apart. Deep calls may change the answer.

use crate::shim;

/// Addresses this close are one stack's: 64 KiB where there is room, 1 KiB on small machines.
const STACK_BITS: u32 = if usize::BITS > 32 { 16 } else { 10 };
/// 2^BITS ÷ the golden ratio.
const SPREAD: usize = (0x9e37_79b9_7f4a_7c15_u64 >> (64 - usize::BITS)) as usize | 1;
const HALF: u32 = usize::BITS / 2;

#[inline]
pub(super) fn number() -> usize {
    // Stacks lie at regular distances, so one multiplication alone may map them to very few numbers.
    mix(mix(shim::stack_address() >> STACK_BITS)) >> HALF
}

const fn mix(n: usize) -> usize {
    (n ^ n >> HALF).wrapping_mul(SPREAD)
}
