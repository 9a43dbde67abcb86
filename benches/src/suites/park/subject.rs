//! What every parker here can do.

/// A kind of parker.
pub(super) trait Subject: 'static {
    /// Its name in tables.
    const NAME: &'static str;
    type Parker: Park;
    type Unparker: Unpark;

    /// A new token. The calling thread is the one that will park.
    fn pair() -> (Self::Parker, Self::Unparker);
}

/// The side that waits.
pub(super) trait Park {
    /// Waits for the token and takes it. `std::thread::park` may return without one, so callers look
    /// at what they wait for and park again.
    fn park(&mut self);
}

/// The side that wakes.
pub(super) trait Unpark: Clone + Send + Sync + 'static {
    fn unpark(&self);
}
