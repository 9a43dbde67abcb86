//! Many threads offer, one drains: a batch for each wake-up.
//!
//! `cargo run --example basket`

use std::thread;

use reveille::Basket;

const OFFERERS: u64 = 4;
const EACH: u64 = 100_000;

fn main() {
    let (offerer, mut drainer) = Basket::unbounded();
    let threads: Vec<_> = (0..OFFERERS)
        .map(|id| {
            let mut offerer = offerer.clone();
            thread::spawn(move || {
                for n in 0..EACH / 2 {
                    offerer.offer((id, n)).expect("the drainer is there");
                }
                // As one: at most one wake-up, and nothing of this thread's comes between.
                let rest = (EACH / 2..EACH).map(|n| (id, n));
                offerer.offer_all(rest).expect("the drainer is there");
            })
        })
        .collect();
    drop(offerer); // The basket closes when the last offerer is gone.

    let mut next = [0; OFFERERS as usize];
    let (mut batches, mut largest) = (0_u64, 0);
    while drainer.wait().is_ok() {
        let mut size = 0;
        for (id, n) in drainer.drain() {
            assert_eq!(n, next[id as usize], "each offerer's items stay in order");
            next[id as usize] += 1;
            size += 1;
        }
        batches += 1;
        largest = largest.max(size);
    }
    threads.into_iter().for_each(|thread| thread.join().expect("it does not panic"));
    assert_eq!(next, [EACH; OFFERERS as usize], "nothing is lost");
    println!("{} items in {batches} batches, the largest of {largest}", OFFERERS * EACH);
}
