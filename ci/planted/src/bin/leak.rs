//! Loses what it allocated.

fn main() {
    let lost = Box::into_raw(Box::new([7_u8; 4096]));
    println!("{}", lost.addr() % 8);
}
