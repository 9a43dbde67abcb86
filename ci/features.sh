#!/usr/bin/env bash
# Every set of features, every wait backend that Linux can run, and the oldest dependencies.
source "$(dirname "$0")/lib.sh"

for features in "" alloc std std,merge rseq; do
    run cargo check -p reveille --all-targets --no-default-features --features "$features"
done
run cargo check -p reveille --all-targets --all-features

for features in "" alloc std rseq; do
    run timeout 600 cargo test -p reveille --lib --tests --no-default-features --features "$features"
done
run timeout 600 cargo test -p reveille --lib --tests --all-features

# The fallback works wherever std does, so here as well. Nothing waits without an OS: bare compiles.
run env RUSTFLAGS='--cfg reveille_backend="fallback"' CARGO_TARGET_DIR="$out/fallback" \
    timeout 600 cargo test -p reveille --lib --tests
for features in "" alloc std,merge; do
    run env RUSTFLAGS='--cfg reveille_backend="bare"' CARGO_TARGET_DIR="$out/bare" \
        cargo check -p reveille --lib --no-default-features --features "$features"
done

# The lower bounds in the manifest are true. In a copy: cargo rewrites the lock file. Without the
# benches, whose peers have their own idea of what is oldest.
copy=$out/minimal
copy_tree "$copy"
sed -i '/^members = /s/, "benches"//' "$copy/Cargo.toml"
(
    cd "$copy" || exit
    run "${unstable_cargo[@]}" update -Zdirect-minimal-versions
    run env CARGO_TARGET_DIR=../minimal-target cargo check -p reveille --lib --all-features
    run env CARGO_TARGET_DIR=../minimal-target cargo test -p reveille --lib --tests
    run env CARGO_TARGET_DIR=../minimal-target cargo check -p loom-tests --all-targets
)
