//! Which caller a reply belongs to: a slot for every call that can be open.
//!
//! An id is the slot's number and how often it has been used, so a reply that comes twice, or to a
//! call that is over, is noticed.

use std::sync::Mutex;

use reveille::oneshot::{self, Completer, Ticket};

/// Whether the reply was the right one.
pub type Checked = Result<(), String>;

struct Slot {
    uses: u32,
    open: Option<Completer<Checked>>,
}

pub struct Slots(Vec<Mutex<Slot>>);

fn lock(slot: &Mutex<Slot>) -> std::sync::MutexGuard<'_, Slot> {
    slot.lock().expect("nothing panics while it holds a slot")
}

impl Slots {
    pub fn new(count: usize) -> Self {
        Self((0..count).map(|_| Mutex::new(Slot { uses: 0, open: None })).collect())
    }

    /// Opens a call in this slot, which has none.
    pub fn open(&self, slot: usize) -> (u64, Ticket<Checked>) {
        let (completer, ticket) = oneshot::pair();
        let mut place = lock(&self.0[slot]);
        place.uses = place.uses.wrapping_add(1);
        place.open = Some(completer);
        (u64::from(place.uses) << 32 | slot as u64, ticket)
    }

    /// The call of this id, which is over by that.
    pub fn take(&self, id: u64) -> Option<Completer<Checked>> {
        let mut place = lock(self.0.get(id as u32 as usize)?);
        if place.uses == (id >> 32) as u32 { place.open.take() } else { None }
    }

    /// Ends every open call without a reply.
    pub fn fail_all(&self) {
        for slot in &self.0 {
            drop(lock(slot).open.take());
        }
    }
}
