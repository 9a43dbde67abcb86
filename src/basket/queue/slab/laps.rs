//! Positions in a ring whose length need not be a power of two.

/// Positions in a ring of `len` places: the place in the low bits, the lap above.
///
/// Positions are compared by wrapping subtraction, so they may run over.
#[derive(Clone, Copy)]
pub(crate) struct Laps {
    len: usize,
    /// What a lap adds to a position.
    pub(crate) one: usize,
}

impl Laps {
    pub(crate) const fn new(len: usize) -> Self {
        Self { len, one: (len + 1).next_power_of_two() }
    }

    pub(crate) const fn place(self, position: usize) -> usize {
        position & (self.one - 1)
    }

    pub(crate) const fn after(self, position: usize) -> usize {
        if self.place(position) + 1 < self.len {
            position + 1
        } else {
            (position & !(self.one - 1)).wrapping_add(self.one)
        }
    }

    /// Steps from one position to another that is at most a lap ahead; zero if it is not ahead.
    pub(crate) const fn distance(self, from: usize, to: usize) -> usize {
        if to.wrapping_sub(from) as isize <= 0 {
            0
        } else if self.place(to) >= self.place(from) && to.wrapping_sub(from) < self.one {
            self.place(to) - self.place(from)
        } else {
            self.len - self.place(from) + self.place(to)
        }
    }
}

/// The most slots that positions and numbers can count.
pub(crate) const MOST_SLOTS: usize = usize::MAX >> 4;
