//! The peers' parkers.

use core::marker::PhantomData;
use std::sync::Arc;
use std::thread::{self, Thread};

use super::subject::{Park, Subject, Unpark};
use crate::peers::bare_futex::BareFutex;
use crate::peers::mutex_condvar::MutexCondvar;
use crate::peers::parking_lot_condvar::ParkingLotCondvar;

/// `crossbeam_utils::sync::Parker`.
pub(super) struct CrossbeamUtils;

impl Subject for CrossbeamUtils {
    const NAME: &'static str = "crossbeam-utils";
    type Parker = crossbeam_utils::sync::Parker;
    type Unparker = crossbeam_utils::sync::Unparker;

    fn pair() -> (Self::Parker, Self::Unparker) {
        let parker = crossbeam_utils::sync::Parker::new();
        let unparker = parker.unparker().clone();
        (parker, unparker)
    }
}

impl Park for crossbeam_utils::sync::Parker {
    fn park(&mut self) {
        Self::park(self);
    }
}

impl Unpark for crossbeam_utils::sync::Unparker {
    fn unpark(&self) {
        Self::unpark(self);
    }
}

/// `parking::Parker`.
pub(super) struct Parking;

impl Subject for Parking {
    const NAME: &'static str = "parking";
    type Parker = parking::Parker;
    type Unparker = parking::Unparker;

    fn pair() -> (Self::Parker, Self::Unparker) {
        parking::pair()
    }
}

impl Park for parking::Parker {
    fn park(&mut self) {
        Self::park(self);
    }
}

impl Unpark for parking::Unparker {
    fn unpark(&self) {
        Self::unpark(self);
    }
}

/// The token that every thread has.
pub(super) struct StdThread;

/// Whichever thread calls.
pub(super) struct CurrentThread;

impl Subject for StdThread {
    const NAME: &'static str = "std-thread";
    type Parker = CurrentThread;
    type Unparker = Thread;

    fn pair() -> (CurrentThread, Thread) {
        (CurrentThread, thread::current())
    }
}

impl Park for CurrentThread {
    fn park(&mut self) {
        thread::park();
    }
}

impl Unpark for Thread {
    fn unpark(&self) {
        Self::unpark(self);
    }
}

/// A port: one shared value with both sides' functions.
pub(super) trait Port: Default + Send + Sync + 'static {
    const NAME: &'static str;

    fn park(&self);
    fn unpark(&self);
}

/// The pair over a port.
pub(super) struct Ported<T>(PhantomData<T>);

impl<T: Port> Subject for Ported<T> {
    const NAME: &'static str = T::NAME;
    type Parker = Arc<T>;
    type Unparker = Arc<T>;

    fn pair() -> (Arc<T>, Arc<T>) {
        let shared = Arc::<T>::default();
        (Arc::clone(&shared), shared)
    }
}

impl<T: Port> Park for Arc<T> {
    fn park(&mut self) {
        T::park(self);
    }
}

impl<T: Port> Unpark for Arc<T> {
    fn unpark(&self) {
        T::unpark(self);
    }
}

impl Port for BareFutex {
    const NAME: &'static str = "bare-futex";

    fn park(&self) {
        Self::park(self);
    }

    fn unpark(&self) {
        Self::unpark(self);
    }
}

impl Port for MutexCondvar {
    const NAME: &'static str = "mutex-condvar";

    fn park(&self) {
        Self::park(self);
    }

    fn unpark(&self) {
        Self::unpark(self);
    }
}

impl Port for ParkingLotCondvar {
    const NAME: &'static str = "parking_lot-condvar";

    fn park(&self) {
        Self::park(self);
    }

    fn unpark(&self) {
        Self::unpark(self);
    }
}
