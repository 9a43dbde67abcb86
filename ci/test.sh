#!/usr/bin/env bash
# The README's commands as a reader runs them; then everything once more optimised, on one CPU, and
# with the long soaks.
source "$(dirname "$0")/lib.sh"

grep -qx 'cargo test' README.md || fail "README.md does not give 'cargo test' on a line of its own"
run cargo test --no-run
start=$SECONDS
run cargo test
took=$((SECONDS - start))
echo "cargo test took $took s"
((took < 300)) || fail "cargo test took $took s, 300 allowed on two cores"

# Models are the loom stage's, at full bounds.
run timeout 900 cargo test --profile optimized -p reveille
run timeout 900 taskset -c 0 cargo test --profile optimized -p reveille --lib --tests
run env REVEILLE_SOAK=1 timeout 900 cargo test --profile optimized -p reveille --lib --tests

# Every example ends by itself, and well. The main one is the README's first command.
shopt -s nullglob
examples=(examples/*)
((${#examples[@]})) || fail "examples/ is empty"
for example in "${examples[@]}"; do
    run timeout 120 cargo run --quiet --release --example "$(basename "$example" .rs)"
done
grep -qx 'cargo run --release --example rpc' README.md \
    || fail "README.md does not give 'cargo run --release --example rpc' on a line of its own"
run timeout 120 cargo run --quiet --release --example rpc -- --seconds 1 --json >"$out/rpc.jsonl"
run python3 ci/json_lines.py "$out/rpc.jsonl" mode
must_fail 'error|usage' cargo run --quiet --release --example rpc -- --no-such-flag
