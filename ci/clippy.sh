#!/usr/bin/env bash
# Clippy and rustc's warnings, as errors: each feature set, each wait backend, the model build.
source "$(dirname "$0")/lib.sh"

run cargo clippy --workspace --all-targets -- -D warnings
run cargo clippy --workspace --all-targets --all-features -- -D warnings
# The benches ask for the default features: without them, package by package.
run cargo clippy -p reveille --all-targets --no-default-features -- -D warnings
run cargo clippy -p reveille --all-targets --no-default-features --features alloc -- -D warnings
run cargo clippy -p loom-tests --lib --no-default-features -- -D warnings

for backend in fallback bare; do
    run env RUSTFLAGS="--cfg reveille_backend=\"$backend\"" CARGO_TARGET_DIR="$out/$backend" \
        cargo clippy -p reveille --all-targets -- -D warnings
done

# clippy.toml's lists must bite: raw parking and a raw atomic outside the shim.
copy_tree "$out/clippy-control"
cat >>"$out/clippy-control/src/time.rs" <<'RUST'
static RAW: core::sync::atomic::AtomicU8 = core::sync::atomic::AtomicU8::new(0);
RUST
must_fail 'disallowed type .core::sync::atomic::AtomicU8' \
    env CARGO_TARGET_DIR="$out/clippy-control/target" cargo clippy \
    --manifest-path "$out/clippy-control/Cargo.toml" -p reveille --lib -- -D warnings
