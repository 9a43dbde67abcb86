//! `idle-10s`: many parked threads of every kind, for ten seconds, in which nothing happens.

use core::sync::atomic::{AtomicBool, Ordering};
use std::io;
use std::sync::Arc;

use super::roll::{ForEach, plain};
use super::subject::{Park as _, Subject, Unpark as _};
use crate::harness::Session;
use crate::harness::asleep::{self, Herd};

/// Parked threads of each kind.
const THREADS: usize = 64;

pub(super) fn run(session: &mut Session) -> io::Result<()> {
    asleep::watch(session, &format!("{THREADS} parked threads"), plain::<Asleep>)
}

struct Asleep;

impl ForEach for Asleep {
    type Output = Herd;

    fn make<S: Subject>() -> Herd {
        Herd::start(S::NAME, THREADS, |ready| {
            let (mut parker, unparker) = S::pair();
            let morning = Arc::new(AtomicBool::new(false));
            let sun = Arc::clone(&morning);
            ready.wake_by(move || {
                sun.store(true, Ordering::Release);
                unparker.unpark();
            });
            while !morning.load(Ordering::Acquire) {
                parker.park();
            }
        })
    }
}
