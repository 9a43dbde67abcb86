#!/usr/bin/env bash
# The crate builds and passes its tests with the oldest compiler that the manifest promises.
source "$(dirname "$0")/lib.sh"

promised=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
ci/cross-std.sh "$out/rust-deb" || skip "Debian's rustc-web cannot be had"
RUSTC=$(realpath "$out/rust-deb/rustc")
RUSTDOC=$(realpath "$out/rust-deb/rustdoc")
export RUSTC RUSTDOC
"$RUSTC" -V | grep -qF "rustc $promised." || fail "the manifest promises $promised, this is $("$RUSTC" -V)"

export CARGO_TARGET_DIR=$out/deb
run cargo check -p reveille --lib --no-default-features
run timeout 600 cargo test -p reveille --lib --tests
run timeout 600 cargo test -p reveille --doc
run cargo check -p loom-tests --all-targets
