//! A slot allocator: connections share a few buffers, each buffer has one owner at a time, and who
//! finds none waits for the next in line.
//!
//! `cargo run --example slots`

use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};
use std::thread;
use std::time::Duration;

use reveille::AtomicBitSet;
use reveille::bitset::{Hint, Inline, Slot, SlotSet, words_for};

const BUFFERS: usize = 3;
const CONNECTIONS: usize = 12;
const REQUESTS: usize = 2000;

type Slots = SlotSet<Inline<{ words_for(BUFFERS) }>>;

/// Buffers of a kilobyte, in a static.
struct Pool {
    slots: Slots,
    buffers: [UnsafeCell<[u8; 1024]>; BUFFERS],
}

// SAFETY: a buffer is reached through its slot only, which has one owner.
unsafe impl Sync for Pool {}

static POOL: Pool = Pool {
    slots: SlotSet::new(AtomicBitSet::with_bits(BUFFERS)),
    buffers: [const { UnsafeCell::new([0; 1024]) }; BUFFERS],
};

/// A buffer, until it is dropped.
struct Buffer(Slot<'static, Inline<{ words_for(BUFFERS) }>>);

impl Pool {
    /// Waits for a buffer, at most so long.
    fn buffer(&'static self, hint: &mut Hint, timeout: Duration) -> Option<Buffer> {
        self.slots.claim_timeout(hint, timeout).ok().map(Buffer)
    }
}

impl Deref for Buffer {
    type Target = [u8; 1024];

    fn deref(&self) -> &[u8; 1024] {
        // SAFETY: we own the slot. What its last owner wrote happened before the claim.
        unsafe { &*POOL.buffers[self.0.index()].get() }
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u8; 1024] {
        // SAFETY: as above.
        unsafe { &mut *POOL.buffers[self.0.index()].get() }
    }
}

fn main() {
    let connections: Vec<_> = (0..CONNECTIONS)
        .map(|number| {
            thread::spawn(move || {
                let mut hint = Hint::of_this_thread();
                for _ in 0..REQUESTS {
                    let mut buffer =
                        POOL.buffer(&mut hint, Duration::from_secs(10)).expect("one is soon free");
                    buffer.fill(number as u8);
                    // Time for others to spoil it, if they could.
                    thread::yield_now();
                    assert!(buffer.iter().all(|&byte| byte == number as u8), "it is ours alone");
                }
            })
        })
        .collect();
    connections.into_iter().for_each(|connection| connection.join().unwrap());

    let (taken, waiting) = (POOL.slots.bits().count(), POOL.slots.waiting());
    println!("{} requests through {BUFFERS} buffers", CONNECTIONS * REQUESTS);
    assert_eq!((taken, waiting), (0, 0));

    // All taken: nobody waits for ever who does not want to.
    let mut hint = Hint::default();
    let all: Vec<_> = (0..BUFFERS).map(|_| POOL.slots.try_claim(&mut hint).unwrap()).collect();
    assert!(POOL.buffer(&mut hint, Duration::from_millis(5)).is_none());
    drop(all);
}
