//! A flag that one thread raises and another waits for, as a user would write it over the crate, and
//! model-check it.

use std::sync::atomic::Ordering;

#[cfg(reveille_loom)]
use loom::sync::{Arc, atomic::AtomicBool};
#[cfg(not(reveille_loom))]
use std::sync::{Arc, atomic::AtomicBool};

use reveille::{Parker, Unparker};

/// Raises the flag; the other side waits for it.
pub struct Raise(Arc<AtomicBool>, Unparker);

/// Waits for the flag.
pub struct Wait(Arc<AtomicBool>, Parker);

/// Both sides of a new flag.
pub fn flag() -> (Raise, Wait) {
    let parker = Parker::new();
    let raised = Arc::new(AtomicBool::new(false));
    (Raise(Arc::clone(&raised), parker.unparker()), Wait(raised, parker))
}

impl Raise {
    /// Lets the other side go on.
    pub fn raise(&self) {
        self.0.store(true, Ordering::Relaxed); // the unpark publishes it
        self.1.unpark();
    }
}

impl Wait {
    /// Returns when the flag is up.
    pub fn wait(mut self) {
        self.1.park();
        assert!(self.0.load(Ordering::Relaxed));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(reveille_loom)]
    fn each_execution(test: fn()) {
        loom::model(test);
    }

    #[cfg(not(reveille_loom))]
    fn each_execution(test: fn()) {
        test();
    }

    #[cfg(reveille_loom)]
    use loom::thread::spawn;
    #[cfg(not(reveille_loom))]
    use std::thread::spawn;

    #[test]
    fn the_flag_is_up_after_the_wait() {
        each_execution(|| {
            let (raise, wait) = flag();
            let other = spawn(move || raise.raise());
            wait.wait();
            other.join().unwrap();
        });
    }
}
