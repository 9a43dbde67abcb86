//! Which destinations want a turn: a bit for each, and the thread's parker.
//!
//! Whoever has news for the thread sets a bit and then unparks it; the thread takes the bits, deals with
//! the news, and parks. So a bit that is set after the thread took its word is followed by a token that
//! the thread has not consumed, and it looks again. Both steps are needed even if the bit was set
//! already: whoever set it may not have come to its unpark yet.
//!
//! Bits are kept in segments of a word, a cache line each, so that a new destination needs no more than
//! a new segment. They are taken a word at a time: a look at all of them costs a load for each
//! [`WORD_BITS`] destinations.

use alloc::sync::Arc as StdArc;
use alloc::task::Wake;
use alloc::vec::Vec;

use crossbeam_utils::CachePadded;

use crate::bitset::{AtomicBitSet, Hint, WORD_BITS};
use crate::parker::Unparker;

type Segment = CachePadded<AtomicBitSet<1>>;

/// Reports one number to the thread. As a waker it does so when it is fired.
#[derive(Clone)]
pub(super) struct Report {
    segment: StdArc<Segment>,
    bit: usize,
    thread: Unparker,
}

impl Report {
    pub(super) fn report(&self) {
        self.segment.set(self.bit);
        self.thread.unpark();
    }
}

impl Wake for Report {
    fn wake(self: StdArc<Self>) {
        self.report();
    }

    fn wake_by_ref(self: &StdArc<Self>) {
        self.report();
    }
}

/// The thread's side: the numbers that were reported.
pub(super) struct Ready {
    segments: Vec<StdArc<Segment>>,
    thread: Unparker,
}

impl Ready {
    pub(super) const fn new(thread: Unparker) -> Self {
        Self { segments: Vec::new(), thread }
    }

    /// The report of this number, which is the next after the highest so far, or less.
    pub(super) fn report_of(&mut self, number: usize) -> Report {
        let (segment, bit) = (number / WORD_BITS, number % WORD_BITS);
        if segment == self.segments.len() {
            self.segments.push(StdArc::default());
        }
        Report { segment: self.segments[segment].clone(), bit, thread: self.thread.clone() }
    }

    /// Sets a number aside for the next look, for the thread itself.
    pub(super) fn set(&self, number: usize) {
        self.segments[number / WORD_BITS].set(number % WORD_BITS);
    }

    /// How many segments there are.
    pub(super) fn segments(&self) -> usize {
        self.segments.len()
    }

    /// Takes the numbers in a segment that were reported.
    pub(super) fn take(&self, segment: usize) -> impl Iterator<Item = usize> + use<> {
        let taken = self.segments[segment].take_word(&mut Hint::lowest());
        taken.into_iter().flatten().map(move |bit| segment * WORD_BITS + bit)
    }
}
