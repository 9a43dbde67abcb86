//! Baskets of every form, for tests of what all of them promise.

use reveille::basket::{FixedBasket, Slot};

/// A basket over slots on the heap.
pub(crate) fn fixed<T>(slots: usize) -> FixedBasket<T, Box<[Slot<T>]>> {
    FixedBasket::new((0..slots).map(|_| Slot::new()).collect()).unwrap()
}

/// Runs a block with the two sides of a new basket of each form. Those with a limit take `room` items.
macro_rules! every_form {
    (room $room:expr, |$form:pat_param, $offerer:pat_param, $drainer:pat_param| $body:block) => {{
        {
            let $form = "unbounded";
            let ($offerer, $drainer) = reveille::Basket::unbounded();
            $body
        }
        {
            let $form = "ordered";
            let ($offerer, $drainer) = reveille::Basket::ordered();
            $body
        }
        bounded_forms!(room $room, |$form, $offerer, $drainer| $body);
    }};
}

/// As `every_form`, for those with a limit.
macro_rules! bounded_forms {
    (room $room:expr, |$form:pat_param, $offerer:pat_param, $drainer:pat_param| $body:block) => {{
        {
            let $form = "bounded";
            let ($offerer, $drainer) = reveille::Basket::bounded($room).unwrap();
            $body
        }
        {
            let $form = "weighed";
            let ($offerer, $drainer) = reveille::Basket::weighed($room, |_| 1).unwrap();
            $body
        }
        {
            let $form = "fixed";
            let mut basket = crate::forms::fixed($room);
            let ($offerer, $drainer) = basket.split();
            $body
        }
    }};
}
