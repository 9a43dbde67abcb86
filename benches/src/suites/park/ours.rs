//! `reveille`'s parker under each spin policy.

use core::marker::PhantomData;
use std::sync::Arc;

use reveille::parker::ClaimSlot;
use reveille::{Adaptive, Fixed, NoSpin, Parker, SpinPolicy, Unparker};

use super::subject::{Park, Subject, Unpark};

/// The `Arc`-backed pair, as the peers' are, with one of the policies below.
pub(super) struct Reveille<V>(PhantomData<V>);

/// A spin policy and its name.
pub(super) trait Variant: 'static {
    const NAME: &'static str;
    type Policy: SpinPolicy;

    fn policy() -> Self::Policy;
}

/// The default.
pub(super) struct Default;
/// Sleeps at once.
pub(super) struct Sleeper;
/// Spins a fixed number of turns.
pub(super) struct Turns<const N: u32>;

impl Variant for Default {
    const NAME: &'static str = "reveille";
    type Policy = Adaptive;

    fn policy() -> Adaptive {
        Adaptive::new()
    }
}

impl Variant for Sleeper {
    const NAME: &'static str = "reveille:nospin";
    type Policy = NoSpin;

    fn policy() -> NoSpin {
        NoSpin
    }
}

impl Variant for Turns<300> {
    const NAME: &'static str = "reveille:fixed300";
    type Policy = Fixed;

    fn policy() -> Fixed {
        Fixed(300)
    }
}

impl Variant for Turns<1000> {
    const NAME: &'static str = "reveille:fixed1000";
    type Policy = Fixed;

    fn policy() -> Fixed {
        Fixed(1000)
    }
}

impl<V: Variant> Subject for Reveille<V> {
    const NAME: &'static str = V::NAME;
    type Parker = Parker<Arc<ClaimSlot>, V::Policy>;
    type Unparker = Unparker;

    fn pair() -> (Self::Parker, Unparker) {
        let parker = Parker::new();
        let unparker = parker.unparker();
        (parker.with_policy(V::policy()), unparker)
    }
}

impl<P: SpinPolicy> Park for Parker<Arc<ClaimSlot>, P> {
    fn park(&mut self) {
        Self::park(self);
    }
}

impl Unpark for Unparker {
    fn unpark(&self) {
        Self::unpark(self);
    }
}
