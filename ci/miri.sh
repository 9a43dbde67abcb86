#!/usr/bin/env bash
# Miri, where it exists: undefined behaviour that no sanitizer sees, provenance above all.
source "$(dirname "$0")/lib.sh"

cargo +nightly miri --version >/dev/null 2>&1 || skip "no 'cargo +nightly miri' on this machine"
run cargo +nightly miri setup
run env MIRIFLAGS="-Zmiri-disable-isolation -Zmiri-many-seeds=0..4" REVEILLE_MIRI=1 \
    timeout 1500 cargo +nightly miri test -p reveille --lib --tests
