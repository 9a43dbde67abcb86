//! Ports of what is no crate: the shapes that people write by hand.

pub(crate) mod bare_futex;
pub(crate) mod hand_off;
pub(crate) mod mutex_condvar;
pub(crate) mod mutex_vec;
pub(crate) mod parking_lot_condvar;
