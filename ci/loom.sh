#!/usr/bin/env bash
# The models at full bounds. A timeout fails them; nothing may end one early and let it pass.
source "$(dirname "$0")/lib.sh"

run env REVEILLE_MODEL=full timeout 1500 cargo test -p loom-tests --profile optimized

# Users model-check their own code with this flag: the library itself must build under it.
export CARGO_TARGET_DIR=$out/model-cfg
for features in "" alloc; do
    run env RUSTFLAGS="--cfg reveille_loom" cargo check -p reveille --lib --no-default-features --features "$features"
done
run env RUSTFLAGS="--cfg reveille_loom" cargo check -p reveille --lib --all-features
