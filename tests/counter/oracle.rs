//! Random operations, each compared with a plain model.

use reveille::StripedCounter;
use reveille::counter::{CounterSet, OwnedSet, StripedGauge};

use crate::support::{Random, scaled};

/// Numbers of all sizes.
fn amount(random: &mut Random) -> u64 {
    random.next() >> random.below(64)
}

#[test]
fn a_counter_behaves_like_a_number() {
    let mut random = Random::new(1);
    let counter = StripedCounter::<5>::with_stripes();
    let (mut model, mut lasts) = (0_u64, [0_u64; 2]);
    // What the readers have seen is no longer told from the sum once it has been reset.
    for _ in 0..scaled(20_000, 1_000_000) {
        let n = amount(&mut random);
        match random.below(6) {
            0 => {
                counter.add(n);
                model = model.wrapping_add(n);
            }
            1 => {
                counter.add_at(random.next() as usize, n);
                model = model.wrapping_add(n);
            }
            2 => {
                counter.increment();
                model = model.wrapping_add(1);
            }
            3 => {
                let last = &mut lasts[random.below(2)];
                let wanted = model.wrapping_sub(*last);
                assert_eq!(counter.delta(last), wanted);
                assert_eq!(*last, model);
            }
            4 if random.one_in(10) => {
                assert_eq!(counter.sum_then_reset(), model);
                model = 0;
            }
            _ => assert_eq!(counter.sum(), model),
        }
    }
}

#[test]
fn a_gauge_behaves_like_a_number() {
    let mut random = Random::new(2);
    let gauge = StripedGauge::<3>::with_stripes();
    let mut model = 0_i64;
    let mut guards = Vec::new();
    for _ in 0..scaled(20_000, 1_000_000) {
        match random.below(7) {
            0 => {
                let n = amount(&mut random) as i64;
                gauge.add(n);
                model = model.wrapping_add(n);
            }
            1 => {
                let n = amount(&mut random) as i64;
                gauge.add_at(random.next() as usize, n.wrapping_neg());
                model = model.wrapping_sub(n);
            }
            2 => {
                gauge.increment();
                model = model.wrapping_add(1);
            }
            3 => {
                gauge.decrement();
                model = model.wrapping_sub(1);
            }
            4 => {
                guards.push(gauge.enter_at(random.next() as usize));
                model = model.wrapping_add(1);
            }
            5 if !guards.is_empty() => {
                drop(guards.swap_remove(random.below(guards.len())));
                model = model.wrapping_sub(1);
            }
            _ => {
                assert_eq!(gauge.sum(), model);
                assert_eq!(gauge.sum_clamped(), model.max(0) as u64);
            }
        }
    }
}

#[test]
fn sets_behave_like_arrays() {
    const K: usize = 7;
    let mut random = Random::new(3);
    let set = CounterSet::<K, 3>::with_stripes();
    let owned = OwnedSet::<K>::new();
    let mut writer = owned.writer().unwrap();
    let (mut model, mut total) = ([0_u64; K], [0_u64; K]);
    let mut last = [0_u64; K];
    for _ in 0..scaled(20_000, 1_000_000) {
        let (k, n) = (random.below(K), amount(&mut random));
        match random.below(5) {
            0 | 1 => {
                if random.one_in(2) {
                    set.add(k, n);
                } else {
                    set.pin_at(random.next() as usize).add(k, n);
                }
                writer.add(k, n);
                model[k] = model[k].wrapping_add(n);
                total[k] = total[k].wrapping_add(n);
            }
            2 => {
                assert_eq!(set.sum_then_reset(k), model[k]);
                model[k] = 0;
            }
            3 => {
                let wanted = core::array::from_fn(|k| total[k].wrapping_sub(last[k]));
                assert_eq!(owned.delta(&mut last), wanted);
            }
            _ => {
                assert_eq!(set.snapshot(), model);
                assert_eq!(owned.snapshot(), total);
            }
        }
    }
}
