//! Reads what was freed.

fn main() {
    let freed = Box::into_raw(Box::new(7_u64));
    // SAFETY: it came from a box.
    drop(unsafe { Box::from_raw(freed) });
    // SAFETY: none. This is the bug.
    println!("{}", unsafe { freed.read_volatile() });
}
