#!/usr/bin/env bash
# The documentation, private items too, without a warning.
source "$(dirname "$0")/lib.sh"

run env RUSTDOCFLAGS="-D warnings" cargo doc -p reveille --no-deps --document-private-items --all-features
run env RUSTDOCFLAGS="-D warnings" cargo doc -p reveille --no-deps --all-features
# Without features the text still names what they would add: those links cannot resolve.
run env RUSTDOCFLAGS="-D warnings -A rustdoc::broken-intra-doc-links" CARGO_TARGET_DIR="$out/doc" \
    cargo doc -p reveille --no-deps --document-private-items --no-default-features
